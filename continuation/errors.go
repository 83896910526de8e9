package continuation

import (
	"errors"
	"fmt"
)

var (
	// ErrInvalid is wrapped by Ask for a row that may not be; nothing was written.
	ErrInvalid = errors.New("continuation: invalid")
	// ErrTooLarge is wrapped by Ask for a question, payload or options over their limit; nothing was written.
	ErrTooLarge = errors.New("continuation: too large")
	// ErrNotFound is returned for an id that this session has no row for.
	ErrNotFound = errors.New("continuation: not found")
	// ErrClaimLost is returned for the use of a claim that another process ended: it took the turn that held it for dead.
	ErrClaimLost = errors.New("continuation: the claim was taken over")
)

// ClosedError says that a row is not pending any more, and what became of it. Match it with errors.As,
// or its status with errors.Is: [ErrClaimed], [ErrAnswered], [ErrSuperseded], [ErrExpired].
type ClosedError struct{ Row Continuation }

// What a [ClosedError] can say.
var (
	ErrClaimed    = errors.New("continuation: is being answered")
	ErrAnswered   = errors.New("continuation: already answered")
	ErrSuperseded = errors.New("continuation: superseded")
	ErrExpired    = errors.New("continuation: expired")
)

func (e *ClosedError) Error() string {
	r := e.Row
	switch r.Status {
	case Superseded:
		return fmt.Sprintf("%v: %s by %s at %s", ErrSuperseded, r.Why, r.ClosedBy, r.ClosedAt.Format("2006-01-02 15:04:05Z"))
	case Expired:
		return fmt.Sprintf("%v at %s", ErrExpired, r.ExpiresAt.Format("2006-01-02 15:04:05Z"))
	default:
		by := r.AnsweredBy
		if by == "" {
			by = "turn " + r.ClaimedBy
		}
		return fmt.Sprintf("%v: by %s at %s", e.Unwrap(), by, r.ClaimedAt.Format("2006-01-02 15:04:05Z"))
	}
}

// Unwrap returns the sentinel of the row's status.
func (e *ClosedError) Unwrap() error {
	switch e.Row.Status {
	case Claimed:
		return ErrClaimed
	case Superseded:
		return ErrSuperseded
	case Expired:
		return ErrExpired
	default:
		return ErrAnswered
	}
}
