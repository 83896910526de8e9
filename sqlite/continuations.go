package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/continuation"
)

type continuations struct{ *Store }

var _ continuation.Store = continuations{}

const continuationColumns = `id, session_id, turn_id, owner, asker, kind, origin, question, options, intent, channel, asked_of,
	run_id, step_id, executor_kind, payload, created_at, expires_at, status, claimed_by, answered_by, claimed_at, closed_at,
	why, closed_by, outcome`

func scanContinuation(r *row) (*continuation.Continuation, error) {
	c := &continuation.Continuation{
		ID: r.text(), SessionID: r.text(), TurnID: r.text(), Owner: r.text(), Asker: r.text(),
		Kind: continuation.Kind(r.text()), Origin: continuation.Origin(r.text()), Question: r.text(),
	}
	if err := r.json(&c.Options); err != nil {
		return nil, fmt.Errorf("sqlite: continuation %s: its options: %w: %w", c.ID, ErrCorrupt, err)
	}
	c.Intent, c.Channel, c.AskedOf, c.RunID, c.StepID = r.text(), r.text(), r.text(), r.text(), r.int()
	c.ExecutorKind, c.Payload = r.text(), r.bytes()
	c.CreatedAt, c.ExpiresAt = r.time(), r.time()
	c.Status, c.ClaimedBy, c.AnsweredBy = continuation.Status(r.text()), r.text(), r.text()
	c.ClaimedAt, c.ClosedAt = r.time(), r.time()
	c.Why, c.ClosedBy, c.Outcome = continuation.Why(r.text()), r.text(), r.text()
	return c, nil
}

// continuation runs a statement that gives one row or none.
func (c *conn) continuation(text string, args ...driver.Value) (*continuation.Continuation, error) {
	r, err := c.first(text, args...)
	if err != nil || r == nil {
		return nil, err
	}
	return scanContinuation(r)
}

// readAt makes c what it reads as at now: a pending row past its time is expired, whether or not a sweep has been by.
func readAt(c *continuation.Continuation, now time.Time) *continuation.Continuation {
	if c.Status == continuation.Pending && c.ExpiredAt(now) {
		c.Status, c.Why, c.ClosedAt = continuation.Expired, continuation.Lapsed, c.ExpiresAt
	}
	return c
}

const (
	insertContinuation = `INSERT INTO continuations (id, session_id, turn_id, owner, asker, kind, origin, question, options, intent,
	channel, asked_of, run_id, step_id, executor_kind, payload, created_at, expires_at, status)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`

	selectWaiting = `SELECT n, ` + continuationColumns + ` FROM continuations WHERE session_id = ? AND status = 'pending'`
)

func (s continuations) Open(ctx context.Context, c continuation.Continuation) (closed *continuation.Continuation, err error) {
	options, err := openable(&c)
	if err != nil {
		return nil, err
	}
	insert := func(db *conn) error {
		return db.exec(insertContinuation, c.ID, c.SessionID, c.TurnID, c.Owner, c.Asker, string(c.Kind), string(c.Origin),
			c.Question, blob(options), c.Intent, c.Channel, c.AskedOf, c.RunID, int64(c.StepID), c.ExecutorKind, blob(c.Payload),
			micros(c.CreatedAt), micros(c.ExpiresAt))
	}
	err = s.write(ctx, func(db *conn) error {
		n, w, err := db.waiting(c.SessionID)
		if err != nil {
			return err
		}
		if closed = w; w == nil {
			return insert(db)
		}
		return db.atomic(func() error {
			if err := db.closeWaiting(n, w, c.ID, c.CreatedAt); err != nil {
				return err
			}
			return insert(db)
		})
	})
	if errors.Is(err, ErrRefused) {
		err = fmt.Errorf("%w: continuation %s: %w", continuation.ErrInvalid, c.ID, err)
	}
	if err != nil {
		return nil, err
	}
	return closed, nil
}

// openable returns c's options as they are stored, or says why c may not be.
func openable(c *continuation.Continuation) (options []byte, err error) {
	if options, err = encodeOptions(c.Options); err != nil {
		return nil, fmt.Errorf("%w: options: %w", continuation.ErrInvalid, err)
	}
	switch {
	case len(c.Question) > continuation.MaxQuestion, len(c.Payload) > continuation.MaxPayload, len(options) > continuation.MaxOptions:
		return nil, fmt.Errorf("%w: continuation %s", continuation.ErrTooLarge, c.ID)
	case c.ID == "" || c.SessionID == "" || c.Owner == "":
		return nil, fmt.Errorf("%w: a continuation has an id, a session and an owner", continuation.ErrInvalid)
	}
	return options, nil
}

// encodeOptions returns options as JSON, each ref byte for byte as it came: package json would take the space out of it.
func encodeOptions(options []continuation.Option) ([]byte, error) {
	if len(options) == 0 {
		return nil, nil
	}
	out := []byte{'['}
	for i, o := range options {
		if i > 0 {
			out = append(out, ',')
		}
		ref := o.Ref
		o.Ref = nil
		b, err := continuation.Exact(o)
		switch {
		case err != nil:
			return nil, err
		case ref == nil:
			out = append(out, b...)
			continue
		case !json.Valid(ref):
			return nil, fmt.Errorf("the ref of option %d is not JSON", o.Position)
		}
		out = append(append(append(out, b[:len(b)-1]...), `,"ref":`...), ref...)
		out = append(out, '}')
	}
	return append(out, ']'), nil
}

// waiting returns the session's pending row and its number, nil where there is none.
func (c *conn) waiting(sessionID string) (n int64, out *continuation.Continuation, err error) {
	r, err := c.first(selectWaiting, sessionID)
	if err != nil || r == nil {
		return 0, nil, err
	}
	n = r.int64()
	out, err = scanContinuation(r)
	return n, out, err
}

// closeWaiting closes a pending row in favour of the row by: as expired past its time.
func (c *conn) closeWaiting(n int64, w *continuation.Continuation, by string, at time.Time) error {
	if w.ExpiredAt(at) {
		return c.move(n, w, continuation.Move{To: continuation.Expired, At: at})
	}
	return c.move(n, w, continuation.Move{To: continuation.Superseded, Why: continuation.Replaced, By: by, At: at})
}

const selectPending = `SELECT ` + continuationColumns + ` FROM continuations WHERE session_id = ? AND status = 'pending' AND expires_at > ?`

func (s continuations) Pending(ctx context.Context, sessionID string, now time.Time) (out *continuation.Continuation, err error) {
	err = s.read(ctx, func(db *conn) error {
		out, err = db.continuation(selectPending, sessionID, micros(now))
		return err
	})
	return out, err
}

const selectContinuation = `SELECT n, ` + continuationColumns + ` FROM continuations WHERE id = ?`

func (s continuations) Get(ctx context.Context, id string, now time.Time) (out *continuation.Continuation, err error) {
	err = s.read(ctx, func(db *conn) error {
		_, out, err = db.there(id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return readAt(out, now), nil
}

// RETURNING would make SQLite build a table for its rows each time: reading the row first and writing it by its number is half the
// work, and as safe inside of the transaction.
const claimContinuation = `UPDATE continuations SET status = 'claimed', claimed_by = ?, answered_by = ?, claimed_at = ?
	WHERE n = ? AND session_id = ? AND status = 'pending' AND expires_at > ?`

func (s continuations) Claim(ctx context.Context, by continuation.Claimant) (out *continuation.Continuation, err error) {
	at := micros(by.At)
	err = s.write(ctx, func(db *conn) error {
		n, c, err := db.there(by.ID)
		switch {
		case err != nil:
			return err
		case c.SessionID != by.SessionID:
			return continuation.ErrNotFound
		case readAt(c, by.At).Status != continuation.Pending:
			return &continuation.ClosedError{Row: *c}
		}
		c.Status, c.ClaimedBy, c.AnsweredBy, c.ClaimedAt = continuation.Claimed, by.TurnID, by.Sender, moment(at)
		out = c
		return db.one(claimContinuation, by.TurnID, by.Sender, at, n, by.SessionID, at)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// there returns a row and its number, as it is stored, or [continuation.ErrNotFound].
func (c *conn) there(id string) (n int64, out *continuation.Continuation, err error) {
	r, err := c.first(selectContinuation, id)
	switch {
	case err != nil:
		return 0, nil, err
	case r == nil:
		return 0, nil, continuation.ErrNotFound
	}
	n = r.int64()
	out, err = scanContinuation(r)
	return n, out, err
}
