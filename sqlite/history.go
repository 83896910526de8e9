package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"slices"
	"time"

	"github.com/iris-harness/iris/continuation"
)

func (s continuations) List(ctx context.Context, q continuation.Query) (out []continuation.Continuation, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		sel := newQuery(continuationColumns, "continuations")
		sel.is("session_id", q.SessionID)
		sel.is("owner", q.Owner)
		sel.is("claimed_by", q.ClaimedBy)
		if q.RunID != "" {
			sel.and("run_id <> '' AND run_id = ?", q.RunID) // as the index has it
		}
		withStatus(sel, q)
		sel.below("id", q.Before)
		return sel.run(db, "id DESC", q.Limit, func(r *row) error {
			c, err := scanContinuation(r)
			if err == nil {
				out = append(out, *readAt(c, q.Now))
			}
			return err
		})
	})
	return out, err
}

// withStatus asks for rows by their status as it reads at q.Now.
func withStatus(sel *query, q continuation.Query) {
	now := micros(q.Now)
	switch {
	case slices.Equal(q.Status, []continuation.Status{continuation.Pending}):
		sel.and("status = 'pending' AND expires_at > ?", now)
	case slices.Contains(q.Status, continuation.Pending), slices.Contains(q.Status, continuation.Expired):
		among(sel, "CASE WHEN status = 'pending' AND expires_at <= ? THEN 'expired' ELSE status END", []driver.Value{now}, q.Status)
	default:
		among(sel, "status", nil, q.Status)
	}
}

// sweepChunk is how many rows a sweep touches while it holds the write lock.
const sweepChunk = 128

const (
	selectOverdue = `SELECT n FROM continuations INDEXED BY continuations_pending WHERE status = 'pending' AND expires_at <= ? LIMIT ?`

	expireContinuations = `UPDATE continuations SET status = 'expired', why = 'lapsed', closed_at = ?1
	WHERE n IN (SELECT value FROM json_each(?2)) AND status = 'pending' AND expires_at <= ?1`

	selectOld = `SELECT n, created_at < ?1 AND closed_at <> 0 AND closed_at < ?1, created_at < ?1 FROM continuations WHERE n > ?2 ORDER BY n LIMIT 512`

	deleteContinuations = `DELETE FROM continuations WHERE n IN (SELECT value FROM json_each(?2)) AND closed_at <> 0 AND closed_at < ?1`
)

func (s continuations) Sweep(ctx context.Context, now, keep time.Time, limit int) (int, error) {
	var overdue, old []int64
	err := s.read(ctx, func(db *conn) (err error) {
		if overdue, err = db.numbers(selectOverdue, micros(now), orHundred(limit)); err != nil {
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
