package loop_test

import (
	"context"
	"encoding/json"
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

// TestCaseB29TheTaskIsNotReplaced is a reported case: the reply to a question took the place of the task.
func TestCaseB29TheTaskIsNotReplaced(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("look", `{"text":"42 files"}`).AskUser("Neo4j or Stardog?").Answer("done"))
	task := a.task()
	task.Text = "Compare graph DBs"
	a.do(task)
	a.do(a.answered("You asked: Neo4j or Stardog? They said: Stardog"))
	msgs := a.model.Requests()[2].Messages
	var got []string
	for _, m := range msgs {
		got = append(got, string(m.Role)+" "+m.Text)
	}
	want := []string{"user Compare graph DBs", "assistant ", "tool did 42 files", "assistant ", "tool You asked: Neo4j or Stardog? They said: Stardog"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the resumed request (-want +got):\n%s", diff)
	}
	if a.tape.run.Task != "Compare graph DBs" || len(a.tape.steps) != 3 {
		t.Errorf("task %q, %d steps", a.tape.run.Task, len(a.tape.steps))
	}
}

// TestProviderDataSurvives holds that what a provider attached to a reply comes back byte for byte, and so do a call's arguments.
func TestProviderDataSurvives(t *testing.T) {
	t.Parallel()
	data := []byte{0, 1, 0xff, 0xfe, '"', '\\', '\n'}
	m := iristest.Model().
		Reply(llm.Message{ProviderData: data, Calls: []llm.Call{{ID: "look-1", Name: "look", Args: json.RawMessage(`{"text":"9007199254740993"}`)}}}).
		Reply(llm.Message{Text: "hm", ProviderData: []byte("second"), Calls: []llm.Call{askCall("Which?")}}).Answer("done")
	a := newAgent(t, m)
	a.do(a.task())
	live := a.model.Requests()[1].Messages
	a.build()
	a.do(a.answered("A"))
	stored := a.model.Requests()[2].Messages
	if diff := cmp.Diff(live, stored[:len(live)]); diff != "" {
		t.Errorf("what was stored differs from what was live (-live +stored):\n%s", diff)
	}
	if got := stored[len(live)]; string(got.ProviderData) != "second" || got.Text != "hm" {
		t.Errorf("the reply that asked: %q %q", got.Text, got.ProviderData)
	}
	if string(stored[1].ProviderData) != string(data) {
		t.Errorf("provider data %v, want %v", stored[1].ProviderData, data)
	}
}

func TestPauseAfterPause(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().AskUser("One?").AskUser("Two?").Call("write", `{"text":"x"}`).Answer("done"))
	id := a.do(a.task()).Run.ID
	fin := a.do(a.answered("1"))
	end{State: checkpoint.Paused, Reason: checkpoint.AwaitingUserInput}.check(t, fin)
	if fin.Text != "Two?" || fin.Run.ID != id || a.tape.run.Asked.StepID != 1 {
		t.Errorf("it asks %q at step %d of run %s", fin.Text, a.tape.run.Asked.StepID, fin.Run.ID)
	}
	end{State: checkpoint.Done}.check(t, a.do(a.answered("2")))
	if diff := cmp.Diff([]string{"closed", "closed", "closed", "closed"}, a.rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestResumeThatWroteNothingGoesBack holds that the person can simply answer again.
func TestResumeThatWroteNothingGoesBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		model *iristest.ScriptedModel
		back  bool
	}{
		{"the model fails at once", iristest.Model().AskUser("Which?").Fail(errDisk), true},
		{"the model panics at once", iristest.Model().AskUser("Which?").Panic("boom"), true},
		{"the model fails after a step", iristest.Model().AskUser("Which?").Call("look", nil).Fail(errDisk), false},
		{"the model fails after an effect", iristest.Model().AskUser("Which?").Call("write", nil).Fail(errDisk), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, tt.model)
			a.do(a.task())
			waiting, rows := a.tape.run, a.rows()
			fin := a.do(a.answered("A"))
			if fin.Err == nil {
				t.Fatal("it did not fail")
			}
			if !tt.back {
				end{checkpoint.Failed, checkpoint.ModelError, errDisk}.check(t, fin)
				return
			}
			if diff := cmp.Diff(waiting, a.tape.run); diff != "" {
				t.Errorf("the run is not as it was (-was +is):\n%s", diff)
			}
			if diff := cmp.Diff(rows, a.rows()); diff != "" {
				t.Errorf("the rows are not as they were (-was +is):\n%s", diff)
			}
			if fin.Run.State != checkpoint.Paused || fin.Run.Asked == nil {
				t.Errorf("Finished says %s", fin.Run.State)
			}
			a.model = iristest.Model().Answer("done")
			a.build()
			end{State: checkpoint.Done}.check(t, a.do(a.answered("B")))
		})
	}
}

func TestAFailedRunIsTakenUp(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("write", `{"text":"1"}`).Fail(errDisk).Answer("done"))
	end{checkpoint.Failed, checkpoint.ModelError, errDisk}.check(t, a.do(a.task()))
	end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
	if diff := cmp.Diff([]string{"write 1"}, a.ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}

// TestSignalsStartAnew holds that a run is not stopped again at once by what stopped it: windows and clock begin with the resume.
func TestSignalsStartAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := iristest.Model().Call("look", nil).Call("look", nil).AskUser("Which?").Call("look", nil).Call("look", nil).Answer("done")
		var elapsed []time.Duration
		a := newAgent(t, m, limits(loop.Limits{WallClock: time.Minute}), func(a *agent) { a.config.Clock = time.Now },
			hook(governance.PostStep, func(s governance.Subject) governance.Decision {
				elapsed = append(elapsed, s.Step.Run.Elapsed)
				return governance.Allow()
			}))
		a.do(a.task())
		time.Sleep(time.Hour) // the person thinks
		end{State: checkpoint.Done}.check(t, a.do(a.answered("A")))
		for _, d := range elapsed {
			if d > time.Minute {
				t.Errorf("the wait counts: %s", d)
			}
		}
	})
}

func TestDriftIsMeasuredAgainstTaskAndReply(t *testing.T) {
	t.Parallel()
	var views []string
	a := newAgent(t, iristest.Model().AskUser("Which?").Call("look", nil).Answer("done"), hook(governance.PostStep, func(s governance.Subject) governance.Decision {
		views = append(views, s.Step.Run.Task+"/"+s.Step.Run.Reply)
		return governance.Allow()
	}))
	a.do(a.task())
	task := a.answered("the observation")
	task.Text = "Neo4j"
	a.do(task)
	if diff := cmp.Diff([]string{"tidy up/", "tidy up/Neo4j", "tidy up/Neo4j"}, views); diff != "" {
		t.Errorf("task and reply (-want +got):\n%s", diff)
	}
}

// TestInterruptedRelease holds that a resume that is cut off between two approved calls can be taken up for the rest.
func TestInterruptedRelease(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	a := newAgent(t, iristest.Model().Reply(multi(tcall("delete", "1"), tcall("delete", "2"))).Answer("done"), func(a *agent) {
		a.add(loop.ToolSpec{Name: "delete", Effect: governance.Destructive}, func(_ context.Context, text string) (string, error) {
			cancel()
			return "did " + text, nil
		})
	})
	a.do(a.task())
	held := a.tape.held
	fin, err := a.stream(ctx, a.approved())
	if err != nil || fin.Run.State != checkpoint.Held || !errors.Is(fin.Err, loop.ErrInterrupted) {
		t.Fatalf("the run is %s (%v), err %v; want it held as before", fin.Run.State, fin.Err, err)
	}
	if diff := cmp.Diff([]string{"open"}, a.rows()); diff != "" {
		t.Fatalf("rows (-want +got):\n%s", diff)
	}
	a.tape.held = held
	end{State: checkpoint.Done}.check(t, a.do(a.approved()))
	if diff := cmp.Diff([]string{"delete 1", "delete 2"}, a.ran.list()); diff != "" {
		t.Errorf("each ran once (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"delete ok", "delete ok"}, a.states(0)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestSeedOfRefuses(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("look", nil).AskUser("Which?"))
	a.do(a.task())
	run, steps := a.tape.run, a.tape.steps
	with := func(f func(r *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint) (checkpoint.Run, []checkpoint.Checkpoint) {
		r, s := run, append([]checkpoint.Checkpoint{}, steps...)
		return r, f(&r, s)
	}
	payload := func(b string) func(r *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint {
		return func(_ *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint {
			s[1].Payload = []byte(b)
			return s
		}
	}
	for name, change := range map[string]func(r *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint{
		"no steps":         func(*checkpoint.Run, []checkpoint.Checkpoint) []checkpoint.Checkpoint { return nil },
		"a step missing":   func(_ *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint { return s[1:] },
		"its last missing": func(_ *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint { return s[:1] },
		"a step twice":     func(_ *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint { return append(s, s[1]) },
		"an open step in the middle": func(_ *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint {
			s[0].State = checkpoint.OpenStep
			return s
		},
		"its last step closed": func(_ *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint {
			s[1].State = checkpoint.ClosedStep
			return s
		},
		"another question": func(r *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint {
			r.Asked = &checkpoint.Asked{CallID: "other", StepID: 1, Question: "Which?"}
			return s
		},
		"no question": func(r *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint {
			r.Asked = nil
			return s
		},
		"failed at an open step": func(r *checkpoint.Run, s []checkpoint.Checkpoint) []checkpoint.Checkpoint {
			r.State = checkpoint.Failed
			return s
		},
		"empty bytes": payload(""), "cut off": payload("{"), "null": payload("null"), "a list": payload("[]"), "of another shape": payload(`{"results":{}}`),
		"two values": payload(`{} {}`), "nothing": payload(`{"usage":{}}`), "a result too few": payload(`{"reply":{"role":"assistant","calls":[{"id":"1","name":"look"}]}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := loop.SeedOf(with(change)); !errors.Is(err, loop.ErrCannotResume) {
				t.Errorf("SeedOf: %v, want ErrCannotResume", err)
			}
		})
	}
	if _, err := loop.SeedOf(run, steps); err != nil {
		t.Errorf("the run as it is: %v", err)
	}
}

// FuzzResume gives the loop a stored step of any bytes: it is refused, or the run goes on; nothing panics.
func FuzzResume(f *testing.F) {
	a := newAgent(f, iristest.Model().Reply(multi(tcall("delete", "x"), tcall("look", "y"))))
	a.do(a.task())
	f.Add([]byte(a.tape.steps[0].Payload), "pre_tool")
	a = newAgent(f, iristest.Model().AskUser("Which?"))
	a.do(a.task())
	f.Add([]byte(a.tape.steps[0].Payload), "")
	f.Add([]byte(`{"reply":{"role":"assistant","calls":[{"id":"1","name":"look","args":{ }},{"id":"2","name":"ask_user","args":null}]},"results":[{"call_id":"1","tool":"look","state":"waiting","text":""},{"call_id":"2","tool":"ask_user","state":"waiting","text":""}]}`), "post_step")
	f.Add([]byte(`{}`), "pre_llm")
	f.Fuzz(func(t *testing.T, payload []byte, point string) {
		run := checkpoint.Run{ID: "r", SessionID: "s1", State: checkpoint.Held}
		if point == "" {
			run.State, run.Asked = checkpoint.Paused, &checkpoint.Asked{CallID: "call_0_0", Question: "Which?"}
		}
		seed, err := loop.SeedOf(run, []checkpoint.Checkpoint{{RunID: "r", State: checkpoint.OpenStep, Payload: payload}})
		if err != nil {
			if !errors.Is(err, loop.ErrCannotResume) {
				t.Fatalf("untyped: %v", err)
			}
			return
		}
		if point != "" {
			seed.Approval = &loop.Approval{ID: "a1", Point: point, Items: map[string]loop.ItemApproval{"1": {Approved: true}}}
		}
		a := newAgent(t, iristest.Model().Answer("done"))
		a.tape.run, a.tape.steps = run, []checkpoint.Checkpoint{{RunID: "r", State: checkpoint.OpenStep, Payload: payload}}
		task := a.task()
		task.Seed = seed
		_, _ = a.stream(t.Context(), task)
	})
}

func TestTellingOfALostStep(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("look", nil).Call("write", `{"text":"t2"}`).Call("write", `{"text":"t2"}`).Answer("done"))
	a.tape.fail["step"] = nil
	n := 0
	a.hooks = append(a.hooks, governance.Hook{Name: "crash", At: governance.PostTool, Decide: func(_ context.Context, s governance.Subject) governance.Decision {
		if n++; n == 2 {
			a.tape.fail["step"] = errDisk // the effect is done, and its step's row is never written
		}
		return governance.Allow()
	}})
	a.build()
	if _, err := a.stream(t.Context(), a.task()); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	delete(a.tape.fail, "step")
	if err := a.tape.write("recover"); err != nil {
		t.Fatal(err)
	}
	a.tape.run.State = checkpoint.Failed
	end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
	if diff := cmp.Diff([]string{"look ", "write t2"}, a.ran.list()); diff != "" {
		t.Errorf("each ran once (-want +got):\n%s", diff)
	}
	if want := "You were interrupted. This was done before that; do not do it again:\n- write {\"text\":\"t2\"}: did t2"; a.prompt(2) != want {
		t.Errorf("the model is told %q, want %q", a.prompt(2), want)
	}
	if got := fmt.Sprint(a.payload(1).Base); !strings.Contains(got, "do not do it again") {
		t.Errorf("what the model was told is not on record: %s", got)
	}
}
