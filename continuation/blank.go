package continuation

import "unicode"

// IsBlank reports whether s says nothing: empty once white space, zero-width
// marks and control characters are dropped. A blank message answers no
// question.
func IsBlank(s string) bool {
	for _, r := range s {
		if !isInvisible(r) {
			return false
		}
	}
	return true
}

// isInvisible reports whether r leaves nothing on the screen.
func isInvisible(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u034f':
		return true // fillers and blanks that Unicode counts as letters, symbols or marks
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf, unicode.Variation_Selector)
}
