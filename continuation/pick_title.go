package continuation

import (
	"bytes"
	"strings"
)

// byTitle reads a pick by an option's own title: exactly one occurs in a short
// reply that neither asks nor negates. It returns the option and the token after
// its clause.
func (p *picker) byTitle() (index, next int, ok bool) {
	if len(p.toks) > maxTitleReply {
		return 0, 0, false
	}
	asks, query := false, false
	for _, t := range p.toks {
		if t.word.roles&(roleRevoke|roleSeveral) != 0 {
			return 0, 0, false
		}
		asks = asks || t.brk == '?'
		query = query || t.word.roles&roleQuery != 0
	}
	best, from, to := -1, 0, 0
	for i := range p.options {
		if f, t, ok := p.findTitle(i, 0, len(p.toks)); ok && t-f > to-from {
			best, from, to = i, f, t
		}
	}
	if best < 0 || asks && query || p.extended(from) {
		return 0, 0, false
	}
	for i := range p.options {
		if i != best && (p.occurs(i, 0, from) || p.occurs(i, to, len(p.toks)) || p.sameTitle(i, from, to)) {
			return 0, 0, false
		}
	}
	return best, p.clauseEnd(to - 1), true
}

// wholeTitle returns the one option whose title is all there is to the reply,
// even if it is a word such as "Cancel".
func (p *picker) wholeTitle() (int, bool) {
	const slack = 16 // markup and spaces around a title
	found := -1
	for i := range p.options {
		if len(p.reply) > 3*len(p.options[i])+slack {
			continue
		}
		if p.sameTitle(i, 0, len(p.toks)) {
			if found >= 0 {
				return 0, false
			}
			found = i
		}
	}
	return found, found >= 0
}

// occurs reports whether the title of option i occurs in toks[from:to].
func (p *picker) occurs(i, from, to int) bool {
	_, _, ok := p.findTitle(i, from, to)
	return ok
}

// sameTitle reports whether the title of option i is all of toks[from:to].
func (p *picker) sameTitle(i, from, to int) bool {
	f, t, ok := p.findTitle(i, from, to)
	return ok && f == from && t == to
}

// extended reports whether the word before the title makes it the name of
// something else: "Latin American".
func (p *picker) extended(from int) bool {
	if from == 0 || p.toks[from-1].brk != 0 {
		return false
	}
	return p.toks[from-1].word.roles&roleBefore == 0
}

// findTitle returns where in toks[from:to] the title of option i occurs.
func (p *picker) findTitle(i, from, to int) (int, int, bool) {
	var (
		normBuf [256]byte
		tokBuf  [32]token
	)
	title := optionTitle(p.options[i])
	if len(title) > 2*len(p.reply)+8 {
		return 0, 0, false
	}
	norm := normalise(normBuf[:0], title)
	toks := tokenise(picking(), norm, tokBuf[:0])
	if len(toks) == 0 {
		return 0, 0, false
	}
	for at := from; at+len(toks) <= to; at++ {
		if p.titleAt(at, norm, toks) {
			return at, at + len(toks), true
		}
	}
	return 0, 0, false
}

// titleOpens reports whether the title of option i opens with the word.
func (p *picker) titleOpens(i int, word []byte) bool {
	var buf [256]byte
	title := strings.TrimLeft(optionTitle(p.options[i]), " *_")
	if title == "" || title[0] < '0' || title[0] > '9' {
		return false
	}
	norm := normalise(buf[:0], title)
	return bytes.HasPrefix(norm, word) && boundary(norm, len(word))
}

// titleAt reports whether the title stands at token at.
func (p *picker) titleAt(at int, norm []byte, title []token) bool {
	for j, t := range title {
		if !sameStem(p.toks[at+j].text(p.norm), t.text(norm)) {
			return false
		}
	}
	return true
}

// optionTitle returns the name of an option: what stands before its
// explanation.
func optionTitle(s string) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ':', '(':
			if i > 0 && (i+1 == len(s) || s[i] == '(' || s[i+1] == ' ') {
				return s[:i]
			}
		case '-':
			if i > 0 && i+1 < len(s) && s[i-1] == ' ' && s[i+1] == ' ' {
				return s[:i]
			}
		case 0xE2: // an en or em dash
			if i > 0 && i+2 < len(s) && s[i+1] == 0x80 && (s[i+2] == 0x93 || s[i+2] == 0x94) {
				return s[:i]
			}
		}
	}
	return s
}
