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

// tokenise appends the tokens of norm to toks. Its parts are functions from one
// position to the next, so that the caller's buffer stays on the stack.
func tokenise(g *grammar, norm []byte, toks []token) []token {
	for pos := skipQuoted(norm, 0); pos < len(norm); {
		switch kinds[norm[pos]] { // nearly all there is
		case kindSpace:
			pos++
		case kindLetter:
			toks, pos = scanWord(g, norm, toks, pos)
		default:
			toks, pos = scanNext(g, norm, toks, pos)
		}
	}
	return toks
}

// scanNext reads what is neither a plain letter nor a space.
func scanNext(g *grammar, norm []byte, toks []token, pos int) ([]token, int) {
	c := norm[pos]
	switch kind := kinds[c]; {
	case c >= utf8.RuneSelf && letterAt(norm, pos):
		end := wordEnd(norm, pos)
		return addToken(g, norm, toks, pos, end), end
	case kind == kindDigit:
		end := numberEnd(norm, pos)
		toks = addToken(g, norm, toks, pos, end)
		toks[len(toks)-1].number = true
		return toks, end
	case kind == kindBreak:
		return scanBreak(norm, toks, pos)
	case c >= utf8.RuneSelf:
		_, n := utf8.DecodeRune(norm[pos:])
		return addToken(g, norm, toks, pos, pos+n), pos + n
	}
	return scanSign(g, norm, toks, pos)
}

// scanWord reads a word. It hashes the word on the way, as nearly all words are
// ASCII.
func scanWord(g *grammar, norm []byte, toks []token, from int) ([]token, int) {
	hash, last, doubled, pos := uint32(hashStart), byte(0), false, from
	for pos < len(norm) {
		c := norm[pos]
		if k := kinds[c]; k != kindLetter && k != kindDigit {
			break
		}
		hash = (hash ^ uint32(c)) * hashPrime
		doubled = doubled || c == last
		last = c
		pos++
	}
	if pos < len(norm) && norm[pos] >= utf8.RuneSelf && letterAt(norm, pos) {
		end := wordEnd(norm, pos)
		return addToken(g, norm, toks, from, end), end
	}
	w := g.words.findHashed(norm[from:pos], hash)
	if doubled && w.id == 0 {
		w = g.stretched(norm[from:pos])
	}
	return append(toks, token{start: int32(from), end: int32(pos), word: w}), pos
}

// addToken appends the token norm[from:to] with what the vocabulary knows of
// it.
func addToken(g *grammar, norm []byte, toks []token, from, to int) []token {
	return append(toks, token{start: int32(from), end: int32(to), word: g.lookup(norm[from:to])})
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
func letterAt(norm []byte, i int) bool {
	r, _ := utf8.DecodeRune(norm[i:])
	return unicode.In(r, unicode.L, unicode.M)
}

// wordEnd returns the end of the word at pos: letters and digits.
func wordEnd(norm []byte, pos int) int {
	for pos < len(norm) {
		c := norm[pos]
		if c < utf8.RuneSelf {
			if k := kinds[c]; k != kindLetter && k != kindDigit {
				break
			}
			pos++
			continue
		}
		if !letterAt(norm, pos) {
			break
		}
		_, n := utf8.DecodeRune(norm[pos:])
		pos += n
	}
	return pos
}

// numberEnd returns the end of the number at pos: digits, letters glued to them
// ("2nd", "10am"), and the signs that stand between digits ("7:30", "1,770",
// "3.5", "3/4").
func numberEnd(norm []byte, pos int) int {
	for pos < len(norm) {
		c := norm[pos]
		if k := kinds[c]; k == kindDigit || k == kindLetter {
			pos++
			continue
		}
		if (c == '.' || c == ',' || c == ':' || c == '/') && pos+1 < len(norm) &&
			kinds[norm[pos+1]] == kindDigit && kinds[norm[pos-1]] == kindDigit {
			pos += 2
			continue
		}
		break
	}
	return pos
}

// scanBreak ends the clause at hand, or passes over a smiley.
func scanBreak(norm []byte, toks []token, pos int) ([]token, int) {
	if n := smiley(norm[pos:]); n > 0 {
		return toks, pos + n
	}
	c := norm[pos]
	pos++
	switch {
	case c == '.' && inAbbreviation(norm, toks, pos):
		return toks, pos
	case c == '.' && insideName(norm, pos):
		c = ',' // "main.go" goes on; "No.I want" is two clauses all the same
	}
	endClause(toks, c)
	if c == '\n' {
		pos = skipQuoted(norm, pos)
	}
	return toks, pos
}

// insideName reports whether the dot before pos has a letter on both sides.
func insideName(norm []byte, pos int) bool {
	return pos > 1 && pos < len(norm) && kinds[norm[pos-2]] == kindLetter && kinds[norm[pos]] == kindLetter
}

// inAbbreviation reports whether the dot before pos belongs to an
// abbreviation: "p.m.", "D.C.".
func inAbbreviation(norm []byte, toks []token, pos int) bool {
	n := len(toks)
	if n == 0 || toks[n-1].end-toks[n-1].start != 1 || int(toks[n-1].end) != pos-1 {
		return false
	}
	if pos+1 < len(norm) && kinds[norm[pos]] == kindLetter && norm[pos+1] == '.' {
		return true
	}
	return n > 1 && toks[n-2].end-toks[n-2].start == 1 && toks[n-2].end+1 == toks[n-1].start
}

// endClause marks the last token as the last of its clause. A question mark
// outweighs what stands beside it.
func endClause(toks []token, c byte) {
	if len(toks) == 0 {
		return
	}
	if last := &toks[len(toks)-1]; last.brk == 0 || c == '?' {
		last.brk = c
	}
}

// smiley returns the length of the smiley that opens s, 0 if there is none.
func smiley(s []byte) int {
	if s[0] != ':' && s[0] != ';' {
		return 0
	}
	n := 1
	if len(s) > n && s[n] == '-' {
		n++
	}
	if len(s) <= n {
		return 0
	}
	switch s[n] {
	case ')':
		return n + 1
	case 'd', 'p', 'o':
		if boundary(s, n+1) {
			return n + 1
		}
	}
	return 0
}

// skipQuoted passes over lines that quote another message ("> ...").
func skipQuoted(norm []byte, pos int) int {
	for pos < len(norm) && norm[pos] == '>' {
		for pos < len(norm) && norm[pos] != '\n' {
			pos++
		}
		if pos < len(norm) {
			pos++
		}
	}
	return pos
}

// scanSign reads a sign that is neither space nor the end of a clause.
func scanSign(g *grammar, norm []byte, toks []token, from int) ([]token, int) {
	c, next, pos := norm[from], byte(' '), from+1
	if pos < len(norm) {
		next = norm[pos]
	}
	switch {
	case c == '-' && (next == '-' || next == ' ' && (from == 0 || kinds[norm[from-1]] == kindSpace)):
		endClause(toks, '-')
		return toks, pos
	case (c == '+' || c == '-') && next == '1' && boundary(norm, pos+1) && (from == 0 || kinds[norm[from-1]] != kindLetter),
		c == '~' && next == '~':
		pos++
	case c == '-' || c == '~':
		return toks, pos
	}
	return addToken(g, norm, toks, from, pos), pos
}

// boundary reports whether no letter or digit stands at i.
func boundary(norm []byte, i int) bool {
	return i >= len(norm) || kinds[norm[i]] == kindSpace || kinds[norm[i]] == kindBreak
}
