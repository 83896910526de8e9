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
	"github.com/iris-harness/iris/loop"
)

// ledger says how each effect stands.
func (a *agent) ledger() []string {
	var out []string
	for _, e := range a.tape.effects {
		out = append(out, e.Tool+" "+string(e.Args)+" "+string(e.State))
	}
	return out
}

func TestEffectsAreRecordedBeforeAndAfter(t *testing.T) {
	t.Parallel()
	var during []string
	a := newAgent(t, iristest.Model().Reply(multi(tcall("write", "1"), tcall("look", "2"), tcall("write", "1"))).Answer("done"))
	a.add(loop.ToolSpec{Name: "write"}, func(ctx context.Context, text string) (string, error) {
		during = append(during, loop.CallKey(ctx)+" "+strings.Join(a.ledger(), ","))
		return "did " + text, nil
	})
	a.build()
	a.do(a.task())
	if diff := cmp.Diff([]string{`write {"text":"1"} finished`, `write {"text":"1"} finished`}, a.ledger()); diff != "" {
		t.Errorf("two equal calls are two effects (-want +got):\n%s", diff)
	}
	if a.tape.effects[0].Key == a.tape.effects[1].Key {
		t.Error("two equal calls share a key")
	}
	if want := a.tape.effects[0].Key + ` write {"text":"1"} started`; during[0] != want {
		t.Errorf("while it ran: %q, want %q", during[0], want)
	}
	if string(a.tape.effects[0].Result) != "did 1" {
		t.Errorf("its result is %q", a.tape.effects[0].Result)
	}
}

// TestEffectsThatAreCutOff is what becomes of an effect whose end nobody saw.
func TestEffectsThatAreCutOff(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context, _ string) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	deaf := func(context.Context, string) (string, error) { time.Sleep(time.Hour); return "too late", nil }
	panics := func(context.Context, string) (string, error) { panic("boom") }
	unsure := func(context.Context, string) (string, error) {
		return "", errors.Join(loop.ErrOutcomeUnknown, &governance.ToolError{Kind: governance.ToolFailed, Message: "502"})
	}
	fails := func(context.Context, string) (string, error) { return "", errors.New("no such file") }
	for _, tt := range []struct {
		name   string
		spec   loop.ToolSpec
		run    func(context.Context, string) (string, error)
		state  string // of both equal calls of the run
		second string
		ledger []string
		told   string
	}{
		{"at its deadline", loop.ToolSpec{}, hang, "x unknown", "x error", []string{"started"}, "whether it happened is not known"},
		{"at its deadline, deaf to it", loop.ToolSpec{}, deaf, "x unknown", "x error", []string{"started"}, "whether it happened is not known"},
		{"by a panic", loop.ToolSpec{}, panics, "x unknown", "x error", []string{"started"}, "whether it happened is not known"},
		{"by its own word", loop.ToolSpec{}, unsure, "x unknown", "x error", []string{"started"}, "whether it happened is not known"},
		{"idempotent, at its deadline", loop.ToolSpec{Idempotent: true}, hang, "x error", "x error", []string{"started", "started"}, "it was cut off"},
		{"idempotent, by a panic", loop.ToolSpec{Idempotent: true}, panics, "x error", "x error", []string{"finished", "finished"}, "the tool broke down: boom"},
		{"not at all: it failed", loop.ToolSpec{}, fails, "x error", "x error", []string{"finished", "finished"}, "no such file"},
		{"a read, at its deadline", loop.ToolSpec{Effect: governance.ReadOnly}, hang, "x error", "x error", nil, "it was cut off"},
		{"a read, by a panic", loop.ToolSpec{Effect: governance.ReadOnly}, panics, "x error", "x error", nil, "the tool broke down: boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAgent(t, iristest.Model().Call("x", nil).Call("x", nil).Answer("done"), func(a *agent) {
					spec := tt.spec
					spec.Name, spec.Timeout = "x", time.Second
					a.add(spec, tt.run)
				})
				end{State: checkpoint.Done}.check(t, a.do(a.task()))
				if diff := cmp.Diff([]string{tt.state, tt.second}, append(a.states(0), a.states(1)...)); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				var states []string
				for _, e := range a.tape.effects {
					states = append(states, string(e.State))
				}
				if diff := cmp.Diff(tt.ledger, states); diff != "" {
					t.Errorf("ledger (-want +got):\n%s", diff)
				}
				if !strings.Contains(a.prompt(1), tt.told) {
					t.Errorf("the model is told %q", a.prompt(1))
				}
				if strings.HasSuffix(tt.state, "unknown") && !strings.Contains(a.prompt(2), "nothing ran: an equal call was cut off in this task") {
					t.Errorf("an equal call: %q", a.prompt(2))
				}
				time.Sleep(2 * time.Hour) // what is deaf to its deadline ends
			})
		})
	}
}

// failing is a run that stopped as failed after an effect was cut off in it.
func failing(t *testing.T, then *iristest.ScriptedModel, change func(spec *loop.ToolSpec)) *agent {
	t.Helper()
	a := newAgent(t, iristest.Model().Call("send", `{"text":"x"}`).Fail(errDisk), func(a *agent) {
		spec := loop.ToolSpec{Name: "send"}
		change(&spec)
		first := true
		a.add(spec, func(context.Context, string) (string, error) {
			if first {
				first = false
				return "", loop.ErrOutcomeUnknown
			}
			return "sent", nil
		})
	})
	a.do(a.task())
	a.model = then
	a.build()
	return a
}

func TestAmbiguousEffectRefusesTheResume(t *testing.T) {
	t.Parallel()
	a := failing(t, iristest.Model().Answer("done"), func(*loop.ToolSpec) {})
	err := a.core.Ready(t.Context(), a.tape.run.ID, a.tape)
	var refused *loop.AmbiguousEffectError
	if !errors.Is(err, loop.ErrAmbiguousEffect) || !errors.As(err, &refused) {
		t.Fatalf("Ready: %v, want an AmbiguousEffectError", err)
	}
	if diff := cmp.Diff([]string{"send"}, refused.Tools); diff != "" || refused.Keys[0] != a.tape.effects[0].Key || refused.RunID != a.tape.run.ID {
		t.Errorf("it names run %s, %v, %v", refused.RunID, refused.Tools, refused.Keys)
	}
	if _, err := a.stream(t.Context(), a.seed(func(*loop.Seed) {})); !errors.Is(err, loop.ErrAmbiguousEffect) || a.model.Calls() != 0 {
		t.Errorf("the loop itself: %v, %d model calls", err, a.model.Calls())
	}
}

func TestSettledEffect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		happened bool
		told     string
		ran      int
	}{
		{true, "it was cut off, and it did happen, as ops has found. Do not repeat it", 1},
		{false, "it was cut off, and it did not happen, as ops has found", 2},
	} {
		then := iristest.Model()
		if !tt.happened {
			then.Call("send", `{"text":"x"}`)
		}
		a := failing(t, then.Answer("done"), func(*loop.ToolSpec) {})
		if err := a.tape.Settle(t.Context(), a.tape.effects[0].Key, tt.happened, "ops"); err != nil {
			t.Fatal(err)
		}
		if err := a.core.Ready(t.Context(), a.tape.run.ID, a.tape); err != nil {
			t.Fatalf("Ready after it was settled: %v", err)
		}
		end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
		if a.prompt(0) != tt.told || len(a.ran.list()) != tt.ran {
			t.Errorf("happened %v: the model is told %q, and it ran %d times, want %q and %d", tt.happened, a.prompt(0), len(a.ran.list()), tt.told, tt.ran)
		}
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		probe func(ctx context.Context, key string, args json.RawMessage) (bool, error)
		want  string // how the effect stands
		err   error
	}{
		{"it happened", func(context.Context, string, json.RawMessage) (bool, error) { return true, nil }, "settled", nil},
		{"it did not", func(context.Context, string, json.RawMessage) (bool, error) { return false, nil }, "settled", nil},
		{"it does not know", func(context.Context, string, json.RawMessage) (bool, error) { return true, errDisk }, "started", loop.ErrAmbiguousEffect},
		{"it panics", func(context.Context, string, json.RawMessage) (bool, error) { panic("boom") }, "started", loop.ErrAmbiguousEffect},
		{"it hangs", func(context.Context, string, json.RawMessage) (bool, error) { time.Sleep(time.Hour); return true, nil }, "started", loop.ErrAmbiguousEffect},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var saw calls
				a := failing(t, iristest.Model().Answer("done"), func(s *loop.ToolSpec) {
					s.Timeout = time.Second
					s.Probe = func(ctx context.Context, key string, args json.RawMessage) (bool, error) {
						saw.add(key + string(args))
						return tt.probe(ctx, key, args)
					}
				})
				if err := a.core.Ready(t.Context(), a.tape.run.ID, a.tape); !errors.Is(err, tt.err) {
					t.Errorf("Ready: %v, want %v", err, tt.err)
				}
				e := a.tape.effects[0]
				if string(e.State) != tt.want || e.State == checkpoint.Settled && e.SettledBy != "probe" {
					t.Errorf("the effect is %s by %q, want %s", e.State, e.SettledBy, tt.want)
				}
				if diff := cmp.Diff([]string{e.Key + `{"text":"x"}`}, saw.list()); diff != "" {
					t.Errorf("the probe was given (-want +got):\n%s", diff)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// crashed is a held run whose resume died after the first approved effect, in a state of the ledger.
func crashed(t *testing.T, mark func(e *checkpoint.Effect)) *agent {
	t.Helper()
	a := newAgent(t, iristest.Model().Reply(multi(tcall("delete", "1"), tcall("delete", "2"))).Answer("done"))
	a.do(a.task())
	task := a.approved()
	e := checkpoint.Effect{RunID: a.tape.run.ID, Tool: "delete", Args: []byte(`{"text":"1"}`), ApprovalID: "a1", Item: 1}
	mark(&e)
	e.Key = a.payload(0).Results[0].Key
	a.tape.effects = append(a.tape.effects, e)
	end{State: checkpoint.Done}.check(t, a.do(task))
	return a
}

func TestLedgerIsReplayed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		mark   func(e *checkpoint.Effect)
		ran    []string
		states []string
		told   string
	}{
		{"finished", func(e *checkpoint.Effect) { e.State, e.Result = checkpoint.Finished, []byte("did 1 before") }, []string{"delete 2"}, []string{"delete ok", "delete ok"}, "did 1 before"},
		{"finished with an error", func(e *checkpoint.Effect) {
			e.State, e.Result, e.Failed = checkpoint.Finished, []byte("no such file"), true
		}, []string{"delete 2"}, []string{"delete error", "delete ok"}, "no such file"},
		{"settled: it happened", func(e *checkpoint.Effect) { e.State, e.Happened, e.SettledBy = checkpoint.Settled, true, "ops" }, []string{"delete 2"}, []string{"delete ok", "delete ok"}, "it happened, as ops has found"},
		{"settled: it did not", func(e *checkpoint.Effect) { e.State, e.SettledBy = checkpoint.Settled, "ops" }, []string{"delete 2"}, []string{"delete not_run", "delete ok"}, "its approval is used up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := crashed(t, tt.mark)
			if diff := cmp.Diff(tt.ran, a.ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.states, a.states(0)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			msgs := a.model.Requests()[1].Messages
			if got := msgs[len(msgs)-2].Text; !strings.Contains(got, tt.told) {
				t.Errorf("the model is told %q, want %q in it", got, tt.told)
			}
		})
	}
}

// TestAReplayedResultIsReviewed holds that what post_tool hooks withhold or redact stays so when the ledger gives it again.
func TestAReplayedResultIsReviewed(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]governance.Decision{"withheld": governance.Deny("a secret"), "redacted": governance.TransformResult(json.RawMessage(`"[redacted]"`), "a secret")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Reply(multi(tcall("delete", "1"), tcall("delete", "2"))).Answer("done"), hook(governance.PostTool, func(governance.Subject) governance.Decision { return d }))
			a.do(a.task())
			task := a.approved()
			a.tape.effects = append(a.tape.effects, checkpoint.Effect{
				Key: a.payload(0).Results[0].Key, RunID: a.tape.run.ID, Tool: "delete", State: checkpoint.Finished, Result: []byte("the password is 123"), ApprovalID: "a1", Item: 1,
			})
			a.do(task)
			for _, m := range a.model.Requests()[1].Messages {
				if strings.Contains(m.Text, "password") {
					t.Errorf("the model is told %q", m.Text)
				}
			}
		})
	}
}

// TestWhatRanIsNotDecidedOnAgain holds that nobody is asked to approve what has happened.
func TestWhatRanIsNotDecidedOnAgain(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("look", nil).Fail(errDisk).Call("write", `{"text":"x"}`).Answer("done"))
	a.do(a.task())
	keyed := newAgent(t, iristest.Model().Call("look", nil).Call("write", `{"text":"x"}`).Answer("done"))
	keyed.do(keyed.task())
	key := strings.Replace(keyed.tape.effects[0].Key, keyed.tape.run.ID, a.tape.run.ID, 1)
	a.tape.effects = []checkpoint.Effect{{Key: key, RunID: a.tape.run.ID, StepID: 1, Tool: "write", Args: []byte(`{"text":"x"}`), State: checkpoint.Finished, Result: []byte("did x")}}
	a.hooks = append(a.hooks, governance.Hook{Name: "gate", At: governance.PreTool, Decide: func(context.Context, governance.Subject) governance.Decision { return governance.RequireApproval("?") }})
	a.build()
	end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
	if diff := cmp.Diff([]string{"look "}, a.ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}

// TestCallKeyIsStable holds that every attempt of one call sees one key.
func TestCallKeyIsStable(t *testing.T) {
	t.Parallel()
	var keys []string
	a := newAgent(t, iristest.Model().Call("look", nil).Fail(errDisk).Call("send", `{"text":"x"}`).Fail(errDisk), func(a *agent) {
		a.add(loop.ToolSpec{Name: "send"}, func(ctx context.Context, _ string) (string, error) {
			keys = append(keys, loop.CallKey(ctx))
			return "sent", nil
		})
	})
	a.do(a.task())
	a.do(a.seed(func(*loop.Seed) {}))
	first := a.tape.effects[0]
	// As if the step's row had been lost, and a person had found that the effect did not happen.
	a.tape.steps = a.tape.steps[:1]
	a.tape.effects[0] = checkpoint.Effect{Key: first.Key, RunID: first.RunID, StepID: 1, Tool: "send", State: checkpoint.Settled, SettledBy: "ops"}
	a.model = iristest.Model().Call("send", `{ "text": "x" }`).Answer("done")
	a.build()
	a.do(a.seed(func(*loop.Seed) {}))
	if len(keys) != 2 || keys[0] != keys[1] || keys[0] == "" {
		t.Errorf("the attempts saw %q", keys)
	}
	if len(a.tape.effects) != 2 || a.tape.effects[1].Key == first.Key {
		t.Errorf("the second attempt has no row of its own: %v", a.ledger())
	}
	if loop.CallKey(t.Context()) != "" {
		t.Error("a key outside of a call")
	}
}

// TestAnEqualCallIsRefused holds that what was cut off is not done twice in one run: not in the same step, and not in a later one, about which
// nobody is asked either.
func TestAnEqualCallIsRefused(t *testing.T) {
	t.Parallel()
	var asked calls
	m := iristest.Model().Reply(multi(tcall("send", "x"), tcall("send", "x"), tcall("send", "y"))).Call("send", `{"text":"x"}`).Answer("done")
	a := newAgent(t, m, func(a *agent) {
		a.add(loop.ToolSpec{Name: "send"}, func(_ context.Context, text string) (string, error) {
			if text == "x" {
				return "", loop.ErrOutcomeUnknown
			}
			return "sent", nil
		})
	}, hook(governance.PreTool, func(s governance.Subject) governance.Decision {
		asked.add(fmt.Sprintf("%d %s", s.StepID, s.Call.Args))
		return governance.Allow()
	}))
	a.do(a.task())
	if diff := cmp.Diff([]string{"send x", "send y"}, a.ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"send unknown", "send error", "send ok", "send error"}, append(a.states(0), a.states(1)...)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`0 {"text":"x"}`, `0 {"text":"x"}`, `0 {"text":"y"}`}, asked.list()); diff != "" {
		t.Errorf("asked about (-want +got):\n%s", diff)
	}
}
