package continuation

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// maxReply is the longest reply that is read as a decision or a pick, in
// characters. What is longer is a text of its own.
const maxReply = 2000

// tooLong reports whether s is longer than a reply can be.
func tooLong(s string) bool {
	return len(s) > maxReply && utf8.RuneCountInString(s) > maxReply
}

// normalise appends the folded form of s to dst: lower case, plain quotes and
// spaces, plain digits, no accents, no invisible marks, and one sign for each
// polarity of emoji. Each rune folds on its own, so that a position can be
// traced back (see [rawOffset]), and folding twice changes nothing.
func normalise(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		i, dst = foldASCII(dst, s, i)
		if i == len(s) {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = foldRune(dst, r)
		i += n
	}
	return dst
}

// foldASCII folds s from i up to the next byte outside ASCII.
func foldASCII(dst []byte, s string, i int) (int, []byte) {
	n := len(dst)
	dst = slices.Grow(dst, len(s)-i)
	out := dst[:n+len(s)-i]
	for i < len(s) && s[i] < utf8.RuneSelf {
		c := asciiFold[s[i]]
		out[n] = c
		if c != 0 {
			n++
		}
		i++
	}
	return i, out[:n]
}

// rawOffset returns the position in s of what normalise put at offset off.
func rawOffset(s string, off int) int {
	var buf [8]byte
	done := 0
	for i, r := range s {
		done += len(foldOne(buf[:0], r))
		if done > off {
			return i
		}
	}
	return len(s)
}

// foldOne folds any rune.
func foldOne(dst []byte, r rune) []byte {
	if r >= utf8.RuneSelf {
		return foldRune(dst, r)
	}
	if c := asciiFold[r]; c != 0 {
		return append(dst, c)
	}
	return dst
}

// asciiFold maps ASCII to what it is read as; 0 drops it. Apostrophes go
// ("don't" is "dont"), markup and quotes become spaces.
var asciiFold = asciiTable()

func asciiTable() (t [utf8.RuneSelf]byte) {
	for c := range t {
		switch {
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) + 'a' - 'A'
		case c == '\n' || c == '\r' || c == '\f' || c == '\v':
			t[c] = '\n'
		case c == '\'' || c < ' ' && c != '\t' || c == 0x7f:
			t[c] = 0
		case c == '\t' || c == '*' || c == '_' || c == '`' || c == '#' || c == '"':
			t[c] = ' '
		default:
			t[c] = byte(c)
		}
	}
	return t
}

// The two signs that emoji with a polarity fold to.
const (
	thumbUp   = '\U0001F44D'
	thumbDown = '\U0001F44E'
	shrug     = '\U0001F937'
	foreign   = '\uFFFD' // stands for what cannot be read
)

// foldRune folds a rune outside ASCII.
func foldRune(dst []byte, r rune) []byte {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E: // full-width forms
		if c := asciiFold[r-0xFEE0]; c != 0 {
			return append(dst, c)
		}
		return dst
	case r >= 0x300 && r <= 0x30C, r == 0x327, r == 0x328, r >= 0x64B && r <= 0x652: // accents, not strokes
		return dst
	case isEmoji(r):
		return appendEmoji(dst, r)
	}
	if p, ok := punctuation[r]; ok {
		return append(dst, p...)
	}
	if d, ok := digitValue(r); ok {
		return appendDigit(dst, r, d)
	}
	switch {
	case unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector):
		return dst
	case unicode.In(r, unicode.Zs):
		return append(dst, ' ')
	}
	r = unicode.ToLower(r)
	if base, ok := baseLetter(r); ok {
		return utf8.AppendRune(dst, base)
	}
	return utf8.AppendRune(dst, r)
}

// punctuation folds signs of other scripts to the ones clauses are split at.
var punctuation = map[rune]string{
	'\u2018': "", '\u2019': "", '\u02bc': "", '\u00b4': "", '\u2032': "",
	'\u201c': " ", '\u201d': " ", '\u201e': " ", '\u00ab': " ", '\u00bb': " ",
	'\u300c': " ", '\u300d': " ", '\u2039': " ", '\u203a': " ",
	'\u2014': ";", '\u2013': ";", '\u2015': ";", '\u2012': ";",
	'\u2010': "-", '\u2011': "-", '\u2212': "-",
	'\u2026': ".", '\u3002': ".", '\uff61': ".", '\u0964': ".", '\u3001': ",", '\u060c': ",", '\u061b': ";",
	'\u061f': "?", '\u037e': "?", '\u2047': "?", '\u2048': "?", '\u2049': "?", '\u203d': "?", '\u2753': "?", '\u2754': "?",
	'\u203c': "!", '\u2757': "!", '\u2755': "!", '\u00bf': " ", '\u00a1': " ",
	'\u2028': "\n", '\u2029': "\n", '\u0085': "\n", '\u2022': ",", '\u00b7': " ",
	'\u20e3': "", '\u0640': "",
	'\u202d': "\uFFFD", '\u202e': "\uFFFD", // an override shows the text in another order
}

// polarity lists the emoji that answer a question.
var polarity = map[rune]rune{
	thumbUp: thumbUp, '\u2705': thumbUp, '\u2714': thumbUp, '\u2611': thumbUp, '\U0001F44C': thumbUp,
	'\U0001F197': thumbUp, '\U0001F646': thumbUp,
	thumbDown: thumbDown, '\u274c': thumbDown, '\u274e': thumbDown, '\u2716': thumbDown, '\u2715': thumbDown,
	'\U0001F6AB': thumbDown, '\U0001F6D1': thumbDown, '\u26d4': thumbDown, '\U0001F645': thumbDown,
	'\u270b': thumbDown, '\U0001F590': thumbDown, '\U0001F91A': thumbDown,
	shrug: shrug, '\U0001F914': shrug, '\U0001F928': shrug, '\U0001F644': shrug,
}

// appendEmoji folds an emoji to its polarity, its letter or number, or a space.
func appendEmoji(dst []byte, r rune) []byte {
	if p, ok := polarity[r]; ok {
		return utf8.AppendRune(dst, p)
	}
	switch r {
	case '\U0001F51F':
		return append(dst, " 10 "...)
	case '\U0001F170':
		return append(dst, " a "...)
	case '\U0001F171':
		return append(dst, " b "...)
	}
	if p, ok := punctuation[r]; ok {
		return append(dst, p...)
	}
	return append(dst, ' ')
}

// isEmoji reports whether r is drawn as a picture.
func isEmoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x2775 || r >= 0x2B00 && r <= 0x2BFF ||
		r >= 0x2190 && r <= 0x21FF || r >= 0x2300 && r <= 0x23FF || r >= 0x25A0 && r <= 0x25FF
}

// digitValue returns the number that a digit of another script or a circled
// number stands for.
func digitValue(r rune) (int, bool) {
	switch {
	case r >= 0x2460 && r <= 0x2473:
		return int(r-0x2460) + 1, true
	case r >= 0x2474 && r <= 0x2487:
		return int(r-0x2474) + 1, true
	case r >= 0x2776 && r <= 0x277F:
		return int(r-0x2776) + 1, true
	case r >= 0x0660 && r <= 0x0669:
		return int(r - 0x0660), true
	case r >= 0x06F0 && r <= 0x06F9:
		return int(r - 0x06F0), true
	case r >= 0x0966 && r <= 0x096F:
		return int(r - 0x0966), true
	}
	return 0, false
}

// appendDigit writes a folded digit; a circled number is a word of its own.
func appendDigit(dst []byte, r rune, d int) []byte {
	if r < 0x2460 {
		return append(dst, byte('0'+d))
	}
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(d), 10)
	return append(dst, ' ')
}

// baseLetter strips the accent of a letter.
func baseLetter(r rune) (rune, bool) {
	const from = 0x00E0
	const latin = "aaaaaa?ceeeeiiii?nooooo??uuuuy?y" // U+00E0 to U+00FF; '?' keeps the letter
	if r >= from && r < from+rune(len(latin)) && latin[r-from] != '?' {
		return rune(latin[r-from]), true
	}
	switch r {
	case '\u0101', '\u0103', '\u0105':
		return 'a', true
	case '\u0107', '\u010d':
		return 'c', true
	case '\u0113', '\u0117', '\u0119', '\u011b':
		return 'e', true
	case '\u012b', '\u0131':
		return 'i', true
	case '\u0144', '\u0148':
		return 'n', true
	case '\u014d', '\u0151':
		return 'o', true
	case '\u015b', '\u015f', '\u0161':
		return 's', true
	case '\u016b', '\u016f', '\u0171':
		return 'u', true
	case '\u0439':
		return '\u0438', true // Cyrillic short i, as the accent may come apart
	case '\u0451':
		return '\u0435', true
	}
	return 0, false
}
