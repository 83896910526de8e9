package continuation

import (
	"strings"
	"sync"
)

// A class is what a phrase does in a reply.
type class uint8

const (
	clsOther  class = iota // nothing known: content
	clsFiller              // says nothing
	clsThanks
	clsBye
	clsIdiom // holds a no-word but refuses nothing: "no problem"
	clsYes
	clsAdverb // a yes that can also modify: "exactly"
	clsGo     // a verb of consent: "go ahead"
	clsPred   // a judgement: "that is fine"
	clsOK     // "that's ok": consent after a request to confirm, not after an offer
	clsWeak   // a word of approval that can also just open a message: "ok"
	clsThatsIt
	clsNo
	clsNoPred // a judgement: "that is wrong"
	clsRefuse // a refusal that can take an object: "I don't want ..."
	clsStop   // a stop word that can also open a command: "cancel"
	clsDefer
	clsWait
	clsHedge
	clsTurn // turns away from what was said: "actually"
	clsDone // "that's all"
	clsBut
	clsExcept
	clsLead // opens a request: "I would like to"
	clsAsk  // opens a request that is no consent: "could you"
	clsLast // number of classes
)

// A role groups words that a phrase can use in the same place.
type role uint32

const (
	roleIt      role = 1 << iota // what the question was about: this, it
	roleItIs                     // that's, it's
	roleBe                       // is, are
	roleLooks                    // sounds, looks
	roleVery                     // intensifiers
	roleGood                     // good, correct
	roleBad                      // bad, wrong
	roleNot                      // negations that govern what follows
	roleI                        // I, we
	roleCant                     // don't, can't after I
	roleThing                    // what a plan or order consists of
	roleFn                       // function words that an echo can add
	roleWh                       // question words
	roleNeg                      // any word that can turn a sentence round
	roleNumber                   // number words
	roleAfterNo                  // can follow "no" without a comma
	roleWant                     // like, want
	roleQuant                    // all, both
	roleLimit                    // words that narrow consent
	rolePlan                     // what consent can name without adding anything
	roleTask                     // command, request
	roleStretch                  // yes/no words that people stretch: "yesss"
	roleThink                    // think, believe
	roleNow                      // now, then
)

// A word is what the vocabulary knows of one token. The zero word is unknown.
type word struct {
	id    uint16
	roles role
}

// An element is one place in a phrase.
type element struct {
	id       uint16
	roles    role
	optional bool
	repeat   bool
}

func (e element) matches(w word) bool {
	return e.id != 0 && e.id == w.id || e.roles&w.roles != 0
}

// A phrase is a sequence of places with the class of what fits them.
type phrase struct {
	second element // the second place if it cannot be missing, else empty
	class  class
	elems  []element
}

// A grammar is a compiled vocabulary. It is never changed after it is built.
type grammar struct {
	words  wordTable
	starts []start          // by the id of a word
	same   map[string]uint8 // the groups of sameWords, one bit each
}

// A start holds the phrases that can open with one word.
type start struct {
	alone   class // the phrase of this word by itself
	isAlone bool
	longer  []branch
	// What the second word of a longer phrase can be: most words are ruled
	// out by this alone. ids has a bit for each id, modulo 64.
	ids   uint64
	roles role
}

// A branch holds the longer phrases of a start with the same second place.
type branch struct {
	second  element // empty where that place can be missing
	phrases []phrase
}

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
	if len(p.elems) == 1 {
		if !s.isAlone {
			s.alone, s.isAlone = p.class, true
		}
		return
	}
	s.branch(p)
	for _, e := range p.elems[1:] {
		if e.id != 0 {
			s.ids |= 1 << (e.id % 64)
		}
		s.roles |= e.roles
		if !e.optional {
			break
		}
	}
}

// branch files a longer phrase under its second place.
func (s *start) branch(p phrase) {
	for i := range s.longer {
		if s.longer[i].second == p.second {
			s.longer[i].phrases = append(s.longer[i].phrases, p)
			return
		}
	}
	s.longer = append(s.longer, branch{p.second, []phrase{p}})
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
	if len(p.elems) > 1 && !p.elems[1].optional && !p.elems[0].repeat {
		p.second = p.elems[1]
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

// lookup returns what is known of a token. A word of consent or refusal is
// also known when its letters are drawn out.
func (g *grammar) lookup(tok []byte) word {
	if w := g.words.find(tok); w.id != 0 {
		return w
	}
	return g.stretched(tok)
}

// stretched finds a drawn-out word: "yesss", "nooo", "suuure".
func (g *grammar) stretched(tok []byte) word {
	const longest = 6
	var buf [longest]byte
	short := buf[:0]
	for i, c := range tok {
		if i > 0 && c == tok[i-1] {
			continue
		}
		if len(short) == longest {
			return word{}
		}
		short = append(short, c)
	}
	if len(short) == len(tok) {
		return word{}
	}
	if w := g.words.find(short); w.roles&roleStretch != 0 {
		return w
	}
	return word{}
}

// match returns the class and length of the longest phrase at the start of
// toks; length 0 if none.
func (g *grammar) match(toks []token) (class, int) {
	st := &g.starts[toks[0].word.id]
	best, length := clsOther, 0
	if st.isAlone {
		best, length = st.alone, 1
	}
	if len(toks) < 2 || toks[0].brk != 0 || !st.continues(toks[1].word) {
		return best, length
	}
	next := toks[1].word
	for i := range st.longer {
		b := &st.longer[i]
		if b.second != (element{}) && !b.second.matches(next) {
			continue
		}
		for j := range b.phrases {
			if n := b.phrases[j].match(toks); n > length {
				best, length = b.phrases[j].class, n
			}
		}
	}
	return best, length
}

// match returns how many tokens the phrase covers at the start of toks, 0 if
// it does not fit. A phrase does not cross the end of a clause.
func (p *phrase) match(toks []token) int {
	i, ended := 0, false
	for _, e := range p.elems {
		took := false
		for i < len(toks) && !ended && e.matches(toks[i].word) {
			ended = toks[i].brk != 0
			took = true
			i++
			if !e.repeat {
				break
			}
		}
		if !took && !e.optional {
			return 0
		}
	}
	return i
}
