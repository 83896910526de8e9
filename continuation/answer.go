package continuation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EndsOnQuestion reports whether an answer ends on a question to the person.
// The closing question decides: neither a question mark in code, in a link or
// in quoted text, nor a closing pleasantry is one.
func (r Reader) EndsOnQuestion(answer string) bool {
	c := closingOf(answer)
	return c.found && !pleasantry(c.question)
}

// ReadAnswer classifies what an answer leaves open. That it ends on a question
// opens one; how it is phrased only picks the kind.
func (r Reader) ReadAnswer(answer string) Offer {
	c := closingOf(answer)
	if !c.found || pleasantry(c.question) {
		return Offer{}
	}
	o := Offer{Kind: OfferQuestion, Question: plainText(c.withContext())}
	if c.item {
		return o
	}
	ask := r.askOf(c.question)
	list := lastList(c.before)
	if len(list.items) > 1 && (ask.pick || !list.bullets) {
		o.Options = list.items
	}
	if c.followed {
		return o
	}
	switch {
	case len(o.Options) > 1 && ask.pick:
		o.Kind = OfferChoice
	case ask.either && len(o.Options) == 0:
		if a, b, ok := twoOptions(plainText(c.question)); ok {
			o.Kind, o.Options = OfferChoice, []string{a, b}
		}
	case ask.yesNo:
		o.Kind = OfferYesNo
	}
	return o
}

// An ask is what the form of a closing question asks for.
type ask struct {
	pick   bool // one of what is shown
	either bool // one of two things it names
	yesNo  bool // a yes or a no
}

// askOf reads the form of a closing question.
func (r Reader) askOf(question string) ask {
	var (
		buf  [questionTail + 112]byte
		toks [96]token
	)
	q := readQuestion(question, buf[:0], toks[:0])
	form := q.form()
	a := ask{pick: form == askPick, either: q.either}
	a.yesNo = !q.wh && !q.either && form != askPick && form != askFact && r.readable(question, &q, form)
	return a
}

// readable reports whether the form of a question is known to want a yes or a
// no: an English one, or an offer in a configured language.
func (r Reader) readable(question string, q *question, form class) bool {
	switch {
	case q.offer || form == askYesNo:
		return true
	case r.foreignWh(q):
		return false
	case foreignLetters(question):
		return r.foreignOffer(q)
	}
	return true
}

// foreignLetters reports whether s holds letters or signs that English does
// without.
func foreignLetters(s string) bool {
	for _, r := range s {
		if r == '\u00bf' || r >= utf8.RuneSelf && unicode.IsLetter(r) {
			return true
		}
	}
	return false
}

// form returns the class of the form that the closing sentence opens with, or
// askPick wherever in it a pick is asked for.
func (q *question) form() class {
	g := forms()
	opening, start := askNothing, true
	for i := q.from; i < q.to; {
		c, n := g.matchText(q, i)
		switch {
		case c == askPick:
			return askPick
		case n > 0 && start:
			opening = c
		}
		if n == 0 {
			n = 1
			start = start && q.toks[i].word.roles&roleFn != 0 || q.toks[i].brk != 0 && opening == askNothing
		} else {
			start = false
		}
		i += n
	}
	return opening
}

// pleasantry reports whether a closing question only signs off: "Is there
// anything else I can help you with?".
func pleasantry(question string) bool {
	var (
		buf  [128]byte
		toks [32]token
	)
	if len(question) > 120 {
		return false
	}
	g := signOff()
	norm := normalise(buf[:0], question)
	words := tokenise(g, norm, toks[:0])
	from := 0
	for i := range words[:max(len(words)-1, 0)] { // what stands before the last sentence is no part of it
		if endsSentence(words[i].brk) {
			from = i + 1
		}
	}
	var said role
	for _, t := range words[from:] {
		if t.word.id == 0 {
			return false
		}
		said |= t.word.roles
	}
	const help = roleHow | roleCan | roleHelp
	return said&roleElse != 0 || said&help == help
}

// twoOptions returns what an either/or question names, where both are short
// and neither needs the rest of the sentence.
func twoOptions(question string) (a, b string, ok bool) {
	body := strings.TrimRight(question, "?\uff1f ")
	if i := strings.LastIndexAny(body, ".!?\n"); i >= 0 {
		body = body[i+1:]
	}
	left, right, ok := cutOr(body)
	if !ok {
		return "", "", false
	}
	set := false // the left side stands by itself, after a colon or a wh-question
	if i := strings.LastIndexAny(strings.TrimRight(left, ", "), ",:"); i >= 0 {
		set = left[i] == ':' || opensWh(left[:i])
		if strings.ContainsAny(left[:i], ",:") || !set && strings.Contains(strings.TrimSpace(left[:i]), " ") {
			return "", "", false // three or more
		}
		left = left[i+1:]
	}
	left, right = trimLead(left), trimLead(right)
	l, r := len(strings.Fields(left)), len(strings.Fields(right))
	const short = 4
	if l == 0 || r == 0 || l > short || r > short || l != r && !set || numeric(left) || numeric(right) {
		return "", "", false
	}
	return left, right, true
}

// numeric reports whether s opens with a digit: as an option it would be taken
// for a place in the list.
func numeric(s string) bool { return s[0] >= '0' && s[0] <= '9' }

// opensWh reports whether a clause opens with a wh-word.
func opensWh(s string) bool {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	switch strings.ToLower(w) {
	case "which", "what", "who", "where", "when", "how":
		return true
	}
	return false
}

// cutOr splits a sentence at its only "or".
func cutOr(s string) (left, right string, ok bool) {
	lower := strings.ToLower(s)
	i := strings.Index(lower, " or ")
	if i < 0 || strings.Contains(lower[i+4:], " or ") || len(lower) != len(s) {
		return "", "", false
	}
	return s[:i], s[i+4:], true
}

// trimLead takes the opening of an offer, and commas, off one side of an
// either/or.
func trimLead(s string) string {
	s = strings.Trim(s, " ,")
	for again := true; again; {
		again = false
		for _, lead := range eitherLeads {
			if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
				s, again = strings.TrimLeft(s[len(lead):], " "), true
			}
		}
	}
	return s
}

// eitherLeads are the openings that belong to neither side of an either/or.
var eitherLeads = []string{
	"would you like me to ", "would you like to ", "would you like ", "do you want me to ", "do you want to ", "do you want ",
	"want me to ", "shall i ", "should i ", "shall we ", "should we ", "should it be ", "is it ", "so ", "ok, ", "do you prefer ", "would you prefer ",
	"did you mean ", "do you mean ", "is that ", "was it ", "and ", "are we talking about ",
}
