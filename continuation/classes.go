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
	elems []element
	class class
}

// A grammar is a compiled vocabulary. It is never changed after it is built.
type grammar struct {
	words  map[string]word
	same   map[string]uint8 // the groups of sameWords, one bit each
	byWord [][]phrase       // phrases by the id of their first word
	byRole []rolePhrases
	maxLen int
}

// rolePhrases holds the phrases that open with a role.
type rolePhrases struct {
	role    role
	phrases []phrase
}

// english compiles the built-in vocabulary once.
var english = sync.OnceValue(func() *grammar { return compile(wordLists, phraseLists) })

// compile builds a grammar from its word lists and phrases.
func compile(lists []wordList, phrases []phraseList) *grammar {
	g := &grammar{words: map[string]word{}, byWord: make([][]phrase, 1)}
	for _, l := range lists {
		for w := range strings.FieldsSeq(l.words) {
			g.intern(w, l.role)
		}
	}
	g.same = groups(sameWords)
	for _, l := range phrases {
		for p := range strings.SplitSeq(l.phrases, ";") {
			if p = strings.TrimSpace(p); p != "" {
				g.addPhrase(p, l.class)
			}
		}
	}
	return g
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

// intern returns the word for s, with the given roles added.
func (g *grammar) intern(s string, r role) word {
	w, ok := g.words[s]
	if !ok {
		w.id = uint16(len(g.words) + 1)
		g.byWord = append(g.byWord, nil)
		g.maxLen = max(g.maxLen, len(s))
	}
	w.roles |= r
	g.words[s] = w
	return w
}

// addPhrase compiles one phrase and files it under its first place.
func (g *grammar) addPhrase(s string, c class) {
	var p phrase
	p.class = c
	for f := range strings.FieldsSeq(s) {
		p.elems = append(p.elems, g.element(f))
	}
	first := p.elems[0]
	if first.id != 0 {
		g.byWord[first.id] = append(g.byWord[first.id], p)
		return
	}
	for i := range g.byRole {
		if g.byRole[i].role == first.roles {
			g.byRole[i].phrases = append(g.byRole[i].phrases, p)
			return
		}
	}
	g.byRole = append(g.byRole, rolePhrases{first.roles, []phrase{p}})
}

// element compiles one place: a word or a <role>, "?" for may be missing, "*"
// for any number.
func (g *grammar) element(f string) (e element) {
	if t, ok := strings.CutSuffix(f, "?"); ok {
		f, e.optional = t, true
	} else if t, ok := strings.CutSuffix(f, "*"); ok {
		f, e.optional, e.repeat = t, true, true
	}
	if strings.HasPrefix(f, "<") {
		e.roles = roleNames[f]
		return e
	}
	e.id = g.intern(f, 0).id
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
	if len(tok) <= g.maxLen {
		if w, ok := g.words[string(tok)]; ok {
			return w
		}
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
	if w := g.words[string(short)]; w.roles&roleStretch != 0 {
		return w
	}
	return word{}
}

// match returns the class and length of the longest phrase at the start of
// toks; length 0 if none.
func (g *grammar) match(toks []token) (class, int) {
	w := toks[0].word
	best, length := clsOther, 0
	if w.id == 0 {
		return best, 0
	}
	for _, p := range g.byWord[w.id] {
		if n := p.match(toks); n > length {
			best, length = p.class, n
		}
	}
	for _, rp := range g.byRole {
		if rp.role&w.roles == 0 {
			continue
		}
		for _, p := range rp.phrases {
			if n := p.match(toks); n > length {
				best, length = p.class, n
			}
		}
	}
	return best, length
}

// match returns how many tokens the phrase covers at the start of toks, 0 if
// it does not fit. A phrase does not cross the end of a clause.
func (p phrase) match(toks []token) int {
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
