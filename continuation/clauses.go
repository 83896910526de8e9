package continuation

// A segment is a run of tokens of one class, inside one clause.
type segment struct {
	class    class
	from, to int  // tokens
	first    bool // it opens its clause
	asked    bool // its clause ends in a question mark
}

// segments appends the segments of toks to segs: the longest known phrases,
// and content for what is not known, up to the end of its clause.
func (g *grammar) segments(toks []token, segs []segment) []segment {
	for from := 0; from < len(toks); {
		to := from
		for to < len(toks) && toks[to].brk == 0 {
			to++
		}
		if to < len(toks) {
			to++
		}
		segs = g.clause(toks, from, to, segs)
		from = to
	}
	return segs
}

// clause appends the segments of the clause toks[from:to].
func (g *grammar) clause(toks []token, from, to int, segs []segment) []segment {
	asked := toks[to-1].brk == '?'
	for i := from; i < to; {
		c, n := g.match(toks[i:to])
		if n == 0 {
			n = g.content(toks[i:to])
		}
		segs = append(segs, segment{class: c, from: i, to: i + n, first: i == from, asked: asked})
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
