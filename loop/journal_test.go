package loop_test

import (
	"context"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/loop"
)

// discard is a journal that keeps nothing.
type discard struct{}

var _ loop.Journal = discard{}

func (discard) Open(checkpoint.Run)                                                {}
func (discard) Stage(checkpoint.Checkpoint)                                        {}
func (discard) Done(string, []byte, bool)                                          {}
func (discard) Step(context.Context, checkpoint.Run, checkpoint.Checkpoint) error  { return nil }
func (discard) Pause(context.Context, checkpoint.Run, checkpoint.Checkpoint) error { return nil }
func (discard) Effects(context.Context, string) ([]checkpoint.Effect, error)       { return nil, nil }
func (discard) Settle(context.Context, string, bool, string) error                 { return nil }
func (discard) Stop(context.Context, checkpoint.Run, *checkpoint.Checkpoint) (bool, error) {
	return false, nil
}
func (discard) Hold(context.Context, checkpoint.Run, checkpoint.Checkpoint, *governance.Held) (string, error) {
	return "approval", nil
}
