package loop

import (
	"fmt"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/llm"
)

// Seed is a stopped run as the loop takes it up.
type Seed struct {
	Run   checkpoint.Run
	Steps []checkpoint.Payload
	// Open reports whether the last step still waits.
	Open bool

	// Reply becomes the result of the ask_user call that a paused run waits on.
	Reply string
	// Approval is what releases a held run; nil for any other.
	Approval *Approval
}

// Approval is the decision that a held run is resumed under.
type Approval struct {
	ID    string
	Point string
	// Rejected carries the reason where a rejection is reported to the model; then nothing of the step runs.
	Rejected *string
	// Items are the decisions on the pinned calls, by call id.
	Items map[string]ItemApproval
}

// ItemApproval is the decision on one pinned call.
type ItemApproval struct {
	Approved bool
	Position int
	Args     []byte // edited arguments, canonical; nil runs the call as pinned
}

// SeedOf reads a stopped run. A run whose steps are missing, out of order or undecodable is an error that wraps
// [ErrCannotResume]; it never panics.
func SeedOf(r checkpoint.Run, steps []checkpoint.Checkpoint) (*Seed, error) {
	s := &Seed{Run: r}
	for i, c := range steps {
		if c.StepID != i {
			return nil, fmt.Errorf("%w: step %d is missing", ErrCannotResume, i)
		}
		if s.Open {
			return nil, fmt.Errorf("%w: step %d follows an open one", ErrCannotResume, i)
		}
		p, err := checkpoint.Decode(c.Payload)
		if err != nil {
			return nil, fmt.Errorf("%w: step %d: %w", ErrCannotResume, i, err)
		}
		s.Open = c.State == checkpoint.OpenStep
		s.Steps = append(s.Steps, p)
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%w: it has no step", ErrCannotResume)
	}
	if r.State == checkpoint.Paused && (!s.Open || r.Asked == nil || r.Asked.StepID != len(steps)-1) {
		return nil, fmt.Errorf("%w: its question is not the one that waits", ErrCannotResume)
	}
	return s, nil
}

// messages returns the conversation of the run so far; an open step is left out.
func (s *Seed) messages() []llm.Message {
	var out []llm.Message
	for i := range s.Steps {
		if s.Open && i == len(s.Steps)-1 {
			return append(out, s.Steps[i].Base...)
		}
		out = appendStep(out, &s.Steps[i])
	}
	return out
}

// appendStep appends what a step adds to the conversation: its reply and one result for each call, so that no
// call is left dangling.
func appendStep(out []llm.Message, p *checkpoint.Payload) []llm.Message {
	out = append(out, p.Base...)
	if p.Reply == nil {
		return out
	}
	out = append(out, *p.Reply)
	for _, r := range p.Results {
		out = append(out, llm.Message{Role: llm.Tool, CallID: r.CallID, Text: r.Text})
	}
	return append(out, p.Note...)
}
