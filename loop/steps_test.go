package loop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

// end is where a run stands, as far as a table compares it.
type end struct {
	State  checkpoint.State
	Reason checkpoint.Reason
	Err    error
}

func (e end) check(t *testing.T, fin loop.Finished) {
	t.Helper()
	if fin.Run.State != e.State || fin.Run.Reason != e.Reason || !errors.Is(fin.Err, e.Err) || e.Err == nil && fin.Err != nil {
		t.Errorf("the run is %s (%s), err %v; want %s (%s), err %v", fin.Run.State, fin.Run.Reason, fin.Err, e.State, e.Reason, e.Err)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		model *iristest.ScriptedModel
		with  []func(a *agent)
		text  string
		end   end
		ran   []string
		rows  []string
		calls int
	}{
		{
			name: "an answer", model: iristest.Model().Answer("hello"),
			text: "hello", end: end{State: checkpoint.Done}, rows: []string{"closed"}, calls: 1,
		},
		{
			name: "a read, an effect, an answer", model: iristest.Model().Call("look", `{"text":"a"}`).Call("write", `{"text":"b"}`).Answer("done"),
			text: "done", end: end{State: checkpoint.Done}, ran: []string{"look a", "write b"}, rows: []string{"closed", "closed", "closed"}, calls: 3,
		},
		{
			name: "text beside calls does not end the run", model: iristest.Model().Reply(llm.Message{Text: "let me see", Calls: []llm.Call{tcall("look", "a")}}).Answer("seen"),
			text: "seen", end: end{State: checkpoint.Done}, ran: []string{"look a"}, rows: []string{"closed", "closed"}, calls: 2,
		},
		{
			name: "the step limit", model: iristest.Model().Call("look", `{"text":"1"}`).Call("look", `{"text":"2"}`).Call("look", `{"text":"3"}`),
			with: []func(*agent){limits(loop.Limits{Steps: 2})}, text: "I stopped here: this took more steps or more time than I may use for one task.",
			end: end{checkpoint.Failed, checkpoint.Limit, loop.ErrLimit}, ran: []string{"look 1", "look 2"}, rows: []string{"closed", "closed"}, calls: 2,
		},
		{
			name: "the model fails", model: iristest.Model().Call("look", nil).Fail(errDisk), text: "I could not finish this: the language model did not give a usable reply.",
			end: end{checkpoint.Failed, checkpoint.ModelError, errDisk}, ran: []string{"look "}, rows: []string{"closed"}, calls: 2,
		},
		{
			name: "a denial at pre_llm ends the run", model: iristest.Model().Answer("never"),
			with: []func(*agent){hook(governance.PreLLM, func(governance.Subject) governance.Decision { return governance.Deny("not today") })},
			text: "I stopped here: not today.", end: end{checkpoint.Ended, checkpoint.Denied, governance.ErrDenied}, calls: 0,
		},
		{
			name: "a denial at pre_tool is the call's result", model: iristest.Model().Call("write", `{"text":"a"}`).Answer("I may not"),
			with: []func(*agent){hook(governance.PreTool, func(governance.Subject) governance.Decision { return governance.Deny("not today") })},
			text: "I may not", end: end{State: checkpoint.Done}, rows: []string{"closed", "closed"}, calls: 2,
		},
		{
			name: "a denial at post_step ends the run, and the step is kept", model: iristest.Model().Call("write", `{"text":"a"}`).Answer("never"),
			with: []func(*agent){hook(governance.PostStep, func(governance.Subject) governance.Decision { return governance.Deny("enough") })},
			text: "I stopped here: enough.", end: end{checkpoint.Ended, checkpoint.Denied, governance.ErrDenied}, ran: []string{"write a"}, rows: []string{"closed"}, calls: 1,
		},
		{
			name: "three equal calls", model: iristest.Model().Call("look", nil).Call("look", nil).Call("look", nil).Answer("never"),
			text: "I stopped here: look was called 3 times with the same arguments.",
			end:  end{checkpoint.Ended, checkpoint.Denied, governance.ErrDenied}, ran: []string{"look ", "look ", "look "}, rows: []string{"closed", "closed", "closed"}, calls: 3,
		},
		{
			name: "three failures in a row, of whatever kind", model: iristest.Model().Call("nothing", nil).Call("look", `{"txet":1}`).Call("ask_user", `{"question":" "}`).Answer("never"),
			text: "I stopped here: 3 tool calls in a row failed.",
			end:  end{checkpoint.Ended, checkpoint.Denied, governance.ErrDenied}, rows: []string{"closed", "closed", "closed"}, calls: 3,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, tt.model, tt.with...)
			fin := a.do(a.task())
			tt.end.check(t, fin)
			if fin.Text != tt.text {
				t.Errorf("it says %q, want %q", fin.Text, tt.text)
			}
			if diff := cmp.Diff(tt.ran, a.ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.rows, a.rows()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if a.model.Calls() != tt.calls {
				t.Errorf("the model was called %d times, want %d", a.model.Calls(), tt.calls)
			}
		})
	}
}

func TestTheModelSeesEveryStep(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("look", `{"text":"a"}`).Call("write", `{"text":"b"}`).Answer("done"))
	a.config.Instructions = "be brief"
	a.build()
	task := a.task()
	task.History = []llm.Message{{Role: llm.User, Text: "hi"}, {Role: llm.Assistant, Text: "hello"}}
	a.do(task)
	var got []string
	for _, m := range a.model.Requests()[2].Messages {
		got = append(got, fmt.Sprintf("%s %s%d", m.Role, m.Text, len(m.Calls)))
	}
	want := []string{"system be brief0", "user hi0", "assistant hello0", "user tidy up0", "assistant 1", "tool did a0", "assistant 1", "tool did b0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the last request (-want +got):\n%s", diff)
	}
}

func TestEveryCallHasItsResult(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Reply(multi(tcall("look", "a"), tcall("nothing", "b"), llm.Call{Name: "look", Args: []byte(`{"text":`)}, llm.Call{Name: "look", Args: []byte(`[1]`)},
		llm.Call{Name: "look", Args: []byte(`{"text":"x","text":"y"}`)}, tcall("delete", "c"))).Answer("done")
	a := newAgent(t, m, hook(governance.PreTool, func(s governance.Subject) governance.Decision {
		if s.Name == "delete" {
			return governance.Deny("no")
		}
		return governance.Allow()
	}), hook(governance.PostStep, func(governance.Subject) governance.Decision { return governance.Allow() }))
	a.do(a.task())
	want := []string{"look ok", "nothing error", "look error", "look error", "look error", "delete denied"}
	if diff := cmp.Diff(want, a.states(0)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestWallClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, iristest.Model().Call("look", nil).Hang(), limits(loop.Limits{WallClock: time.Minute}))
		began := time.Now()
		fin := a.do(a.task())
		end{checkpoint.Failed, checkpoint.Limit, loop.ErrLimit}.check(t, fin)
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %s, want a minute", took)
		}
	})
}

func TestTheCallersDeadlineIsNoLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, iristest.Model().Hang())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		fin, err := a.stream(ctx, a.task())
		if err != nil {
			t.Fatal(err)
		}
		end{checkpoint.Failed, checkpoint.Interrupted, context.DeadlineExceeded}.check(t, fin)
	})
}

func TestStepTooLarge(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", checkpoint.MaxStep)
	for _, tt := range []struct {
		name  string
		reply llm.Message
		state checkpoint.State
		ran   []string
	}{
		{"an answer", llm.Message{Text: big}, checkpoint.Failed, nil},
		{"a call", llm.Message{Text: big, Calls: []llm.Call{tcall("write", "a")}}, checkpoint.Failed, []string{"write a"}},
		{"a held call", llm.Message{Text: big, Calls: []llm.Call{tcall("delete", "a")}}, checkpoint.Failed, nil},
		{"a question is asked all the same", llm.Message{Text: big, Calls: []llm.Call{askCall("Which?", "A", "B")}}, checkpoint.Ended, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Reply(tt.reply))
			fin := a.do(a.task())
			end{tt.state, checkpoint.Limit, checkpoint.ErrTooLarge}.check(t, fin)
			if diff := cmp.Diff(tt.ran, a.ran.list()); diff != "" || len(a.tape.steps) != 0 {
				t.Errorf("%d rows; ran (-want +got):\n%s", len(a.tape.steps), diff)
			}
			if tt.state == checkpoint.Ended && fin.Text != "Which?\n1. A\n2. B" {
				t.Errorf("it asks %q", fin.Text)
			}
			if tt.state == checkpoint.Failed && !strings.Contains(fin.Text, "more than I can keep") {
				t.Errorf("it says %q", fin.Text)
			}
		})
	}
}

// TestUnwritten holds that nothing is shown of what could not be written: the caller gets the error.
func TestUnwritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fail  string
		model *iristest.ScriptedModel
		with  []func(a *agent)
		ran   []string
	}{
		{fail: "step", model: iristest.Model().Call("look", nil).Answer("never"), ran: []string{"look "}},
		{fail: "start", model: iristest.Model().Call("write", nil).Answer("never")},
		{fail: "stop", model: iristest.Model().Answer("never")},
		{fail: "pause", model: iristest.Model().AskUser("Which?")},
		{fail: "hold", model: iristest.Model().Call("delete", nil)},
		{fail: "record pre_tool", model: iristest.Model().Call("delete", nil)},
		{fail: "record pre_llm", model: iristest.Model().Answer("never"), with: []func(*agent){hook(governance.PreLLM, func(governance.Subject) governance.Decision { return governance.Deny("no") })}},
		{fail: "record post_step", model: iristest.Model().Call("look", nil), with: []func(*agent){hook(governance.PostStep, func(governance.Subject) governance.Decision { return governance.Deny("no") })}, ran: []string{"look "}},
		{fail: "record post_tool", model: iristest.Model().Call("look", nil), with: []func(*agent){hook(governance.PostTool, func(governance.Subject) governance.Decision { return governance.Deny("no") })}, ran: []string{"look "}},
	} {
		t.Run(tt.fail, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, tt.model, tt.with...)
			a.tape.fail[tt.fail] = errDisk
			fin, err := a.stream(t.Context(), a.task())
			if !errors.Is(err, errDisk) || fin.Text != "" {
				t.Errorf("got %q, %v; want the disk's error alone", fin.Text, err)
			}
			if diff := cmp.Diff(tt.ran, a.ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			if a.model.Calls() > 1 {
				t.Error("the run went on")
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	use := func(n int64) *llm.Chunk { return &llm.Chunk{Usage: &llm.Usage{Input: n, Cost: n}} }
	call := &llm.Chunk{Calls: []llm.Call{askCall("Which?")}}
	m := iristest.Model().Stream(use(1), use(2), call).Stream(use(10), &llm.Chunk{Text: "done"})
	var whole []int64
	a := newAgent(t, m, hook(governance.PostStep, func(s governance.Subject) governance.Decision {
		whole = append(whole, s.Step.Run.Usage.Input)
		return governance.Allow()
	}))
	first := a.do(a.task())
	second := a.do(a.answered("A"))
	if first.Usage.Input != 3 || second.Usage.Input != 10 {
		t.Errorf("the executions used %d and %d, want 3 and 10", first.Usage.Input, second.Usage.Input)
	}
	if diff := cmp.Diff([]int64{3, 13}, whole); diff != "" {
		t.Errorf("the signals are told of the whole run (-want +got):\n%s", diff)
	}
}

func TestACoreUsedAlone(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Call("write", `{"text":"a"}`).Call("delete", `{"text":"b"}`).AskUser("Which?", "A", "B")
	a := newAgent(t, m)
	task := a.task()
	task.Journal = nil
	fin := a.do(task)
	if fin.Run.State != checkpoint.Ended || fin.Text != "Which?\n1. A\n2. B" {
		t.Errorf("%s %q, want the question as the last answer", fin.Run.State, fin.Text)
	}
	if diff := cmp.Diff([]string{"write a"}, a.ran.list()); diff != "" {
		t.Errorf("nothing can hold the destructive call (-want +got):\n%s", diff)
	}
	if !strings.Contains(a.prompt(2), "nothing here can hold it") {
		t.Errorf("the model is told %q", a.prompt(2))
	}
}
