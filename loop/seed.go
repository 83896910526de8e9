package loop

import (
	"fmt"
	"slices"

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
	Args     []byte // as they were pinned, or as a person edited them, canonical; nil takes the model's own
	Edited   bool   // a person changed them: the model is told
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
	if err := s.waits(); err != nil {
		return nil, err
	}
	return s, nil
}

// waits checks that what the run waits for is what its last step does.
func (s *Seed) waits() error {
	last := &s.Steps[len(s.Steps)-1]
	switch asked := s.Run.Asked; {
	case s.Run.State == checkpoint.Failed && s.Open:
		return fmt.Errorf("%w: it failed, and its last step waits", ErrCannotResume)
	case s.Run.State != checkpoint.Paused:
		return nil
	case !s.Open || asked == nil || asked.StepID != len(s.Steps)-1 || !slices.ContainsFunc(last.Results, func(r checkpoint.Result) bool {
		return r.CallID == asked.CallID && r.State == checkpoint.ResultWaiting
	}):
		return fmt.Errorf("%w: its question is not the one that waits", ErrCannotResume)
	}
	return nil
}

// messages returns the conversation of the run so far, up to a step that is open: of that only what came before its reply. What the ledger has found out
// since about an effect that was cut off takes the place of its result.
func (s *Seed) messages(ledger map[string]checkpoint.Effect) []llm.Message {
	var out []llm.Message
	for i := range s.Steps {
		p := &s.Steps[i]
		out = append(out, p.Base...)
		if s.Open && i == len(s.Steps)-1 {
			break
		}
		before := len(out)
		out = appendStep(out, p)
		if p.Reply != nil {
			foundOut(out[before:], p.Results, ledger)
		}
	}
	return out
}

// foundOut replaces the results of effects that have been settled since. msgs are what the step added: its reply, then the results.
func foundOut(msgs []llm.Message, results []checkpoint.Result, ledger map[string]checkpoint.Effect) {
	for i := range results {
		e, ok := ledger[results[i].Key]
		switch {
		case !ok || results[i].State != checkpoint.ResultUnknown || e.State != checkpoint.Settled:
		case e.Happened:
			msgs[i+1].Text = "it was cut off, and it did happen, as " + e.SettledBy + " has found. Do not repeat it"
		default:
			msgs[i+1].Text = "it was cut off, and it did not happen, as " + e.SettledBy + " has found"
		}
	}
}

// appendStep appends what a step adds to the conversation: its reply and one result for each call, so that no
// call is left dangling, and what the loop said after it. A reply that was empty is left out: no model takes one back.
func appendStep(out []llm.Message, p *checkpoint.Payload) []llm.Message {
	if p.Reply != nil && (len(p.Reply.Calls) > 0 || !isBlank(p.Reply.Text)) {
		out = append(out, *p.Reply)
		for i := range p.Results {
			out = append(out, llm.Message{Role: llm.Tool, CallID: p.Results[i].CallID, Text: p.Results[i].Text})
		}
	}
	return append(out, p.Note...)
}
