package iris_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

// TestAResumeLeavesTheOpenQuestion: an approval that is decided elsewhere resumes its run while the person is being asked something.
func TestAResumeLeavesTheOpenQuestion(t *testing.T) {
	t.Parallel()
	ends := map[string]llm.Message{
		"an inferred question": {Text: "It is gone. Would you like me to remove B as well?"},
		"a pause":              {Calls: []llm.Call{iristest.ToolCall("", "ask_user", `{"question":"And which next?"}`)}},
		"another halt":         {Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"C"}`)}},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var deleted atomic.Int64
			x := &counter{kind: "pay"}
			m := iristest.Model().Call("rm", `{"text":"A"}`).Call("propose", nil).Answer("An invoice.").Reply(end)
			h := iristest.New(t, m, executors(x), iristest.Tools(
				countingTool("rm", iris.Destructive, &deleted), confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?")))
			id := h.Say("remove A").Approvals[0]
			h.Say("what is there to pay?")
			o, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
			if err != nil || !o.Resumed || deleted.Load() != 1 {
				t.Fatalf("outcome %+v (%v)", o, err)
			}
			if q := h.Pending(); q == nil || q.Question != "Shall I pay?" {
				t.Errorf("waits %+v, want the question that the person was asked", q)
			}
			if strings.Contains(o.Answer, "And which next?") {
				t.Errorf("the answer %q puts a question that nobody can answer yet", o.Answer)
			}
		})
	}
}

// TestAQueuedQuestionIsPutWhateverAnswersTheTurn: whenever a turn ends with nothing pending, the next paused run's question is put.
func TestAQueuedQuestionIsPutWhateverAnswersTheTurn(t *testing.T) {
	t.Parallel()
	paths := map[string]string{"an intercept's": "fixed", "a confirmation's": "yes"}
	for name, message := range paths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &counter{kind: "pay"}
			m := iristest.Model().AskUser("Red or blue?").Call("propose", nil).Answer("An invoice.").Answer("Red.")
			h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?")), iristest.With(fixedAndScreened))
			h.Say("paint")
			pause := h.Pending()
			if message != "yes" {
				if _, err := h.Continuations().Withdraw(t.Context(), "s1", pause.ID, continuation.Withdrawn, "a test"); err != nil {
					t.Fatal(err)
				}
			} else if _, _, err := h.Continuations().Ask(t.Context(), payAsk()); err != nil {
				t.Fatal(err)
			}
			r := h.Say(message)
			if r.Asked == nil || r.Asked.Question != "Red or blue?" || !strings.Contains(r.Text, "Red or blue?") {
				t.Errorf("reply %+v, want the queued question", r)
			}
		})
	}
}

func payAsk() continuation.Ask {
	return continuation.Ask{
		SessionID: "s1", Owner: intercept.ConfirmationName, Asker: "assistant", Kind: continuation.YesNo, Question: "Shall I pay?", ExecutorKind: "pay",
		Payload: json.RawMessage(`{}`),
	}
}

func fixedAndScreened(c *iris.Config) {
	c.Intercepts = []iris.Intercept{{Name: "fixed", Confirmation: intercept.Never, Handler: func(_ context.Context, m intercept.Message) (*intercept.Reply, error) {
		if m.Text != "fixed" {
			return nil, nil
		}
		return &intercept.Reply{Text: "A fixed answer."}, nil
	}}}
	c.Hooks = append(c.Hooks, iris.Hook{Name: "screen", At: iris.PreTurn, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
		if s.Text == "screen me" {
			return iris.Deny("not here")
		}
		return iris.Allow()
	}})
}

// TestAReplyWhoseRunIsGoneIsNeverLost: the run cannot be taken up and the model fails on the reply; the person answers again.
func TestAReplyWhoseRunIsGoneIsNeverLost(t *testing.T) {
	t.Parallel()
	m := iristest.Model().AskUser("Neo4j or Stardog?").Fail(errors.New("down")).Answer("Neo4j, as its own turn.")
	h := iristest.New(t, m)
	run := h.Say("compare").Runs[0]
	damage(t, h, run, "{")
	if _, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "Neo4j"}); err == nil {
		t.Fatal("the model did not fail")
	}
	r, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "Neo4j"})
	if err != nil || r.Text != "Neo4j, as its own turn." || h.Pending() != nil {
		t.Errorf("again: %q (%v), waits %+v", r.Text, err, h.Pending())
	}
}

// TestAPlainYesToAListLeavesItOpen: the owner's answer ends on a question, and the list is still there to be picked from.
func TestAPlainYesToAListLeavesItOpen(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Answer("Which one do you mean?").Answer("The storm.")
	h := iristest.New(t, m)
	if _, _, err := h.Continuations().Ask(t.Context(), continuation.Ask{
		SessionID: "s1", Owner: "assistant", Question: "Which one?", Options: []continuation.Option{{Text: "Rates rise"}, {Text: "Storm ahead"}},
	}); err != nil {
		t.Fatal(err)
	}
	if r := h.Say("yes"); r.Asked == nil || r.Asked.Kind != "choice" {
		t.Errorf("waits %+v, want the list", r.Asked)
	}
	if h.Say("2"); !strings.Contains(m.Prompt(1), "Storm ahead") {
		t.Errorf("the task is %q, want the second item", m.Prompt(1))
	}
}

func TestItemsThatAreNotNamed(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Reply(llm.Message{Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"A"}`), iristest.ToolCall("", "rm", `{"text":"B"}`)}}).Answer("Done.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	id := h.Say("remove A and B").Approvals[0]
	o, err := h.Approvals().Respond(t.Context(), iris.Answer{
		ApprovalID: id, Decision: iris.Approve, Items: []approval.ItemAnswer{{Position: 1}}, By: iris.Principal{ID: "u1"},
	})
	if err != nil || o.Request.Status != approval.Approved || !o.Resumed || deleted.Load() != 1 {
		t.Errorf("outcome %+v (%v), deleted %d; want all but the first", o, err, deleted.Load())
	}
}

func TestAllItemsRejected(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Reply(llm.Message{Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"A"}`), iristest.ToolCall("", "rm", `{"text":"B"}`)}})
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	r := h.Say("remove A and B")
	o, err := h.Approvals().Respond(t.Context(), iris.Answer{
		ApprovalID: r.Approvals[0], Decision: iris.Approve, Items: []approval.ItemAnswer{{Position: 1}, {Position: 2}}, By: iris.Principal{ID: "u1"},
	})
	if err != nil || o.Request.Status != approval.Rejected || deleted.Load() != 0 {
		t.Errorf("outcome %+v (%v), deleted %d", o, err, deleted.Load())
	}
	if run, err := h.InspectRun(t.Context(), r.Runs[0]); err != nil || run.Run.State != checkpoint.Ended {
		t.Errorf("the run is %v (%v)", run.Run.State, err)
	}
}

// TestTheSecondEffectOfAHeldStepIsCutOff: two approved calls, the second of unknown outcome; once it is settled the run goes on, and neither runs again.
func TestTheSecondEffectOfAHeldStepIsCutOff(t *testing.T) {
	t.Parallel()
	var first, second atomic.Int64
	cut := iris.NewTool(iris.ToolSpec{Name: "cut", Description: "cut off", Effect: iris.Destructive}, func(context.Context, struct{}) (string, error) {
		second.Add(1)
		return "", iris.ErrOutcomeUnknown
	})
	m := iristest.Model().Reply(llm.Message{Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"A"}`), iristest.ToolCall("", "cut", nil)}}).
		Fail(errors.New("down")).Answer("Both done.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &first), cut))
	r := h.Say("do both")
	respond := func() (approval.Outcome, error) {
		return h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	}
	if o, err := respond(); err != nil || o.Resumed || o.Reason != approval.NotResumedFailed {
		t.Fatalf("outcome %+v (%v), want approved, and the run failed", o, err)
	}
	if _, err := respond(); !errors.Is(err, approval.ErrDecided) {
		t.Errorf("a second decision: %v", err)
	}
	if _, err := h.Resume(t.Context(), r.Runs[0]); !errors.Is(err, iris.ErrAmbiguousEffect) {
		t.Errorf("resume: %v, want the ambiguous effect", err)
	}
	effects, err := h.Ambiguous(t.Context(), "s1", "", 10)
	if err != nil || len(effects) != 1 {
		t.Fatalf("ambiguous %+v (%v)", effects, err)
	}
	if err := h.Settle(t.Context(), effects[0].Key, true, iris.Principal{ID: "u1"}); err != nil {
		t.Fatal(err)
	}
	reply, err := h.Resume(t.Context(), r.Runs[0])
	if err != nil || reply.Text != "Both done." || first.Load() != 1 || second.Load() != 1 {
		t.Errorf("reply %q (%v), ran %d and %d", reply.Text, err, first.Load(), second.Load())
	}
	if _, err := h.Resume(t.Context(), r.Runs[0]); !errors.Is(err, iris.ErrCannotResume) {
		t.Errorf("once more: %v", err)
	}
}
