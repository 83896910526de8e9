package session

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrFenced is returned to a writer whose lease another process has taken over: nothing was written.
	ErrFenced = errors.New("session: the lease is held by another")
	// ErrNotFound is returned for a turn that there is no record of.
	ErrNotFound = errors.New("session: not found")
)

// BusyError says that another holder has the session's lease.
type BusyError struct {
	SessionID string
	Until     time.Time // when the lease lapses unless it is renewed
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("session: %s is busy until %s", e.SessionID, e.Until.Format("15:04:05.000"))
}
