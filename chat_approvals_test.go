package iris_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

// heldWrite is a hook that demands an approval for every call of the tool named tool.
func heldWrite(tool string) iris.Hook {
	return iris.Hook{Name: "ask first", At: iris.PreTool, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
		if s.Name == tool {
			return iris.RequireApproval("it is sent to a customer")
		}
		return iris.Allow()
	}}
}

func lastClosed(t *testing.T, h *iristest.Harness) continuation.Continuation {
	t.Helper()
	rows, err := h.Continuations().History(t.Context(), "s1", "", 1)
	if err != nil || len(rows) == 0 {
		t.Fatalf("history: %v (%v)", rows, err)
	}
	return rows[0]
}

func TestChatApprovalOfARunThatThenFails(t *testing.T) {
	t.Parallel()
	hook := iris.Hook{Name: "every request", At: iris.PreLLM, Decide: func(context.Context, iris.Subject) iris.Decision {
		return iris.RequireApproval("the model is new")
	}}
	h := iristest.New(t, iristest.Model().Fail(errors.New("down")).Answer("Hello."), iristest.With(func(c *iris.Config) { c.Hooks = []iris.Hook{hook} }))
	h.Say("hello")
	if _, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "yes"}); err == nil {
		t.Fatal("the resume did not fail")
	}
	if q := h.Pending(); q != nil {
		t.Errorf("a question waits whose approval is decided: %+v", q)
	}
	if row := lastClosed(t, h); row.Status != continuation.Answered {
		t.Errorf("the question is %s, want answered", row.Status)
	}
	if err := errors.Join(h.Tick(t.Context()), h.Tick(t.Context())); err != nil {
		t.Fatal(err)
	}
	if got := h.Sent.Texts(); len(got) != 1 || got[0] != "Hello." {
		t.Errorf("delivered %q, want the answer of the run that Tick took up", got)
	}
}

func TestChatApprovalsSwitchedOffWhileOneWaits(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	id := h.Say("remove A").Approvals[0]
	built, err := iris.New(iris.Config{
		Store: h.Store, LLM: iristest.Model().Answer("A message like any other."), Clock: h.Clock.Now, Approvals: iris.ApprovalConfig{NoChat: true},
		Tools: []iris.Tool{countingTool("rm", iris.Destructive, &deleted)},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := built.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "yes, go ahead"})
	if err != nil || r.Text != "A message like any other." || deleted.Load() != 0 {
		t.Errorf("reply %q (%v), deleted %d", r.Text, err, deleted.Load())
	}
	if req, err := built.Approvals().Get(t.Context(), id); err != nil || req.Status != approval.Pending {
		t.Errorf("the request is %v (%v)", req.Status, err)
	}
}

func TestChatYesWhileAnotherSurfaceDecides(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	var h *iristest.Harness
	var id string
	elsewhere := iris.Intercept{Name: "elsewhere", Confirmation: 2, Handler: handler(func() *string {
		if id == "" {
			return nil
		}
		if _, err := h.Approvals().Decide(context.Background(), iris.Answer{ApprovalID: id, Decision: iris.Reject, By: iris.Principal{ID: "u2"}}); err != nil {
			t.Errorf("decide: %v", err)
		}
		return nil
	})}
	m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("A message like any other.")
	h = iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Intercepts = []iris.Intercept{elsewhere}
	}))
	id = h.Say("remove A").Approvals[0]
	r := h.Say("yes, go ahead")
	if r.Text != "A message like any other." || deleted.Load() != 0 || h.Pending() != nil {
		t.Errorf("reply %q, deleted %d, waits %+v", r.Text, deleted.Load(), h.Pending())
	}
}

func TestAnswerToAnApprovalThatDecidesNothing(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	asked := h.Say("remove A").Asked
	for _, text := range []string{"ok", "yes, but tomorrow", "what is A?"} {
		_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: text, AnswerTo: asked.ID})
		if !errors.Is(err, iris.ErrNotAnAnswer) {
			t.Errorf("%q: %v, want ErrNotAnAnswer", text, err)
		}
	}
	if m.Calls() != 1 || deleted.Load() != 0 || h.Pending() == nil {
		t.Errorf("%d model calls, deleted %d, waits %+v", m.Calls(), deleted.Load(), h.Pending())
	}
}

func TestNotRequesterInTheChat(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) (*iristest.Harness, *atomic.Int64) {
		deleted := new(atomic.Int64)
		m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("Gone.")
		return iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, deleted)), iristest.With(func(c *iris.Config) {
			c.Approvals.NotRequester = true
		})), deleted
	}
	from := func(h *iristest.Harness, sender, text string) iris.Reply {
		return h.MustTurn(iris.TurnRequest{SessionID: "s1", Message: text, Sender: sender})
	}
	t.Run("another person decides", func(t *testing.T) {
		t.Parallel()
		h, deleted := setup(t)
		from(h, "u1", "remove A")
		if r := from(h, "u1", "yes, go ahead"); deleted.Load() != 0 || !strings.Contains(r.Text, "may not decide") {
			t.Errorf("the requester: %q, deleted %d", r.Text, deleted.Load())
		}
		if r := from(h, "u2", "yes, go ahead"); deleted.Load() != 1 || r.Text != "Gone." {
			t.Errorf("another person: %q, deleted %d", r.Text, deleted.Load())
		}
	})
	t.Run("nobody knows who asked", func(t *testing.T) {
		t.Parallel()
		h, deleted := setup(t)
		if r := from(h, "", "remove A"); r.Asked != nil || strings.Contains(r.Text, "here") {
			t.Errorf("the conversation is asked: %+v", r)
		}
		if h.Say("yes, go ahead"); deleted.Load() != 0 {
			t.Errorf("deleted %d times", deleted.Load())
		}
	})
}

func TestAHaltSaysYesHereOnlyWhereAYesIsForIt(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	var deleted atomic.Int64
	m := iristest.Model().Call("propose", nil).Answer("An invoice.").Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, executors(x), iristest.Tools(
		confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?"), countingTool("rm", iris.Destructive, &deleted)))
	h.Say("pay")
	r := h.Say("remove A please")
	if r.Asked == nil || r.Asked.Question != "Shall I pay?" {
		t.Fatalf("waits: %+v", r.Asked)
	}
	if strings.Contains(r.Text, "say \"yes") || strings.Contains(r.Text, "say yes") {
		t.Errorf("the halt asks for a yes that would pay: %q", r.Text)
	}
}

func TestTwoHeldRunsAreAskedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	a, b := iristest.Model().Call("rm", `{"text":"A"}`).Answer("A is gone."), iristest.Model().Call("rm", `{"text":"B"}`).Answer("B is gone.")
	h := iristest.New(t, nil, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Agents = []iris.Agent{{Name: "a", LLM: a}, {Name: "b", LLM: b}}
		c.Planner = twoTasks{}
	}))
	r := h.Say("remove A and B")
	if len(r.Approvals) != 2 || strings.Count(r.Text, "here.") != 1 {
		t.Fatalf("reply %+v, want two approvals, and one that is answered here", r)
	}
	second := h.Say("yes, go ahead")
	if deleted.Load() != 1 || second.Asked == nil || second.Asked.Owner != "approval" || !strings.Contains(second.Text, "May I go on") {
		t.Fatalf("deleted %d; the second reply %+v, want the other halt's question", deleted.Load(), second)
	}
	if third := h.Say("no"); deleted.Load() != 1 || third.Asked != nil {
		t.Errorf("deleted %d; the third reply %+v", deleted.Load(), third)
	}
	runs, err := h.Runs(t.Context(), "s1", "", 10)
	if err != nil || len(runs) != 2 || runs[0].State == runs[1].State {
		t.Errorf("runs %+v (%v), want one done and one ended", runs, err)
	}
}

func TestChatApprovalOfACallThatReadsLikeAQuestion(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`{"text":"Tuesday or Wednesday?"}`, `{"text":"what do you mind?"}`, `{"text":"No, thanks"}`} {
		var sent atomic.Int64
		m := iristest.Model().Call("send", args).Answer("Sent.")
		h := iristest.New(t, m, iristest.Tools(countingTool("send", iris.Write, &sent)), iristest.With(func(c *iris.Config) {
			c.Hooks = []iris.Hook{heldWrite("send")}
		}))
		h.Say("send it")
		if r := h.Say("yes"); sent.Load() != 1 || r.Text != "Sent." {
			t.Errorf("%s: reply %q, sent %d", args, r.Text, sent.Load())
		}
	}
}

func TestChatDecisionOfAProcessThatDies(t *testing.T) {
	t.Parallel()
	// A turn claims the question and decides; its process ends before the run is taken up.
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("Gone.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	r := h.Say("remove A")
	dead := deadTurn(t, h)
	if _, err := h.Continuations().Claim(t.Context(), continuation.Claimant{ID: r.Asked.ID, SessionID: "s1", TurnID: dead}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Approvals().Decide(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.RecoverAlone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if q := h.Pending(); q != nil {
		t.Errorf("a question waits whose approval is decided: %+v", q)
	}
	if err := h.Tick(t.Context()); err != nil || deleted.Load() != 1 {
		t.Errorf("deleted %d times (%v), want 1", deleted.Load(), err)
	}
}

func TestASecondHaltIsAskedAfterANo(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	a, b := iristest.Model().Call("rm", `{"text":"A"}`).Answer("A is gone."), iristest.Model().Call("rm", `{"text":"B"}`).Answer("B is gone.")
	h := iristest.New(t, nil, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Agents = []iris.Agent{{Name: "a", LLM: a}, {Name: "b", LLM: b}}
		c.Planner = twoTasks{}
	}))
	h.Say("remove A and B")
	if r := h.Say("no"); r.Asked == nil || r.Asked.Owner != "approval" || !strings.Contains(r.Text, "May I go on") || !strings.Contains(r.Text, "I stopped") {
		t.Fatalf("the second halt is not asked: %+v", r)
	}
	if r := h.Say("yes, go ahead"); deleted.Load() != 1 || r.Asked != nil {
		t.Errorf("deleted %d; %+v", deleted.Load(), r)
	}
}

// TestAChatQuestionWaitsAsLongAsItsApproval: the turn that raised it took its time.
func TestAChatQuestionWaitsAsLongAsItsApproval(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`)
	var h *iristest.Harness
	h = iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Curator = curatorFunc(func(d iris.Draft) (string, error) { h.Clock.Advance(time.Minute); return d.Text, nil })
	}))
	r := h.Say("remove A")
	req, err := h.Approvals().Get(t.Context(), r.Approvals[0])
	if err != nil || !r.Asked.ExpiresAt.Equal(req.TimeoutAt) {
		t.Errorf("the question waits until %v, its approval until %v (%v)", r.Asked.ExpiresAt, req.TimeoutAt, err)
	}
}

// TestAHaltBesideAPause: the pause is asked first, and the halt when it is answered.
func TestAHaltBesideAPause(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	a, b := iristest.Model().AskUser("Red or blue?").Answer("Red."), iristest.Model().Call("rm", `{"text":"B"}`).Answer("B is gone.")
	h := iristest.New(t, nil, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Agents = []iris.Agent{{Name: "a", LLM: a}, {Name: "b", LLM: b}}
		c.Planner = twoTasks{}
	}))
	if r := h.Say("both"); r.Asked == nil || r.Asked.Question != "Red or blue?" || strings.Contains(r.Text, "here.") {
		t.Fatalf("the first reply: %+v", r)
	}
	if r := h.Say("red"); r.Asked == nil || r.Asked.Owner != "approval" || !strings.Contains(r.Text, "May I go on") {
		t.Fatalf("the second reply: %+v", r)
	}
	if r := h.Say("yes, go ahead"); r.Text != "B is gone." || deleted.Load() != 1 {
		t.Errorf("the third reply: %+v, deleted %d", r, deleted.Load())
	}
}

// TestAHaltLeavesAQuestionOfTheMeantime: a background job asks while the turn that halts is running.
func TestAHaltLeavesAQuestionOfTheMeantime(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	x := &counter{kind: "pay"}
	var h *iristest.Harness
	meanwhile := func() {
		if _, _, err := h.Continuations().Ask(context.Background(), payAsk()); err != nil {
			t.Error(err)
		}
	}
	m := iristest.Model().Do(meanwhile, llm.Message{Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"A"}`)}})
	h = iristest.New(t, m, executors(x), iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	r := h.Say("remove A")
	if r.Asked == nil || r.Asked.Question != "Shall I pay?" || strings.Contains(r.Text, "here.") {
		t.Errorf("reply %q, asked %+v; want the other question, and no yes asked for here", r.Text, r.Asked)
	}
}
