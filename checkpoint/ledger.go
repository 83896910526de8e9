package checkpoint

import (
	"context"
	"time"
)

// EffectState is where an effect stands: started -> finished | settled.
type EffectState string

// The states of an effect.
const (
	Started  EffectState = "started"  // it may or may not have happened, until it is finished or settled
	Finished EffectState = "finished" // its result is recorded and is used instead of running it again
	Settled  EffectState = "settled"  // a person or the tool's probe said whether it happened
)

// Effect is one call that changes the world, recorded before it runs.
type Effect struct {
	Key        string // stable across attempts; names the row
	SessionID  string
	RunID      string // "" for the action of a confirmation
	StepID     int
	CallID     string
	Tool       string // or executor kind
	Args       []byte // canonical, for the tool's probe and for the person who settles it
	Digest     string // SHA-256 of Args
	Idempotent bool   // it may be run again
	ApprovalID string // the approval it ran under, with its Item; unique together
	Item       int    // counts from 1; 0 without an approval
	State      EffectState
	Failed     bool   // for finished: the tool reported an error
	Result     []byte // for finished: what the model reads
	Happened   bool   // for settled
	SettledBy  string
	StartedAt  time.Time // microseconds, UTC
	EndedAt    time.Time // zero while started
}

// Ambiguous reports whether nobody knows if e happened: it started, did not finish and may not simply be run again.
func (e *Effect) Ambiguous() bool { return e.State == Started && !e.Idempotent }

// Ledger records effects. Every method joins the transaction that ctx carries, if any.
type Ledger interface {
	// Start records e as started. A key that is taken is an *[EffectError] with its row, except for an idempotent effect that
	// is only started: that one may start again.
	Start(ctx context.Context, e Effect) error
	// Finish records the result of a started effect. An effect that is not started is an *[EffectError].
	Finish(ctx context.Context, key string, result []byte, failed bool, at time.Time) error
	// Settle records what became of a started effect. An effect that is not started is an *[EffectError]; an unknown key is [ErrNotFound].
	Settle(ctx context.Context, key string, happened bool, by string, at time.Time) error
	// Effect returns one row, or [ErrNotFound].
	Effect(ctx context.Context, key string) (*Effect, error)
	// Effects returns the rows of a run in the order they started.
	Effects(ctx context.Context, runID string) ([]Effect, error)
	// Ambiguous returns effects of one session, or ("") of all, that nobody knows the outcome of, oldest first, keys after the cursor.
	Ambiguous(ctx context.Context, sessionID, after string, limit int) ([]Effect, error)
}
