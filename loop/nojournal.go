package loop

import (
	"context"
	"errors"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
)

// errNoJournal degrades a pause or a hold of a core that is used alone: nothing could take it up again.
var errNoJournal = errors.New("loop: no journal: the run cannot wait")

// noJournal keeps nothing.
type noJournal struct{}

var _ Journal = noJournal{}

func (noJournal) Open(checkpoint.Run) {}
func (noJournal) Step(context.Context, checkpoint.Run, checkpoint.Checkpoint) error {
	return nil
}
func (noJournal) Stop(context.Context, checkpoint.Run, *checkpoint.Checkpoint) (bool, error) {
	return false, nil
}
func (noJournal) Stage(checkpoint.Checkpoint) {}
func (noJournal) Pause(context.Context, checkpoint.Run, checkpoint.Checkpoint) error {
	return errNoJournal
}
func (noJournal) Hold(context.Context, checkpoint.Run, checkpoint.Checkpoint, *governance.Held) (string, error) {
	return "", errNoJournal
}
func (noJournal) Done(string, []byte, bool) {}
func (noJournal) Effects(context.Context, string) ([]checkpoint.Effect, error) {
	return nil, nil
}
func (noJournal) Settle(context.Context, string, bool, string) error { return nil }
