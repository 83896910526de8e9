package continuation

import (
	"context"
	"fmt"
	"time"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/internal/id"
)

// Config is what a [Registry] is made of.
type Config struct {
	Store Store     // Required.
	Log   audit.Log // Where the replacing of an executable or resumable question is recorded; nil records nothing.
	// Atomically runs fn in one transaction; nil runs it as it is.
	Atomically func(ctx context.Context, fn func(ctx context.Context) error) error
	Clock      func() time.Time // time.Now where nil
	TTL        time.Duration    // DefaultTTL where zero
}

// Registry is the one way to open, read and answer continuations. It is safe for concurrent use.
type Registry struct{ c Config }

// NewRegistry returns a registry over c.Store.
func NewRegistry(c Config) *Registry {
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.TTL == 0 {
		c.TTL = DefaultTTL
	}
	if c.Atomically == nil {
		c.Atomically = func(ctx context.Context, fn func(ctx context.Context) error) error { return fn(ctx) }
	}
	return &Registry{c}
}

// now is the registry's time as it is stored: microseconds, UTC.
func (r *Registry) now() time.Time { return r.c.Clock().UTC().Truncate(time.Microsecond) }

// Ask opens a question and closes the one that waited, in one transaction (ADR-0106 §5). It validates first: an error that wraps
// [ErrInvalid] or [ErrTooLarge] changed nothing. superseded is the row that was closed, nil where none waited.
func (r *Registry) Ask(ctx context.Context, a Ask) (asked, superseded *Continuation, err error) {
	c, err := a.row()
	if err != nil {
		return nil, nil, err
	}
	now := r.now()
	ttl := a.TTL
	if ttl == 0 {
		ttl = r.c.TTL
	}
	c.ID, c.CreatedAt, c.ExpiresAt = id.New(now), now, now.Add(ttl)
	err = r.c.Atomically(ctx, func(ctx context.Context) error {
		if superseded, err = r.c.Store.Open(ctx, c); err != nil {
			return err
		}
		return r.recordSuperseded(ctx, superseded)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("continuation: ask: %w", err)
	}
	return &c, superseded, nil
}

// recordSuperseded leaves an audit row where an action or a run loses its question: never silently.
func (r *Registry) recordSuperseded(ctx context.Context, c *Continuation) error {
	if c == nil || c.Status != Superseded || r.c.Log == nil || !c.Resumable() && !c.Executable() {
		return nil
	}
	return r.c.Log.Append(ctx, audit.Entry{
		SessionID: c.SessionID, At: c.ClosedAt, Kind: audit.KindSuperseded, RunID: c.RunID, StepID: c.StepID,
		TurnID: c.TurnID, Subject: c.ID, Verdict: string(c.Why), By: c.ClosedBy,
	})
}

// Pending returns the question that sessionID owes an answer to; nil and no error where none waits.
func (r *Registry) Pending(ctx context.Context, sessionID string) (*Continuation, error) {
	c, err := r.c.Store.Pending(ctx, sessionID, r.now())
	if err != nil {
		return nil, fmt.Errorf("continuation: pending: %w", err)
	}
	return c, nil
}

// Get returns sessionID's row with this id, whatever became of it; another session's id is [ErrNotFound].
func (r *Registry) Get(ctx context.Context, sessionID, continuationID string) (*Continuation, error) {
	c, err := r.c.Store.Get(ctx, continuationID, r.now())
	if err == nil && c.SessionID != sessionID {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("continuation: get: %w", err)
	}
	return c, nil
}

// Claim takes a pending row for a turn. By.At is set here. One caller wins; the others get a *[ClosedError] that says what became of
// the row, or [ErrNotFound] for an id that is not this session's.
func (r *Registry) Claim(ctx context.Context, by Claimant) (*Claim, error) {
	by.At = r.now()
	c, err := r.c.Store.Claim(ctx, by)
	if err != nil {
		return nil, fmt.Errorf("continuation: claim: %w", err)
	}
	return &Claim{r: r, row: *c}, nil
}

// Claims returns the claims that a turn holds, for a process that takes over what a dead one left.
func (r *Registry) Claims(ctx context.Context, sessionID, turnID string) ([]*Claim, error) {
	rows, err := r.c.Store.List(ctx, Query{SessionID: sessionID, ClaimedBy: turnID, Status: []Status{Claimed}, Now: r.now()})
	if err != nil {
		return nil, fmt.Errorf("continuation: claims: %w", err)
	}
	out := make([]*Claim, len(rows))
	for i := range rows {
		out[i] = &Claim{r: r, row: rows[i]}
	}
	return out, nil
}

// Withdraw closes sessionID's pending row without an answer. A row that is not pending is a *[ClosedError].
func (r *Registry) Withdraw(ctx context.Context, sessionID, continuationID string, why Why, by string) (closed *Continuation, err error) {
	if _, err := r.Get(ctx, sessionID, continuationID); err != nil {
		return nil, err
	}
	err = r.c.Atomically(ctx, func(ctx context.Context) error {
		closed, err = r.c.Store.Move(ctx, Move{ID: continuationID, From: Pending, To: Superseded, Why: why, By: by, At: r.now()})
		if err != nil {
			return err
		}
		return r.recordSuperseded(ctx, closed)
	})
	if err != nil {
		return nil, fmt.Errorf("continuation: withdraw: %w", err)
	}
	return closed, nil
}

// History returns up to limit rows of sessionID, newest first, older than the row before ("" starts at the newest).
func (r *Registry) History(ctx context.Context, sessionID, before string, limit int) ([]Continuation, error) {
	return r.List(ctx, Query{SessionID: sessionID, Before: before, Limit: limit})
}

// List returns rows of every session, newest first. q.Now is set here.
func (r *Registry) List(ctx context.Context, q Query) ([]Continuation, error) {
	q.Now = r.now()
	rows, err := r.c.Store.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("continuation: list: %w", err)
	}
	return rows, nil
}
