package iris_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/llm"
)

// readSteps is a store that notes from which step on steps are read.
type readSteps struct {
	iris.Store
	from *[]int
}

type readCheckpoints struct {
	checkpoint.Store
	from *[]int
}

func (s readSteps) Checkpoints() checkpoint.Store {
	return readCheckpoints{s.Store.Checkpoints(), s.from}
}

func (c readCheckpoints) Steps(ctx context.Context, runID string, from int) ([]checkpoint.Checkpoint, error) {
	*c.from = append(*c.from, from)
	return c.Store.Steps(ctx, runID, from)
}

func looking() iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: "look", Description: "looks", Effect: iris.ReadOnly}, func(context.Context, struct{}) (string, error) { return "seen", nil })
}

// lookTwice is a model that looks twice, asks, and then does what it is told next.
func lookTwice() *iristest.ScriptedModel {
	return iristest.Model().Call("look", nil).Call("look", nil).AskUser("Which?")
}

func TestAResumeReadsTheLastRowAlone(t *testing.T) {
	t.Parallel()
	var requests []llm.Request // the resumed model's, of each case
	for _, tt := range []struct {
		name  string
		since func(t *testing.T, h *iristest.Harness, run string) // what happens before the answer
		want  []int
	}{
		{"remembered", func(*testing.T, *iristest.Harness, string) {}, []int{2}},
		{"another process", func(_ *testing.T, h *iristest.Harness, _ string) { h.Restart(nil) }, []int{0}},
		{"the row was changed", func(t *testing.T, h *iristest.Harness, run string) {
			rows, err := h.Store.Checkpoints().Steps(t.Context(), run, 2)
			if err != nil {
				t.Fatal(err)
			}
			damage(t, h, run, " "+string(rows[0].Payload))
		}, []int{2, 0}},
		{"another process has gone on", func(t *testing.T, h *iristest.Harness, _ string) {
			here := h.Harness
			there, err := iris.New(iris.Config{Store: h.Store, LLM: iristest.Model().AskUser("Which?"), Tools: []iris.Tool{looking()}, Clock: h.Clock.Now})
			if err != nil {
				t.Fatal(err)
			}
			h.Harness = there
			h.Say("that one")
			h.Harness = here
		}, []int{2, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := memstore.New()
			t.Cleanup(func() { _ = store.Close() })
			var from []int
			h := iristest.New(t, lookTwice().Answer("This one."), iristest.Tools(looking()), iristest.Store(readSteps{store, &from}))
			run := h.Say("look around").Runs[0]
			tt.since(t, h, run)
			from = nil
			if r := h.Say("this one"); r.Text != "This one." {
				t.Errorf("reply %q", r.Text)
			}
			if diff := cmp.Diff(tt.want, from); diff != "" {
				t.Errorf("read from these steps on (-want +got):\n%s", diff)
			}
			all := h.Model.Requests()
			requests = append(requests, all[len(all)-1])
		})
	}
	for i := range requests[:3] {
		if diff := cmp.Diff(requests[1], requests[i]); diff != "" {
			t.Errorf("case %d: the model reads (-as read +now):\n%s", i, diff)
		}
	}
}

func TestAFewRunsAreRemembered(t *testing.T) {
	t.Parallel()
	store := memstore.New()
	t.Cleanup(func() { _ = store.Close() })
	var from []int
	model := iristest.Model()
	h := iristest.New(t, model, iristest.Tools(looking()), iristest.Store(readSteps{store, &from}))
	const bound = 256
	for i := range bound + 1 {
		h.Session = fmt.Sprint("s", i)
		model.Call("look", nil).AskUser("Which?")
		h.Say("look around")
	}
	for _, s := range []string{"s0", "s1", fmt.Sprint("s", bound)} {
		h.Session = s
		model.Answer("That one.")
		h.Say("this one")
	}
	if diff := cmp.Diff([]int{0, 1, 1}, from); diff != "" {
		t.Errorf("read from these steps on (-want +got):\n%s", diff)
	}
}

// TestForgetForgetsWhatIsRemembered puts the rows of a forgotten run back, byte for byte: nothing is remembered that would fit them.
func TestForgetForgetsWhatIsRemembered(t *testing.T) {
	t.Parallel()
	store := memstore.New()
	t.Cleanup(func() { _ = store.Close() })
	var from []int
	h := iristest.New(t, lookTwice().Answer("This one."), iristest.Tools(looking()), iristest.Store(readSteps{store, &from}))
	putBack := keepRun(t, h, h.Say("look around").Runs[0])
	if err := h.Forget(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	putBack()
	from = nil
	if r := h.Say("this one"); r.Text != "This one." {
		t.Errorf("reply %q", r.Text)
	}
	if diff := cmp.Diff([]int{0}, from); diff != "" {
		t.Errorf("read from these steps on (-want +got):\n%s", diff)
	}
}

// keepRun copies a paused run, its steps and its question; what it returns puts them back.
func keepRun(t *testing.T, h *iristest.Harness, runID string) (putBack func()) {
	ctx, cps := t.Context(), h.Store.Checkpoints()
	run, err1 := cps.Get(ctx, runID, h.Clock.Now())
	rows, err2 := cps.Steps(ctx, runID, 0)
	question, err3 := h.Store.Continuations().Pending(ctx, "s1", h.Clock.Now())
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return func() {
		err := cps.Begin(ctx, *run)
		for _, c := range rows {
			err = errors.Join(err, cps.Put(ctx, run.Epoch, c))
		}
		_, err1 := cps.Move(ctx, checkpoint.Move{
			RunID: runID, From: []checkpoint.State{checkpoint.Running}, Epoch: run.Epoch, To: run.State, Reason: run.Reason, Asked: run.Asked, At: run.UpdatedAt,
		})
		_, err2 := h.Store.Continuations().Open(ctx, *question)
		if err := errors.Join(err, err1, err2); err != nil {
			t.Fatal(err)
		}
	}
}
