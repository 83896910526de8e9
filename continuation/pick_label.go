package continuation

// A label is a number, an ordinal or a letter that names an option.
type label struct {
	index       int
	bareOrdinal bool // "first" with nothing that frames it
}

// Kinds of a token as a label.
type labelKind uint8

const (
	noLabel labelKind = iota
	cardinal
	ordinal
	letter
)

// label reads toks[from:end] as one label among words that only frame a pick.
func (p *picker) label(from, end int) (label, bool) {
	at, kind, value := -1, noLabel, 0
	for i := from; i < end; i++ {
		k, v := p.labelAt(i, from, end)
		switch {
		case k == noLabel && p.toks[i].word.roles&(roleFrame|roleNoun|rolePolite|roleWish) == 0:
			return label{}, false
		case k == noLabel:
		case at >= 0 && v != value:
			return label{}, false
		default:
			at, kind, value = i, k, v
		}
	}
	if at < 0 || value < 1 || value > len(p.options) || !p.framed(at, from, end, kind) {
		return label{}, false
	}
	return label{index: value - 1, bareOrdinal: kind == ordinal && !p.toks[at].number}, true
}

// labelAt returns token i as a label.
func (p *picker) labelAt(i, from, end int) (labelKind, int) {
	t := p.toks[i]
	s := t.text(p.norm)
	r := t.word.roles
	switch {
	case t.number:
		return p.digits(i, end)
	case string(s) == "last":
		return ordinal, len(p.options)
	case r&roleOrdinal != 0:
		return ordinal, rank(ordinals[:], s)
	case string(s) == "one" && p.isPronoun(i, from):
		return noLabel, 0
	case r&roleCardinal != 0:
		return cardinal, rank(cardinals[:], s)
	case len(s) == 1 && s[0] >= 'a' && s[0] <= 'h' && p.isLetter(i, from, end):
		return letter, int(s[0]-'a') + 1
	}
	return noLabel, 0
}

// digits reads "2", "2nd" and "2 nd"; any other number is out of range.
func (p *picker) digits(i, end int) (labelKind, int) {
	const outOfRange = 1 << 20
	s := p.toks[i].text(p.norm)
	n, digits := 0, 0
	for digits < len(s) && digits < 4 && s[digits] >= '0' && s[digits] <= '9' {
		n = 10*n + int(s[digits]-'0')
		digits++
	}
	suffix := s[digits:]
	if len(suffix) == 0 && i+1 < end && p.toks[i].brk == 0 && isOrdinalSuffix(p.toks[i+1].text(p.norm)) {
		return ordinal, n
	}
	switch {
	case len(suffix) == 0:
		return cardinal, n
	case isOrdinalSuffix(suffix):
		return ordinal, n
	}
	return cardinal, outOfRange
}

func isOrdinalSuffix(s []byte) bool {
	switch string(s) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// rank returns the 1-based place of a word in a list, 0 if it is not there.
func rank(list []string, s []byte) int {
	for i, w := range list {
		if w == string(s) {
			return i + 1
		}
	}
	return 0
}

// isPronoun reports whether "one" at i stands for a noun: "the second one".
func (p *picker) isPronoun(i, from int) bool {
	if i == from {
		return false
	}
	prev := p.toks[i-1]
	s := prev.text(p.norm)
	return prev.number || prev.word.roles&(roleOrdinal|roleCardinal) != 0 ||
		string(s) == "last" || string(s) == "the" || string(s) == "that" || string(s) == "this" ||
		string(s) == "which" || isOrdinalSuffix(s) || len(s) == 1
}

// isLetter reports whether the letter at i is a label: by itself, after the
// word for one ("option b"), or as a capital at the end. "a" is an article
// anywhere else.
func (p *picker) isLetter(i, from, end int) bool {
	if i > from && p.toks[i-1].word.roles&roleNoun != 0 {
		return true
	}
	alone := true
	for j := from; j < end; j++ {
		alone = alone && (j == i || p.toks[j].word.roles&rolePolite != 0)
	}
	if alone {
		return true
	}
	raw := rawOffset(p.reply, int(p.toks[i].start))
	return raw < len(p.reply) && p.reply[raw] >= 'A' && p.reply[raw] <= 'H' && (i == end-1 || p.toks[i].word.id == 0)
}

// framed reports whether the words around a label leave it a pick, and make it
// no quantity and no date.
func (p *picker) framed(at, from, end int, kind labelKind) bool {
	opens := p.toks[from].word.roles
	if opens&roleDate != 0 {
		return false // "on the 5th"
	}
	if kind == letter {
		return true
	}
	before, after := role(0), role(0)
	var article, beyond []byte
	if at > from {
		before, article = p.toks[at-1].word.roles, p.toks[at-1].text(p.norm)
	}
	if at+1 < end {
		after, beyond = p.toks[at+1].word.roles, p.toks[at+1].text(p.norm)
	}
	if kind == ordinal {
		return string(article) != "a" && string(article) != "one" && !(string(beyond) == "to")
	}
	switch {
	case string(beyond) == "more" || string(beyond) == "of" && before&roleNoun == 0:
		return false // "2 more", "2 of these"
	case before&roleNoun != 0:
		return true // "option 2"
	case after&roleNoun != 0 && string(beyond) != "one":
		return false // "3 news"
	case string(article) == "just" || string(article) == "only" || string(article) == "for" || string(article) == "the":
		return false // "just one", "the two"
	}
	for i := from; i < at; i++ {
		if p.toks[i].word.roles&roleWish != 0 {
			return false // "I need 4"
		}
	}
	return true
}
