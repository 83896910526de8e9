package continuation

// readNo reads a reply whose deciding segment refuses or puts off.
func (p *parse) readNo(i int) Reading {
	seg := p.segs[i]
	r := p.sum(p.afterRefused(i))
	switch {
	case r.yes:
		return Reading{Reason: whyNoThenYes}
	case r.wait && !r.more && !r.deferred:
		return Reading{Reason: whyWait}
	case seg.asked && !r.more && i+1 == len(p.segs):
		return Reading{Reason: whyNoNoun}
	case p.bound(i, r):
		return Reading{Reason: whyNoNoun}
	case p.q.flipped || p.q.either:
		return p.guarded(Reading{Verdict: No, Reason: whyNo})
	case r.more && !r.echoed && !p.refusedObject(i):
		return Reading{Verdict: NoWithMore, Reason: whyNoMore}
	case seg.class == clsDefer:
		return Reading{Verdict: No, Reason: whyDefer}
	}
	return Reading{Verdict: No, Reason: whyNo}
}

// afterRefused returns the segment after the refusal at i, and after the word
// of consent that it refuses: "I don't want to do that".
func (p *parse) afterRefused(i int) int {
	j := i + 1
	for p.segs[i].class == clsRefuse && j < len(p.segs) && !p.segs[j].first {
		switch p.segs[j].class {
		case clsGo, clsAdverb:
			j++
			continue
		}
		break
	}
	return j
}

// bound reports whether the no-word at i belongs to a noun or a command after
// it: "no lights", "cancel my dinner".
func (p *parse) bound(i int, r rest) bool {
	j := i + 1
	for j < len(p.segs) && !p.segs[j].first && p.segs[j].class == clsFiller {
		j++
	}
	if j >= len(p.segs) || j == i+1 && p.segs[j].first || r.echoed {
		return false
	}
	next := p.segs[j]
	switch p.segs[i].class {
	case clsStop, clsRefuse:
		return (next.class == clsOther || next.class == clsAsk) && !p.mentioned(next)
	case clsNo, clsNoPred:
		return next.class == clsOther && j == i+1 && p.toks[next.from].word.roles&roleAfterNo == 0
	}
	return false
}

// mentioned reports whether the first content word of a segment occurs in the
// question: what is refused is then what was asked.
func (p *parse) mentioned(s segment) bool {
	e := echoer{q: &p.q, norm: p.norm, toks: p.toks}
	for i := s.from; i < s.to; i++ {
		if e.isFunction(p.toks[i]) {
			e.wanted = true
			continue
		}
		return e.find(p.toks[i])
	}
	return true
}

// refusedObject reports whether what follows a refusal is what was asked.
func (p *parse) refusedObject(i int) bool {
	if p.segs[i].class != clsRefuse && p.segs[i].class != clsStop || i+1 >= len(p.segs) {
		return false
	}
	for j := i + 1; j < len(p.segs); j++ {
		if s := p.segs[j]; s.class == clsOther || s.class == clsAsk {
			if j != i+1 || s.first || !p.mentioned(s) {
				return false
			}
		}
	}
	return true
}

// readTurn reads a reply that opens with "actually". What was to be confirmed
// is then corrected; after an offer it can be anything.
func (p *parse) readTurn(i int) Reading {
	j := p.first(i + 1)
	for j < len(p.segs) && p.segs[j].class == clsTurn {
		j = p.first(j + 1)
	}
	if j == len(p.segs) {
		return Reading{Reason: whyHedge}
	}
	r := p.readFrom(j)
	confirm := len(p.q.toks) > 0 && !p.q.offer && !p.q.more && !p.q.wh
	if r.Verdict == Unclear && confirm && p.sum(j).more && !p.sum(j).yes {
		return p.guarded(Reading{Verdict: NoWithMore, Reason: whyTurn})
	}
	return r
}

// readDone reads "that's all" and its like.
func (p *parse) readDone(i int) Reading {
	r := p.sum(i + 1)
	switch {
	case r.yes || r.wait || r.more || r.asked || p.segs[i].asked:
		return Reading{Reason: whyAmbiguous}
	case r.no || p.q.more || p.segs[i].class == clsDone && p.q.offer:
		return p.guarded(Reading{Verdict: No, Reason: whyDone})
	}
	return Reading{Reason: whyAmbiguous}
}
