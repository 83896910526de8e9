package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/pipeline"
)

// The tests of this file run the loop over the journal of a real turn, with a store.

var person = iris.Principal{ID: "u1"}

func noting(name string, effect governance.Effect, ran *calls, run func(ctx context.Context, text string) (string, error)) iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: name, Description: "x", Effect: effect}, func(ctx context.Context, in textIn) (string, error) {
		ran.add(name + " " + in.Text)
		if run == nil {
			return "did " + in.Text, nil
		}
		return run(ctx, in.Text)
	})
}

func theRun(t *testing.T, h *iristest.Harness) checkpoint.Run {
	t.Helper()
	runs, err := h.Runs(t.Context(), h.Session, "", 10)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[0]
}

func approve(t *testing.T, h *iristest.Harness, id string) {
	t.Helper()
	out, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: person})
	if err != nil || !out.Resumed {
		t.Fatalf("approved: %+v, %v", out, err)
	}
}

// TestDurableResumeThatFails holds that run and question are as they were where a resume failed before its first write, and that the answer
// is used up where it failed later.
func TestDurableResumeThatFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		model func(m *iristest.ScriptedModel) *iristest.ScriptedModel
		back  bool
	}{
		{"before its first write", func(m *iristest.ScriptedModel) *iristest.ScriptedModel { return m.Fail(errDisk) }, true},
		{"after it", func(m *iristest.ScriptedModel) *iristest.ScriptedModel {
			return m.Call("write", `{"text":"x"}`).Fail(errDisk)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var ran calls
			h := iristest.New(t, tt.model(iristest.Model().AskUser("Neo4j or Stardog?")).Answer("done"), iristest.Tools(noting("write", iris.Write, &ran, nil)))
			asked := h.Say("compare").Asked
			_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: h.Session, Message: "Neo4j"})
			var failed *iris.TurnError
			if !errors.As(err, &failed) || failed.Happened == tt.back || !errors.Is(err, errDisk) {
				t.Fatalf("the turn: %v", err)
			}
			run, waits := theRun(t, h), h.Pending()
			if !tt.back {
				if run.State != checkpoint.Failed || waits != nil {
					t.Errorf("the run is %s, %+v waits", run.State, waits)
				}
				if reply, err := h.Resume(t.Context(), run.ID); err != nil || reply.Text != "done" {
					t.Errorf("resumed: %q, %v", reply.Text, err)
				}
				return
			}
			if run.State != checkpoint.Paused || waits == nil || waits.ID != asked.ID {
				t.Fatalf("the run is %s, %+v waits", run.State, waits)
			}
			if got := h.Say("Neo4j").Text; got != "done" {
				t.Errorf("answered again: %q", got)
			}
			if run = theRun(t, h); run.State != checkpoint.Done {
				t.Errorf("the run is %s", run.State)
			}
		})
	}
}

// TestDurableAmbiguity is an effect that was cut off, through the one door.
func TestDurableAmbiguity(t *testing.T) {
	t.Parallel()
	for _, happened := range []bool{true, false} {
		t.Run(fmt.Sprint(happened), func(t *testing.T) {
			t.Parallel()
			var ran calls
			send := noting("send", iris.Write, &ran, func(context.Context, string) (string, error) { return "", iris.ErrOutcomeUnknown })
			h := iristest.New(t, iristest.Model().Call("send", `{"text":"x"}`).Fail(errDisk).Answer("done"), iristest.Tools(send))
			if _, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: h.Session, Message: "send it"}); err == nil {
				t.Fatal("the turn did not fail")
			}
			run := theRun(t, h)
			_, err := h.Resume(t.Context(), run.ID)
			var refused *loop.AmbiguousEffectError
			if !errors.As(err, &refused) || !errors.Is(err, iris.ErrAmbiguousEffect) || len(refused.Keys) != 1 || refused.Tools[0] != "send" {
				t.Fatalf("Resume: %v, want it refused by name", err)
			}
			if theRun(t, h).State != checkpoint.Failed || h.Model.Calls() != 2 {
				t.Errorf("the run is %s after %d model calls", theRun(t, h).State, h.Model.Calls())
			}
			if err := h.Settle(t.Context(), refused.Keys[0], happened, person); err != nil {
				t.Fatal(err)
			}
			if reply, err := h.Resume(t.Context(), run.ID); err != nil || reply.Text != "done" {
				t.Fatalf("Resume: %q, %v", reply.Text, err)
			}
			want := "did not happen"
			if happened {
				want = "did happen"
			}
			if got := h.Model.Prompt(2); !strings.Contains(got, want) {
				t.Errorf("the model is told %q, want %q in it", got, want)
			}
		})
	}
}

// TestDurableTransform holds that a redacted call is approved, pinned and run as it was shown.
func TestDurableTransform(t *testing.T) {
	t.Parallel()
	var ran calls
	h := iristest.New(t, iristest.Model().Call("rm", `{"text":"token x"}`).Answer("done"), iristest.Tools(noting("rm", iris.Destructive, &ran, nil)), iristest.With(func(c *iris.Config) {
		c.Hooks = append(c.Hooks, iris.Hook{Name: "redact", At: governance.PreTool, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
			return governance.TransformArgs(json.RawMessage(strings.ReplaceAll(string(s.Call.Args), "token ", "")), "redacted")
		}})
	}))
	approve(t, h, h.Say("clean up").Approvals[0])
	if diff := cmp.Diff([]string{"rm x"}, ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}

// TestDurableHolds takes a run that is held at each point through its approval, in another process.
func TestDurableHolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		at      governance.Point
		held    func(m *iristest.ScriptedModel) *iristest.ScriptedModel
		then    func(m *iristest.ScriptedModel) *iristest.ScriptedModel
		step    int
		ran     []string
		answers string
	}{
		{governance.PreLLM, func(m *iristest.ScriptedModel) *iristest.ScriptedModel { return m.Call("write", `{"text":"0"}`) },
			func(m *iristest.ScriptedModel) *iristest.ScriptedModel {
				return m.Call("write", `{"text":"1"}`).Answer("done")
			}, 1, []string{"write 0", "write 1"}, "done"},
		{governance.PreTool, func(m *iristest.ScriptedModel) *iristest.ScriptedModel {
			return m.Call("write", `{"text":"0"}`).Call("write", `{"text":"1"}`)
		},
			func(m *iristest.ScriptedModel) *iristest.ScriptedModel { return m.Answer("done") }, 1, []string{"write 0", "write 1"}, "done"},
		{governance.PostStep, func(m *iristest.ScriptedModel) *iristest.ScriptedModel {
			return m.Call("write", `{"text":"0"}`).Call("write", `{"text":"1"}`)
		},
			func(m *iristest.ScriptedModel) *iristest.ScriptedModel { return m.Answer("done") }, 1, []string{"write 0", "write 1"}, "done"},
		{governance.PostStep, func(m *iristest.ScriptedModel) *iristest.ScriptedModel { return m.Answer("the answer") },
			func(m *iristest.ScriptedModel) *iristest.ScriptedModel { return m }, 0, nil, "the answer"},
	} {
		t.Run(fmt.Sprint(tt.at, tt.step), func(t *testing.T) {
			t.Parallel()
			var ran calls
			asked := 0
			gate := iris.Hook{Name: "gate", At: tt.at, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
				if s.StepID != tt.step {
					return governance.Allow()
				}
				asked++
				return governance.RequireApproval("look at this")
			}}
			h := iristest.New(t, tt.held(iristest.Model()), iristest.Tools(noting("write", iris.Write, &ran, nil)), iristest.With(func(c *iris.Config) { c.Hooks = append(c.Hooks, gate) }))
			held := h.Say("do it")
			if len(held.Approvals) != 1 || theRun(t, h).State != checkpoint.Held {
				t.Fatalf("it is not held: %+v", held)
			}
			h.Restart(tt.then(iristest.Model()))
			approve(t, h, held.Approvals[0])
			if run := theRun(t, h); run.State != checkpoint.Done {
				t.Errorf("the run is %s", run.State)
			}
			if diff := cmp.Diff(tt.ran, ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			req, err := h.Approvals().Get(t.Context(), held.Approvals[0])
			if err != nil || req.ConsumedAt.IsZero() {
				t.Errorf("the approval is not used up: %v", err)
			}
			if want := map[governance.Point]int{governance.PreLLM: 2, governance.PreTool: 2, governance.PostStep: 1}[tt.at]; asked != want {
				t.Errorf("the hook was asked %d times about the step, want %d", asked, want)
			}
			if _, err := h.Resume(t.Context(), theRun(t, h).ID); !errors.Is(err, iris.ErrCannotResume) {
				t.Errorf("taken up again: %v", err)
			}
		})
	}
}

// TestDurableInterruptedRelease holds that approved calls that were not reached can be run later, each once, under the one approval.
func TestDurableInterruptedRelease(t *testing.T) {
	t.Parallel()
	var ran calls
	var h *iristest.Harness
	rm := noting("rm", iris.Destructive, &ran, func(_ context.Context, text string) (string, error) {
		if text == "1" {
			h.Stop(context.Background(), h.Session)
		}
		return "did " + text, nil
	})
	h = iristest.New(t, iristest.Model().Reply(multi(tcall("rm", "1"), tcall("rm", "2"))).Answer("done"), iristest.Tools(rm))
	id := h.Say("clean up").Approvals[0]
	out, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: person})
	if err != nil || out.Resumed {
		t.Fatalf("%+v, %v; want it answered, and not resumed", out, err)
	}
	if run := theRun(t, h); run.State != checkpoint.Held || run.ApprovalID != id {
		t.Fatalf("the run is %s for %q", run.State, run.ApprovalID)
	}
	if reply, err := h.Resume(t.Context(), theRun(t, h).ID); err != nil || reply.Text != "done" {
		t.Fatalf("taken up again: %q, %v", reply.Text, err)
	}
	if diff := cmp.Diff([]string{"rm 1", "rm 2"}, ran.list()); diff != "" {
		t.Errorf("each ran once (-want +got):\n%s", diff)
	}
}

// TestDurableToolThatTakesTurns is a tool that calls Turn: on its own session it is refused, on another it is nobody's.
func TestDurableToolThatTakesTurns(t *testing.T) {
	t.Parallel()
	var h *iristest.Harness
	var own, other error
	var systemAsked bool
	turn := noting("turn", iris.ReadOnly, new(calls), func(ctx context.Context, text string) (string, error) {
		_, own = h.Turn(ctx, iris.TurnRequest{SessionID: h.Session, Message: "again"})
		var r iris.Reply
		r, other = h.Turn(ctx, iris.TurnRequest{SessionID: "other", Message: "yes"})
		return r.Text, nil
	})
	h = iristest.New(t, llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
		last := req.Messages[len(req.Messages)-1]
		switch {
		case last.Text == "begin":
			return multi(tcall("turn", "")), nil
		case last.Text == "yes":
			return llm.Message{Text: "heard"}, nil
		}
		return llm.Message{Text: "done: " + last.Text}, nil
	}), iristest.Tools(turn), iristest.With(func(c *iris.Config) {
		c.Hooks = append(c.Hooks, iris.Hook{Name: "who", At: governance.PreTurn, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
			if s.SessionID == "other" {
				systemAsked = s.System
			}
			return governance.Allow()
		}})
	}))
	if got := h.Say("begin").Text; got != "done: heard" {
		t.Errorf("the turn: %q", got)
	}
	if !errors.Is(own, iris.ErrReentrant) || other != nil || !systemAsked {
		t.Errorf("its own session: %v; another: %v, a System turn: %v", own, other, systemAsked)
	}
}

// TestDurablePanicsStayAtHome holds that what panics in one session's turn takes down nobody else's.
func TestDurablePanicsStayAtHome(t *testing.T) {
	t.Parallel()
	inside, release := make(chan struct{}), make(chan struct{})
	wait := noting("wait", iris.ReadOnly, new(calls), func(context.Context, string) (string, error) {
		close(inside)
		<-release
		return "waited", nil
	})
	boom := noting("boom", iris.Write, new(calls), func(context.Context, string) (string, error) { panic("boom") })
	h := iristest.New(t, llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
		last := req.Messages[len(req.Messages)-1]
		switch {
		case last.Role == llm.Tool:
			return llm.Message{Text: "done: " + last.Text}, nil
		case last.Text == "model":
			panic("boom")
		}
		return multi(tcall(last.Text, "")), nil
	}), iristest.Tools(wait, boom))
	quiet := make(chan string)
	go func() {
		r, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "quiet", Message: "wait"})
		quiet <- fmt.Sprint(r.Text, err)
	}()
	<-inside
	if _, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "loud", Message: "model"}); err == nil {
		t.Error("a model that panicked gave an answer")
	}
	if got := h.MustTurn(iris.TurnRequest{SessionID: "loud", Message: "boom"}).Text; !strings.Contains(got, "not known") {
		t.Errorf("a tool that panicked: %q", got)
	}
	close(release)
	if got := <-quiet; got != "done: waited<nil>" {
		t.Errorf("the other session: %s", got)
	}
}

type twoTasks struct{ n int }

func (p twoTasks) Plan(context.Context, pipeline.Inbound, pipeline.Intent) ([][]pipeline.PlannedTask, error) {
	wave := make([]pipeline.PlannedTask, p.n)
	for i := range wave {
		wave[i] = pipeline.PlannedTask{Text: fmt.Sprint("task ", i)}
	}
	return [][]pipeline.PlannedTask{wave}, nil
}

// TestDurableWave holds that the runs of tasks that run at the same time are whole: they write through one turn's journal. Run it with -race.
func TestDurableWave(t *testing.T) {
	t.Parallel()
	const tasks, steps = 6, 8
	var n atomic.Int64
	write := noting("write", iris.Write, new(calls), func(context.Context, string) (string, error) { n.Add(1); return "ok", nil })
	h := iristest.New(t, llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
		if made := len(req.Messages) / 2; made < steps {
			return multi(tcall("write", fmt.Sprint(made))), nil
		}
		return llm.Message{Text: "done"}, nil
	}), iristest.Tools(write), iristest.With(func(c *iris.Config) { c.Planner = twoTasks{tasks} }))
	r := h.Say("all of it")
	if len(r.Runs) != tasks || n.Load() != tasks*steps {
		t.Fatalf("%d runs, %d effects", len(r.Runs), n.Load())
	}
	for _, id := range r.Runs {
		rows, err := h.Store.Checkpoints().Steps(t.Context(), id, 0)
		effects, eerr := h.Store.Ledger().Effects(t.Context(), id)
		if err != nil || eerr != nil || len(rows) != steps+1 || len(effects) != steps {
			t.Fatalf("run %s: %d rows, %d effects, %v, %v", id, len(rows), len(effects), err, eerr)
		}
		for _, e := range effects {
			if e.State != checkpoint.Finished {
				t.Errorf("effect %s is %s", e.Key, e.State)
			}
		}
	}
}

// TestDurableBreakingOut holds that a turn whose consumer leaves is consistent: its run can be taken up, and the next turn works.
func TestDurableBreakingOut(t *testing.T) {
	t.Parallel()
	var ran calls
	h := iristest.New(t, iristest.Model().Call("write", `{"text":"1"}`).Call("write", `{"text":"2"}`).Answer("done"), iristest.Tools(noting("write", iris.Write, &ran, nil)))
	left := false
	for ev, err := range h.Stream(t.Context(), iris.TurnRequest{SessionID: h.Session, Message: "go"}) {
		if left {
			t.Errorf("%v, %v after it had left", ev, err)
		}
		if _, ok := ev.(loop.ToolStarted); ok {
			left = true
			break
		}
	}
	run := theRun(t, h)
	if run.State != checkpoint.Failed || run.Reason != checkpoint.Interrupted {
		t.Fatalf("the run is %s (%s)", run.State, run.Reason)
	}
	if reply, err := h.Resume(t.Context(), run.ID); err != nil || reply.Text != "done" {
		t.Errorf("taken up: %q, %v", reply.Text, err)
	}
	if diff := cmp.Diff([]string{"write 1", "write 2"}, ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}
