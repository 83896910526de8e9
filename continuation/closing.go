package continuation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A closing is how an answer ends.
type closing struct {
	found    bool
	question string // the closing question, with its markup
	lead     string // the sentence before it on its line, if any
	before   string // the answer up to its last line
	item     bool   // it is an item of a list
	followed bool   // a sentence stands after it
}

// maxContext is the longest closing question, in words, that needs the
// sentence before it to be understood: "Sound right?".
const maxContext = 3

// withContext returns the question, with what it points at where it is too
// short to stand alone.
func (c closing) withContext() string {
	if c.lead != "" && len(strings.Fields(c.question)) <= maxContext {
		return c.lead + " " + c.question
	}
	return c.question
}

// closingOf finds the question that an answer ends on.
func closingOf(answer string) closing {
	body := trimFooter(answer)
	if inFence(body) || strings.HasSuffix(body, "```") || strings.HasSuffix(body, "~~~") {
		return closing{}
	}
	at := strings.LastIndexByte(body, '\n') + 1
	line := body[at:]
	if isQuotedLine(line) {
		return closing{}
	}
	c := closing{before: body[:at], item: isListItem(line)}
	line = trimMarker(line)
	if q, ok := endingQuestion(line); ok {
		c.lead, c.question = lastSentence(q)
		c.found = !inOpenQuote(line, c.question)
		return c
	}
	q, ok := c.followedQuestion(line)
	if ok {
		c.lead, c.question = lastSentence(q)
		c.found, c.followed = true, true
	}
	return c
}

// endingQuestion returns s up to its last question mark, if only marks that
// decorate stand after that.
func endingQuestion(s string) (string, bool) {
	s = trimHint(s)
	end := len(s)
	for end > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:end])
		switch {
		case isQuestionMark(r), greekMark(s, end-n):
			if !realMark(s, end-n, end) {
				return "", false
			}
			return s[:end], true
		case !decorates(r):
			return "", false
		}
		end -= n
	}
	return "", false
}

// isQuestionMark reports whether r asks, in any script.
func isQuestionMark(r rune) bool {
	switch r {
	case '?', '\uff1f', '\u061f', '\u037e', '\u2047', '\u2048', '\u2049', '\u203d', '\ufe56', '\u2753', '\u2754':
		return true
	}
	return r == '\u055e' || r == '\u1367' || r == '\u2e2e'
}

// greekMark reports whether the ";" at s[at] is a Greek question mark.
func greekMark(s string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:at])
	return s[at] == ';' && unicode.Is(unicode.Greek, r)
}

// trimHint takes the answers that a question suggests off its end: "[y/N]".
func trimHint(s string) string {
	t := strings.TrimRight(s, "*_ :")
	for _, hint := range [...]string{"[y/n]", "(y/n)", "[yes/no]", "(yes/no)", "(yes or no)"} {
		if i := len(t) - len(hint); i > 0 && strings.EqualFold(t[i:], hint) {
			return t[:i]
		}
	}
	return s
}

// decorates reports whether r can stand after a question without saying
// anything: emphasis, brackets, emoji.
func decorates(r rune) bool {
	switch r {
	case '*', '_', '~', '`', ')', ']', '}', '!', '.', '"', '\'', '\u201d', '\u2019', '\u00bb', '\u300d', '\u300f', '\uff09', '\uff01', '\u3011', '>':
		return true
	}
	return unicode.IsSpace(r) || isEmoji(r) || isInvisible(r) || r == '\u20e3'
}

// realMark reports whether the question mark at s[at:end] asks the person: it
// is not part of code or of a link, and does not close a quotation.
func realMark(s string, at, end int) bool {
	if strings.Count(s[:at], "`")%2 == 1 {
		return false
	}
	rest := strings.TrimLeft(s[end:], "*_~ !.)")
	if r, _ := utf8.DecodeRuneInString(rest); closesQuote(r) {
		return false
	}
	word := s[strings.LastIndexAny(s[:at], " \t\n")+1 : at]
	if strings.Contains(word, "](") {
		return false
	}
	if strings.Contains(word, "://") || strings.HasPrefix(word, "www.") {
		return strings.HasPrefix(s[end:], " ") || asksBefore(s[:at])
	}
	return true
}

// asksBefore reports whether a sentence that ends in a link opens like a
// question, so that the mark after the link is its own.
func asksBefore(s string) bool {
	var (
		buf  [questionTail + 112]byte
		toks [96]token
	)
	_, last := lastSentence(s)
	q := readQuestion(last, buf[:0], toks[:0])
	q.from = 0 // a dot in the link ends no sentence
	q.guards(inquiry(), 0, len(q.toks))
	return q.offer || q.wh || q.form() != askNothing
}

// closesQuote reports whether r closes a quotation.
func closesQuote(r rune) bool {
	switch r {
	case '"', '\'', '\u201d', '\u2019', '\u00bb', '\u300d', '\u300f':
		return true
	}
	return false
}

// inOpenQuote reports whether the question stands in a quotation that its line
// opens and does not close.
func inOpenQuote(line, question string) bool {
	head := line[:len(line)-len(question)]
	if i := strings.Index(line, question); i >= 0 {
		head = line[:i]
	}
	return strings.Count(head, "\u201c") > strings.Count(head, "\u201d") && !strings.Contains(question, "\u201d") ||
		strings.Count(head, `"`)%2 == 1 && !strings.Contains(question, `"`)
}

// lastSentence splits s before its last sentence. The mark at the very end of
// s does not count.
func lastSentence(s string) (lead, last string) {
	for i := len(s) - 2; i > 0; i-- {
		switch c := s[i]; {
		case c == '.' || c == '!' || c == '?' || c == ':' && strings.HasPrefix(s[i+1:], "** "):
			if next := i + 1; next < len(s) && sentenceGap(s[next:]) && !abbreviation(s[:i]) {
				lead, last = strings.TrimSpace(s[:next]), strings.TrimLeft(s[next:], " \t*_)\"")
				return sentenceOnly(lead), last
			}
		case c >= utf8.RuneSelf && utf8.RuneStart(c):
			if r, n := utf8.DecodeRuneInString(s[i:]); (r == '\u3002' || r == '\uff01' || isQuestionMark(r)) && i+n < len(s) {
				return sentenceOnly(s[:i+n]), strings.TrimSpace(s[i+n:])
			}
		}
	}
	return "", strings.TrimLeft(s, " \t*_(")
}

// sentenceOnly returns the last sentence of a lead.
func sentenceOnly(lead string) string {
	const longest = 300
	if len(lead) > longest {
		return ""
	}
	for i := len(lead) - 2; i > 0; i-- {
		if c := lead[i]; (c == '.' || c == '!' || c == '?') && sentenceGap(lead[i+1:]) && !abbreviation(lead[:i]) {
			return strings.TrimSpace(lead[i+1:])
		}
	}
	return lead
}

// sentenceGap reports whether a sentence ends before s: white space, with
// closing marks before it.
func sentenceGap(s string) bool {
	s = strings.TrimLeft(s, "*_)\"\u201d")
	return s != "" && (s[0] == ' ' || s[0] == '\t')
}

// abbreviation reports whether the dot after s belongs to "e.g" or "vs".
func abbreviation(s string) bool {
	w := s[strings.LastIndexAny(s, " (")+1:]
	switch strings.ToLower(w) {
	case "e.g", "i.e", "vs", "mr", "mrs", "ms", "dr", "st", "no", "etc", "approx", "a.m", "p.m":
		return true
	}
	return false
}

// maxFollow is the longest sentence after a question, in words, that leaves it
// open.
const maxFollow = 25

// followedQuestion returns the question that one short sentence stands after:
// "Sound right? If so I'll start."
func (c *closing) followedQuestion(line string) (string, bool) {
	lead, last := splitFollow(line)
	if lead == "" {
		prev := strings.TrimRight(c.before, " \t\r\n")
		at := strings.LastIndexByte(prev, '\n') + 1
		lead, last = prev[at:], line
		if isListItem(lead) || isQuotedLine(lead) || inFence(prev) || strings.HasSuffix(prev, "```") {
			return "", false
		}
		c.before = prev[:at]
	}
	if len(strings.Fields(last)) > maxFollow || !opensFollow(last) {
		return "", false
	}
	return endingQuestion(lead)
}

// splitFollow splits a line into what ends on a question mark, and the one
// sentence after it.
func splitFollow(line string) (lead, last string) {
	i := strings.LastIndexFunc(line, isQuestionMark)
	if i < 0 {
		return "", line
	}
	_, n := utf8.DecodeRuneInString(line[i:])
	lead, last = line[:i+n], strings.TrimSpace(strings.TrimLeft(line[i+n:], "*_)"))
	body := strings.TrimRight(last, ".!*_ ")
	if j := strings.IndexAny(body, ".!"); j >= 0 && sentenceGap(body[j+1:]) {
		return lead, "" // more than one sentence
	}
	return lead, last
}

// opensFollow reports whether a sentence opens as one that leaves the question
// before it open.
func opensFollow(s string) bool {
	w, _, _ := strings.Cut(strings.TrimLeft(s, "*_("), " ")
	switch strings.ToLower(strings.Map(plainQuote, w)) {
	case "if", "once", "i'll", "that", "that's", "it", "it's", "that'll", "it'll", "that'd", "it'd":
		return true
	}
	return false
}

func plainQuote(r rune) rune {
	if r == '\u2019' {
		return '\''
	}
	return r
}
