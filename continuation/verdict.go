package continuation

// ReadDecision reads a reply to a yes/no question. The question may be empty
// where it is not known; then nothing counts as an echo of it.
func (r Reader) ReadDecision(question, reply string) Reading {
	if tooLong(reply) {
		return Reading{Reason: whyLong}
	}
	var (
		normBuf  [512]byte
		tokBuf   [64]token
		segBuf   [32]segment
		qNormBuf [questionTail + 112]byte
		qTokBuf  [96]token
	)
	g := english()
	p := parse{norm: normalise(normBuf[:0], reply)}
	p.toks = tokenise(g, p.norm, tokBuf[:0])
	if len(p.toks) == 0 {
		return Reading{Reason: whyBlank}
	}
	p.segs = g.segments(p.norm, p.toks, segBuf[:0])
	p.q = readQuestion(question, qNormBuf[:0], qTokBuf[:0])
	p.adopt()
	reading := p.read()
	if len(r.Lexicons) > 0 {
		return r.readForeign(reading, &p)
	}
	return reading
}

// A parse is a reply in segments, beside the question it is read against.
type parse struct {
	norm []byte
	toks []token
	segs []segment
	q    question
}

// adopt takes a stop word that the question itself offers for what it is there:
// "cancel it" is consent to "Shall I cancel the order?".
func (p *parse) adopt() {
	if p.q.verb < 0 {
		return
	}
	verb := p.q.toks[p.q.verb].text(p.q.norm)
	for i := range p.segs {
		s := &p.segs[i]
		if (s.class == clsStop || s.class == clsNo) && sameStem(p.toks[s.from].text(p.norm), verb) {
			s.class = clsOther
		}
	}
}

// read lets the first segment that means something decide, and the rest weaken
// it.
func (p *parse) read() Reading {
	i := p.first(0)
	if i == len(p.segs) {
		return Reading{Reason: whyNothing}
	}
	if p.segs[i].class == clsWeak {
		return p.readWeak(i)
	}
	return p.readFrom(i)
}

// readFrom reads the reply from its deciding segment on.
func (p *parse) readFrom(i int) Reading {
	switch p.segs[i].class {
	case clsYes, clsAdverb, clsGo, clsPred, clsOK:
		return p.readYes(i)
	case clsLead, clsAsk, clsOther:
		return p.readContent(i)
	case clsTurn:
		return p.readTurn(i)
	case clsBut:
		return p.readBut(i)
	case clsNo, clsNoPred, clsRefuse, clsStop, clsDefer:
		return p.readNo(i)
	case clsDone, clsThatsIt:
		return p.readDone(i)
	case clsWait:
		return Reading{Reason: whyWait}
	case clsHedge:
		return Reading{Reason: whyHedge}
	}
	return Reading{Reason: whyNothing}
}

// first returns the first segment from i on that means something.
func (p *parse) first(i int) int {
	for i < len(p.segs) {
		switch p.segs[i].class {
		case clsFiller, clsThanks, clsIdiom, clsBye:
			i++
			continue
		case clsLead: // "I'd like to go ahead"
			if i+1 < len(p.segs) && p.segs[i+1].class == clsGo && !p.segs[i+1].first {
				i++
				continue
			}
		}
		break
	}
	return i
}

// readBut reads a reply that opens with "but" after courtesies: "thanks, but
// no". Only a refusal is sure there.
func (p *parse) readBut(i int) Reading {
	if j := p.first(i + 1); j < len(p.segs) {
		switch p.segs[j].class {
		case clsNo, clsNoPred, clsRefuse, clsDefer:
			return p.readNo(j)
		}
	}
	return Reading{Reason: whyNothing}
}

// readWeak reads a reply that opens with a word such as "ok". Such a word
// decides only where it stands alone; before a plainer word it is a filler.
func (p *parse) readWeak(i int) Reading {
	j := i
	for j < len(p.segs) && p.segs[j].class == clsWeak {
		j = p.first(j + 1)
	}
	if j == len(p.segs) {
		return p.weakAlone()
	}
	switch r := p.readFrom(j); {
	case r.Verdict == Unclear && (p.segs[j].class == clsOther || p.segs[j].class == clsAsk || p.segs[j].class == clsLead):
		return Reading{Reason: whyWeakMore}
	case p.segs[j].class == clsDone:
		return Reading{Reason: whyYesBye}
	default:
		return r
	}
}

// weakAlone reads a reply of nothing but weak words and courtesies.
func (p *parse) weakAlone() Reading {
	for _, s := range p.segs {
		if s.class == clsBye {
			return Reading{Reason: whyYesBye}
		}
		if s.asked {
			return Reading{Reason: whyYesAsked}
		}
	}
	if p.q.more {
		return Reading{Reason: whyMore}
	}
	return p.guarded(Reading{Verdict: Yes, Reason: whyWeak})
}

// readYes reads a reply whose deciding segment consents.
func (p *parse) readYes(i int) Reading {
	seg := p.segs[i]
	r := p.sum(i + 1)
	switch {
	case r.no || r.retracts:
		return Reading{Reason: whyYesThenNo}
	case r.except:
		return Reading{Reason: whyYesExcept}
	case r.wait:
		return Reading{Reason: whyWait}
	case r.deferred:
		return p.deferred(r)
	case r.hedge:
		return Reading{Reason: whyHedge}
	case r.bye || r.done:
		return Reading{Reason: whyYesBye}
	case seg.class == clsOK && !r.yes && (p.q.offer || p.q.more):
		return Reading{Reason: whyAmbiguous}
	case r.more && !p.yesStands(i):
		return p.readRunOn(i, r)
	case (seg.asked || r.asked) && !r.more && !r.but:
		return Reading{Reason: whyYesAsked}
	}
	strong := seg.class != clsPred && seg.class != clsOK || r.yes
	if r.but || p.dangling() || r.more && (!r.echoed || r.asked) {
		return p.guarded(Reading{Verdict: YesWithMore, Reason: whyYesMore, Strong: strong})
	}
	return p.guarded(Reading{Verdict: Yes, Reason: whyYes, Strong: strong})
}

// dangling reports whether the reply breaks off at an "and".
func (p *parse) dangling() bool {
	last := p.toks[len(p.toks)-1]
	return len(p.toks) > 1 && string(last.text(p.norm)) == "and"
}

// deferred reads a yes that is put off.
func (p *parse) deferred(r rest) Reading {
	if r.more && !r.echoed {
		return p.guarded(Reading{Verdict: NoWithMore, Reason: whyYesLater})
	}
	return p.guarded(Reading{Verdict: No, Reason: whyYesLater})
}

// yesStands reports whether the consent at i holds by itself, whatever else is
// said: a yes-word does; a verb or a judgement only at the end of its clause.
func (p *parse) yesStands(i int) bool {
	if p.segs[i].class == clsYes {
		return true
	}
	for j := i; j < len(p.segs); j++ {
		switch p.segs[j].class {
		case clsYes:
			return true
		case clsOther, clsAsk, clsLead, clsBut:
			return p.segs[i].class != clsGo && p.segs[j].first
		}
	}
	return true
}

// readRunOn reads a word of consent that runs straight into something else:
// only a repetition of the question makes it one.
func (p *parse) readRunOn(i int, r rest) Reading {
	if r.echoed && !r.asked && !r.but && p.segs[i].class != clsPred {
		return p.guarded(Reading{Verdict: Yes, Reason: whyEcho, Strong: true})
	}
	return Reading{Reason: whyCommand}
}

// readContent reads a reply that opens with neither yes nor no: it consents
// where it repeats the verb of an offer and adds nothing.
func (p *parse) readContent(i int) Reading {
	r := p.sum(i)
	switch {
	case p.segs[i].class == clsLead && !r.more && !r.asked && p.q.offer:
		return p.bareLead(r)
	case r.deferred && !r.yes && !r.no && r.echoed:
		return p.guarded(Reading{Verdict: No, Reason: whyDefer})
	case r.no || r.deferred || r.wait || r.hedge || r.except || r.but || r.bye || r.done || r.asked:
		return Reading{Reason: whyContent}
	case !r.echoed || len(p.toks) > maxBareEcho+4 || p.words(i) > maxBareEcho:
		return Reading{Reason: whyContent}
	}
	e := echoer{q: &p.q, norm: p.norm, toks: p.toks}
	for ; i < len(p.segs); i++ {
		if s := p.segs[i]; s.class == clsOther {
			if !e.opensWithVerb(s.from, s.to) {
				break
			}
			return p.guarded(Reading{Verdict: Yes, Reason: whyEcho, Strong: true})
		}
	}
	return Reading{Reason: whyContent}
}

// bareLead reads "I would like to" with nothing after it.
func (p *parse) bareLead(r rest) Reading {
	if r.no || r.deferred || r.wait || r.hedge || r.except || r.but || r.bye || r.done {
		return Reading{Reason: whyContent}
	}
	return p.guarded(Reading{Verdict: Yes, Reason: whyEcho, Strong: true})
}

// words counts the words of the segments from i on.
func (p *parse) words(i int) int { return len(p.toks) - p.segs[i].from }

// guarded drops a verdict that the form of the question makes unsafe.
func (p *parse) guarded(r Reading) Reading {
	yes := r.Verdict == Yes || r.Verdict == YesWithMore
	switch {
	case p.q.either && (yes || !p.q.more): // "anything else, or ...?" takes a no
		return Reading{Reason: whyEither}
	case p.q.flipped && r.Reason != whyEcho:
		return Reading{Reason: whyFlipped}
	case p.q.wh && yes:
		return Reading{Reason: whyWh}
	case p.q.more && r.Verdict == Yes && !r.Strong:
		return Reading{Reason: whyMore}
	}
	return r
}
