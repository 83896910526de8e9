package continuation

// The reasons that a reading can carry.
const (
	whyBlank       = "the reply is empty"
	whyLong        = "the reply is too long to be a decision"
	whyYes         = "it says yes and nothing besides"
	whyWeak        = "it approves and says nothing besides"
	whyEcho        = "it repeats what was offered and adds nothing"
	whyYesMore     = "it says yes and brings something more"
	whyYesThenNo   = "it says yes, then takes it back"
	whyYesLater    = "it says yes, but not now"
	whyYesExcept   = "it says yes with an exception"
	whyYesAsked    = "it asks the yes back"
	whyYesBye      = "it says yes as part of a farewell"
	whyWeakMore    = "a word of approval only opens it"
	whyCommand     = "a word of consent opens another request"
	whyNo          = "it says no"
	whyNoMore      = "it says no and brings something more"
	whyNoThenYes   = "it says no, then yes"
	whyNoNoun      = "the no-word belongs to what follows it"
	whyDefer       = "it puts the decision off"
	whyTurn        = "it corrects what was to be confirmed"
	whyDone        = "it says that nothing more is wanted"
	whyWait        = "it asks to wait"
	whyHedge       = "it leaves the decision open"
	whyAmbiguous   = "it can mean yes and no"
	whyContent     = "it opens with something that is neither yes nor no"
	whyNothing     = "it holds no decision"
	whyWh          = "the question asks for more than a yes"
	whyEither      = "the question offers alternatives"
	whyFlipped     = "the question is turned round, so that yes and no are unsure"
	whyMore        = "the question only asks whether there is more"
	whyLexicon     = "the whole message is a yes or a no in a configured language"
	whyConflicting = "the languages disagree"
)

// ReadDecision reads a reply to a yes/no question. The question may be empty
// where it is not known; then nothing counts as an echo of it.
func (r Reader) ReadDecision(question, reply string) Reading {
	if tooLong(reply) {
		return Reading{Reason: whyLong}
	}
	var (
		normBuf  [512]byte
		tokBuf   [96]token
		segBuf   [48]segment
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
func (p *parse) negative(i int) bool { return p.toks[i].word.roles&(roleNot|roleNeg) != 0 }

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
	if r.but || r.more && (!r.echoed || r.asked) {
		return p.guarded(Reading{Verdict: YesWithMore, Reason: whyYesMore, Strong: strong})
	}
	return p.guarded(Reading{Verdict: Yes, Reason: whyYes, Strong: strong})
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
