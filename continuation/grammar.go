package continuation

import (
	"strings"
	"sync"
)

// english compiles the built-in vocabulary once.
var english = sync.OnceValue(func() *grammar { return compile(wordLists, phraseLists) })

// compile builds a grammar from its word lists and phrases.
func compile(lists []wordList, phrases []phraseList) *grammar {
	b := builder{words: map[string]word{}}
	for _, l := range lists {
		for w := range strings.FieldsSeq(l.words) {
			b.intern(w, l.role)
		}
	}
	var all []phrase
	for _, l := range phrases {
		for p := range strings.SplitSeq(l.phrases, ";") {
			if strings.TrimSpace(p) != "" {
				all = append(all, b.phrase(p, l.class))
			}
		}
	}
	b.alias(typos)
	g := &grammar{words: newWordTable(b.words), starts: make([]start, len(b.words)+1), same: groups(sameWords)}
	for _, w := range b.words {
		for _, p := range all {
			if p.elems[0].matches(w) {
				g.starts[w.id].add(p)
			}
		}
	}
	return g
}

// add files a phrase that can open with the word.
func (s *start) add(p phrase) {
	for _, e := range p.elems[1:] {
		if e.id != 0 {
			s.ids |= 1 << (e.id % 64)
		}
		s.roles |= e.roles
		if !e.optional {
			break
		}
	}
	s.insert(p.elems[1:], p.class)
}

// insert files the rest of a phrase below n. Where two phrases are the same,
// the first one stays.
func (n *node) insert(rest []element, c class) {
	if len(rest) == 0 {
		if !n.ends {
			n.class, n.ends = c, true
		}
		return
	}
	for i := range n.edges {
		if n.edges[i].element == rest[0] {
			n.edges[i].next.insert(rest[1:], c)
			return
		}
	}
	next := &node{}
	n.edges = append(n.edges, edge{rest[0], next})
	next.insert(rest[1:], c)
}

// continues reports whether a longer phrase can go on with w.
func (s *start) continues(w word) bool {
	return s.roles&w.roles != 0 || w.id != 0 && s.ids&(1<<(w.id%64)) != 0
}

// groups numbers the groups of sameWords, by stem.
func groups(lists []sameList) map[string]uint8 {
	same := map[string]uint8{}
	for i, l := range lists {
		for w := range strings.FieldsSeq(l.words) {
			same[string(stem([]byte(w)))] |= 1 << i
		}
	}
	return same
}

// A builder gives words their ids while a grammar is compiled.
type builder struct{ words map[string]word }

// intern returns the word for s, with the given roles added.
func (b *builder) intern(s string, r role) word {
	w, ok := b.words[s]
	if !ok {
		w.id = uint16(len(b.words) + 1)
	}
	w.roles |= r
	b.words[s] = w
	return w
}

// alias makes misspellings of words that are known stand for them.
func (b *builder) alias(typos string) {
	for t := range strings.FieldsSeq(typos) {
		typo, right, _ := strings.Cut(t, ":")
		if w, ok := b.words[right]; ok {
			b.words[typo] = w
		}
	}
}

// phrase compiles one phrase.
func (b *builder) phrase(s string, c class) phrase {
	p := phrase{class: c}
	for f := range strings.FieldsSeq(s) {
		p.elems = append(p.elems, b.element(f))
	}
	return p
}

// element compiles one place: a word or a <role>, "?" for may be missing, "*"
// for any number.
func (b *builder) element(f string) (e element) {
	if t, ok := strings.CutSuffix(f, "?"); ok {
		f, e.optional = t, true
	} else if t, ok := strings.CutSuffix(f, "*"); ok {
		f, e.optional, e.repeat = t, true, true
	}
	if strings.HasPrefix(f, "<") {
		e.roles = roleNames[f]
		return e
	}
	e.id = b.intern(f, 0).id
	return e
}

// roleNames are the names by which phrases call the roles.
var roleNames = map[string]role{
	"<it>": roleIt, "<its>": roleItIs, "<be>": roleBe, "<looks>": roleLooks, "<very>": roleVery,
	"<good>": roleGood, "<bad>": roleBad, "<not>": roleNot, "<i>": roleI, "<cant>": roleCant,
	"<thing>": roleThing, "<want>": roleWant, "<task>": roleTask, "<plan>": rolePlan,
}
