package continuation

// A rest is what follows the deciding segment, summed up.
type rest struct {
	yes, no, deferred, wait, hedge, except, but, bye, done, asked bool
	more                                                          bool // there is content
	retracts                                                      bool // content that opens with a negation
	echoed                                                        bool // all content repeats the question
}

// sum sums up the segments from i on.
func (p *parse) sum(i int) rest {
	r := rest{echoed: true}
	e := echoer{q: &p.q, norm: p.norm, toks: p.toks}
	for ; i < len(p.segs); i++ {
		s := p.segs[i]
		r.asked = r.asked || s.asked
		if s.class != clsYes && p.runsOn(i) {
			s.class = clsFiller // the content that it runs into counts
		}
		r.add(s.class)
		if s.class == clsRefuse { // the word of consent that it refuses is none: "no, I don't want to do that"
			i = p.afterRefused(i) - 1
		}
		switch s.class {
		case clsOther, clsAsk:
			r.more = true
			if r.echoed && !e.read(s.from, s.to) {
				r.echoed = false
			}
			r.retracts = r.retracts || p.retracts(s)
		}
	}
	r.echoed = r.echoed && e.covers()
	return r
}

// runsOn reports whether the segment is a word of consent that runs straight
// into content: "it is" of "it is for three people".
func (p *parse) runsOn(i int) bool {
	switch p.segs[i].class {
	case clsYes, clsAdverb, clsGo:
		return i+1 < len(p.segs) && !p.segs[i+1].first && (p.segs[i+1].class == clsOther || p.segs[i+1].class == clsAsk)
	}
	return false
}

// add notes the class of one segment.
func (r *rest) add(c class) {
	switch c {
	case clsYes, clsGo, clsAdverb:
		r.yes = true
	case clsNo, clsNoPred, clsRefuse, clsStop:
		r.no = true
	case clsDefer:
		r.deferred = true
	case clsWait:
		r.wait = true
	case clsHedge:
		r.hedge = true
	case clsExcept:
		r.except = true
	case clsBut:
		r.but = true
	case clsBye:
		r.bye = true
	case clsDone:
		r.done = true
	}
}

// retracts reports whether content takes a yes back: it opens with a negation,
// or holds one in the clause of the yes itself.
func (p *parse) retracts(s segment) bool {
	if s.first {
		return p.negative(s.from)
	}
	for i := s.from; i < s.to; i++ {
		if p.negative(i) {
			return true
		}
	}
	return false
}

// negative reports whether the token at i turns its clause round.
func (p *parse) negative(i int) bool {
	if p.toks[i].word.roles&(roleNot|roleNeg) == 0 {
		return false
	}
	e := echoer{q: &p.q}
	return !e.offered(p.toks[i].text(p.norm))
}
