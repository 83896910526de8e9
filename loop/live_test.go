package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

// remembered is an agent that has looked a few times and then asked, and what the process remembers of its run.
func remembered(t *testing.T) (*agent, *loop.Live) {
	model := iristest.Model()
	for i := range 5 {
		model.Call("look", textIn{fmt.Sprint(i)})
	}
	a := newAgent(t, model.AskUser("Which?"))
	live := a.do(a.task()).Live
	if live == nil || live.Last.StepID != 5 || live.Bytes() == 0 {
		t.Fatalf("remembered: %+v", live)
	}
	return a, live
}

func TestARememberedRunIsTheOneOfItsLastRow(t *testing.T) {
	t.Parallel()
	a, live := remembered(t)
	for name, change := range map[string]func(run *checkpoint.Run, row *checkpoint.Checkpoint){
		"another run": func(run *checkpoint.Run, _ *checkpoint.Checkpoint) { run.ID = "x" },
		"another question": func(run *checkpoint.Run, _ *checkpoint.Checkpoint) {
			run.Asked = &checkpoint.Asked{CallID: "x", StepID: 5}
		},
		"another step": func(_ *checkpoint.Run, row *checkpoint.Checkpoint) { row.StepID++ },
		"it is closed": func(_ *checkpoint.Run, row *checkpoint.Checkpoint) { row.State = checkpoint.ClosedStep },
		"other bytes":  func(_ *checkpoint.Run, row *checkpoint.Checkpoint) { row.Payload = append([]byte(" "), row.Payload...) },
	} {
		run, row := a.tape.run, a.tape.steps[5]
		change(&run, &row)
		if _, err := live.Seed(run, []checkpoint.Checkpoint{row}); err == nil {
			t.Errorf("%s: it is taken for the run", name)
		}
	}
	row := a.tape.steps[5]
	for _, rows := range [][]checkpoint.Checkpoint{nil, {row, row}} {
		if _, err := live.Seed(a.tape.run, rows); err == nil {
			t.Errorf("%d rows are taken for the last one", len(rows))
		}
	}
	if _, err := live.Seed(a.tape.run, a.tape.steps[5:]); err != nil {
		t.Errorf("unchanged: %v", err)
	}
}

// conversation is all that the model was told in one call.
func (a *agent) conversation(n int) string {
	var b strings.Builder
	for _, m := range a.model.Requests()[n].Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// TestARememberedRunIsNotShared takes one up twice at a time, as nothing should: neither sees what the other adds.
func TestARememberedRunIsNotShared(t *testing.T) {
	t.Parallel()
	a, live := remembered(t)
	resume := func(reply string, model *iristest.ScriptedModel) *agent {
		b := newAgent(t, model)
		b.tape.run, b.tape.steps = a.tape.run, slices.Clone(a.tape.steps)
		seed, err := live.Seed(b.tape.run, b.tape.steps[5:])
		if err != nil {
			t.Fatal(err)
		}
		seed.Reply = fmt.Sprintf("%q", reply)
		task := b.task()
		task.Seed = seed
		end{State: checkpoint.Done}.check(t, b.do(task))
		return b
	}
	first := resume("one", iristest.Model().Func(func(context.Context, *llm.Request) (llm.Message, error) {
		second := resume("two", iristest.Model().Call("look", nil).Answer("Done."))
		if all := second.conversation(1); !strings.Contains(all, "\"two\"") || strings.Contains(all, "\"one\"") {
			t.Errorf("the second reads %s", all)
		}
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "look", nil)}}, nil
	}).Answer("Done."))
	if all := first.conversation(1); !strings.Contains(all, "\"one\"") || strings.Contains(all, "\"two\"") {
		t.Errorf("the first reads %s", all)
	}
}
