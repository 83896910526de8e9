package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/iris-harness/iris/checkpoint"
)

// runOp is one call.
type runOp struct {
	call   string
	id     string
	to     checkpoint.State
	epoch  int64
	step   int
	closed bool
}

// modelRun is a run as the model has it, with the states of its steps.
type modelRun struct {
	state checkpoint.State
	epoch int64
	steps [2]checkpoint.StepState
}

type modelRuns map[string]modelRun

func runOps() *rapid.Generator[runOp] {
	return rapid.Custom(func(rt *rapid.T) runOp {
		return runOp{
			call: rapid.SampledFrom([]string{"begin", "move", "move", "move", "put", "put", "get"}).Draw(rt, "call"),
			id:   named(rt, "r", 2), to: rapid.SampledFrom(states()).Draw(rt, "to"), epoch: rapid.Int64Range(1, 3).Draw(rt, "epoch"),
			step: rapid.IntRange(0, 1).Draw(rt, "step"), closed: rapid.Bool().Draw(rt, "closed"),
		}
	})
}

func runMachineModel() machine[modelRuns, runOp] {
	return machine[modelRuns, runOp]{
		begin: modelRuns{},
		step: func(s modelRuns, o runOp) (modelRuns, string) {
			s = maps.Clone(s)
			return s, s.step(o)
		},
		do: doRun,
	}
}

func (s modelRuns) step(o runOp) string {
	r, there := s[o.id]
	switch o.call {
	case "begin":
		if there {
			return r.String()
		}
		s[o.id] = modelRun{state: checkpoint.Running, epoch: 1}
		return "begun"
	case "put":
		return s.put(o, r)
	}
	switch {
	case !there:
		return "not found"
	case o.call == "get":
		return r.String()
	case r.epoch != o.epoch || !r.leadsTo(o.to):
		return r.String()
	}
	if r.state = o.to; o.to == checkpoint.Running {
		r.epoch++
	}
	s[o.id] = r
	return "now " + r.String()
}

func (r modelRun) String() string { return fmt.Sprintf("%s at %d", r.state, r.epoch) }

func (r modelRun) leadsTo(to checkpoint.State) bool {
	if r.state == checkpoint.Running {
		return to != checkpoint.Running
	}
	stopped := r.state == checkpoint.Paused || r.state == checkpoint.Held || r.state == checkpoint.Failed
	return stopped && (to == checkpoint.Running || to == checkpoint.Ended)
}

func (s modelRuns) put(o runOp, r modelRun) string {
	switch {
	case r.state != checkpoint.Running || r.epoch != o.epoch:
		return "fenced"
	case r.steps[o.step] == checkpoint.ClosedStep:
		return "closed"
	}
	r.steps[o.step] = stepState(o)
	s[o.id] = r
	return "put"
}

func stepState(o runOp) checkpoint.StepState {
	if o.closed {
		return checkpoint.ClosedStep
	}
	return checkpoint.OpenStep
}

// doRun does o on a store and says what came of it, in the model's words.
func doRun(t TB, s Store, prefix string, o runOp) string {
	ctx := t.Context()
	r := run("s", prefix+o.id)
	switch o.call {
	case "begin":
		if err := s.Checkpoints().Begin(ctx, r); err != nil {
			return runWord(err)
		}
		return "begun"
	case "put":
		c := step(r, o.step, "{}")
		c.State = stepState(o)
		if err := s.Checkpoints().Put(ctx, o.epoch, c); err != nil {
			return runWord(err)
		}
		return "put"
	case "get":
		got, err := s.Checkpoints().Get(ctx, r.ID, start())
		if err != nil {
			return runWord(err)
		}
		return stands(got)
	}
	got, err := s.Checkpoints().Move(ctx, checkpoint.Move{RunID: r.ID, From: states(), Epoch: o.epoch, To: o.to, At: at(time.Minute)})
	if err != nil {
		return runWord(err)
	}
	return "now " + stands(got)
}

func stands(r *checkpoint.Run) string { return fmt.Sprintf("%s at %d", r.State, r.Epoch) }

func runWord(err error) string {
	var there *checkpoint.StateError
	switch {
	case errors.As(err, &there):
		return stands(&there.Run)
	case errors.Is(err, checkpoint.ErrNotFound):
		return "not found"
	case errors.Is(err, checkpoint.ErrFenced):
		return "fenced"
	case errors.Is(err, checkpoint.ErrClosedStep):
		return "closed"
	}
	return err.Error()
}

func (s modelRuns) String() string {
	text := ""
	for _, id := range slices.Sorted(maps.Keys(s)) {
		text += fmt.Sprintf("%s %v %v ", id, s[id], s[id].steps)
	}
	return text
}
