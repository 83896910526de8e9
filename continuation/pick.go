package continuation

import (
	"strings"
	"sync"
)

// maxTitleReply is the longest reply, in words, in which an option's own title
// picks it. In a longer one the title can be a mention.
const maxTitleReply = 14

// picking compiles the vocabulary of picks once.
var picking = sync.OnceValue(func() *grammar { return compile(pickWords, nil) })

// ReadChoice reads a reply to a list of options: a number, an ordinal, a
// letter, or an option's own title, with words that only frame it. What the
// reply says after that is returned with the pick. It returns false where the
// reply picks nothing, or more than one.
func (r Reader) ReadChoice(options []string, reply string) (Pick, bool) {
	if len(options) == 0 || tooLong(reply) {
		return Pick{}, false
	}
	var (
		normBuf [512]byte
		tokBuf  [96]token
	)
	p := picker{options: options, reply: reply, norm: normalise(normBuf[:0], reply)}
	p.toks = tokenise(picking(), p.norm, tokBuf[:0])
	if len(p.toks) == 0 {
		return Pick{}, false
	}
	if i, ok := p.wholeTitle(); ok {
		return Pick{Index: i}, true
	}
	if i, end, ok := p.byLabel(); ok {
		return Pick{Index: i, More: more(reply, p.offset(end))}, true
	}
	if i, end, ok := p.byTitle(); ok {
		return Pick{Index: i, More: more(reply, p.offset(end))}, true
	}
	if i, ok := r.foreignOrdinal(p.norm, p.toks, len(options)); ok {
		return Pick{Index: i}, true
	}
	return Pick{}, false
}

// A picker looks for one pick in a reply.
type picker struct {
	options []string
	reply   string
	norm    []byte
	toks    []token
}

// offset returns where token i starts in the normalised reply, -1 past the end.
func (p *picker) offset(i int) int {
	if i >= len(p.toks) {
		return -1
	}
	return int(p.toks[i].start)
}

// more returns what a reply says from the normalised offset on, as typed.
func more(reply string, offset int) string {
	if offset < 0 {
		return ""
	}
	return strings.TrimSpace(reply[rawOffset(reply, offset):])
}

// clauseEnd returns the end of the clause that holds token i.
func (p *picker) clauseEnd(i int) int {
	for i < len(p.toks) && p.toks[i].brk == 0 {
		i++
	}
	return min(i+1, len(p.toks))
}

// byLabel reads a pick by number, ordinal or letter, and returns the option and
// the token after its clause.
func (p *picker) byLabel() (index, next int, ok bool) {
	from, end := p.head()
	l, ok := p.label(from, end)
	if !ok {
		if l, end, ok = p.joined(from, end); !ok {
			return 0, 0, false
		}
	}
	if end < len(p.toks) && !p.restAgrees(l, from, end) {
		return 0, 0, false
	}
	if p.misleading(l, from, end) {
		return 0, 0, false
	}
	return l.index, end, true
}

// misleading reports whether the number of a pick also opens the title of
// another option: "2" to "2 people" and "4 people".
func (p *picker) misleading(l label, from, end int) bool {
	for i := range p.options {
		if i == l.index {
			continue
		}
		for j := from; j < end; j++ {
			if p.toks[j].number && p.titleOpens(i, p.toks[j].text(p.norm)) {
				return true
			}
		}
	}
	return false
}

// joined reads a pick that runs into more without a comma: "2 but rename it".
// What it runs into must name no number, and not take the pick back.
func (p *picker) joined(from, end int) (l label, next int, ok bool) {
	for i := from + 1; i < end-1; i++ {
		if p.toks[i].word.roles&roleSplit == 0 {
			continue
		}
		l, ok := p.label(from, i)
		return l, i, ok && !p.takesBack(i+1, end)
	}
	return label{}, 0, false
}

// takesBack reports whether toks[from:end] holds a number or a negation.
func (p *picker) takesBack(from, end int) bool {
	for _, t := range p.toks[from:end] {
		if t.number || t.word.roles&(roleOrdinal|roleCardinal|roleRevoke|roleSeveral) != 0 {
			return true
		}
	}
	return false
}

// head returns the first clause that is more than a courtesy.
func (p *picker) head() (from, end int) {
	for {
		end = p.clauseEnd(from)
		if end == len(p.toks) || !p.courtesy(from, end) {
			return from, end
		}
		from = end
	}
}

// courtesy reports whether a clause holds nothing but courtesies, or announces
// a pick: "answer: 2".
func (p *picker) courtesy(from, end int) bool {
	allowed := rolePolite
	if p.toks[end-1].brk == ':' {
		allowed |= roleNoun | roleFrame
	}
	for _, t := range p.toks[from:end] {
		if t.word.roles&allowed == 0 {
			return false
		}
	}
	return true
}

// restAgrees reports whether what follows the head clause leaves the pick as it
// is: it must not take it back, and not name another.
func (p *picker) restAgrees(l label, from, end int) bool {
	if l.bareOrdinal && end-from == 1 && !p.courtesy(end, len(p.toks)) {
		return false // "first, tell me ..."
	}
	for end < len(p.toks) {
		next := p.clauseEnd(end)
		if r := p.toks[end].word.roles; r&roleRevoke != 0 && r&roleSplit == 0 {
			return false
		}
		if other, ok := p.label(end, next); ok && other.index != l.index {
			return false
		}
		if p.justNumbers(end, next) {
			return false
		}
		end = next
	}
	return true
}

// justNumbers reports whether a clause is nothing but numbers and joints.
func (p *picker) justNumbers(from, end int) bool {
	found := false
	for _, t := range p.toks[from:end] {
		switch {
		case t.number || t.word.roles&(roleCardinal|roleOrdinal) != 0:
			found = true
		case t.word.roles&roleJoint == 0:
			return false
		}
	}
	return found
}
