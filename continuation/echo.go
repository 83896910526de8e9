package continuation

import "bytes"

// An echo repeats what the question proposed and adds nothing to it: "yes,
// apply #1 and #3" to "Shall I apply #1 and #3?". It may leave out, but not a
// number, not a "without", and not one side of an "and": that would be consent
// to a part, or to the opposite.

// maxBareEcho is the longest echo, in words, that consents without a yes.
const maxBareEcho = 8

// An echoer follows the content words of a reply through the question.
type echoer struct {
	q       *question
	norm    []byte
	toks    []token
	next    int  // the question token to go on from
	low     int  // the first question token that was repeated
	content int  // content words so far
	numbers bool // a number was among them
	wanted  bool // the word before can take "to" and a verb
	pronoun bool // "it" or "that" was among the words: all that was offered
}

// read follows toks[from:to]; it reports whether each content word was found.
func (e *echoer) read(from, to int) bool {
	for i := from; i < to; i++ {
		t := e.toks[i]
		r := t.word.roles
		if r&(roleNeg|roleLimit) != 0 && !e.offered(t.text(e.norm)) {
			return false
		}
		if e.isFunction(t) {
			e.wanted = true
			e.pronoun = e.pronoun || r&roleIt != 0
			continue
		}
		if !e.find(t) {
			return false
		}
		e.content++
		e.wanted = false
		e.numbers = e.numbers || isNumber(t)
	}
	return true
}

// offered reports whether a word is the verb that the question offers.
func (e *echoer) offered(w []byte) bool {
	return e.q.verb >= 0 && sameStem(w, e.q.toks[e.q.verb].text(e.q.norm))
}

// isFunction reports whether a word carries no content of its own here.
func (e *echoer) isFunction(t token) bool {
	if t.word.roles&roleFn != 0 {
		return true
	}
	s := t.text(e.norm)
	return string(s) == "to" && e.wanted || string(s) == "for" && len(e.toks) > 0
}

// isNumber reports whether a token is a number or a number word.
func isNumber(t token) bool { return t.number || t.word.roles&roleNumber != 0 }

// find looks for a word in the rest of the question.
func (e *echoer) find(t token) bool {
	want := t.text(e.norm)
	for i := e.next; i < len(e.q.toks); i++ {
		if sameStem(e.q.toks[i].text(e.q.norm), want) {
			e.found(i)
			return true
		}
	}
	if english().same[string(stem(want))] == 0 {
		return false
	}
	for i := max(e.next-1, 0); i < len(e.q.toks); i++ { // "make the reservation" repeats "book" twice
		if sameMeaning(e.q.toks[i].text(e.q.norm), want) {
			e.found(i)
			return true
		}
	}
	return false
}

// found notes that the question token i is repeated.
func (e *echoer) found(i int) {
	if e.next == 0 || i < e.low {
		e.low = i
	}
	e.next = i + 1
}

// proposal returns where what is repeated begins: in the closing sentence, at
// the verb of its offer, or in a sentence before that ("Send it to A and B? Is
// that right?").
func (e *echoer) proposal() int {
	from := max(e.q.from, e.q.verb)
	if e.low >= from {
		return from
	}
	for from = e.low; from > 0 && !endsSentence(e.q.toks[from-1].brk); from-- {
	}
	return from
}

// sameStem reports whether two words differ at most by an ending.
func sameStem(a, b []byte) bool { return bytes.Equal(stem(a), stem(b)) }

// sameMeaning reports whether two words are in one group of sameWords.
func sameMeaning(a, b []byte) bool {
	same := english().same
	return same[string(stem(a))]&same[string(stem(b))] != 0
}

// stem takes off a plural or an -ing.
func stem(w []byte) []byte {
	if len(w) > 5 && bytes.HasSuffix(w, []byte("ing")) {
		return w[:len(w)-3]
	}
	if len(w) > 3 && w[len(w)-1] == 's' && w[len(w)-2] != 's' {
		return w[:len(w)-1]
	}
	return w
}

// covers reports whether the echo dropped nothing that narrows the consent.
func (e *echoer) covers() bool {
	if e.content == 0 {
		return true
	}
	joined, listed := false, false
	words := 0
	for i := e.proposal(); i < e.q.to; i++ {
		t := e.q.toks[i]
		s := t.text(e.q.norm)
		switch {
		case string(s) == "and" || string(s) == "&" || string(s) == "plus":
			joined = true
		case i != e.q.verb && e.narrows(s):
			return false
		}
		if !e.isQuestionFunction(s) {
			words++
		}
		listed = listed || t.brk == ',' && i+1 < e.q.to
	}
	if e.numbers && e.dropsNumber() {
		return false
	}
	if listed && !(e.content == 1 && e.pronoun) {
		joined = true
	}
	return !joined || e.content >= words
}

// narrows reports whether a word of the question must not get lost: "with no
// subtitles", "only the first".
func (e *echoer) narrows(s []byte) bool {
	return english().words.find(s).roles&(roleNeg|roleLimit) != 0
}

// isQuestionFunction reports whether a word of the question needs no echo.
func (e *echoer) isQuestionFunction(s []byte) bool {
	w := english().words.find(s)
	return w.roles&roleFn != 0 || string(s) == "to" || string(s) == "for"
}

// dropsNumber reports whether a number of the closing question is missing from
// the reply.
func (e *echoer) dropsNumber() bool {
	for _, t := range e.q.toks[e.proposal():e.q.to] {
		if !t.number && english().words.find(t.text(e.q.norm)).roles&roleNumber == 0 {
			continue
		}
		if !e.says(t.text(e.q.norm)) {
			return true
		}
	}
	return false
}

// says reports whether the reply holds the word.
func (e *echoer) says(w []byte) bool {
	for _, t := range e.toks {
		if bytes.Equal(t.text(e.norm), w) {
			return true
		}
	}
	return false
}

// opensWithVerb reports whether the first content word of toks[from:to] is the
// verb that the question offered.
func (e *echoer) opensWithVerb(from, to int) bool {
	if e.q.verb < 0 {
		return false
	}
	verb := e.q.toks[e.q.verb].text(e.q.norm)
	for i := from; i < to; i++ {
		if e.isFunction(e.toks[i]) {
			e.wanted = true
			continue
		}
		said := e.toks[i].text(e.norm)
		return sameStem(said, verb) || sameMeaning(said, verb)
	}
	return false
}
