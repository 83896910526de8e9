package continuation

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lexicon holds the whole-message vocabulary of one language. It is data, not
// grammar: a message is read through it only where all of it is made of
// entries, so that a language nobody configured, or a sentence longer than a
// yes, stays [Unclear]. Entries are compared after the same folding as
// replies: case, accents and width do not matter.
type Lexicon struct {
	Tag     string   // BCP 47 language tag, such as "es"
	Yes     []string // words that consent
	No      []string // words that refuse or put off
	Fillers []string // please, thanks
	// Ordinals names the places of a list in order; "a|b" lists the forms of
	// one place.
	Ordinals []string
	// QuestionWords make a question more than a yes/no: wh-words, and the word
	// for "or".
	QuestionWords []string
	// YesNoForms open an offer: "shall I", "would you like".
	YesNoForms []string
}

// polarity returns what a message says in this language: +1 for a yes, -1 for
// a no, 0 where it is not made of entries alone, or says both.
func (l Lexicon) polarity(words []byte) int {
	said := 0
	for len(words) > 0 {
		best, sign := 0, 0
		for _, t := range [...]struct {
			entries []string
			sign    int
		}{{l.Yes, 1}, {l.No, -1}, {l.Fillers, 0}} {
			if n := longestEntry(words, t.entries); n > best {
				best, sign = n, t.sign
			}
		}
		if best == 0 || said*sign < 0 {
			return 0
		}
		if sign != 0 {
			said = sign
		}
		words = bytes.TrimLeft(words[best:], " ")
	}
	return said
}

// ordinal returns the 1-based place that a message names, 0 if none or two.
func (l Lexicon) ordinal(words []byte) int {
	found := 0
	for len(words) > 0 {
		best, place := longestEntry(words, l.Fillers), 0
		for i, forms := range l.Ordinals {
			for form := range strings.SplitSeq(forms, "|") {
				if n := entryAt(words, form); n > best {
					best, place = n, i+1
				}
			}
		}
		if best == 0 || place > 0 && found > 0 {
			return 0
		}
		found = max(found, place)
		words = bytes.TrimLeft(words[best:], " ")
	}
	return found
}

// longestEntry returns the length of the longest entry at the start of words.
func longestEntry(words []byte, entries []string) int {
	best := 0
	for _, e := range entries {
		best = max(best, entryAt(words, e))
	}
	return best
}

// entryAt returns the length of the entry if it stands at the start of words
// as words of its own, else 0. Scripts written without spaces need no gap.
func entryAt(words []byte, entry string) int {
	var buf [96]byte
	e := normalise(buf[:0], entry)
	if len(e) == 0 || !bytes.HasPrefix(words, e) {
		return 0
	}
	rest := words[len(e):]
	if len(rest) == 0 || rest[0] == ' ' {
		return len(e)
	}
	if last, _ := utf8.DecodeLastRune(e); unspaced(last) {
		return len(e)
	}
	return 0
}

// unspaced reports whether r belongs to a script written without spaces.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == '\u30fc'
}

// joined appends the tokens, with one space between them.
func joined(dst, norm []byte, toks []token) []byte {
	for i, t := range toks {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, t.text(norm)...)
	}
	return dst
}

// readForeign lets the configured languages have their say. Where they and the
// English reading disagree, nothing is certain.
func (r Reader) readForeign(english Reading, p *parse) Reading {
	var buf [256]byte
	words := joined(buf[:0], p.norm, p.toks)
	yes, no := false, false
	for _, l := range r.Lexicons {
		sign := l.polarity(words)
		yes = yes || sign > 0
		no = no || sign < 0
	}
	switch v := english.Verdict; {
	case !yes && !no:
		return english
	case yes && no, yes && (v == No || v == NoWithMore), no && (v == Yes || v == YesWithMore):
		return Reading{Reason: whyConflicting}
	case v == Yes || v == No:
		return english
	case bytes.IndexByte(p.norm, '?') >= 0:
		return Reading{Reason: whyYesAsked}
	}
	reading := Reading{Verdict: No, Reason: whyLexicon}
	if yes {
		reading = Reading{Verdict: Yes, Reason: whyLexicon, Strong: true}
	}
	if yes && r.foreignWh(&p.q) {
		return Reading{Reason: whyWh}
	}
	return p.guarded(reading)
}

// foreignOrdinal reads a message as the name of a place in one language.
func (r Reader) foreignOrdinal(norm []byte, toks []token, n int) (int, bool) {
	if len(r.Lexicons) == 0 {
		return 0, false
	}
	var buf [256]byte
	words := joined(buf[:0], norm, toks)
	found := 0
	for _, l := range r.Lexicons {
		place := l.ordinal(words)
		if place > 0 && found > 0 && place != found {
			return 0, false
		}
		found = max(found, place)
	}
	return found - 1, found > 0 && found <= n
}

// foreignWh reports whether the closing sentence of a question holds a
// question word of a configured language.
func (r Reader) foreignWh(q *question) bool {
	return r.inSentence(q, func(l Lexicon) []string { return l.QuestionWords })
}

// foreignOffer reports whether it holds the form of an offer.
func (r Reader) foreignOffer(q *question) bool {
	return r.inSentence(q, func(l Lexicon) []string { return l.YesNoForms })
}

// inSentence reports whether one of a language's entries occurs in the closing
// sentence of a question.
func (r Reader) inSentence(q *question, entries func(Lexicon) []string) bool {
	if len(r.Lexicons) == 0 {
		return false
	}
	var buf [questionTail]byte
	words := joined(buf[:0], q.norm, q.toks[q.from:q.to])
	for i := range words {
		if i > 0 && words[i-1] != ' ' && !startsUnspaced(words[i:]) {
			continue
		}
		for _, l := range r.Lexicons {
			if longestEntry(words[i:], entries(l)) > 0 {
				return true
			}
		}
	}
	return false
}

func startsUnspaced(s []byte) bool {
	r, _ := utf8.DecodeRune(s)
	return unspaced(r)
}
