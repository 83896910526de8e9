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
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
)

type curatorFunc func(d iris.Draft) (string, error)

func (f curatorFunc) Curate(_ context.Context, d iris.Draft) (string, error) { return f(d) }

// TestACuratorCannotLoseAQuestion: what this turn opens is in what the person is shown.
func TestACuratorCannotLoseAQuestion(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	var deleted atomic.Int64
	setups := map[string]struct {
		model *iristest.ScriptedModel
		shows string
	}{
		"a tool's": {iristest.Model().Call("propose", nil).Answer("An invoice."), "Shall I pay?"},
		"a pause":  {iristest.Model().AskUser("Red or blue?"), "Red or blue?"},
		"a halt":   {iristest.Model().Call("rm", `{"text":"A"}`), `rm {"text":"A"}`},
	}
	for name, s := range setups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := iristest.New(t, s.model, executors(x), iristest.Tools(
				confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?"), countingTool("rm", iris.Destructive, &deleted)),
				iristest.With(func(c *iris.Config) {
					c.Curator = curatorFunc(func(iris.Draft) (string, error) { return "Short.", nil })
				}))
			if r := h.Say("go"); r.Asked == nil || !strings.Contains(r.Text, "Short.") || !strings.Contains(r.Text, s.shows) {
				t.Errorf("reply %q, waits %+v", r.Text, r.Asked)
			}
		})
	}
}

// TestAQuestionThatGovernanceTakesOutIsNotAsked: pre_response transforms the answer, and the question is gone from it.
func TestAQuestionThatGovernanceTakesOutIsNotAsked(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	redact := iris.Hook{Name: "redact", At: iris.PreResponse, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
		return governance.TransformText(strings.ReplaceAll(s.Text, "swordfish", "***"), "a secret")
	}}
	models := map[string]*iristest.ScriptedModel{
		"a tool's":    iristest.Model().Call("propose", nil).Answer("An invoice.").Answer("Fine."),
		"a pause":     iristest.Model().AskUser("Is it still swordfish?").Answer("Fine."),
		"an inferred": iristest.Model().Answer("Shall I send swordfish?").Answer("Fine."),
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay swordfish?")),
				iristest.With(func(c *iris.Config) { c.Hooks = []iris.Hook{redact} }))
			r := h.Say("go")
			if strings.Contains(r.Text, "swordfish") || r.Asked != nil && strings.Contains(r.Asked.Question, "swordfish") {
				t.Errorf("shown: %q, asked: %+v", r.Text, r.Asked)
			}
			if h.Say("yes"); x.count() != 0 {
				t.Errorf("ran %d times", x.count())
			}
		})
	}
}

// TestACuratorThatFails: what was done is said, whatever becomes of the answer.
func TestACuratorThatFails(t *testing.T) {
	t.Parallel()
	var wrote counterInt
	m := iristest.Model().Call("write", nil).Answer("Written.")
	h := iristest.New(t, m, iristest.Tools(countingTool("write", iris.Write, &wrote.v)), iristest.With(func(c *iris.Config) {
		c.Curator = curatorFunc(func(iris.Draft) (string, error) { panic("broken") })
	}))
	_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "write", MessageID: "m1"})
	var te *iris.TurnError
	if !errors.As(err, &te) || !te.Happened || !strings.Contains(te.Text, "write") {
		t.Fatalf("turn: %+v, want what was done", err)
	}
	_, err = h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "write", MessageID: "m1"})
	if !errors.As(err, &te) || te.Text == "" || wrote.v.Load() != 1 {
		t.Errorf("again: %+v, wrote %d; want the recorded failure, with a sentence for the person", te, wrote.v.Load())
	}
}

// TestAHarnessThatIsClosedTakesNothingUp: another process does.
func TestAHarnessThatIsClosedTakesNothingUp(t *testing.T) {
	t.Parallel()
	for _, wish := range []string{"a decision", "a wish"} {
		t.Run(wish, func(t *testing.T) {
			t.Parallel()
			var deleted atomic.Int64
			m := iristest.Model().Call("rm", `{"text":"A"}`)
			h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
			r := h.Say("remove A")
			if _, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}, Later: true}); err != nil {
				t.Fatal(err)
			}
			if wish == "a wish" {
				if err := h.RequestResume(t.Context(), r.Runs[0]); err != nil {
					t.Fatal(err)
				}
			}
			h.Close()
			if err := h.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			h.Restart(iristest.Model().Answer("Gone."))
			h.Clock.Advance(time.Minute)
			if err := h.Tick(t.Context()); err != nil || deleted.Load() != 1 {
				t.Errorf("deleted %d times (%v), want 1", deleted.Load(), err)
			}
		})
	}
}

// TestAClaimThatComesBackTooLateIsAnnounced: another question took the place of an action's while its answer was being read.
func TestAClaimThatComesBackTooLateIsAnnounced(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	h := iristest.New(t, iristest.Model(), executors(x))
	asked, _, err := h.Continuations().Ask(t.Context(), payAsk())
	if err != nil {
		t.Fatal(err)
	}
	c, err := h.Continuations().Claim(t.Context(), continuation.Claimant{ID: asked.ID, SessionID: "s1", TurnID: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Continuations().Ask(t.Context(), continuation.Ask{SessionID: "s1", Owner: "assistant", Question: "How long?"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Release(t.Context()); err != nil || c.Row().Status != continuation.Superseded {
		t.Fatalf("released: %s (%v)", c.Row().Status, err)
	}
	if n := auditOf(t, h, "superseded"); n != 1 {
		t.Errorf("%d audit rows of the superseding, want 1", n)
	}
}

// TestTurnsWithinTurns: a turn of a session is refused however many sessions are between.
func TestTurnsWithinTurns(t *testing.T) {
	t.Parallel()
	var h *iristest.Harness
	var inner error
	hop := iris.NewTool(iris.ToolSpec{Name: "hop", Description: "takes turns", Effect: iris.ReadOnly}, func(ctx context.Context, in struct {
		To string `json:"to"`
	}) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := h.Turn(ctx, iris.TurnRequest{SessionID: in.To, Message: "go"})
		if in.To == "s1" {
			inner = err
		}
		return "ok", nil
	})
	m := iristest.Model().Call("hop", `{"to":"s2"}`).Call("hop", `{"to":"s1"}`).Answer("Done.").Answer("Done.")
	h = iristest.New(t, m, iristest.Tools(hop))
	h.Say("go")
	if !errors.Is(inner, iris.ErrReentrant) {
		t.Errorf("the innermost turn: %v, want ErrReentrant", inner)
	}
}

func TestForgetFromInside(t *testing.T) {
	t.Parallel()
	var h *iristest.Harness
	var err error
	forget := iris.NewTool(iris.ToolSpec{Name: "forget", Description: "forgets", Effect: iris.ReadOnly}, func(ctx context.Context, _ struct{}) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		err = h.Forget(ctx, "s1")
		return "ok", nil
	})
	h = iristest.New(t, iristest.Model().Call("forget", nil).Answer("Done."), iristest.Tools(forget))
	if h.Say("forget me"); !errors.Is(err, iris.ErrReentrant) {
		t.Errorf("forget: %v, want ErrReentrant", err)
	}
}

// TestARestatedQuestionIsTheSameQuestion: options, payload, asker and intent are carried, and History says what became of the first.
func TestARestatedQuestionIsTheSameQuestion(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	h := iristest.New(t, iristest.Model(), executors(x))
	a := payAsk()
	a.Intent, a.Options = "billing", []continuation.Option{{Text: "now"}, {Text: "on Monday", Ref: []byte(`7`)}}
	first, _, err := h.Continuations().Ask(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	h.Clock.Advance(2 * time.Hour)
	asked := h.Say("yes").Asked
	second, err := h.Continuations().Get(t.Context(), "s1", asked.ID)
	if err != nil || second.Intent != "billing" || second.Asker != "assistant" || string(second.Payload) != `{}` || len(second.Options) != 2 || string(second.Options[1].Ref) != "7" {
		t.Errorf("restated: %+v (%v)", second, err)
	}
	if row, err := h.Continuations().Get(t.Context(), "s1", first.ID); err != nil || row.Why != continuation.Restated {
		t.Errorf("the first: %+v (%v)", row, err)
	}
	if h.Say("yes"); x.count() != 1 {
		t.Errorf("ran %d times", x.count())
	}
}

func TestCommandsOnTwoLines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/approve\n01ABC", "/approve\t01abc", " /approve@bot 01ABC", "/approve\u00a001ABC"} {
		if c, ok := approval.ParseCommand(text); !ok || c.ApprovalID != "01ABC" || c.Decision != iris.Approve {
			t.Errorf("%q: %+v, %t", text, c, ok)
		}
	}
	if c, ok := approval.ParseCommand("/reject 01ABC not\nnow"); !ok || c.Reason != "not\nnow" {
		t.Errorf("%+v, %t", c, ok)
	}
}
