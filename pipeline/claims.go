package pipeline

import (
	"strings"

	"github.com/iris-harness/iris/continuation"
)

// answerKind is what a message means for the question that waits.
type answerKind uint8

// The rows of DESIGN's claim table, by what they do.
const (
	ordinary   answerKind = iota // nothing is claimed; the question stays open
	withdraws                    // nothing is claimed; the question is withdrawn
	staysTask                    // nothing is claimed; one task for the owner, the question stays open
	resumes                      // claim; the run is resumed with the reply
	picks                        // claim; one task carrying the option
	decides                      // claim; one task: question, decision, reply
	decidesYes                   // claim; one task with the whole reply: nothing executes
	declines                     // claimed as a no; ordinary turn for the reply
	answers                      // claim; one task: question and reply
)

// answer is a reading of a message against the question that waits.
type answer struct {
	kind    answerKind
	reading continuation.Reading
	pick    *continuation.Option
}

// readAnswer reads the claim table top to bottom. It is pure: who may answer, and whether the claim is won, is decided elsewhere.
func readAnswer(r continuation.Reader, c *continuation.Continuation, text string) answer {
	if c == nil || continuation.IsBlank(text) {
		return answer{kind: ordinary}
	}
	a := answer{}
	if len(c.Options) > 0 {
		if p, ok := r.ReadChoice(c.Texts(), text); ok && p.Index >= 0 && p.Index < len(c.Options) {
			a.pick = &c.Options[p.Index]
		}
	}
	switch {
	case c.Resumable():
		a.kind = resumes
	case c.Kind == continuation.Choice:
		a.kind = readPick(r, c, text, &a)
	case c.Kind == continuation.YesNo && a.pick != nil:
		a.kind = picks
	case c.Kind == continuation.YesNo:
		a.reading = readDecision(r, c, text)
		a.kind = decisionRows[a.reading.Verdict]
	default:
		a.kind = answers
	}
	return a
}

// readDecision reads a yes or a no. The question of an approval shows what waits below its first line: a call's own words, which may read like another
// question, do not stand in the way of an answer to the first.
func readDecision(r continuation.Reader, c *continuation.Continuation, text string) continuation.Reading {
	reading := r.ReadDecision(c.Question, text)
	if c.Owner != ApprovalOwner || reading.Verdict != continuation.Unclear {
		return reading
	}
	question, _, _ := strings.Cut(c.Question, "\n")
	return r.ReadDecision(question, text)
}

var decisionRows = map[continuation.Verdict]answerKind{
	continuation.Unclear:     ordinary,
	continuation.Yes:         decides,
	continuation.No:          decides,
	continuation.YesWithMore: decidesYes,
	continuation.NoWithMore:  declines,
}

func readPick(r continuation.Reader, c *continuation.Continuation, text string, a *answer) answerKind {
	if a.pick != nil {
		return picks
	}
	if a.reading = r.ReadDecision("", text); a.reading.Verdict == continuation.Yes {
		return staysTask
	}
	return withdraws
}

// oneTurn reports whether c lives one turn: answered by the next message or withdrawn (ADR-0106 §8, §10).
func oneTurn(c *continuation.Continuation) bool {
	return c.Kind == continuation.Choice && !c.Resumable() || c.Origin == continuation.Inferred && c.Kind == continuation.Question
}
