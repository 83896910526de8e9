package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/iris-harness/iris/checkpoint"
)

type runs struct{ *Store }

var _ checkpoint.Store = runs{}

func (s runs) Begin(ctx context.Context, r checkpoint.Run) error {
	if r.ID == "" {
		return fmt.Errorf("memstore: a run without an id")
	}
	r = cloneRun(r)
	r.State, r.CreatedAt, r.UpdatedAt, r.ExpiresAt = checkpoint.Running, stamp(r.CreatedAt), stamp(r.UpdatedAt), stamp(r.ExpiresAt)
	return s.update(ctx, func(st *state) error {
		if there, taken := st.runs.get(r.ID); taken {
			return &checkpoint.StateError{Run: cloneRun(there)}
		}
		st.runs.set(r.ID, r)
		return nil
	})
}

func (s runs) Put(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
	if len(c.Payload) > checkpoint.MaxStep {
		return fmt.Errorf("%w: %d bytes, at most %d", checkpoint.ErrTooLarge, len(c.Payload), checkpoint.MaxStep)
	}
	c.Payload, c.CreatedAt = bytes.Clone(c.Payload), stamp(c.CreatedAt)
	return s.update(ctx, func(st *state) error {
		r, ok := st.runs.get(c.RunID)
		if !ok || r.State != checkpoint.Running || r.Epoch != epoch {
			return checkpoint.ErrFenced
		}
		key := stepKey(c.RunID, c.StepID)
		if there, ok := st.steps.get(key); ok && there.State == checkpoint.ClosedStep {
			return checkpoint.ErrClosedStep
		}
		st.steps.set(key, c)
		return nil
	})
}

func stepKey(runID string, stepID int) string { return join(runID, fmt.Sprintf("%010d", stepID)) }

func (s runs) Move(ctx context.Context, m checkpoint.Move) (out *checkpoint.Run, err error) {
	m.At = stamp(m.At)
	err = s.update(ctx, func(st *state) error {
		r, ok := st.runs.get(m.RunID)
		if !ok || gone(&r, m.At) {
			return checkpoint.ErrNotFound
		}
		if r.Epoch != m.Epoch || !slices.Contains(m.From, r.State) || !leadsTo(r.State, m.To) {
			return &checkpoint.StateError{Run: cloneRun(r)}
		}
		r.State, r.Reason, r.Detail, r.Asked, r.ApprovalID, r.UpdatedAt = m.To, m.Reason, m.Detail, m.Asked, m.ApprovalID, m.At
		if m.To == checkpoint.Running {
			r.Epoch++
		}
		if m.TurnID != "" {
			r.TurnID = m.TurnID
		}
		if !m.ExpiresAt.IsZero() {
			r.ExpiresAt = stamp(m.ExpiresAt)
		}
		st.runs.set(r.ID, cloneRun(r))
		r = cloneRun(r)
		out = &r
		return nil
	})
	return out, err
}

// leadsTo reports whether a run's machine has the move.
func leadsTo(from, to checkpoint.State) bool {
	switch from {
	case checkpoint.Running:
		return to != checkpoint.Running
	case checkpoint.Paused, checkpoint.Held, checkpoint.Failed:
		return to == checkpoint.Running || to == checkpoint.Ended
	default:
		return false
	}
}

// gone reports whether r reads as not found at now. A run that is running is there until it has been taken over.
func gone(r *checkpoint.Run, now time.Time) bool {
	return !r.Pinned && r.State != checkpoint.Running && !now.Before(r.ExpiresAt)
}

func (s runs) Get(ctx context.Context, runID string, now time.Time) (out *checkpoint.Run, err error) {
	err = s.view(ctx, func(st *state) error {
		r, ok := st.runs.get(runID)
		if !ok || gone(&r, now) {
			return checkpoint.ErrNotFound
		}
		r = cloneRun(r)
		out = &r
		return nil
	})
	return out, err
}

func (s runs) Steps(ctx context.Context, runID string, from int) (out []checkpoint.Checkpoint, err error) {
	err = s.view(ctx, func(st *state) error {
		for key, c := range st.steps.ascend(stepKey(runID, from)) {
			if !owned(key, runID) {
				break
			}
			c.Payload = bytes.Clone(c.Payload)
			out = append(out, c)
		}
		return nil
	})
	return out, err
}

func (s runs) List(ctx context.Context, q checkpoint.Query) (out []checkpoint.Run, err error) {
	err = s.view(ctx, func(st *state) error {
		for _, r := range st.runs.descend(q.Before) {
			if len(out) == orHundred(q.Limit) {
				break
			}
			if gone(&r, q.Now) || q.SessionID != "" && q.SessionID != r.SessionID || q.TurnID != "" && q.TurnID != r.TurnID ||
				len(q.State) > 0 && !slices.Contains(q.State, r.State) {
				continue
			}
			out = append(out, cloneRun(r))
		}
		return nil
	})
	return out, err
}

func (s runs) Pin(ctx context.Context, runID string, pinned bool, until time.Time) error {
	return s.update(ctx, func(st *state) error {
		r, ok := st.runs.get(runID)
		if !ok {
			return checkpoint.ErrNotFound
		}
		if r.Pinned = pinned; !pinned {
			r.ExpiresAt = stamp(until)
		}
		st.runs.set(runID, r)
		return nil
	})
}

func (s runs) Sweep(ctx context.Context, now time.Time, limit int) (n int, err error) {
	err = s.update(ctx, func(st *state) error {
		for _, r := range st.runs.ascend("") {
			if n == orHundred(limit) {
				break
			}
			if gone(&r, now) {
				st.deleteRun(r.ID)
				n++
			}
		}
		return nil
	})
	return n, err
}

// deleteRun deletes a run and its steps.
func (st *state) deleteRun(runID string) {
	for key := range st.steps.ascend(join(runID, "")) {
		if !owned(key, runID) {
			break
		}
		st.steps.delete(key)
	}
	st.runs.delete(runID)
}

// cloneRun returns r with pointers of its own.
func cloneRun(r checkpoint.Run) checkpoint.Run {
	if r.Asked != nil {
		asked := *r.Asked
		asked.Choices = slices.Clone(asked.Choices)
		r.Asked = &asked
	}
	return r
}
