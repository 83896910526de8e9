package iris_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

func pressIn(h *iristest.Harness, sender, id, option string) (iris.Reply, error) {
	return h.Turn(context.Background(), iris.TurnRequest{SessionID: "s1", Sender: sender, Press: &iris.Press{ContinuationID: id, Option: option}})
}

// owning is an intercept that owns questions, and answers them itself.
func owning(name string, got *[]string) iris.Intercept {
	return iris.Intercept{Name: name, Confirmation: intercept.Resolves, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
		if m.Pending == nil || m.Pending.Owner != name {
			return nil, nil
		}
		if err := m.Claim(ctx); err != nil {
			return nil, err
		}
		*got = append(*got, m.Text)
		return &intercept.Reply{Text: "Noted: " + m.Text, Outcome: "noted"}, nil
	}}
}

// TestAButtonReachesTheInterceptThatAsked: the owner of a question gets its button, as it gets the words.
func TestAButtonReachesTheInterceptThatAsked(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ask          continuation.Ask
		option, want string
	}{
		"yes":       {ask("mine", "Shall I?"), "approve", "yes"},
		"no":        {ask("mine", "Shall I?"), "reject", "no"},
		"an option": {continuation.Ask{Owner: "mine", Question: "Which?", Options: []continuation.Option{{Text: "red"}, {Text: "blue"}}}, "2", "blue"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Intercepts = []iris.Intercept{owning("mine", &got)} }))
			tt.ask.SessionID = "s1"
			asked, _, err := h.Continuations().Ask(t.Context(), tt.ask)
			if err != nil {
				t.Fatal(err)
			}
			r, err := pressIn(h, "", asked.ID, tt.option)
			if err != nil || len(got) != 1 || got[0] != tt.want || r.Agent != "mine" || h.Pending() != nil {
				t.Errorf("the owner got %q; reply %+v (%v)", got, r, err)
			}
			if _, err := pressIn(h, "", asked.ID, tt.option); !errors.Is(err, iris.ErrAnswered) || len(got) != 1 {
				t.Errorf("again: %v, the owner got %q", err, got)
			}
		})
	}
}

func TestAddressedWordsPassByOtherIntercepts(t *testing.T) {
	t.Parallel()
	m := iristest.Model().AskUser("Which city?").Answer("Paris, then.")
	h := iristest.New(t, m, iristest.With(fixedAndScreened))
	asked := h.Say("plan").Asked
	r := h.MustTurn(iris.TurnRequest{SessionID: "s1", Message: "fixed", AnswerTo: asked.ID})
	if r.Text != "Paris, then." || h.Pending() != nil {
		t.Errorf("reply %+v, want the answer of who asked", r)
	}
}

func TestAddressedPhotosAnswerNothing(t *testing.T) {
	t.Parallel()
	m := iristest.Model().AskUser("Which city?")
	h := iristest.New(t, m)
	asked := h.Say("plan").Asked
	_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", AnswerTo: asked.ID, Attachments: []llm.Attachment{{Name: "a.jpg"}}})
	if !errors.Is(err, iris.ErrNotAnAnswer) || h.Pending() == nil {
		t.Errorf("%v, waits %+v; want ErrNotAnAnswer", err, h.Pending())
	}
}

// TestButtons is what a button says of each kind of question.
func TestButtons(t *testing.T) {
	t.Parallel()
	list := []continuation.Option{{Text: "red"}, {Text: "blue"}}
	t.Run("a choice", func(t *testing.T) {
		t.Parallel()
		m := iristest.Model().Answer("Blue.")
		h := iristest.New(t, m)
		asked, _, _ := h.Continuations().Ask(t.Context(), continuation.Ask{SessionID: "s1", Owner: "assistant", Question: "Which?", Options: list})
		if _, err := pressIn(h, "", asked.ID, "approve"); !errors.Is(err, iris.ErrNoSuchOption) {
			t.Errorf("approve: %v", err)
		}
		if r, err := pressIn(h, "", asked.ID, "2"); err != nil || r.Text != "Blue." || !strings.Contains(m.Prompt(0), "blue") {
			t.Errorf("2: %+v (%v), task %q", r, err, m.Prompt(0))
		}
	})
	t.Run("a paused run's choices", func(t *testing.T) {
		t.Parallel()
		m := iristest.Model().AskUser("Which?", "red", "blue").Answer("Blue.")
		h := iristest.New(t, m)
		r := h.Say("paint")
		if r2, err := pressIn(h, "", r.Asked.ID, "2"); err != nil || r2.Text != "Blue." || r2.Runs[0] != r.Runs[0] {
			t.Errorf("2: %+v (%v)", r2, err)
		}
	})
	t.Run("a halt, destructive", func(t *testing.T) {
		t.Parallel()
		var deleted atomic.Int64
		m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("Gone.")
		h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
		r := h.Say("remove A")
		if r2, err := pressIn(h, "", r.Asked.ID, "approve"); err != nil || r2.Text != "Gone." || deleted.Load() != 1 {
			t.Errorf("approve: %+v (%v), deleted %d", r2, err, deleted.Load())
		}
		if _, err := pressIn(h, "", r.Asked.ID, "reject"); !errors.Is(err, iris.ErrAnswered) {
			t.Errorf("then reject: %v", err)
		}
	})
	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		x := &counter{kind: "pay"}
		h := iristest.New(t, iristest.Model(), executors(x))
		asked, _, _ := h.Continuations().Ask(t.Context(), payAsk())
		h.Clock.Advance(8 * 24 * time.Hour)
		if _, err := pressIn(h, "", asked.ID, "approve"); !errors.Is(err, iris.ErrExpired) || x.count() != 0 {
			t.Errorf("%v, ran %d", err, x.count())
		}
	})
	t.Run("somebody else's, and nobody's", func(t *testing.T) {
		t.Parallel()
		x := &counter{kind: "pay"}
		h := iristest.New(t, iristest.Model(), executors(x))
		a := payAsk()
		a.AskedOf = "u1"
		asked, _, _ := h.Continuations().Ask(t.Context(), a)
		if _, err := pressIn(h, "u2", asked.ID, "approve"); !errors.Is(err, iris.ErrNotAllowed) {
			t.Errorf("another person: %v", err)
		}
		_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Sender: "u1", System: true, Press: &iris.Press{ContinuationID: asked.ID, Option: "approve"}})
		if !errors.Is(err, iris.ErrNotAllowed) || x.count() != 0 {
			t.Errorf("the system: %v, ran %d", err, x.count())
		}
		if _, err := pressIn(h, "u1", asked.ID, "approve"); err != nil || x.count() != 1 {
			t.Errorf("who was asked: %v, ran %d", err, x.count())
		}
	})
}

// TestPositionsAreAsShown: a press and a number name the same option.
func TestPositionsAreAsShown(t *testing.T) {
	t.Parallel()
	h := iristest.New(t, iristest.Model())
	for _, positions := range [][]int{{2, 1}, {1, 1}, {3, 4}, {-1, 2}} {
		var options []continuation.Option
		for _, p := range positions {
			options = append(options, continuation.Option{Position: p, Text: "an option"})
		}
		_, _, err := h.Continuations().Ask(t.Context(), continuation.Ask{SessionID: "s1", Owner: "assistant", Question: "Which?", Options: options})
		if !errors.Is(err, continuation.ErrInvalid) {
			t.Errorf("positions %v: %v, want ErrInvalid", positions, err)
		}
	}
}
