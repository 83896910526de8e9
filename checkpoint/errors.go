package checkpoint

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound is returned for a run or an effect that is not there, or whose time is up.
	ErrNotFound = errors.New("checkpoint: not found")
	// ErrFenced is returned to a writer whose run has been taken over or stopped: nothing was written.
	ErrFenced = errors.New("checkpoint: the run is not this writer's any more")
	// ErrClosedStep is returned for a write to a step that is closed.
	ErrClosedStep = errors.New("checkpoint: a closed step never changes")
	// ErrTooLarge is returned for a step over MaxStep; nothing was written.
	ErrTooLarge = errors.New("checkpoint: step too large")
	// ErrUndecodable is wrapped by Decode for bytes that are not a step.
	ErrUndecodable = errors.New("checkpoint: undecodable step")
)

// StateError says that a run is not in a state that a move starts from.
type StateError struct{ Run Run }

func (e *StateError) Error() string {
	return fmt.Sprintf("checkpoint: run %s is %s (epoch %d)", e.Run.ID, e.Run.State, e.Run.Epoch)
}

// EffectError says that an effect is already in the ledger, and how it stands there.
type EffectError struct{ Effect Effect }

func (e *EffectError) Error() string {
	return fmt.Sprintf("checkpoint: effect %s of %s is %s", e.Effect.Key, e.Effect.Tool, e.Effect.State)
}
