package continuation

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
	roleOr                       // joins two offers
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

// A node is a place in the tree of the phrases that open with one word.
// Phrases with the same beginning share it.
type node struct {
	edges []edge
	class class
	ends  bool // a phrase ends here, of that class
}

// An edge leads to the next place of a phrase.
type edge struct {
	element
	next *node
}

// A grammar is a compiled vocabulary. It is never changed after it is built.
type grammar struct {
	words  wordTable
	starts []start          // by the id of a word
	same   map[string]uint8 // the groups of sameWords, one bit each
}

// A start holds the phrases that can open with one word.
type start struct {
	node
	// What the second word of a longer phrase can be: most words are ruled
	// out by this alone. ids has a bit for each id, modulo 64.
	ids   uint64
	roles role
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
// toks; length 0 if none. A phrase does not cross the end of a clause.
func (g *grammar) match(toks []token) (class, int) {
	st := &g.starts[toks[0].word.id]
	if len(toks) > 1 && toks[0].brk == 0 && st.continues(toks[1].word) {
		return st.longest(toks, 1, false)
	}
	if st.ends {
		return st.class, 1
	}
	return clsOther, 0
}

// longest returns the class and length of the longest phrase below n, with i
// tokens behind it; ended says that the last of them ends its clause.
func (n *node) longest(toks []token, i int, ended bool) (class, int) {
	best, length := clsOther, 0
	if n.ends {
		best, length = n.class, i
	}
	for k := range n.edges {
		e := &n.edges[k]
		j, done := e.take(toks, i, ended)
		if j == i && !e.optional {
			continue
		}
		if c, l := e.next.longest(toks, j, done); l > length {
			best, length = c, l
		}
	}
	return best, length
}

// take returns the place after the tokens from i on that fit e, as many as e
// can take.
func (e *element) take(toks []token, i int, ended bool) (int, bool) {
	for i < len(toks) && !ended && e.matches(toks[i].word) {
		ended = toks[i].brk != 0
		i++
		if !e.repeat {
			break
		}
	}
	return i, ended
}
