package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/iris-harness/iris/continuation"
)

const (
	moveContinuation = `UPDATE continuations SET status = ?, why = ?, closed_by = ?, outcome = ?, closed_at = ? WHERE n = ? AND status = ?`

	releaseContinuation = `UPDATE continuations SET status = 'pending', claimed_by = '', answered_by = '', claimed_at = 0
	WHERE n = ? AND status = 'claimed'`
)

func (s continuations) Move(ctx context.Context, m continuation.Move) (out *continuation.Continuation, err error) {
	if !movable(m) {
		return nil, fmt.Errorf("%w: from %q to %q", continuation.ErrInvalid, m.From, m.To)
	}
	err = s.write(ctx, func(db *conn) error {
		n, c, err := db.there(m.ID)
		if err != nil {
			return err
		}
		now := m.At
		if m.To == continuation.Expired {
			now = time.Time{} // as it is stored: a row past its time is what this move is for
		}
		if readAt(c, now).Status != m.From {
			return &continuation.ClosedError{Row: *c}
		}
		out = c
		if m.To == continuation.Pending {
			return db.release(n, c, m.At)
		}
		return db.move(n, c, m)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
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

// move takes row n, which is c, to one of its ends.
func (c *conn) move(n int64, row *continuation.Continuation, m continuation.Move) error {
	from := row.Status
	switch m.To {
	case continuation.Answered:
		m.Why, row.Outcome = "", m.Outcome
	case continuation.Expired:
		m.Why = or(m.Why, continuation.Lapsed)
	}
	row.Status, row.Why, row.ClosedBy, row.ClosedAt = m.To, m.Why, m.By, moment(micros(m.At))
	return c.one(moveContinuation, string(m.To), string(m.Why), m.By, row.Outcome, micros(m.At), n, string(from))
}

// release gives claimed row n back: it is pending again, or expired past its time, or superseded where another question waits.
func (c *conn) release(n int64, row *continuation.Continuation, at time.Time) error {
	if row.ExpiredAt(at) {
		return c.move(n, row, continuation.Move{To: continuation.Expired, At: at})
	}
	other, w, err := c.waiting(row.SessionID)
	if err != nil {
		return err
	}
	if w != nil && !w.ExpiredAt(at) {
		return c.move(n, row, continuation.Move{To: continuation.Superseded, Why: continuation.Replaced, By: w.ID, At: at})
	}
	row.Status, row.ClaimedBy, row.AnsweredBy, row.ClaimedAt = continuation.Pending, "", "", time.Time{}
	if w == nil {
		return c.one(releaseContinuation, n)
	}
	return c.atomic(func() error { // what waits is past its time: it does not count
		if err := c.closeWaiting(other, w, "", at); err != nil {
			return err
		}
		return c.one(releaseContinuation, n)
	})
}
