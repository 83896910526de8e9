package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/iris-harness/iris/session"
)

const (
	acquireLease = `UPDATE leases SET holder = ?1, until = ?2, epoch = epoch + 1
	WHERE session_id = ?3 AND (holder = '' OR holder = ?1 OR until <= ?4) RETURNING epoch`

	firstLease = `INSERT INTO leases (session_id, holder, epoch, until) SELECT ?1, ?2, epoch + 1, ?3 FROM fence RETURNING epoch`

	selectLease = `SELECT holder, epoch, until FROM leases WHERE session_id = ?`

	renewLease = `UPDATE leases SET until = max(until, ?) WHERE session_id = ? AND holder = ? AND epoch = ? RETURNING holder, epoch, until`

	freeLease = `UPDATE leases SET holder = '', until = 0 WHERE session_id = ? AND holder = ? AND epoch = ?`

	breakLease = `UPDATE leases SET holder = '', until = 0 WHERE session_id = ?`
)

func (s sessions) Acquire(ctx context.Context, sessionID, holder string, now, until time.Time) (session.Lease, error) {
	out := session.Lease{SessionID: sessionID, Holder: holder, Until: time.UnixMicro(until.UnixMicro()).UTC()}
	err := s.write(ctx, func(db *conn) error {
		r, err := db.first(acquireLease, holder, micros(until), sessionID, micros(now))
		if err != nil {
			return err
		}
		if r == nil {
			if r, err = db.beginLease(sessionID, holder, micros(until)); err != nil {
				return err
			}
		}
		out.Epoch = r.int64()
		return nil
	})
	if err != nil {
		return session.Lease{}, err
	}
	return out, nil
}

// beginLease makes the lease of a session that has none, or says who holds it.
func (c *conn) beginLease(sessionID, holder string, until int64) (*row, error) {
	r, err := c.first(selectLease, sessionID)
	if err != nil {
		return nil, err
	}
	if r != nil {
		_, _ = r.text(), r.int64()
		return nil, &session.BusyError{SessionID: sessionID, Until: r.time()}
	}
	return c.first(firstLease, sessionID, holder, until)
}

func (s sessions) Hold(ctx context.Context, l session.Lease, until time.Time) (out session.Lease, err error) {
	if until.After(l.Until) {
		err = s.write(ctx, func(db *conn) error {
			out, err = db.held(l, renewLease, micros(until), l.SessionID, l.Holder, l.Epoch)
			return err
		})
	} else {
		err = s.read(ctx, func(db *conn) error {
			out, err = db.held(l, selectLease, l.SessionID)
			return err
		})
	}
	if err != nil {
		return session.Lease{}, err
	}
	return out, nil
}

// held runs a statement that gives the session's lease, and checks that it is still l.
func (c *conn) held(l session.Lease, text string, args ...driver.Value) (session.Lease, error) {
	r, err := c.first(text, args...)
	if err != nil || r == nil {
		return session.Lease{}, or(err, session.ErrFenced)
	}
	out := session.Lease{SessionID: l.SessionID, Holder: r.text(), Epoch: r.int64(), Until: r.time()}
	if out.Holder != l.Holder || out.Epoch != l.Epoch {
		return session.Lease{}, session.ErrFenced
	}
	return out, nil
}

func (s sessions) Release(ctx context.Context, l session.Lease) error {
	return s.write(ctx, func(db *conn) error { return db.exec(freeLease, l.SessionID, l.Holder, l.Epoch) })
}

func (s sessions) TakeOver(ctx context.Context, sessionID string) error {
	return s.write(ctx, func(db *conn) error { return db.exec(breakLease, sessionID) })
}
