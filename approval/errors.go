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

// Why a principal may not decide a request.
var (
	// ErrInside refuses a context from inside a run or a callback: no agent-facing code answers an approval.
	ErrInside = errors.New("approval: not from inside a run")
	// ErrNotAPerson refuses a system principal.
	ErrNotAPerson = errors.New("approval: only a person decides")
	// ErrAskedOf refuses a person that the request was not put to.
	ErrAskedOf = errors.New("approval: it was put to somebody else")
	// ErrRequester refuses the person that the request was raised for, where duties are separated.
	ErrRequester = errors.New("approval: who asked for it may not decide it")
)

// RefusedError says that a principal may not decide a request. The attempt is in the audit.
type RefusedError struct {
	ApprovalID string
	By         Principal
	Err        error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("approval: %s may not decide %s: %v", e.By.ID, e.ApprovalID, e.Err)
}

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// DecidedError says that a request was decided before, and how. It matches [ErrDecided].
type DecidedError struct{ Request Request }

func (e *DecidedError) Error() string {
	r := e.Request
	by := ""
	if r.Principal != "" {
		by = " by " + r.Principal
	}
	return fmt.Sprintf("%v: %s%s at %s", ErrDecided, r.Status, by, r.DecidedAt.Format("2006-01-02 15:04:05Z"))
}

// Unwrap returns [ErrDecided].
func (e *DecidedError) Unwrap() error { return ErrDecided }
