package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Stream(&llm.Chunk{Text: "let "}, &llm.Chunk{Text: "me", Calls: []llm.Call{tcall("write", "1"), tcall("look", "2"), tcall("nothing", "3"), tcall("delete", "4")}})
	a := newAgent(t, m.Answer("done"), func(a *agent) { a.config.Drafts = true }, hook(governance.PreTool, func(s governance.Subject) governance.Decision {
		if s.Name == "delete" {
			return governance.Deny("no")
		}
		return governance.Allow()
	}))
	a.do(a.task())
	var got []string
	for _, ev := range a.seen {
		switch e := ev.(type) {
		case loop.Delta:
			got = append(got, fmt.Sprintf("%s %q %v", e.EventType(), e.Text, e.Draft))
		case loop.ToolStarted:
			got = append(got, fmt.Sprintf("%s %d %s", e.EventType(), e.StepID, e.Tool))
		case loop.ToolFinished:
			got = append(got, fmt.Sprintf("%s %d %s %s", e.EventType(), e.StepID, e.Tool, e.State))
		case loop.Finished:
			got = append(got, fmt.Sprintf("%s %q %v", e.EventType(), e.Text, e.Executed))
		}
	}
	want := []string{
		`delta "let " true`, `delta "me" true`, "tool_started 0 look", "tool_finished 0 look ok", "tool_started 0 write", "tool_finished 0 write ok",
		`delta "done" true`, `finished "done" [write]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestDraftsAreOff(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Answer("the secret"), hook(governance.PostStep, func(governance.Subject) governance.Decision { return governance.Deny("no") }))
	a.do(a.task())
	for _, ev := range a.seen {
		if strings.Contains(fmt.Sprint(ev), "secret") {
			t.Errorf("%T shows what nobody has judged", ev)
		}
	}
}

// TestBreakingOut holds that a consumer that stops ranging ends the run at its next step boundary, with the step that was being
// taken on record, and gets nothing more.
func TestBreakingOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		after string // the event that it leaves at
		rows  []string
		ran   []string
		state checkpoint.State
	}{
		{"delta", []string{"closed"}, []string{"look 1", "write 2"}, checkpoint.Failed},
		{"tool_started", []string{"closed"}, []string{"look 1", "write 2"}, checkpoint.Failed},
		{"tool_finished", []string{"closed"}, []string{"look 1", "write 2"}, checkpoint.Failed},
		{"finished", []string{"closed", "closed", "closed"}, []string{"look 1", "write 2", "look 3"}, checkpoint.Done},
	} {
		t.Run(tt.after, func(t *testing.T) {
			t.Parallel()
			m := iristest.Model().Reply(llm.Message{Text: "hm", Calls: []llm.Call{tcall("look", "1"), tcall("write", "2")}}).Call("look", `{"text":"3"}`).Answer("done")
			a := newAgent(t, m, func(a *agent) { a.config.Drafts = true })
			left := false
			for ev, err := range a.core.Stream(t.Context(), a.task()) {
				if left {
					t.Errorf("%v, %v after it had left", ev, err)
				}
				if ev.EventType() == tt.after {
					left = true
					break
				}
			}
			if diff := cmp.Diff(tt.rows, a.rows()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.ran, a.ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			if a.tape.run.State != tt.state {
				t.Errorf("the run is %s, want %s", a.tape.run.State, tt.state)
			}
			if tt.state == checkpoint.Failed {
				if a.tape.run.Reason != checkpoint.Interrupted {
					t.Errorf("it stopped as %s", a.tape.run.Reason)
				}
				end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
			}
		})
	}
}

// TestAConsumerThatPanics holds that the consumer's own panic reaches the consumer.
func TestAConsumerThatPanics(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("look", nil).Answer("never"))
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v", v)
		}
	}()
	for range a.core.Stream(t.Context(), a.task()) {
		panic("mine")
	}
	t.Error("the panic was swallowed")
}

// TestCancelAtEveryPoint cancels the caller's context in the middle of each thing that the loop does. Whatever it was doing, the run ends
// with a Finished, nothing begins any more, no effect is lost, and the run can be taken up.
func TestCancelAtEveryPoint(t *testing.T) {
	t.Parallel()
	points := []string{"before", "pre_llm", "model", "pre_tool", "read", "post_tool read", "effect", "post_tool effect", "post_step", "second model"}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			reached := false
			at := func(p string) {
				if p == point && !reached {
					reached = true
					cancel(errDisk)
				}
			}
			m := iristest.Model().Do(func() { at("model") }, multi(tcall("look", "r"), tcall("write", "1"), tcall("write", "2"))).
				Do(func() { at("second model") }, llm.Message{Text: "done"})
			a := newAgent(t, m, func(a *agent) {
				a.add(loop.ToolSpec{Name: "look", Effect: governance.ReadOnly}, func(context.Context, string) (string, error) { at("read"); return "seen", nil })
				a.add(loop.ToolSpec{Name: "write"}, func(context.Context, string) (string, error) { at("effect"); return "written", nil })
			})
			for _, p := range []governance.Point{governance.PreLLM, governance.PreTool, governance.PostTool, governance.PostStep} {
				hook(p, func(s governance.Subject) governance.Decision {
					switch {
					case p != governance.PostTool:
						at(string(p))
					case s.Name == "look":
						at("post_tool read")
					default:
						at("post_tool effect")
					}
					return governance.Allow()
				})(a)
			}
			a.build()
			at("before")
			fin, err := a.stream(ctx, a.task())
			if err != nil {
				t.Fatalf("it ends with %v, not with a Finished", err)
			}
			if !reached {
				t.Fatal("the point was not reached")
			}
			if point == "second model" && fin.Run.State == checkpoint.Done {
				return // its reply was there already
			}
			end{checkpoint.Failed, checkpoint.Interrupted, errDisk}.check(t, fin)
			for _, e := range a.tape.effects {
				if e.State == checkpoint.Started && !slices.Contains([]string{"effect"}, point) {
					t.Errorf("effect %s is left as %s", e.Args, e.State)
				}
			}
			for i := range a.tape.effects {
				if e := &a.tape.effects[i]; e.State == checkpoint.Started { // cut off: somebody finds out
					_ = a.tape.Settle(t.Context(), e.Key, true, "ops")
				}
			}
			if len(a.tape.steps) == 0 && a.model.Calls() <= 1 {
				return // nothing was written of it: nothing to take up
			}
			began := len(a.tape.effects)
			a.model = iristest.Model().Answer("done")
			a.build()
			end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
			if len(a.tape.effects) != began {
				t.Errorf("the resume ran %v", a.ran.list())
			}
		})
	}
}

// TestAnAnswerThatNobodyJudged holds that an answer whose review was cut off is not on record: the model is asked again.
func TestAnAnswerThatNobodyJudged(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := newAgent(t, iristest.Model().Call("look", nil).Answer("unseen").Answer("done"), hook(governance.PostStep, func(s governance.Subject) governance.Decision {
		if s.StepID == 1 {
			cancel()
		}
		return governance.Allow()
	}))
	fin, err := a.stream(ctx, a.task())
	if err != nil {
		t.Fatal(err)
	}
	end{checkpoint.Failed, checkpoint.Interrupted, context.Canceled}.check(t, fin)
	if diff := cmp.Diff([]string{"closed"}, a.rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if fin = a.do(a.seed(func(*loop.Seed) {})); fin.Text != "done" {
		t.Errorf("it says %q", fin.Text)
	}
}

// TestAResultThatNobodyReviewed holds that a result whose review was cut off is not shown to the model later.
func TestAResultThatNobodyReviewed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := newAgent(t, iristest.Model().Call("write", `{"text":"a secret"}`).Answer("done"), hook(governance.PostTool, func(governance.Subject) governance.Decision {
		cancel()
		return governance.Allow()
	}))
	if fin, err := a.stream(ctx, a.task()); err != nil || fin.Run.State != checkpoint.Failed {
		t.Fatal(fin.Run.State, err)
	}
	if got := a.payload(0).Results[0]; got.Text == "did a secret" && got.State == checkpoint.ResultOK {
		return // the hook's word came first
	}
	a.do(a.seed(func(*loop.Seed) {}))
	if got := a.prompt(1); !strings.Contains(got, "interrupted before its result could be reviewed") {
		t.Errorf("the model is told %q", got)
	}
	if diff := cmp.Diff([]string{`write {"text":"a secret"} finished`}, a.ledger()); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
}

// TestCancelBeforeAnEffect holds that a call whose permit was minted when the task was cut off, and that was never made, is not ambiguous.
func TestCancelBeforeAnEffect(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := newAgent(t, iristest.Model().Call("write", nil).Answer("never"))
	a.tape.onStart = cancel
	fin, err := a.stream(ctx, a.task())
	if err != nil || !errors.Is(fin.Err, loop.ErrInterrupted) {
		t.Fatal(fin.Err, err)
	}
	if diff := cmp.Diff([]string{"write not_run"}, a.states(0)); diff != "" || len(a.ran.list()) != 0 || len(fin.Executed) != 0 {
		t.Errorf("%v ran, %v reported; results (-want +got):\n%s", a.ran.list(), fin.Executed, diff)
	}
	if err := a.core.Ready(t.Context(), a.tape.run.ID, a.tape); err != nil {
		t.Errorf("Ready: %v", err)
	}
}

// TestRunAndStreamLeaveTheSame holds that there is one loop: one table of cases through both.
func TestRunAndStreamLeaveTheSame(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		model func() *iristest.ScriptedModel
		with  func(a *agent)
		then  func(a *agent) loop.Task
	}{
		"an answer":          {model: func() *iristest.ScriptedModel { return iristest.Model().Call("write", nil).Answer("done") }},
		"a denial at step 2": {model: func() *iristest.ScriptedModel { return iristest.Model().Call("look", nil).Call("write", nil) }, with: hookPostStep(governance.Deny("no"))},
		"an approval at step 2": {model: func() *iristest.ScriptedModel {
			return iristest.Model().Call("look", nil).Call("write", nil).Answer("done")
		}, with: hookPostStep(governance.RequireApproval("?")), then: (*agent).approved},
		"an approval of a call": {model: func() *iristest.ScriptedModel {
			return iristest.Model().Call("look", nil).Call("delete", nil).Answer("done")
		}, then: (*agent).approved},
		"a question at step 2": {model: func() *iristest.ScriptedModel {
			return iristest.Model().Call("look", nil).AskUser("Which?", "A").Answer("done")
		}, then: func(a *agent) loop.Task { return a.answered("A") }},
		"the step limit":            {model: func() *iristest.ScriptedModel { return iristest.Model().Call("look", nil).Call("write", nil) }, with: limits(loop.Limits{Steps: 2})},
		"a tool error":              {model: func() *iristest.ScriptedModel { return iristest.Model().Call("look", `{"x":1}`).Answer("done") }},
		"a model error":             {model: func() *iristest.ScriptedModel { return iristest.Model().Call("look", nil).Fail(errDisk) }},
		"a resume that fails again": {model: func() *iristest.ScriptedModel { return iristest.Model().AskUser("Which?").Fail(errDisk) }, then: func(a *agent) loop.Task { return a.answered("A") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left []string
			for _, way := range []string{"run", "stream"} {
				a := newAgent(t, tt.model(), func(a *agent) {
					if tt.with != nil {
						tt.with(a)
					}
				})
				take := func(task loop.Task) loop.Finished {
					if way == "stream" {
						return a.do(task)
					}
					fin, err := a.core.Run(t.Context(), task)
					if err != nil {
						t.Fatal(err)
					}
					return fin
				}
				fin := take(a.task())
				if tt.then != nil {
					fin = take(tt.then(a))
				}
				left = append(left, a.record(fin))
			}
			if diff := cmp.Diff(left[0], left[1]); diff != "" {
				t.Errorf("what Run and Stream leave (-run +stream):\n%s", diff)
			}
		})
	}
}

func hookPostStep(d governance.Decision) func(a *agent) {
	return hook(governance.PostStep, func(s governance.Subject) governance.Decision {
		if s.StepID == 1 {
			return d
		}
		return governance.Allow()
	})
}

// record is everything that a run left behind, its id aside.
func (a *agent) record(fin loop.Finished) string {
	var b strings.Builder
	run := a.tape.run
	fmt.Fprintf(&b, "%s %s %q %+v\n%s\n%v\n%v\n%v\n", run.State, run.Reason, run.Detail, run.Asked, fin.Text, a.tape.points, a.ran.list(), a.ledger())
	for _, c := range a.tape.steps {
		fmt.Fprintf(&b, "%d %s %s %s\n", c.StepID, c.SessionID, c.State, c.Payload)
	}
	return strings.ReplaceAll(b.String(), run.ID, "RUN")
}
