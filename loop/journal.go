package loop

import (
	"context"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
)

// Halter stops a run durably. Each method is one transaction; after an error nothing of it was written.
type Halter interface {
	// Pause writes the open step and the run, paused with its question.
	Pause(ctx context.Context, r checkpoint.Run, c checkpoint.Checkpoint) error
	// Hold writes the step, the run as held, and the approval that it waits for, with what h pins; it returns the approval's id.
	Hold(ctx context.Context, r checkpoint.Run, c checkpoint.Checkpoint, h *governance.Held) (approvalID string, err error)
}

// Journal makes a run durable. A turn supplies one; every write of it is conditional on the turn's lease, and an error of
// any means that the write did not happen. What Open, Stage and Done are given is written with the run's next write, which
// may be the record of an effect that is about to run.
type Journal interface {
	Halter
	// Open announces a run that begins.
	Open(r checkpoint.Run)
	// Stage hands over the step that a resume closed. Until it is written the run can go back to what it waited for.
	Stage(c checkpoint.Checkpoint)
	// Done notes the result of an effect that ran.
	Done(key string, result []byte, failed bool)
	// Step writes a closed step.
	Step(ctx context.Context, r checkpoint.Run, c checkpoint.Checkpoint) error
	// Stop writes where the run ended, with its last step where c is not nil. A run whose resume wrote nothing goes back to where it
	// stood instead, and Stop reports true.
	Stop(ctx context.Context, r checkpoint.Run, c *checkpoint.Checkpoint) (back bool, err error)
	// Effects returns what the ledger has of a run.
	Effects(ctx context.Context, runID string) ([]checkpoint.Effect, error)
	// Settle records what a probe found out about an effect that was cut off.
	Settle(ctx context.Context, key string, happened bool, by string) error
}
