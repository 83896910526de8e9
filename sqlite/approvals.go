package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
)

type approvals struct{ *Store }

var _ approval.Store = approvals{}

const (
	termColumns = `id, session_id, run_id, step_id, turn_id, agent, point, signal, summary, card, items, digest, destructive, channel,
	asked_of, policy, requested_at, timeout_at`

	requestColumns = termColumns + `, status, decisions, reason, principal, surface, decided_at, consumed_at, noticed_at`
)

func scanRequest(r *row) (*approval.Request, error) {
	a := &approval.Request{
		ID: r.text(), SessionID: r.text(), RunID: r.text(), StepID: r.int(), TurnID: r.text(), Agent: r.text(), Point: r.text(),
		Signal: r.text(), Summary: r.text(), Card: r.text(),
	}
	err := r.json(&a.Items)
	a.Digest, a.Destructive, a.Channel, a.AskedOf, a.Policy = r.text(), r.bool(), r.text(), r.text(), r.text()
	a.RequestedAt, a.TimeoutAt, a.Status = r.time(), r.time(), approval.Status(r.text())
	err = errors.Join(err, r.json(&a.Decisions))
	a.Reason, a.Principal, a.Surface = r.text(), r.text(), r.text()
	a.DecidedAt, a.ConsumedAt, a.NoticedAt = r.time(), r.time(), r.time()
	if err != nil {
		return nil, fmt.Errorf("sqlite: approval %s: %w: %w", a.ID, ErrCorrupt, err)
	}
	return a, nil
}

// requests runs a statement that gives rows of approvals.
func (c *conn) requests(text string, args ...driver.Value) (out []approval.Request, err error) {
	err = c.each(text, func(r *row) (bool, error) {
		a, err := scanRequest(r)
		if err == nil {
			out = append(out, *a)
		}
		return true, err
	}, args...)
	return out, err
}

// request returns one row, or [approval.ErrNotFound].
func (c *conn) request(id string) (*approval.Request, error) {
	out, err := c.requests(selectRequest, id)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, approval.ErrNotFound
	}
	return &out[0], nil
}

const (
	insertRequest = `INSERT INTO approvals (` + termColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectRequest = `SELECT ` + requestColumns + ` FROM approvals WHERE id = ?`

	decideRequest = `UPDATE approvals SET status = ?1, decisions = ?2, reason = ?3, principal = ?4, surface = ?5, decided_at = ?6
	WHERE id = ?7 AND status = 'pending' AND timeout_at > ?6 RETURNING ` + requestColumns
)

func (s approvals) Create(ctx context.Context, r approval.Request) error {
	items, err := list(r.Items)
	switch {
	case err != nil:
		return err
	case r.ID == "":
		return fmt.Errorf("%w: a request without an id", approval.ErrInvalid)
	case r.Policy != approval.FailClosed:
		return fmt.Errorf("%w: policy %q, the only one is %q", approval.ErrInvalid, r.Policy, approval.FailClosed)
	case micros(r.RequestedAt) >= micros(r.TimeoutAt):
		return fmt.Errorf("%w: its time is up when it is asked", approval.ErrInvalid)
	}
	err = s.write(ctx, func(db *conn) error {
		return db.exec(insertRequest, r.ID, r.SessionID, r.RunID, int64(r.StepID), r.TurnID, r.Agent, r.Point, r.Signal, r.Summary,
			r.Card, items, r.Digest, flag(r.Destructive), r.Channel, r.AskedOf, r.Policy, micros(r.RequestedAt), micros(r.TimeoutAt))
	})
	if errors.Is(err, ErrRefused) {
		return fmt.Errorf("%w: request %s: %w", approval.ErrInvalid, r.ID, err)
	}
	return err
}

// list is a slice as it is stored: NULL where it is empty.
func list[T any](s []T) (driver.Value, error) {
	if len(s) == 0 {
		return nil, nil
	}
	b, err := continuation.Exact(s)
	if err != nil {
		return nil, fmt.Errorf("sqlite: encode: %w", err)
	}
	return []byte(b), nil
}

func (s approvals) Get(ctx context.Context, id string) (out *approval.Request, err error) {
	err = s.read(ctx, func(db *conn) error {
		out, err = db.request(id)
		return err
	})
	return out, err
}

func (s approvals) Decide(ctx context.Context, d approval.Decision) (*approval.Request, error) {
	if d.Status != approval.Approved && d.Status != approval.Rejected {
		return nil, fmt.Errorf("%w: a decision of %q", approval.ErrInvalid, d.Status)
	}
	items, err := list(d.Items)
	if err != nil {
		return nil, err
	}
	var decided []approval.Request
	err = s.write(ctx, func(db *conn) (err error) {
		decided, err = db.requests(decideRequest, string(d.Status), items, d.Reason, d.Principal, d.Surface, micros(d.At), d.ID)
		if err != nil || len(decided) > 0 {
			return err
		}
		there, err := db.request(d.ID)
		if err != nil {
			return err
		}
		return undecidable(there)
	})
	if err != nil {
		return nil, err
	}
	return &decided[0], nil
}

// undecidable says why r takes no decision.
func undecidable(r *approval.Request) error {
	switch r.Status {
	case approval.Pending:
		return approval.ErrOverdue
	case approval.TimedOut:
		return fmt.Errorf("%w: %w", approval.ErrOverdue, &approval.DecidedError{Request: *r})
	default:
		return &approval.DecidedError{Request: *r}
	}
}

const lapseRequests = `UPDATE approvals SET status = 'timed_out', decided_at = ?1 WHERE status = 'pending' AND n IN
	(SELECT n FROM approvals WHERE status = 'pending' AND timeout_at <= ?1 ORDER BY timeout_at LIMIT ?2) RETURNING ` + requestColumns

func (s approvals) Lapse(ctx context.Context, now time.Time, limit int) (out []approval.Request, err error) {
	due := false
	if err = s.read(ctx, func(db *conn) error { // most often there is none, and then nobody waits for the lock
		r, err := db.first("SELECT 1 FROM approvals WHERE status = 'pending' AND timeout_at <= ? LIMIT 1", micros(now))
		due = r != nil
		return err
	}); err != nil || !due {
		return nil, err
	}
	err = s.write(ctx, func(db *conn) error {
		out, err = db.requests(lapseRequests, micros(now), orHundred(limit))
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
