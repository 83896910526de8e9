package sqlite

import (
	"context"
	"database/sql/driver"
	"slices"

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
