package continuation

import (
	"strings"
	"unicode"
)

// isRule reports whether a line is a horizontal rule.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) > 2 && strings.Trim(line, "-*_= ") == ""
}

// isListItem reports whether a line is an item of a list.
func isListItem(line string) bool { return markerOf(line).style != 0 }

// isQuotedLine reports whether a line shows somebody else's words, or is part
// of a table or a leaked transcript.
func isQuotedLine(line string) bool {
	line = strings.TrimLeft(line, " \t")
	if strings.HasPrefix(line, ">") || strings.HasPrefix(line, "|") {
		return true
	}
	line = strings.TrimLeft(line, "#* ")
	for _, who := range [...]string{"Human:", "User:", "Assistant:", "### Human", "Q:"} {
		if strings.HasPrefix(line, who) {
			return true
		}
	}
	return false
}

// inFence reports whether a code fence is open at the end of s.
func inFence(s string) bool {
	return fenceOpen(s, "```") || fenceOpen(s, "~~~")
}

// fenceOpen reports whether an odd number of lines of s open with the fence.
func fenceOpen(s, fence string) bool {
	open := false
	for {
		i := strings.Index(s, fence)
		if i < 0 {
			return open
		}
		line := s[strings.LastIndexByte(s[:i], '\n')+1 : i]
		if strings.Trim(line, " \t>") == "" {
			open = !open
		}
		end := strings.IndexByte(s[i:], '\n')
		if end < 0 {
			return open
		}
		s = s[i+end+1:]
	}
}

// trimMarker takes heading marks, a list marker and indentation off a line.
func trimMarker(line string) string {
	line = strings.TrimLeft(line, " \t#")
	if t, ok := cutBullet(line); ok {
		return t
	}
	return line
}

// plainText drops emphasis marks and the space around a piece of an answer.
func plainText(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '*' || r == '_' || r == '#' || isEmoji(r) || isInvisible(r)
	})
	if strings.Contains(s, "**") {
		s = strings.ReplaceAll(s, "**", "")
	}
	if strings.Contains(s, "__") {
		s = strings.ReplaceAll(s, "__", "")
	}
	if strings.Count(s, "*")%2 == 1 { // the other half stood after the mark
		s = strings.ReplaceAll(s, "*", "")
	}
	return s
}

// trimFooter drops what can stand below the end of an answer: blank lines, a
// rule, a block of sources, footnotes, bare links.
func trimFooter(s string) string {
	for {
		s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || isInvisible(r) })
		at := strings.LastIndexByte(s, '\n') + 1
		line := strings.TrimSpace(s[at:])
		if at == 0 || !isRule(line) && !isSource(line) && !sourcesAbove(s[:at], line) {
			return s
		}
		s = s[:at]
	}
}

// isSource reports whether a line is a footnote, a bare link, or the heading
// of a block of sources.
func isSource(line string) bool {
	line = strings.TrimLeft(line, "*_-# ")
	if isLink(line) || isFootnote(line) {
		return true
	}
	return sourceHeading(line)
}

// sourceHeading reports whether a line names the sources of an answer.
func sourceHeading(line string) bool {
	line = strings.Trim(line, "*_# ")
	word := strings.TrimRight(line, ":*_ ")
	if i := strings.IndexByte(line, ':'); i > 0 {
		word = strings.Trim(line[:i], "*_ ")
	}
	for _, w := range [...]string{"sources", "source", "references", "citations", "links", "further reading", "footnotes"} {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}

// isLink reports whether a line is one link and nothing besides.
func isLink(s string) bool {
	if strings.ContainsAny(s, " \t") && !strings.HasPrefix(s, "[") {
		return false
	}
	s = strings.Trim(s, "<>()")
	if strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "www.") {
		return true
	}
	i := strings.Index(s, "](")
	return strings.HasPrefix(s, "[") && i > 0 && strings.IndexByte(s, ')') >= len(s)-1
}

// isFootnote reports whether a line opens with "[1]" or "[^1]:" and is a
// source.
func isFootnote(s string) bool {
	if !strings.HasPrefix(s, "[") {
		return false
	}
	i := strings.IndexByte(s, ']')
	return i > 1 && strings.Trim(s[1:i], "^0123456789") == "" && i+1 < len(s) && s[i+1] != '('
}

// sourcesAbove reports whether a line is an item of a block of sources: the
// lines above it, without a gap, lead to its heading.
func sourcesAbove(above, line string) bool {
	const longest = 40
	if !isListItem(line) && !strings.Contains(line, "://") {
		return false
	}
	for range longest {
		above = strings.TrimRight(above, " \t\r\n")
		at := strings.LastIndexByte(above, '\n') + 1
		prev := strings.TrimSpace(above[at:])
		if sourceHeading(strings.TrimLeft(prev, "*_-# ")) && !strings.Contains(prev, "?") {
			return true
		}
		if at == 0 || !isListItem(prev) && !strings.Contains(prev, "://") {
			return false
		}
		above = above[:at]
	}
	return false
}
