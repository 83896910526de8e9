package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/iris-harness/iris/approval"
)

type outbox struct{ *Store }

var _ approval.Outbox = outbox{}

const (
	deliveryColumns = `key, kind, channel, session_id, approval_id, run_id, text, attempts, next_at, created_at, problem`

	insertDelivery = `INSERT INTO deliveries (` + deliveryColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`

	anyDue = `SELECT 1 FROM deliveries WHERE next_at <= ? LIMIT 1`

	takeDue = `UPDATE deliveries SET next_at = ?2 WHERE n IN (SELECT n FROM deliveries WHERE next_at <= ?1 ORDER BY next_at, key LIMIT ?3)
	RETURNING ` + deliveryColumns

	retryDelivery = `UPDATE deliveries SET attempts = attempts + 1, next_at = ?, problem = ? WHERE key = ? RETURNING 1`
)

func (s outbox) Put(ctx context.Context, d approval.Delivery) error {
	if d.Key == "" {
		return fmt.Errorf("%w: a delivery without a key", approval.ErrInvalid)
	}
	return s.write(ctx, func(db *conn) error {
		return db.exec(insertDelivery, d.Key, string(d.Kind), d.Channel, d.SessionID, d.ApprovalID, d.RunID, d.Text, int64(d.Attempts),
			micros(d.NextAt), micros(d.CreatedAt), d.Problem)
	})
}

func (s outbox) Due(ctx context.Context, now, until time.Time, limit int) (out []approval.Delivery, err error) {
	due := false
	if err = s.read(ctx, func(db *conn) error { // most often there is none, and then nobody waits for the lock
		r, err := db.first(anyDue, micros(now))
		due = r != nil
		return err
	}); err != nil || !due {
		return nil, err
	}
	err = s.write(ctx, func(db *conn) error {
		out = nil
		return db.each(takeDue, func(r *row) (bool, error) {
			out = append(out, approval.Delivery{
				Key: r.text(), Kind: approval.DeliveryKind(r.text()), Channel: r.text(), SessionID: r.text(), ApprovalID: r.text(), RunID: r.text(),
				Text: r.text(), Attempts: r.int(), NextAt: r.time(), CreatedAt: r.time(), Problem: r.text(),
			})
			return true, nil
		}, micros(now), micros(until), orHundred(limit))
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (s outbox) Done(ctx context.Context, key string) error {
	return s.write(ctx, func(db *conn) error { return db.exec("DELETE FROM deliveries WHERE key = ?", key) })
}

func (s outbox) Retry(ctx context.Context, key string, next time.Time, problem string) error {
	return s.write(ctx, func(db *conn) error {
		r, err := db.first(retryDelivery, micros(next), problem, key)
		if err == nil && r == nil {
			err = approval.ErrNotFound
		}
		return err
	})
}
