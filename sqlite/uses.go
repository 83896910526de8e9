package sqlite

import (
	"context"
	"time"

	"github.com/iris-harness/iris/approval"
)

const (
	consumeRequest = `UPDATE approvals SET consumed_at = ? WHERE id = ? AND status = 'approved' AND consumed_at = 0 RETURNING 1`

	noticeRequest = `UPDATE approvals SET noticed_at = ? WHERE id = ? AND status <> 'pending' AND noticed_at = 0 RETURNING 1`
)

func (s approvals) Consume(ctx context.Context, id string, at time.Time) error {
	return s.write(ctx, func(db *conn) error {
		r, err := db.first(consumeRequest, micros(at), id)
		if err != nil || r != nil {
			return err
		}
		there, err := db.request(id)
		switch {
		case err != nil:
			return err
		case there.Status != approval.Approved:
			return approval.ErrNotApproved
		}
		return approval.ErrConsumed
	})
}

func (s approvals) Notice(ctx context.Context, id string, at time.Time) (first bool, err error) {
	err = s.write(ctx, func(db *conn) error {
		r, err := db.first(noticeRequest, micros(at), id)
		if first = r != nil; err != nil || first {
			return err
		}
		_, err = db.request(id)
		return err
	})
	return first && err == nil, err
}

func (s approvals) List(ctx context.Context, q approval.Query) (out []approval.Request, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		sel := newQuery(requestColumns, "approvals")
		sel.is("session_id", q.SessionID)
		sel.is("run_id", q.RunID)
		among(sel, "status", nil, q.Status)
		if q.Untaken {
			sel.and("status <> 'pending' AND noticed_at = 0")
		}
		sel.below("id", q.Before)
		return sel.run(db, "id DESC", q.Limit, func(r *row) error {
			a, err := scanRequest(r)
			if err == nil {
				out = append(out, *a)
			}
			return err
		})
	})
	return out, err
}

const deleteRequests = `DELETE FROM approvals WHERE n IN (SELECT value FROM json_each(?2)) AND status <> 'pending' AND decided_at < ?1`

func (s approvals) Sweep(ctx context.Context, keep time.Time, limit int) (int, error) {
	var old []int64
	err := s.read(ctx, func(db *conn) (err error) {
		old, err = db.numbers("SELECT n FROM approvals WHERE status <> 'pending' AND decided_at < ? ORDER BY n LIMIT ?",
			micros(keep), orHundred(limit))
		return err
	})
	if err != nil {
		return 0, err
	}
	return s.inChunks(ctx, deleteRequests, micros(keep), old)
}
