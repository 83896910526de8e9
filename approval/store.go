package approval

import (
	"context"
	"time"
)

// Store keeps requests. Every method joins the transaction that ctx carries, if any. Times are truncated to microseconds, UTC.
// No method changes the terms of a request, and only Decide and Lapse write its decision.
type Store interface {
	// Create inserts r as pending.
	Create(ctx context.Context, r Request) error
	// Get returns a request, or [ErrNotFound].
	Get(ctx context.Context, id string) (*Request, error)
	// Decide writes the decision of a request that is pending and not overdue at d.At, and returns it.
	// Otherwise it is a *[DecidedError], [ErrOverdue] (nothing is written: Lapse does that) or [ErrNotFound].
	Decide(ctx context.Context, d Decision) (*Request, error)
	// Lapse marks up to limit overdue requests as timed out, in one statement, and returns those that it marked: each
	// request is returned to one caller, whoever else sweeps.
	Lapse(ctx context.Context, now time.Time, limit int) ([]Request, error)
	// Consume marks an approved request as used. A second time is [ErrConsumed]; a request that is not approved is [ErrNotApproved].
	Consume(ctx context.Context, id string, at time.Time) error
	// Notice marks that the outcome of a decided request was taken up; the first caller gets true.
	Notice(ctx context.Context, id string, at time.Time) (bool, error)
	// List returns requests newest first.
	List(ctx context.Context, q Query) ([]Request, error)
	// Sweep deletes up to limit decided requests that were decided before keep, and returns how many.
	Sweep(ctx context.Context, keep time.Time, limit int) (int, error)
}

// Decision is what a person said.
type Decision struct {
	ID        string
	Status    Status // Approved or Rejected
	Items     []ItemDecision
	Reason    string
	Principal string
	Surface   string
	At        time.Time
}

// Query selects requests; the zero value selects all.
type Query struct {
	SessionID string
	RunID     string
	Status    []Status
	// Untaken selects decided requests whose outcome nobody took up.
	Untaken bool
	Before  string // a cursor: only requests with a smaller id
	Limit   int    // 100 where zero
}

// Outbox keeps what is still to be delivered. Every method joins the transaction that ctx carries, if any.
type Outbox interface {
	// Put adds d. A key that is there already is left as it is.
	Put(ctx context.Context, d Delivery) error
	// Due returns up to limit deliveries whose time has come and hides them from other callers until until.
	Due(ctx context.Context, now, until time.Time, limit int) ([]Delivery, error)
	// Done deletes a delivery.
	Done(ctx context.Context, key string) error
	// Retry puts a delivery off until next, with what went wrong.
	Retry(ctx context.Context, key string, next time.Time, problem string) error
}

// DeliveryKind says what is delivered.
type DeliveryKind string

// The kinds of deliveries.
const (
	DeliverRequest DeliveryKind = "request" // a request, to a channel
	DeliverLapse   DeliveryKind = "lapse"   // the notice that it timed out, to a channel
	DeliverText    DeliveryKind = "text"    // a text, to the session's surface
	DeliverResume  DeliveryKind = "resume"  // the wish that a run be taken up, to a process that can
)

// Delivery is one thing to be brought to one surface.
type Delivery struct {
	Key        string // stable: a surface that knows it can drop a second copy
	Kind       DeliveryKind
	Channel    string
	SessionID  string
	ApprovalID string
	RunID      string
	Text       string
	Attempts   int
	NextAt     time.Time // microseconds, UTC
	CreatedAt  time.Time
	Problem    string // of the last attempt
}
