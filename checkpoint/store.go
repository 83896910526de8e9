package checkpoint

import (
	"context"
	"time"
)

// Store keeps runs and their steps. Every method joins the transaction that ctx carries, if any, and is one transaction of its own
// otherwise. Times are truncated to microseconds, UTC. A run past its ExpiresAt that is neither pinned nor running is [ErrNotFound] to
// every method that takes now, whether or not a sweep has been by; reading never takes the write lock. One that is running is there
// until somebody has taken it over: nothing is lost where a process was away for longer than a run lives.
type Store interface {
	// Begin inserts r, with its id, as running.
	Begin(ctx context.Context, r Run) error
	// Put writes a step of a run that is running at epoch; otherwise it is [ErrFenced]. A step that is open is replaced;
	// one that is closed is [ErrClosedStep]. A payload over MaxStep is [ErrTooLarge].
	Put(ctx context.Context, epoch int64, c Checkpoint) error
	// Move takes a run along its machine, compare-and-set on state and epoch, and returns it as it then stands. Going to running raises the
	// epoch. A run that is not where m says is a *[StateError].
	Move(ctx context.Context, m Move) (*Run, error)
	// Get returns a run, or [ErrNotFound].
	Get(ctx context.Context, runID string, now time.Time) (*Run, error)
	// Steps returns a run's steps in order, those from a number on: 0 is all of them.
	Steps(ctx context.Context, runID string, from int) ([]Checkpoint, error)
	// List returns runs newest first.
	List(ctx context.Context, q Query) ([]Run, error)
	// Pin exempts a run from its lifetime, or ends the exemption: it then lives until the given time.
	Pin(ctx context.Context, runID string, pinned bool, until time.Time) error
	// Sweep deletes up to limit runs, with their steps, that are past their time and neither pinned nor running.
	// It returns how many it deleted.
	Sweep(ctx context.Context, now time.Time, limit int) (int, error)
}

// Move is one transition of a run.
type Move struct {
	RunID  string
	From   []State // any of these
	Epoch  int64   // the epoch it must be at
	To     State
	Reason Reason
	Detail string
	// Asked and ApprovalID are what the run waits for from now on; both are cleared where nil and "".
	Asked      *Asked
	ApprovalID string
	TurnID     string    // where not "": the turn that works on it from now on
	ExpiresAt  time.Time // where not zero: its new end of life
	At         time.Time
}

// Query selects runs; the zero value selects all that are alive.
type Query struct {
	SessionID string
	TurnID    string
	State     []State
	Before    string // a cursor: only runs with a smaller id
	Limit     int    // 100 where zero
	Now       time.Time
}
