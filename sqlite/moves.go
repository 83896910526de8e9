package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/iris-harness/iris/continuation"
)

const (
	// A pending row past its time reads as expired, so it moves only to expired.
	moveContinuation = `UPDATE continuations SET status = ?1, why = ?2, closed_by = ?3, outcome = ?4, closed_at = ?5
	WHERE id = ?6 AND status = ?7 AND (status <> 'pending' OR ?1 = 'expired' OR expires_at > ?5) RETURNING ` + continuationColumns

	releaseContinuation = `UPDATE continuations SET status = 'pending', claimed_by = '', answered_by = '', claimed_at = 0
	WHERE id = ? AND status = 'claimed' RETURNING ` + continuationColumns
)

func (s continuations) Move(ctx context.Context, m continuation.Move) (out *continuation.Continuation, err error) {
	if !movable(m) {
		return nil, fmt.Errorf("%w: from %q to %q", continuation.ErrInvalid, m.From, m.To)
	}
	err = s.write(ctx, func(db *conn) error {
		if m.To == continuation.Pending {
			out, err = db.release(m)
		} else {
			out, err = db.move(m)
		}
		return err
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

// move takes a row to one of its ends.
func (c *conn) move(m continuation.Move) (*continuation.Continuation, error) {
	outcome := ""
	switch m.To {
	case continuation.Answered:
		m.Why, outcome = "", m.Outcome
	case continuation.Expired:
		m.Why = or(m.Why, continuation.Lapsed)
	}
	out, err := c.continuation(moveContinuation, string(m.To), string(m.Why), m.By, outcome, micros(m.At), m.ID, string(m.From))
	if err != nil || out != nil {
		return out, err
	}
	there, err := c.there(m.ID)
	if err != nil {
		return nil, err
	}
	if m.To == continuation.Expired {
		m.At = time.Time{} // as it is stored: a row past its time is what this move is for
	}
	return nil, &continuation.ClosedError{Row: *readAt(there, m.At)}
}

// release gives a claimed row back: it is pending again, or expired past its time, or superseded where another question waits.
func (c *conn) release(m continuation.Move) (out *continuation.Continuation, err error) {
	there, err := c.there(m.ID)
	switch {
	case err != nil:
		return nil, err
	case there.Status != continuation.Claimed:
		return nil, &continuation.ClosedError{Row: *readAt(there, m.At)}
	case micros(m.At) >= micros(there.ExpiresAt):
		return c.move(continuation.Move{ID: m.ID, From: m.From, To: continuation.Expired, At: m.At})
	}
	w, err := c.waiting(there.SessionID)
	switch {
	case err != nil:
		return nil, err
	case w == nil:
		return c.continuation(releaseContinuation, m.ID)
	case micros(m.At) < w.expires:
		return c.move(continuation.Move{ID: m.ID, From: m.From, To: continuation.Superseded, Why: continuation.Replaced, By: w.id, At: m.At})
	}
	err = c.atomic(func() error { // what waits is past its time: it does not count
		if _, err := w.close(c, "", micros(m.At)); err != nil {
			return err
		}
		out, err = c.continuation(releaseContinuation, m.ID)
		return err
	})
	return out, err
}
