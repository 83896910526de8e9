package continuation

import (
	"context"
	"time"
)

// Store keeps continuations. Every method joins the transaction that ctx carries, if any, and is one transaction of its own
// otherwise. Rows are returned by value: the caller owns them. Times are truncated to microseconds, UTC.
//
// A row past its ExpiresAt reads as [Expired] from every method that takes now, whether or not a sweep has been by.
type Store interface {
	// Open inserts c as pending and closes the session's pending row, if there is one: [Expired] past its time,
	// else [Superseded] with why Replaced, by c.ID. It returns the row it closed as it now stands, or nil.
	Open(ctx context.Context, c Continuation) (closed *Continuation, err error)
	// Pending returns the session's pending row, or nil and no error where none waits at now.
	// It never takes the write lock.
	Pending(ctx context.Context, sessionID string, now time.Time) (*Continuation, error)
	// Get returns a row of any status, or [ErrNotFound].
	Get(ctx context.Context, id string, now time.Time) (*Continuation, error)
	// Claim moves a pending, unexpired row of this session to claimed. One caller wins; the others get a *[ClosedError].
	// Another session's id is [ErrNotFound].
	Claim(ctx context.Context, by Claimant) (*Continuation, error)
	// Move takes a row along its machine and returns it as it then stands:
	//
	//	pending -> superseded | expired
	//	claimed -> answered | superseded | expired | pending
	//
	// A claimed row that goes back to pending lands on expired past its time and on superseded where another
	// question waits. A row that is not in m.From is a *[ClosedError].
	Move(ctx context.Context, m Move) (*Continuation, error)
	// List returns rows newest first.
	List(ctx context.Context, q Query) ([]Continuation, error)
	// Sweep marks up to limit rows that are past their time as expired, and deletes up to limit closed rows that were
	// closed before keep. It returns how many rows it touched.
	Sweep(ctx context.Context, now, keep time.Time, limit int) (int, error)
}

// Claimant says who takes a pending row, for what turn.
type Claimant struct {
	ID        string // the continuation
	SessionID string
	TurnID    string
	Sender    string
	At        time.Time
}

// Move is one transition of a row's machine.
type Move struct {
	ID       string
	From, To Status
	Why      Why
	By       string // what closed it: a continuation's or a turn's id
	Outcome  string // for answered
	At       time.Time
}

// Query selects rows; the zero value selects all.
type Query struct {
	SessionID string
	Owner     string
	RunID     string
	ClaimedBy string   // the turn that claimed them
	Status    []Status // as they read at Now
	Before    string   // a cursor: only rows with a smaller id
	Limit     int      // 100 where zero
	Now       time.Time
}
