package continuation

import (
	"unicode"
	"unicode/utf8"
)

// A token is one word, number or sign of a normalised text.
type token struct {
	start, end int32 // where it is in the normalised text
	word       word  // what the vocabulary knows of it
	number     bool  // it starts with a digit
	brk        byte  // the punctuation that ends a clause after it, or 0
}

// text returns the token's letters.
func (t token) text(norm []byte) []byte { return norm[t.start:t.end] }

// A scanner splits a normalised text into tokens.
type scanner struct {
	norm []byte
	g    *grammar
	toks []token
	pos  int
}

// tokenise appends the tokens of norm to toks.
func tokenise(g *grammar, norm []byte, toks []token) []token {
	s := scanner{norm: norm, g: g, toks: toks}
	for s.pos < len(norm) {
		s.next()
	}
	return s.toks
}

// next reads one token, sign or gap.
func (s *scanner) next() {
	c := s.norm[s.pos]
	switch kind := kinds[c]; {
	case kind == kindLetter || c >= utf8.RuneSelf && s.letterAt(s.pos):
		s.scanWord()
	case kind == kindDigit:
		s.scanNumber()
	case kind == kindBreak:
		s.scanBreak(c)
	case kind == kindSpace:
		s.pos++
	case c >= utf8.RuneSelf:
		_, n := utf8.DecodeRune(s.norm[s.pos:])
		s.pos += n
		s.add(s.pos-n, s.pos, false)
	default:
		s.scanSign(c)
	}
}

// Kinds of ASCII bytes.
const (
	kindSign = iota
	kindLetter
	kindDigit
	kindBreak
	kindSpace
)

// kinds classes the bytes of a normalised text.
var kinds = byteKinds()

func byteKinds() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z':
			t[c] = kindLetter
		case c >= '0' && c <= '9':
			t[c] = kindDigit
		}
	}
	for _, c := range ".,!?;:\n()[]" {
		t[c] = kindBreak
	}
	for _, c := range " /" {
		t[c] = kindSpace
	}
	return t
}

// letterAt reports whether a letter, or a mark that belongs to one, starts at i.
func (s *scanner) letterAt(i int) bool {
	r, _ := utf8.DecodeRune(s.norm[i:])
	return unicode.In(r, unicode.L, unicode.M)
}

// scanWord reads letters and digits up to the next other byte.
func (s *scanner) scanWord() {
	from := s.pos
	for s.pos < len(s.norm) {
		c := s.norm[s.pos]
		if c < utf8.RuneSelf {
			if k := kinds[c]; k != kindLetter && k != kindDigit {
				break
			}
			s.pos++
			continue
		}
		if !s.letterAt(s.pos) {
			break
		}
		_, n := utf8.DecodeRune(s.norm[s.pos:])
		s.pos += n
	}
	s.add(from, s.pos, false)
}

// scanNumber reads a number: digits, letters glued to them ("2nd", "10am"),
// and the signs that stand between digits ("7:30", "1,770", "3.5", "3/4").
func (s *scanner) scanNumber() {
	from := s.pos
	for s.pos < len(s.norm) {
		c := s.norm[s.pos]
		if k := kinds[c]; k == kindDigit || k == kindLetter {
			s.pos++
			continue
		}
		if (c == '.' || c == ',' || c == ':' || c == '/') && s.pos+1 < len(s.norm) &&
			kinds[s.norm[s.pos+1]] == kindDigit && kinds[s.norm[s.pos-1]] == kindDigit {
			s.pos += 2
			continue
		}
		break
	}
	s.add(from, s.pos, true)
}

// scanBreak ends the clause at hand, or passes over a smiley.
func (s *scanner) scanBreak(c byte) {
	if n := s.smiley(); n > 0 {
		s.pos += n
		return
	}
	s.pos++
	if c == '.' && s.inAbbreviation() {
		return
	}
	if c == '.' && s.insideName() {
		c = ',' // "main.go" goes on; "No.I want" is two clauses all the same
	}
	s.endClause(c)
	if c == '\n' {
		s.skipQuoted()
	}
}

// insideName reports whether the dot just read has a letter on both sides.
func (s *scanner) insideName() bool {
	return s.pos > 1 && s.pos < len(s.norm) && kinds[s.norm[s.pos-2]] == kindLetter && kinds[s.norm[s.pos]] == kindLetter
}

// inAbbreviation reports whether the dot just read belongs to an abbreviation:
// "p.m.", "D.C.".
func (s *scanner) inAbbreviation() bool {
	n := len(s.toks)
	if n == 0 || s.toks[n-1].end-s.toks[n-1].start != 1 || int(s.toks[n-1].end) != s.pos-1 {
		return false
	}
	if s.pos+1 < len(s.norm) && kinds[s.norm[s.pos]] == kindLetter && s.norm[s.pos+1] == '.' {
		return true
	}
	return n > 1 && s.toks[n-2].end-s.toks[n-2].start == 1 && s.toks[n-2].end+1 == s.toks[n-1].start
}

// endClause marks the last token as the last of its clause. A question mark
// outweighs what stands beside it.
func (s *scanner) endClause(c byte) {
	if len(s.toks) == 0 {
		return
	}
	if last := &s.toks[len(s.toks)-1]; last.brk == 0 || c == '?' {
		last.brk = c
	}
}

// smiley returns the length of the smiley at hand, 0 if it is none.
func (s *scanner) smiley() int {
	rest := s.norm[s.pos:]
	if c := rest[0]; c != ':' && c != ';' {
		return 0
	}
	n := 1
	if len(rest) > n && rest[n] == '-' {
		n++
	}
	if len(rest) <= n {
		return 0
	}
	switch rest[n] {
	case ')':
		return n + 1
	case 'd', 'p', 'o':
		if len(rest) == n+1 || kinds[rest[n+1]] == kindSpace || kinds[rest[n+1]] == kindBreak {
			return n + 1
		}
	}
	return 0
}

// skipQuoted passes over lines that quote another message ("> ...").
func (s *scanner) skipQuoted() {
	for s.pos < len(s.norm) && s.norm[s.pos] == '>' {
		for s.pos < len(s.norm) && s.norm[s.pos] != '\n' {
			s.pos++
		}
		if s.pos < len(s.norm) {
			s.pos++
		}
	}
}

// scanSign reads a sign that is neither space nor the end of a clause.
func (s *scanner) scanSign(c byte) {
	from := s.pos
	if from == 0 && c == '>' {
		s.skipQuoted()
		return
	}
	s.pos++
	next := byte(' ')
	if s.pos < len(s.norm) {
		next = s.norm[s.pos]
	}
	switch {
	case c == '-' && (next == '-' || next == ' ') && (from == 0 || kinds[s.norm[from-1]] == kindSpace || next == '-'):
		s.endClause('-')
	case (c == '+' || c == '-') && next == '1' && s.boundaryAfter(s.pos+1) && (from == 0 || kinds[s.norm[from-1]] != kindLetter):
		s.pos++
		s.add(from, s.pos, false)
	case c == '-':
	case c == '~' && next == '~':
		s.pos++
		s.add(from, s.pos, false)
	case c == '~':
	default:
		s.add(from, s.pos, false)
	}
}

// boundaryAfter reports whether no letter or digit stands at i.
func (s *scanner) boundaryAfter(i int) bool {
	return i >= len(s.norm) || kinds[s.norm[i]] == kindSpace || kinds[s.norm[i]] == kindBreak
}

// add appends the token from..to with what the vocabulary knows of it.
func (s *scanner) add(from, to int, number bool) {
	s.toks = append(s.toks, token{
		start: int32(from), end: int32(to),
		word:   s.g.lookup(s.norm[from:to]),
		number: number,
	})
}
