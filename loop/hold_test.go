package loop_test

import (
	"bytes"
	"encoding/json"
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

// once is a hook's decision for the first time it is asked about something; after that it allows.
func once(d governance.Decision, about func(s governance.Subject) bool) func(s governance.Subject) governance.Decision {
	asked := false
	return func(s governance.Subject) governance.Decision {
		if asked || !about(s) {
			return governance.Allow()
		}
		asked = true
		return d
	}
}

func anything(governance.Subject) bool { return true }

// always asks for an approval of what is about something.
func always(about func(s governance.Subject) bool) func(s governance.Subject) governance.Decision {
	return func(s governance.Subject) governance.Decision {
		if about(s) {
			return governance.RequireApproval("a person has to see this")
		}
		return governance.Allow()
	}
}

func atStep(n int) func(s governance.Subject) bool {
	return func(s governance.Subject) bool { return s.StepID == n }
}

// TestHeldSteps is DESIGN §7's table of where a run goes on: the numbers of the steps, what is asked again, what is overwritten.
func TestHeldSteps(t *testing.T) {
	t.Parallel()
	held := end{State: checkpoint.Held, Reason: checkpoint.AwaitingApproval}
	for _, tt := range []struct {
		name       string
		model      *iristest.ScriptedModel
		with       func(a *agent)
		atHold     []string // rows
		ranBefore  []string
		ranAfter   []string
		after      []string // rows
		text       string
		modelCalls int
	}{
		{
			name:  "at pre_llm: its reply is step N",
			model: iristest.Model().Call("look", `{"text":"0"}`).Call("write", `{"text":"1"}`).Answer("done"),
			with:  hook(governance.PreLLM, always(atStep(1))), atHold: []string{"closed", "open"}, ranBefore: []string{"look 0"},
			ranAfter: []string{"look 0", "write 1"}, after: []string{"closed", "closed", "closed"}, text: "done", modelCalls: 3,
		},
		{
			name:  "at pre_llm of the first step",
			model: iristest.Model().Answer("done"),
			with:  hook(governance.PreLLM, always(atStep(0))), atHold: []string{"open"}, after: []string{"closed"}, text: "done", modelCalls: 1,
		},
		{
			name:  "at pre_tool: the results close step N, the next reply is N+1",
			model: iristest.Model().Call("look", `{"text":"0"}`).Call("write", `{"text":"1"}`).Answer("done"),
			with:  hook(governance.PreTool, always(atStep(1))), atHold: []string{"closed", "open"}, ranBefore: []string{"look 0"},
			ranAfter: []string{"look 0", "write 1"}, after: []string{"closed", "closed", "closed"}, text: "done", modelCalls: 3,
		},
		{
			name:  "at post_step: N is closed, go on at N+1",
			model: iristest.Model().Call("look", `{"text":"0"}`).Call("write", `{"text":"1"}`).Call("look", `{"text":"2"}`).Answer("done"),
			with:  hook(governance.PostStep, always(atStep(1))), atHold: []string{"closed", "closed"}, ranBefore: []string{"look 0", "write 1"},
			ranAfter: []string{"look 0", "write 1", "look 2"}, after: []string{"closed", "closed", "closed", "closed"}, text: "done", modelCalls: 4,
		},
		{
			name:  "at post_step, after the answer: it stands",
			model: iristest.Model().Call("look", `{"text":"0"}`).Answer("the answer").Answer("never"),
			with:  hook(governance.PostStep, always(atStep(1))), atHold: []string{"closed", "closed"}, ranBefore: []string{"look 0"},
			ranAfter: []string{"look 0"}, after: []string{"closed", "closed"}, text: "the answer", modelCalls: 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, tt.model, tt.with)
			held.check(t, a.do(a.task()))
			if diff := cmp.Diff(tt.atHold, a.rows()); diff != "" {
				t.Errorf("rows while it waits (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.ranBefore, a.ran.list()); diff != "" {
				t.Errorf("ran while it waits (-want +got):\n%s", diff)
			}
			before := len(a.tape.steps)
			stored := string(a.tape.steps[before-1].Payload)
			a.build() // another process
			fin := a.do(a.approved())
			end{State: checkpoint.Done}.check(t, fin)
			if fin.Text != tt.text {
				t.Errorf("it says %q, want %q", fin.Text, tt.text)
			}
			if diff := cmp.Diff(tt.ranAfter, a.ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.after, a.rows()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if a.model.Calls() != tt.modelCalls {
				t.Errorf("the model was called %d times, want %d", a.model.Calls(), tt.modelCalls)
			}
			if tt.atHold[before-1] == "closed" && string(a.tape.steps[before-1].Payload) != stored {
				t.Error("a closed step was changed")
			}
		})
	}
}

// TestHeldRequestIsTheSame holds that the request of a run held at pre_llm is what was pinned, to the byte, in another process.
func TestHeldRequestIsTheSame(t *testing.T) {
	t.Parallel()
	var digests []string
	m := iristest.Model().Reply(llm.Message{Text: "caf\xff\u00e9 <&>\u2028", ProviderData: []byte{0, 1, 255}, Calls: []llm.Call{{Name: "look", Args: json.RawMessage(`{ "text" : "a<b" }`)}}}).Answer("done")
	a := newAgent(t, m, hook(governance.PreLLM, func(s governance.Subject) governance.Decision {
		if s.StepID == 0 {
			return governance.Allow()
		}
		digests = append(digests, s.WithRequest(s.Request()).Digest())
		return governance.RequireApproval("?")
	}))
	task := a.task()
	task.Text = "broken \xff text"
	a.do(task)
	pinned := a.tape.held.Pins[0].Digest
	end{State: checkpoint.Done}.check(t, a.do(a.approved()))
	if len(digests) != 2 || digests[0] != pinned || digests[1] != pinned {
		t.Errorf("pinned %s, asked about %v", pinned, digests)
	}
}

// TestOneHeldCallHoldsEveryEffect holds that the reads of the step run, no effect does, and all effects are pinned in order.
func TestOneHeldCallHoldsEveryEffect(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Reply(multi(tcall("write", "1"), tcall("look", "2"), tcall("delete", "3"), tcall("nothing", "4"), tcall("write", "5"))).Answer("done")
	a := newAgent(t, m)
	end{State: checkpoint.Held, Reason: checkpoint.AwaitingApproval}.check(t, a.do(a.task()))
	var pins []string
	for _, p := range a.tape.held.Pins {
		pins = append(pins, fmt.Sprintf("%s %s allowed=%v", p.Subject.Name, p.Subject.Call.Args, p.Allowed))
	}
	if diff := cmp.Diff([]string{`write {"text":"1"} allowed=true`, `delete {"text":"3"} allowed=false`, `write {"text":"5"} allowed=true`}, pins); diff != "" {
		t.Errorf("pinned (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"write waiting", "look ok", "delete waiting", "nothing error", "write waiting"}, a.states(0)); diff != "" {
		t.Errorf("results while it waits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"look 2"}, a.ran.list()); diff != "" {
		t.Errorf("ran while it waits (-want +got):\n%s", diff)
	}
	a.do(a.approved())
	if diff := cmp.Diff([]string{"look 2", "write 1", "delete 3", "write 5"}, a.ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`write {"text":"1"}`, `delete {"text":"3"}`, `write {"text":"5"}`}, a.tape.consumed); diff != "" {
		t.Errorf("done under the approval (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"write ok", "look ok", "delete ok", "nothing error", "write ok"}, a.states(0)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestApprovalOfSomeCalls(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Reply(multi(tcall("delete", "1"), tcall("delete", "2"), tcall("delete", "3"))).Answer("done")
	a := newAgent(t, m)
	a.do(a.task())
	task := a.approved()
	items := task.Seed.Approval.Items
	ids := []string{a.payload(0).Results[0].CallID, a.payload(0).Results[1].CallID, a.payload(0).Results[2].CallID}
	items[ids[0]] = loop.ItemApproval{Position: 1}
	items[ids[1]] = loop.ItemApproval{Approved: true, Position: 2, Args: []byte(`{"text":"two"}`), Edited: true}
	delete(items, ids[2])
	a.do(task)
	if diff := cmp.Diff([]string{"delete two"}, a.ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"delete rejected", "delete ok", "delete rejected"}, a.states(0)); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	msgs := a.model.Requests()[1].Messages
	if got, want := msgs[len(msgs)-2].Text, `(a person changed the arguments to {"text":"two"}) did two`; got != want {
		t.Errorf("the model is told %q, want %q", got, want)
	}
}

func TestAnApprovedStepIsDecidedAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		second governance.Decision // of a hook that allowed the call at first
		edit   string
		state  string
		ran    []string
	}{
		{name: "a Deny still denies", second: governance.Deny("not any more"), state: "delete denied"},
		{name: "changed arguments are a Deny", second: governance.TransformArgs(json.RawMessage(`{"text":"other"}`), "other"), state: "delete denied"},
		{name: "the same arguments are no change", second: governance.TransformArgs(json.RawMessage(`{ "text":"x" }`), "same"), state: "delete ok", ran: []string{"delete x"}},
		{name: "a RequireApproval is met", second: governance.RequireApproval("once more"), state: "delete ok", ran: []string{"delete x"}},
		{name: "edited arguments that the tool refuses", second: governance.Allow(), edit: `{"size":1}`, state: "delete error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			a := newAgent(t, iristest.Model().Call("delete", `{"text":"x"}`).Answer("done"), hook(governance.PreTool, func(governance.Subject) governance.Decision {
				if n++; n == 1 {
					return governance.Allow()
				}
				return tt.second
			}))
			a.do(a.task())
			task := a.approved()
			if tt.edit != "" {
				for id := range task.Seed.Approval.Items {
					task.Seed.Approval.Items[id] = loop.ItemApproval{Approved: true, Position: 1, Args: []byte(tt.edit), Edited: true}
				}
			}
			end{State: checkpoint.Done}.check(t, a.do(task))
			if diff := cmp.Diff([]string{tt.state}, a.states(0)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.ran, a.ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
			if len(a.tape.consumed) != len(tt.ran) {
				t.Errorf("done under the approval: %v", a.tape.consumed)
			}
		})
	}
}

// TestTransformedCallIsApprovedAsTransformed holds that a call that a hook redacts can be approved: what was pinned is what runs.
func TestTransformedCallIsApprovedAsTransformed(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("delete", `{"text":"secret x"}`).Answer("done"), hook(governance.PreTool, func(s governance.Subject) governance.Decision {
		return governance.TransformArgs(json.RawMessage(strings.ReplaceAll(string(s.Call.Args), "secret ", "")), "redacted")
	}))
	a.do(a.task())
	a.do(a.approved())
	if diff := cmp.Diff([]string{"delete x"}, a.ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}

func TestAPinnedToolThatIsGone(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("delete", `{"text":"x"}`).Answer("done"))
	a.do(a.task())
	a.tools = a.tools[:2]
	a.build()
	end{State: checkpoint.Done}.check(t, a.do(a.approved()))
	if diff := cmp.Diff([]string{"delete error"}, a.states(0)); diff != "" || len(a.tape.consumed) != 0 {
		t.Errorf("done under the approval: %v; results (-want +got):\n%s", a.tape.consumed, diff)
	}
}

// TestALaterDemandRaisesItsOwnApproval holds that an approval is for its step alone.
func TestALaterDemandRaisesItsOwnApproval(t *testing.T) {
	t.Parallel()
	for _, at := range []governance.Point{governance.PreLLM, governance.PreTool, governance.PostStep} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			m := iristest.Model().Call("write", `{"text":"A"}`).Call("write", `{"text":"B"}`).Answer("done")
			a := newAgent(t, m, hook(at, always(anything)))
			a.do(a.task())
			first := a.tape.steps[len(a.tape.steps)-1].StepID
			fin := a.do(a.approved())
			end{State: checkpoint.Held, Reason: checkpoint.AwaitingApproval}.check(t, fin)
			if got := a.tape.steps[len(a.tape.steps)-1].StepID; got != first+1 {
				t.Errorf("held again at step %d, want %d", got, first+1)
			}
		})
	}
}

func TestRejectionIsReported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		model *iristest.ScriptedModel
		with  func(a *agent)
		rows  []string
	}{
		{"at pre_llm", iristest.Model().Answer("I stopped"), hook(governance.PreLLM, once(governance.RequireApproval("?"), anything)), []string{"closed", "closed"}},
		{"at pre_tool", iristest.Model().Call("delete", nil).Answer("I stopped"), func(*agent) {}, []string{"closed", "closed"}},
		{"at post_step", iristest.Model().Call("write", nil).Answer("I stopped"), hook(governance.PostStep, once(governance.RequireApproval("?"), anything)), []string{"closed", "closed"}},
		{"at post_step, of an answer", iristest.Model().Answer("the secret").Answer("I stopped"), hook(governance.PostStep, once(governance.RequireApproval("?"), anything)), []string{"closed", "closed"}},
		{"at post_step, of a question", iristest.Model().AskUser("Your password?").Answer("I stopped"), hook(governance.PostStep, once(governance.RequireApproval("?"), anything)), []string{"closed", "closed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, tt.model, tt.with)
			a.do(a.task())
			ran := len(a.ran.list())
			fin := a.do(a.rejected("too risky"))
			end{State: checkpoint.Done}.check(t, fin)
			if fin.Text != "I stopped" || len(a.ran.list()) != ran {
				t.Errorf("it says %q; ran %v", fin.Text, a.ran.list())
			}
			if last := a.prompt(a.model.Calls() - 1); !strings.Contains(last, "rejected") || !strings.Contains(last, "too risky") {
				t.Errorf("the model is told %q", last)
			}
			if diff := cmp.Diff(tt.rows, a.rows()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if !slices.ContainsFunc(a.tape.steps, func(c checkpoint.Checkpoint) bool { return bytes.Contains(c.Payload, []byte("too risky")) }) {
				t.Error("the rejection is not on record")
			}
		})
	}
}

func TestAQuestionHeldAtPostStepIsPutOnceApproved(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().AskUser("Which?", "A", "B").Answer("done"), hook(governance.PostStep, once(governance.RequireApproval("?"), anything)))
	end{State: checkpoint.Held, Reason: checkpoint.AwaitingApproval}.check(t, a.do(a.task()))
	fin := a.do(a.approved())
	end{State: checkpoint.Paused, Reason: checkpoint.AwaitingUserInput}.check(t, fin)
	if fin.Text != "Which?" || len(a.tape.run.Asked.Choices) != 2 {
		t.Errorf("it asks %q with %v", fin.Text, a.tape.run.Asked.Choices)
	}
	end{State: checkpoint.Done}.check(t, a.do(a.answered("A")))
}

// TestARequestThatCannotBeReleased holds that an approval of a request that cannot be used is no failure of the model: the caller gets the
// error, and the run waits.
func TestARequestThatCannotBeReleased(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Answer("never"), hook(governance.PreLLM, always(anything)))
	a.do(a.task())
	a.tape.fail["consume"] = errDisk
	fin, err := a.stream(t.Context(), a.approved())
	if !errors.Is(err, errDisk) || fin.Text != "" || a.tape.run.State != checkpoint.Held || a.model.Calls() != 0 {
		t.Errorf("%q, %v; the run is %s after %d model calls", fin.Text, err, a.tape.run.State, a.model.Calls())
	}
}

// TestReleaseThatFails holds that a resume that cannot use its approval leaves the run waiting, with nothing done.
func TestReleaseThatFails(t *testing.T) {
	t.Parallel()
	for _, fail := range []string{"consume", "start"} {
		t.Run(fail, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Call("delete", `{"text":"x"}`).Answer("done"))
			a.do(a.task())
			held := a.tape.held
			a.tape.fail[fail] = errDisk
			if _, err := a.stream(t.Context(), a.approved()); !errors.Is(err, errDisk) {
				t.Errorf("got %v, want the disk's error", err)
			}
			if a.tape.run.State != checkpoint.Held || len(a.ran.list()) != 0 || len(a.tape.effects) != 0 {
				t.Errorf("the run is %s, %v ran, the ledger has %v", a.tape.run.State, a.ran.list(), a.tape.effects)
			}
			delete(a.tape.fail, fail)
			a.tape.held = held
			end{State: checkpoint.Done}.check(t, a.do(a.approved()))
			if diff := cmp.Diff([]string{"delete x"}, a.ran.list()); diff != "" {
				t.Errorf("ran (-want +got):\n%s", diff)
			}
		})
	}
}
