package continuation

import "strings"

// A list is the last list of an answer.
type list struct {
	items   []string
	bullets bool
}

// A marker is what opens an item of a list.
type marker struct {
	style  byte // '1' numbers, 'a' letters, 'o' "Option A", '-' bullets; 0 is no marker
	shape  byte // what closes it: '.', ')', ':', or 0
	value  int  // 1 for "1" and "a"
	indent int
	text   string // the item
}

// lastList returns the last list in text: numbered or lettered from the start
// of its kind, or the bullets that stand right at the end.
func lastList(text string) list {
	var s listScan
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, " \t\r\n"))
	}
	if len(s.bullets) > 1 && (s.bulletsLast || len(s.items) < 2) {
		return list{items: s.bullets, bullets: true}
	}
	return list{items: s.items}
}

// A listScan collects the list at hand, line by line.
type listScan struct {
	fenced      bool
	at          marker // the last item of the ordered list
	items       []string
	bullets     []string
	indent      int  // of the bullets
	apart       bool // text stands between the ordered list and here
	broken      bool // text stands after the bullets
	bulletsLast bool // the bullets are a list of their own, after the ordered one
}

func (s *listScan) line(line string) {
	if strings.HasPrefix(strings.TrimLeft(line, " \t>"), "```") || strings.HasPrefix(strings.TrimLeft(line, " "), "~~~") {
		s.fenced = !s.fenced
		return
	}
	if s.fenced || line == "" || isRule(line) {
		return
	}
	m := markerOf(line)
	switch {
	case m.style == '-':
		s.bullet(m)
	case m.style != 0:
		s.ordered(m)
	case line[0] != ' ' && line[0] != '\t':
		s.apart, s.broken = true, true
	}
}

// ordered takes in an item with a number or letter.
func (s *listScan) ordered(m marker) {
	switch {
	case m.value == 1 && (len(s.items) == 0 || m.indent <= s.at.indent || s.apart && m.style == s.at.style):
		s.items = append(s.items[:0:0], m.text)
		s.at = m
	case len(s.items) > 0 && m.style == s.at.style && m.shape == s.at.shape && m.indent == s.at.indent && m.value == s.at.value+1:
		s.items = append(s.items, m.text)
		s.at = m
	default:
		return // nested, or out of order
	}
	s.bullets, s.bulletsLast, s.apart, s.broken = nil, false, false, false
}

// bullet takes in a bullet.
func (s *listScan) bullet(m marker) {
	switch {
	case len(s.bullets) == 0 || s.broken && m.indent <= s.indent:
		s.bullets, s.indent = append(s.bullets[:0:0], m.text), m.indent
		s.bulletsLast = len(s.items) == 0 || s.apart && m.indent <= s.at.indent
	case m.indent > s.indent:
		return // nested
	default:
		s.bullets = append(s.bullets, m.text)
	}
	s.broken = false
}

// markerOf reads the marker of a line.
func markerOf(line string) marker {
	rest := strings.TrimLeft(line, " \t")
	m := marker{indent: len(line) - len(rest)}
	rest = strings.TrimLeft(strings.TrimLeft(rest, "#"), " ")
	bullet := false
	if t, ok := cutBullet(rest); ok {
		bullet, rest = true, t
	}
	inner := strings.TrimLeft(rest, "*_")
	if n := m.label(inner); n > 0 {
		m.text = plainText(inner[n:])
		return m
	}
	if bullet {
		m.style, m.text = '-', plainText(rest)
	}
	return m
}

// cutBullet takes a bullet off s.
func cutBullet(s string) (string, bool) {
	for _, b := range [...]string{"- ", "* ", "+ ", "\u2022 ", "\u2013 ", "\u25cf ", "\u25aa ", "\u2023 "} {
		if t, ok := strings.CutPrefix(s, b); ok {
			return strings.TrimLeft(t, " "), true
		}
	}
	return s, false
}

// label reads "1.", "(2)", "a)", "Option B:" at the start of s into m and
// returns its length, 0 if there is none.
func (m *marker) label(s string) int {
	n := 0
	option := false
	for _, w := range [...]string{"option ", "choice ", "alternative "} {
		if len(s) > len(w) && strings.EqualFold(s[:len(w)], w) {
			n, option = len(w), true
		}
	}
	open := n < len(s) && s[n] == '('
	if open {
		n++
	}
	size, value, letter := labelValue(s[n:])
	if size == 0 {
		return 0
	}
	n += size
	shape, width := labelEnd(s[n:], option)
	if width < 0 || letter && !option && shape == 0 || open && shape != ')' || !option && shape == ':' && letter {
		return 0
	}
	m.value, m.shape, m.style = value, shape, '1'
	switch {
	case option:
		m.style, m.shape = 'o', 0
	case letter:
		m.style = 'a'
	}
	return n + width
}

// labelValue reads a number below 100, a keycap, or a single letter.
func labelValue(s string) (size, value int, letter bool) {
	for size < len(s) && size < 2 && s[size] >= '0' && s[size] <= '9' {
		value = 10*value + int(s[size]-'0')
		size++
	}
	if size > 0 {
		return size, value, false
	}
	if len(s) > 1 && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z' {
		return 1, int(s[0]|0x20-'a') + 1, true
	}
	return 0, 0, false
}

// labelEnd reads what closes a label: the sign, and how many bytes it and the
// marks after it take; -1 if the label goes on as a word.
func labelEnd(s string, option bool) (shape byte, width int) {
	if t, ok := strings.CutPrefix(s, "\ufe0f\u20e3"); ok { // keycap
		return '.', len(s) - len(strings.TrimLeft(t, " .)"))
	}
	t := strings.TrimLeft(s, "*_")
	switch {
	case t == "":
		if option {
			return 0, len(s)
		}
		return 0, -1
	case t[0] == '.' || t[0] == ')' || t[0] == ':':
		shape = t[0]
		t = t[1:]
		if t != "" && t[0] != ' ' && t[0] != '*' && t[0] != '_' && t[0] != '\t' {
			return 0, -1
		}
		return shape, len(s) - len(t)
	case option && (t[0] == ' ' || strings.HasPrefix(t, "\u2014") || strings.HasPrefix(t, "\u2013")):
		rest := strings.TrimLeft(t, " ")
		for _, dash := range [...]string{"-", "\u2014", "\u2013", "("} {
			if strings.HasPrefix(rest, dash) {
				return 0, len(s) - len(strings.TrimPrefix(rest, strings.TrimRight(dash, "(")))
			}
		}
	}
	return 0, -1
}
