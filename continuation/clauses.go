package continuation

// A segment is a run of tokens of one class, inside one clause.
type segment struct {
	class    class
	from, to int  // tokens
	first    bool // it opens its clause, or follows an "and" in it
	asked    bool // its clause ends in a question mark
}

// segments appends the segments of toks to segs: the longest known phrases,
// and content for what is not known, up to the end of its clause.
func (g *grammar) segments(norm []byte, toks []token, segs []segment) []segment {
	for from := 0; from < len(toks); {
		to := from
		for to < len(toks) && toks[to].brk == 0 {
			to++
		}
		if to < len(toks) {
			to++
		}
		segs = g.clause(norm, toks, from, to, segs)
		from = to
	}
	return segs
}

// clause appends the segments of the clause toks[from:to].
func (g *grammar) clause(norm []byte, toks []token, from, to int, segs []segment) []segment {
	asked := toks[to-1].brk == '?'
	first := true
	for i := from; i < to; {
		c, n := g.match(toks[i:to])
		switch {
		case n == 0:
			n = g.content(toks[i:to])
		case c == clsHedge && n == 2 && i+n < to && g.opinion(toks[i:to]):
			c = clsFiller
		}
		segs = append(segs, segment{class: c, from: i, to: i + n, first: first, asked: asked})
		first = c == clsFiller && (first || string(toks[i].text(norm)) == "and")
		i += n
	}
	return segs
}

// content returns the length of the content at the start of toks: it runs to
// the end of the clause, or to a phrase that takes back what was said.
func (g *grammar) content(toks []token) int {
	for i := 1; i < len(toks); i++ {
		switch c, n := g.match(toks[i:]); c {
		case clsExcept, clsBut, clsHedge, clsWait:
			return i
		case clsDefer, clsThanks:
			if i+n == len(toks) {
				return i
			}
		}
	}
	return len(toks)
}

// opinion reports whether "I think" at the start of toks opens a judgement:
// "I think that's right".
func (g *grammar) opinion(toks []token) bool {
	if toks[0].word.roles&roleI == 0 || toks[1].word.roles&roleThink == 0 {
		return false
	}
	switch c, _ := g.match(toks[2:]); c {
	case clsPred, clsOK, clsNoPred, clsDone:
		return true
	}
	return false
}
