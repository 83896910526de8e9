package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/iris-harness/iris/continuation"
)

type continuations struct{ *Store }

var _ continuation.Store = continuations{}

func (s continuations) Open(ctx context.Context, c continuation.Continuation) (closed *continuation.Continuation, err error) {
	if err := openable(&c); err != nil {
		return nil, err
	}
	err = s.update(ctx, func(st *state) error {
		if _, taken := st.continuations.get(c.ID); taken {
			return fmt.Errorf("%w: continuation %s: %w", continuation.ErrInvalid, c.ID, ErrTaken)
		}
		closed = st.closePending(c.SessionID, c.ID, c.CreatedAt)
		st.putContinuation(c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return closed, nil
}

// openable makes c the pending row that Open inserts, or says why it may not be.
func openable(c *continuation.Continuation) error {
	options, err := continuation.Exact(c.Options)
	switch {
	case err != nil:
		return fmt.Errorf("%w: options: %w", continuation.ErrInvalid, err)
	case len(c.Question) > continuation.MaxQuestion, len(c.Payload) > continuation.MaxPayload,
		len(c.Options) > 0 && len(options) > continuation.MaxOptions:
		return fmt.Errorf("%w: continuation %s", continuation.ErrTooLarge, c.ID)
	case c.ID == "" || c.SessionID == "" || c.Owner == "":
		return fmt.Errorf("%w: a continuation has an id, a session and an owner", continuation.ErrInvalid)
	case !slices.Contains([]continuation.Kind{continuation.Question, continuation.YesNo, continuation.Choice}, c.Kind):
		return fmt.Errorf("%w: kind %q", continuation.ErrInvalid, c.Kind)
	case !slices.Contains([]continuation.Origin{continuation.Explicit, continuation.Pause, continuation.Inferred}, c.Origin):
		return fmt.Errorf("%w: origin %q", continuation.ErrInvalid, c.Origin)
	}
	*c = cloneContinuation(*c)
	c.Status, c.ClaimedBy, c.AnsweredBy, c.Why, c.ClosedBy, c.Outcome = continuation.Pending, "", "", "", "", ""
	c.CreatedAt, c.ExpiresAt, c.ClaimedAt, c.ClosedAt = stamp(c.CreatedAt), stamp(c.ExpiresAt), time.Time{}, time.Time{}
	return nil
}

// closePending closes the session's pending row, if there is one, in favour of the row by.
func (st *state) closePending(sessionID, by string, at time.Time) *continuation.Continuation {
	id, ok := st.pending.get(sessionID)
	if !ok {
		return nil
	}
	c, _ := st.continuations.get(id)
	if c.ExpiredAt(at) {
		c.Status, c.Why, c.ClosedAt = continuation.Expired, continuation.Lapsed, at
	} else {
		c.Status, c.Why, c.ClosedBy, c.ClosedAt = continuation.Superseded, continuation.Replaced, by, at
	}
	st.putContinuation(c)
	c = cloneContinuation(c)
	return &c
}

// putContinuation writes c and keeps the indexes.
func (st *state) putContinuation(c continuation.Continuation) {
	st.continuations.set(c.ID, c)
	st.bySession.set(join(c.SessionID, c.ID), c.ID)
	if c.Status == continuation.Pending {
		st.pending.set(c.SessionID, c.ID)
	} else if id, _ := st.pending.get(c.SessionID); id == c.ID {
		st.pending.delete(c.SessionID)
	}
}

func (s continuations) Pending(ctx context.Context, sessionID string, now time.Time) (out *continuation.Continuation, err error) {
	err = s.view(ctx, func(st *state) error {
		id, ok := st.pending.get(sessionID)
		if c, _ := st.continuations.get(id); ok && !c.ExpiredAt(now) {
			c = cloneContinuation(c)
			out = &c
		}
		return nil
	})
	return out, err
}

func (s continuations) Get(ctx context.Context, id string, now time.Time) (out *continuation.Continuation, err error) {
	err = s.view(ctx, func(st *state) error {
		c, ok := st.continuations.get(id)
		if !ok {
			return continuation.ErrNotFound
		}
		c = readAt(c, now)
		out = &c
		return nil
	})
	return out, err
}

// readAt returns c as it reads at now: a pending row past its time is expired, whether or not a sweep has been by.
func readAt(c continuation.Continuation, now time.Time) continuation.Continuation {
	c = cloneContinuation(c)
	if c.Status == continuation.Pending && c.ExpiredAt(now) {
		c.Status, c.Why, c.ClosedAt = continuation.Expired, continuation.Lapsed, c.ExpiresAt
	}
	return c
}

func (s continuations) Claim(ctx context.Context, by continuation.Claimant) (out *continuation.Continuation, err error) {
	by.At = stamp(by.At)
	err = s.update(ctx, func(st *state) error {
		c, ok := st.continuations.get(by.ID)
		if !ok || c.SessionID != by.SessionID {
			return continuation.ErrNotFound
		}
		if c = readAt(c, by.At); c.Status != continuation.Pending {
			return &continuation.ClosedError{Row: c}
		}
		c.Status, c.ClaimedBy, c.AnsweredBy, c.ClaimedAt = continuation.Claimed, by.TurnID, by.Sender, by.At
		st.putContinuation(c)
		out = &c
		return nil
	})
	return out, err
}

func (s continuations) Move(ctx context.Context, m continuation.Move) (out *continuation.Continuation, err error) {
	if !movable(m) {
		return nil, fmt.Errorf("%w: from %q to %q", continuation.ErrInvalid, m.From, m.To)
	}
	m.At = stamp(m.At)
	err = s.update(ctx, func(st *state) error {
		c, ok := st.continuations.get(m.ID)
		if !ok {
			return continuation.ErrNotFound
		}
		now := m.At
		if m.To == continuation.Expired {
			now = time.Time{} // a row past its time is what this move is for
		}
		if c = readAt(c, now); c.Status != m.From {
			return &continuation.ClosedError{Row: c}
		}
		st.land(&c, m)
		st.putContinuation(c)
		c = cloneContinuation(c)
		out = &c
		return nil
	})
	return out, err
}

// movable reports whether the machine of a row has m.
func movable(m continuation.Move) bool {
	switch m.From {
	case continuation.Pending:
		return m.To == continuation.Superseded || m.To == continuation.Expired
	case continuation.Claimed:
		return m.To == continuation.Answered || m.To == continuation.Superseded || m.To == continuation.Expired || m.To == continuation.Pending
	default:
		return false
	}
}

// land applies m to c, which is in m.From. A claim that is given back lands on expired past its time, and on superseded where
// another question waits.
func (st *state) land(c *continuation.Continuation, m continuation.Move) {
	if m.To == continuation.Pending {
		m.Why, m.By = "", ""
		if c.ExpiredAt(m.At) {
			m.To = continuation.Expired
		} else if other := st.waiting(c.SessionID, m.At); other != "" {
			m.To, m.Why, m.By = continuation.Superseded, continuation.Replaced, other
		}
	}
	if m.To == continuation.Expired && m.Why == "" {
		m.Why = continuation.Lapsed
	}
	c.Status, c.Why, c.ClosedBy, c.ClosedAt = m.To, m.Why, m.By, m.At
	switch m.To {
	case continuation.Answered:
		c.Why, c.Outcome = "", m.Outcome
	case continuation.Pending:
		c.ClosedAt, c.ClaimedAt, c.ClaimedBy, c.AnsweredBy = time.Time{}, time.Time{}, "", ""
	}
}

// waiting returns the id of the session's pending row. One that is past its time is marked as such and does not count.
func (st *state) waiting(sessionID string, at time.Time) string {
	id, ok := st.pending.get(sessionID)
	if c, _ := st.continuations.get(id); ok && c.ExpiredAt(at) {
		st.closePending(sessionID, "", at)
		return ""
	}
	return id
}

func (s continuations) List(ctx context.Context, q continuation.Query) (out []continuation.Continuation, err error) {
	err = s.view(ctx, func(st *state) error {
		for c := range st.continuationsOf(q.SessionID, q.Before) {
			if len(out) == orHundred(q.Limit) {
				break
			}
			if c = readAt(c, q.Now); selects(q, &c) {
				out = append(out, c)
			}
		}
		return nil
	})
	return out, err
}

// continuationsOf yields the rows of one session, or ("") of all, newest first, with an id below before.
func (st *state) continuationsOf(sessionID, before string) func(yield func(continuation.Continuation) bool) {
	return func(yield func(continuation.Continuation) bool) {
		if sessionID == "" {
			for _, c := range st.continuations.descend(before) {
				if !yield(c) {
					return
				}
			}
			return
		}
		for key, id := range st.bySession.descend(end(sessionID, before)) {
			if !owned(key, sessionID) {
				return
			}
			if c, _ := st.continuations.get(id); !yield(c) {
				return
			}
		}
	}
}

// end is where the keys of an owner below before end; "" is all of them.
func end(owner, before string) string {
	if before == "" {
		return owner + "\x01"
	}
	return join(owner, before)
}

func selects(q continuation.Query, c *continuation.Continuation) bool {
	return (q.Owner == "" || q.Owner == c.Owner) && (q.RunID == "" || q.RunID == c.RunID) &&
		(q.ClaimedBy == "" || q.ClaimedBy == c.ClaimedBy) && (len(q.Status) == 0 || slices.Contains(q.Status, c.Status))
}

func (s continuations) Sweep(ctx context.Context, now, keep time.Time, limit int) (n int, err error) {
	now, limit = stamp(now), orHundred(limit)
	err = s.update(ctx, func(st *state) error {
		var marked, deleted int
		for _, c := range st.continuations.ascend("") {
			switch {
			case c.Status == continuation.Pending && c.ExpiredAt(now) && marked < limit:
				st.closePending(c.SessionID, "", now)
				marked++
			case !c.ClosedAt.IsZero() && c.ClosedAt.Before(keep) && deleted < limit:
				st.continuations.delete(c.ID)
				st.bySession.delete(join(c.SessionID, c.ID))
				deleted++
			}
		}
		n = marked + deleted
		return nil
	})
	return n, err
}

// cloneContinuation returns c with slices of its own.
func cloneContinuation(c continuation.Continuation) continuation.Continuation {
	c.Options = slices.Clone(c.Options)
	for i := range c.Options {
		c.Options[i].Ref = bytes.Clone(c.Options[i].Ref)
	}
	c.Payload = bytes.Clone(c.Payload)
	return c
}
