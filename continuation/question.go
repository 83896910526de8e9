package continuation

import (
	"sync"
	"unicode/utf8"
)

// questionTail is how much of a question is looked at, in bytes from its end:
// what a person answers is the end of what was said.
const questionTail = 400

// A question is what a reply is read against.
type question struct {
	norm     []byte
	toks     []token
	from, to int // the closing sentence
	verb     int // the token of the verb that an offer proposes, or -1
	wh       bool
	either   bool
	flipped  bool
	negated  int  // the token after the last negation, 0 if there is none
	more     bool // "anything else?"
	offer    bool // "shall I ...?", as against "is that right?"
}

// Classes of the phrases that tell what a question asks for.
const (
	askNothing class = iota
	askOffer
	askOpen // opens like a wh-question, and takes a yes: "how about"
	askTell // makes a wh-word a question: "tell me"
	askMore
	askFlipped
	askOrSo // an "or" that joins nothing
)

// inquiry compiles the phrases of questions once.
var inquiry = sync.OnceValue(func() *grammar { return compile(questionWords, questionPhrases) })

// readQuestion looks at the end of a question. The buffers hold the result.
func readQuestion(s string, buf []byte, toks []token) question {
	g := inquiry()
	q := question{verb: -1}
	q.norm = normalise(buf, tail(s, questionTail))
	q.toks = tokenise(g, q.norm, toks)
	q.from, q.to = q.closing(len(q.toks))
	q.guards(g, q.from, q.to)
	if q.from > 0 && q.toks[q.from-1].brk == '?' {
		from, to := q.closing(q.from)
		before := question{verb: -1, norm: q.norm, toks: q.toks}
		before.guards(g, from, to)
		q.wh = q.wh || before.wh
		q.either = q.either || before.either
	}
	return q
}

// tail returns the last n bytes of s, from the start of a rune.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// closing returns the last question among the first n tokens, or the last
// sentence if none asks.
func (q *question) closing(n int) (from, to int) {
	to = n
	for i := n - 1; i >= 0; i-- {
		if q.toks[i].brk == '?' {
			to = i + 1
			break
		}
	}
	for from = to; from > 0; from-- {
		if from < to && endsSentence(q.toks[from-1].brk) {
			break
		}
	}
	return from, to
}

// endsSentence reports whether a clause break ends a sentence.
func endsSentence(brk byte) bool { return brk == '.' || brk == '?' || brk == '!' || brk == '\n' }

// guards finds what keeps a bare yes from answering the sentence.
func (q *question) guards(g *grammar, from, to int) {
	start := true // nothing of weight yet in this clause
	for i := from; i < to; {
		c, n := g.match(q.toks[i:to])
		if n == 0 {
			q.word(i, from, to, start)
			n = 1
			start = start && q.toks[i].word.roles&roleFn != 0
		} else {
			q.phrase(c, i, i+n, to)
			start = start && c == askTell
		}
		if c == askTell {
			start = true
		}
		i += n
		if q.toks[i-1].brk != 0 {
			start = true
		}
	}
	q.flipped = q.flipped || q.negated > 0 && to > from && q.toks[to-1].brk == '?'
}

// word takes in one token outside the known phrases.
func (q *question) word(i, from, to int, start bool) {
	r := q.toks[i].word.roles
	switch {
	case r&roleWh != 0 && (start || q.toks[i].brk == '?'): // "Yes to what?" asks what it begins with "what" or not
		q.wh = true
	case r&roleOr != 0 && i > from && i+1 < to:
		q.either = true
	case r&roleNeg != 0:
		q.negated = i + 1
	}
}

// phrase takes in the known phrase of the tokens from at to next. An offer
// leaves behind the negation of an apology before it: "I could not get that
// one, shall I try another?"
func (q *question) phrase(c class, at, next, to int) {
	const apart = 2
	if (c == askOffer || c == askMore) && at-q.negated >= apart {
		q.negated = 0
	}
	switch c {
	case askOffer:
		q.offer = true
		if next < to {
			q.verb = next
		}
	case askMore:
		q.more = !q.either
	case askFlipped:
		q.flipped = true
	}
}

// questionWords holds the words that matter in a question.
var questionWords = []wordList{
	{roleWh, "what when where which who whom whose how why whats wheres whos hows whens", "a wh-question never takes a yes"},
	{roleOr, "or", "do X, or Y?"},
	{roleNeg, "not dont doesnt didnt isnt arent wont wouldnt shouldnt cant couldnt never", "you don't want subtitles?"},
	{roleFn, "and so ok okay sure also well great alright at in on to for from by with of about then but please now cool awesome perfect good", "And at what time?"},
	{roleI, "i we", "shall we"},
}

// questionPhrases holds the forms of questions.
var questionPhrases = []phraseList{
	{askOffer, "would you like me to; would you like to; would you like for me to; would you like us to; would you like; do you want me to; do you want to; do you want us to; do you want; did you want me to; did you want to; did you want; do you wish to; do you wish me to; shall <i>; should <i>; can <i>; may <i>; could <i>; will <i>; want me to; want to; want us to; want; wanna; do you wanna; do you need me to; do you need to; do you need; need me to; need; ready to; ready for me to; are you ready to; are you ready for me to; ok to; okay to; ok if <i>; okay if <i>; is it ok to; is it okay to; is it ok if <i>; is it okay if <i>; are you interested in; interested in; would you be interested in; would you prefer to; would you be okay with; should <i> go ahead and; shall <i> go ahead and; would you like me to go ahead and; do you want me to go ahead and; want me to go ahead and; can <i> go ahead and; do you want to go ahead and; mind if <i>; how about; what about; what if <i>; would you consider", "shall I; would you like me to"},
	{askOpen, "what do you think; what say you; how does that sound; how does this sound; how does it sound; how does that look; how does this look; how is that; hows that; how do you feel about; why not; why dont <i>; how would that be; whats your opinion; if not; or not; what do you say", "How does that sound?"},
	{askTell, "tell me; let me know; do you know; say; specify; know; decide; choose; pick; can you tell me; could you tell me; may i know; give me; share; confirm", "Just tell me where you want to go."},
	{askMore, "anything else; something else; any other help; any other thing; any other assistance; any other questions; any other way; any other request; any more help; any more assistance; anything more; anything further; any further help; any further assistance; any further questions; what else; else; help with anything; help you with anything; a different matter; another task; further help; further assistance; further information; something more; some other help; some more help; additional help; more help", "anything else?"},
	{askFlipped, "you dont; you do not; you didnt; you did not; you wont; you will not; do you mind; would you mind; mind if <i>; any objection; any objections; objections; any concerns; any reason not; is that all; will that be all; is this all; would that be all; is that everything; that all; anything wrong; is there a problem; is something wrong; any problem; any problems; any issues; do you disagree; do you object; are you against; is it wrong; is that wrong; is this wrong; rather not; is that a problem; is that an issue; problem with that; is it a problem; too much; too many; too late; too early", "do you mind; is that all"},
	{askOrSo, "you want to; you want me to; you want; you wanted to; you wanted; you would like to; you would like me to; you would like; youd like to; youd like me to; youd like; you need to; you need; you can; you could; you may; you will", "so you want X? asks to confirm, and offers nothing"},
	{askOrSo, "is that all correct; is this all correct; is that all right; is this all right; is that all ok; is that all okay; is that all good; is that all fine; is this all ok; is this all okay; is this all good", "is that all correct? is not turned round"},
	{askOrSo, "or not; or so; or something; or anything; or whatever; or something like that; or something similar; or more; or less; or no; or nah", "or not / or so join nothing"},
}
