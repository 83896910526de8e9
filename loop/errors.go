package loop

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrOutcomeUnknown is wrapped by a tool's error to say that nobody knows whether its effect happened.
	ErrOutcomeUnknown = errors.New("loop: whether it happened is not known")
	// ErrNotInCall is returned by [Ask] and [Confirm] outside of a tool's call, or where nobody can be asked.
	ErrNotInCall = errors.New("loop: not inside a tool's call of a session's turn")
	// ErrMalformed is returned for a run whose model gave more malformed replies than are allowed.
	ErrMalformed = errors.New("loop: malformed replies")
	// ErrLimit is returned for a run that used up its steps or its time.
	ErrLimit = errors.New("loop: limit reached")
	// ErrInterrupted is returned for a run that was stopped: its consumer went away, or its context ended.
	ErrInterrupted = errors.New("loop: interrupted")
	// ErrCannotResume is wrapped by SeedOf and Stream for a run that cannot be taken up where it stopped.
	ErrCannotResume = errors.New("loop: the run cannot be resumed")
)

// AmbiguousEffectError refuses a resume: nobody knows whether these effects of the run happened.
type AmbiguousEffectError struct {
	RunID string
	Keys  []string // ledger keys
	Tools []string // their tools, in the same order
}

// ErrAmbiguousEffect matches *[AmbiguousEffectError].
var ErrAmbiguousEffect = errors.New("loop: ambiguous effect")

func (e *AmbiguousEffectError) Error() string {
	return fmt.Sprintf("%v: run %s: it is not known whether %s happened (%s); settle it first",
		ErrAmbiguousEffect, e.RunID, strings.Join(e.Tools, ", "), strings.Join(e.Keys, ", "))
}

// Unwrap returns [ErrAmbiguousEffect].
func (e *AmbiguousEffectError) Unwrap() error { return ErrAmbiguousEffect }
