package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// sweepChunk is how many rows a sweep touches while it holds the write lock.
const sweepChunk = 128

const (
	selectWindow = `SELECT session_id FROM continuations INDEXED BY continuations_pending WHERE status = 'pending' AND session_id > ?
	ORDER BY session_id LIMIT 1 OFFSET 19999`

	selectOverdue = `SELECT n FROM continuations INDEXED BY continuations_pending
	WHERE status = 'pending' AND session_id > ? AND session_id <= ? AND expires_at <= ? LIMIT ?`

	expireContinuations = `UPDATE continuations SET status = 'expired', why = 'lapsed', closed_at = ?1
	WHERE n IN (SELECT value FROM json_each(?2)) AND status = 'pending' AND expires_at <= ?1`

	selectOld = `SELECT n, created_at < ?1 AND closed_at <> 0 AND closed_at < ?1, created_at < ?1 FROM continuations WHERE n > ?2 ORDER BY n LIMIT 512`

	deleteContinuations = `DELETE FROM continuations WHERE n IN (SELECT value FROM json_each(?2)) AND closed_at <> 0 AND closed_at < ?1`
)

func (s continuations) Sweep(ctx context.Context, now, keep time.Time, limit int) (int, error) {
	var overdue, old []int64
	err := s.read(ctx, func(db *conn) (err error) {
		if overdue, err = s.overdue(db, micros(now), int(orHundred(limit))); err != nil {
			return err
		}
		old, err = db.old(micros(keep), int(orHundred(limit)))
		return err
	})
	if err != nil {
		return 0, err
	}
	marked, err := s.inChunks(ctx, expireContinuations, micros(now), overdue)
	if err != nil {
		return marked, err
	}
	deleted, err := s.inChunks(ctx, deleteContinuations, micros(keep), old)
	return marked + deleted, err
}

// sweepWindows is how many windows of 20000 pending rows a sweep looks through at most where nothing in them is overdue. The next
// sweep goes on where it ended: what a sweep costs does not grow with what waits, and reading does not depend on it.
const sweepWindows = 3

// sweepCursor is where the next sweep goes on among what waits: after this session.
type sweepCursor struct {
	sync.Mutex
	after string
}

// overdue returns pending rows that are past their time. It looks at most once at each.
func (s continuations) overdue(db *conn, now int64, limit int) (out []int64, err error) {
	s.swept.Lock()
	defer s.swept.Unlock()
	began := s.swept.after
	wrapped := began == ""
	for idle := 0; idle < sweepWindows; idle++ {
		found, next, err := db.overdue(s.swept.after, now, limit-len(out))
		if err != nil {
			return nil, err
		}
		if out = append(out, found...); len(out) >= limit {
			return out, nil // what is left of the window is for the next sweep
		}
		if len(found) > 0 {
			idle = -1
		}
		s.swept.after = next
		if wrapped && (next == "" || began != "" && next >= began) {
			return out, nil
		}
		wrapped = wrapped || next == ""
	}
	return out, nil
}

// overdue looks through one window, of the sessions after one. next is its last session, "" at the end.
func (c *conn) overdue(after string, now int64, limit int) (out []int64, next string, err error) {
	r, err := c.first(selectWindow, after)
	if err != nil {
		return nil, "", err
	}
	var last driver.Value = []byte{0xff} // after every text
	if r != nil {
		next = r.text()
		last = next
	}
	out, err = c.numbers(selectOverdue, after, last, now, int64(limit))
	return out, next, err
}

// inChunks runs a statement over the rows in some short transactions, so that nobody waits long for the sweep.
// It returns how many rows were changed: fewer than were found where somebody else came first.
func (s *Store) inChunks(ctx context.Context, text string, at int64, rows []int64) (n int, err error) {
	slices.Sort(rows)
	for chunk := range slices.Chunk(rows, sweepChunk) {
		list, err := json.Marshal(chunk)
		if err != nil {
			return n, err
		}
		var changed int
		err = s.write(ctx, func(db *conn) (err error) {
			changed, err = db.changed(text, at, string(list))
			return err
		})
		if n += changed; err != nil {
			return n, err
		}
	}
	return n, nil
}

// numbers runs a statement that gives a column of numbers.
func (c *conn) numbers(text string, args ...driver.Value) (out []int64, err error) {
	err = c.each(text, func(r *row) (bool, error) {
		out = append(out, r.int64())
		return true, nil
	}, args...)
	return out, err
}

// old returns closed continuations that were closed before keep, from the oldest on. A row is closed after it was made, so the search ends
// where the rows are younger than keep; some may stand out of order, so it ends at a whole page of them.
func (c *conn) old(keep int64, limit int) (out []int64, err error) {
	for last, more := int64(0), keep > 0; more && len(out) < limit; {
		more = false
		err = c.each(selectOld, func(r *row) (bool, error) {
			last = r.int64()
			if r.bool() {
				out = append(out, last)
			}
			more = r.bool() || more
			return len(out) < limit, nil
		}, keep, last)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
