package approval

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound is returned for an id that there is no request for.
	ErrNotFound = errors.New("approval: not found")
	// ErrOverdue is returned for a decision at or after the request's deadline; the request is timed out.
	ErrOverdue = errors.New("approval: overdue")
	// ErrDecided is wrapped by *[DecidedError].
	ErrDecided = errors.New("approval: already decided")
	// ErrNotApproved is returned for the use of a request that is not approved.
	ErrNotApproved = errors.New("approval: not approved")
	// ErrConsumed is returned for the second use of an approval.
	ErrConsumed = errors.New("approval: already used")
	// ErrInvalid is wrapped for a request or an answer that may not be; nothing was written.
	ErrInvalid = errors.New("approval: invalid")
)

// DecidedError says that a request was decided before, and how. It matches [ErrDecided].
type DecidedError struct{ Request Request }

func (e *DecidedError) Error() string {
	r := e.Request
	return fmt.Sprintf("%v: %s by %s at %s", ErrDecided, r.Status, r.Principal, r.DecidedAt.Format("2006-01-02 15:04:05Z"))
}

// Unwrap returns [ErrDecided].
func (e *DecidedError) Unwrap() error { return ErrDecided }
