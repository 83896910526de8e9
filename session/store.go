package session

import (
	"context"
	"time"
)

// Store keeps sessions. Every method joins the transaction that ctx carries, if any. Times are truncated to microseconds, UTC.
type Store interface {
	Log
	Turns
	Leases
	// Forget deletes everything that any table holds of the session, except audit rows, which hold digests only.
	Forget(ctx context.Context, sessionID string) error
}

// Log keeps what was said.
type Log interface {
	// Append adds m at the end of its session's log. Messages of one session are read in the order of their ids.
	Append(ctx context.Context, m Message) error
	// Messages returns the last limit messages with an id smaller than before ("" means the end), oldest first.
	Messages(ctx context.Context, sessionID, before string, limit int) ([]Message, error)
}

// Turns keeps what came of each message.
type Turns interface {
	// OpenTurn records t as open. Where t.MessageID is taken in its session by a turn that is not void, it writes nothing
	// and returns that turn. A void turn's message id passes to t.
	OpenTurn(ctx context.Context, t Turn) (prior *Turn, err error)
	// CloseTurn moves an open turn to its end, with t's State, Reply, Error and EndedAt. A turn that is not open is [ErrNotFound].
	CloseTurn(ctx context.Context, t Turn) error
	// Turn returns the record of a message id, or [ErrNotFound]. A void turn is not found.
	Turn(ctx context.Context, sessionID, messageID string) (*Turn, error)
	// CountTurns returns how many turns of persons began in the session after the turn after.
	CountTurns(ctx context.Context, sessionID, after string) (int, error)
	// OpenTurns returns turns that are open, of one session or ("") of all, oldest first, at most limit.
	OpenTurns(ctx context.Context, sessionID string, limit int) ([]Turn, error)
}

// Lease is the right to run a session's turns. Epoch rises each time the lease passes to a new holder.
type Lease struct {
	SessionID string
	Holder    string
	Epoch     int64
	Until     time.Time
}

// Leases serialises the turns of a session. A lease gives order; what must hold is held by the rows themselves.
type Leases interface {
	// Acquire takes the session's lease for holder until until, if nobody holds it at now, with the next epoch.
	// Where another holds it, it returns a *[BusyError].
	Acquire(ctx context.Context, sessionID, holder string, now, until time.Time) (Lease, error)
	// Hold checks that l is still the session's lease and, where until is later than l.Until, renews it. It returns the lease
	// as it stands, or [ErrFenced] where another epoch has begun.
	Hold(ctx context.Context, l Lease, until time.Time) (Lease, error)
	// Release gives l back. A lease that has passed on is left alone, without an error.
	Release(ctx context.Context, l Lease) error
	// TakeOver breaks the lease of a session whose holder is known to be dead, whatever its time: the next Acquire gets a new epoch.
	TakeOver(ctx context.Context, sessionID string) error
}
