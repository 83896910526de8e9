package loop

import (
	"fmt"
	"slices"

	"github.com/iris-harness/iris/checkpoint"
)

// Seed is a stopped run as the loop takes it up.
type Seed struct {
	Run checkpoint.Run
	// Last is its last step; Open reports whether that still waits.
	Last checkpoint.Payload
	Open bool
	past past // what came before

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
	for i := range steps {
		if i > 0 {
			s.past.msgs = append(s.past.msgs, s.Last.Base...)
			s.past.add(&s.Last)
			s.past.bytes += len(steps[i-1].Payload)
		}
		if err := s.take(&steps[i]); err != nil {
			return nil, err
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%w: it has no step", ErrCannotResume)
	}
	if err := s.waits(); err != nil {
		return nil, err
	}
	return s, nil
}

// take makes c the last step.
func (s *Seed) take(c *checkpoint.Checkpoint) (err error) {
	switch n := s.past.step; {
	case c.StepID != n:
		return fmt.Errorf("%w: step %d is missing", ErrCannotResume, n)
	case s.Open:
		return fmt.Errorf("%w: step %d follows an open one", ErrCannotResume, n)
	}
	if s.Last, err = checkpoint.Decode(c.Payload); err != nil {
		return fmt.Errorf("%w: step %d: %w", ErrCannotResume, c.StepID, err)
	}
	s.Open = c.State == checkpoint.OpenStep
	return nil
}

// waits checks that what the run waits for is what its last step does.
func (s *Seed) waits() error {
	switch asked := s.Run.Asked; {
	case s.Run.State == checkpoint.Failed && s.Open:
		return fmt.Errorf("%w: it failed, and its last step waits", ErrCannotResume)
	case s.Run.State != checkpoint.Paused:
		return nil
	case !s.Open || asked == nil || asked.StepID != s.past.step || !slices.ContainsFunc(s.Last.Results, func(r checkpoint.Result) bool {
		return r.CallID == asked.CallID && r.State == checkpoint.ResultWaiting
	}):
		return fmt.Errorf("%w: its question is not the one that waits", ErrCannotResume)
	}
	return nil
}
