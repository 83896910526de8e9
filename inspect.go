package iris

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
)

// RunInspection is all that is known of a run.
type RunInspection struct {
	Run       checkpoint.Run      `json:"run"`
	Steps     []StepInspection    `json:"steps"`
	Effects   []checkpoint.Effect `json:"effects,omitempty"`
	Approvals []approval.Request  `json:"approvals,omitempty"`
	Audit     []audit.Entry       `json:"audit,omitempty"`
}

// StepInspection is one step of a run. Problem says why a step cannot be read, where it cannot.
type StepInspection struct {
	StepID  int                 `json:"step_id"`
	State   string              `json:"state"`
	Bytes   int                 `json:"bytes"`
	Text    string              `json:"text,omitempty"`
	Calls   []checkpoint.Result `json:"calls,omitempty"`
	Problem string              `json:"problem,omitempty"`
}

// InspectRun returns all that is known of a run, or [ErrNotFound].
func (h *Harness) InspectRun(ctx context.Context, runID string) (*RunInspection, error) {
	run, err := h.c.Store.Checkpoints().Get(ctx, runID, h.c.Clock().UTC())
	if errors.Is(err, checkpoint.ErrNotFound) {
		return nil, fmt.Errorf("%w: run %s", ErrNotFound, runID)
	}
	if err != nil {
		return nil, err
	}
	v := &RunInspection{Run: *run}
	steps, err1 := h.c.Store.Checkpoints().Steps(ctx, runID, 0)
	for i := range steps {
		v.Steps = append(v.Steps, inspectStep(&steps[i]))
	}
	var err2, err3, err4 error
	v.Effects, err2 = h.c.Store.Ledger().Effects(ctx, runID)
	v.Approvals, err3 = h.c.Store.Approvals().List(ctx, approval.Query{RunID: runID})
	for e, err := range h.c.Store.Audit().Entries(ctx, 0) {
		if err != nil {
			err4 = err
			break
		}
		if e.RunID == runID {
			v.Audit = append(v.Audit, e)
		}
	}
	return v, errors.Join(err1, err2, err3, err4)
}

func inspectStep(c *checkpoint.Checkpoint) StepInspection {
	s := StepInspection{StepID: c.StepID, State: string(c.State), Bytes: len(c.Payload)}
	p, err := checkpoint.Decode(c.Payload)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	if p.Reply != nil {
		s.Text = p.Reply.Text
	}
	s.Calls = p.Results
	return s
}

// Settle says what became of an effect that was cut off, in the name of by: then its run can be resumed. An effect that is not
// ambiguous is a *checkpoint.EffectError; an unknown key is [ErrNotFound].
func (h *Harness) Settle(ctx context.Context, effectKey string, happened bool, by Principal) error {
	if err := h.person(ctx, by); err != nil {
		return err
	}
	err := h.pipeline.Settle(ctx, effectKey, happened, by.ID)
	if errors.Is(err, checkpoint.ErrNotFound) {
		return fmt.Errorf("%w: effect %s", ErrNotFound, effectKey)
	}
	return err
}

// Ambiguous lists effects that nobody knows the outcome of, oldest first: of one session, or ("") of all; keys after the cursor.
func (h *Harness) Ambiguous(ctx context.Context, sessionID, after string, limit int) ([]checkpoint.Effect, error) {
	return h.c.Store.Ledger().Ambiguous(ctx, sessionID, after, limit)
}

// person refuses a context from inside a callback and a principal that is not a person.
func (h *Harness) person(ctx context.Context, by Principal) error {
	switch {
	case h.inside(ctx):
		return approval.ErrInside
	case by.System || by.ID == "":
		return approval.ErrNotAPerson
	}
	return nil
}

// Pin keeps a run past its lifetime, until [Harness.Unpin].
func (h *Harness) Pin(ctx context.Context, runID string) error { return h.pin(ctx, runID, true) }

// Unpin ends a Pin: the run lives for another 7 days.
func (h *Harness) Unpin(ctx context.Context, runID string) error { return h.pin(ctx, runID, false) }

// pin looks first: a run whose time is up is gone, whether or not a sweep has been by.
func (h *Harness) pin(ctx context.Context, runID string, pinned bool) error {
	now, runs := h.c.Clock().UTC().Truncate(time.Microsecond), h.c.Store.Checkpoints()
	_, err := runs.Get(ctx, runID, now)
	if err == nil {
		err = runs.Pin(ctx, runID, pinned, now.Add(checkpoint.DefaultTTL))
	}
	if errors.Is(err, checkpoint.ErrNotFound) {
		return fmt.Errorf("%w: run %s", ErrNotFound, runID)
	}
	return err
}

// Audit is the record of what was decided.
type Audit struct{ log audit.Log }

// Audit returns the record of what was decided.
func (h *Harness) Audit() Audit { return Audit{h.c.Store.Audit()} }

// Verify checks every session's chain of rows, and that the given anchors lie on them. It returns the chains' heads: keep them elsewhere, and a log that
// was cut off at its end is found, too. A fault is an *audit.BrokenError.
func (a Audit) Verify(ctx context.Context, anchors ...audit.Anchor) (audit.Report, error) {
	return audit.Verify(ctx, a.log, anchors...)
}

// RequestResume asks for a run to be taken up by a process with a runtime: its Run does so. The reasons not to are checked now, and again then; errors as
// [Harness.Resume].
func (h *Harness) RequestResume(ctx context.Context, runID string) error {
	if h.inside(ctx) {
		return approval.ErrInside
	}
	return h.pipeline.RequestResume(ctx, runID)
}
