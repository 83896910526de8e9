package plugin_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/plugin"
)

// probe is a plugin with one intercept, "mine", which does what a test says with its services.
func probe(do func(ctx context.Context, s plugin.Services) error) iris.Plugin {
	return of("probe", func(r *plugin.Registrar, s plugin.Services) {
		r.Intercept(intercept.Spec{Name: "mine", Confirmation: intercept.Never, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
			if m.Text != "go" {
				return nil, nil
			}
			return &intercept.Reply{Text: "Done."}, do(ctx, s)
		}})
		r.Executor(&executor{kind: "act"})
	})
}

func probed(t *testing.T, do func(ctx context.Context, s plugin.Services) error) *iristest.Harness {
	t.Helper()
	return iristest.New(t, iristest.Model().Answer("one").Answer("two").Answer("three"), with(probe(do), nil))
}

// TestAskAsSomebodyElse: a plugin asks as its own owners only, with no run and no origin that it made up, in the session of the turn.
func TestAskAsSomebodyElse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ask  continuation.Ask
		want error
	}{
		{"another owner", continuation.Ask{Owner: "assistant", Question: "?"}, plugin.ErrNotYours},
		{"the confirmation intercept", continuation.Ask{Owner: intercept.ConfirmationName, Question: "?"}, plugin.ErrNotYours},
		{"the approval queue", continuation.Ask{Owner: "approval", Question: "?"}, plugin.ErrNotYours},
		{"nobody", continuation.Ask{Question: "?"}, plugin.ErrNotYours},
		{"another asker", continuation.Ask{Owner: "mine", Asker: "assistant", Question: "?"}, plugin.ErrNotYours},
		{"an action of its own making", continuation.Ask{Owner: "mine", Kind: continuation.YesNo, Question: "?", ExecutorKind: "act"}, plugin.ErrNotYours},
		{"no question", continuation.Ask{Owner: "mine"}, continuation.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := probed(t, func(ctx context.Context, s plugin.Services) error {
				ref, _ := s.CurrentSession(ctx)
				if err := s.Continuations.Ask(ctx, tt.ask); !errors.Is(err, tt.want) {
					t.Errorf("ask: %v, want %v", err, tt.want)
				}
				if err := s.Continuations.AskIn(ctx, ref, tt.ask); !errors.Is(err, tt.want) {
					t.Errorf("ask in: %v, want %v", err, tt.want)
				}
				return nil
			})
			h.Say("go")
			if q := h.Pending(); q != nil {
				t.Errorf("it waits: %+v", q)
			}
		})
	}
}

// TestAForgedPause: a question that names somebody's run, another session and an origin is asked without them.
func TestAForgedPause(t *testing.T) {
	t.Parallel()
	forged := continuation.Ask{
		SessionID: "s2", Owner: "mine", Question: "What next?", Origin: continuation.Pause, RunID: "01K50000000000000000000000", StepID: 3, TurnID: "x", Intent: "x",
	}
	h := probed(t, func(ctx context.Context, s plugin.Services) error { return s.Continuations.Ask(ctx, forged) })
	h.Say("go")
	q := h.Pending()
	if q == nil || q.Owner != "mine" || q.RunID != "" {
		t.Fatalf("asked: %+v", q)
	}
	if v, err := h.Harness.Session(t.Context(), "s2"); err != nil || v.Waiting != nil {
		t.Errorf("a session named by a string was asked: %+v, %v", v.Waiting, err)
	}
}

// TestSessionRef asks later, from a background job, in the session that handed the reference out, of who spoke there.
func TestSessionRef(t *testing.T) {
	t.Parallel()
	var ref plugin.SessionRef
	var services plugin.Services
	h := probed(t, func(ctx context.Context, s plugin.Services) error {
		services = s
		ref, _ = s.CurrentSession(ctx)
		if s.CurrentQuery(ctx) != "go" {
			t.Errorf("query %q", s.CurrentQuery(ctx))
		}
		return nil
	})
	h.MustTurn(iris.TurnRequest{SessionID: "s1", Sender: "ann", Message: "go"})
	ctx := t.Context()
	if err := services.Continuations.ConfirmIn(ctx, plugin.SessionRef{}, "mine", "act", nil, "Shall I?"); !errors.Is(err, plugin.ErrNoTurn) {
		t.Errorf("a reference from nowhere: %v", err)
	}
	if err := services.Continuations.Ask(ctx, continuation.Ask{Owner: "mine", Question: "?"}); err == nil {
		t.Error("asked outside of a turn without a reference")
	}
	if err := services.Continuations.ConfirmIn(ctx, ref, "mine", "act", map[string]int{"n": 1}, "Shall I?"); err != nil {
		t.Fatal(err)
	}
	q := h.Pending()
	if q == nil || q.AskedOf != "ann" || q.Asker != "mine" {
		t.Fatalf("asked: %+v", q)
	}
	if err := h.Tick(ctx); err != nil || len(h.Sent.Texts()) != 1 || h.Sent.Texts()[0] != "Shall I?" {
		t.Errorf("delivered %q, %v", h.Sent.Texts(), err)
	}
	if r := h.MustTurn(iris.TurnRequest{SessionID: "s1", Sender: "bob", Message: "yes"}); strings.Contains(r.Text, "It is done.") {
		t.Errorf("somebody else answered: %q", r.Text)
	}
	if r := h.MustTurn(iris.TurnRequest{SessionID: "s1", Sender: "ann", Message: "yes"}); !strings.Contains(r.Text, "It is done.") {
		t.Errorf("reply %q", r.Text)
	}
}

// TestWithdrawItsOwn: a plugin takes back what it asked, and leaves another's question alone.
func TestWithdrawItsOwn(t *testing.T) {
	t.Parallel()
	for name, mine := range map[string]bool{"its own": true, "another's": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := 0
			h := probed(t, func(ctx context.Context, s plugin.Services) error {
				if steps++; steps == 1 && mine {
					return s.Continuations.Ask(ctx, continuation.Ask{Owner: "mine", Kind: continuation.YesNo, Question: "Shall I?"})
				}
				p, err := s.Continuations.Pending(ctx)
				if err != nil || (p != nil) != mine {
					t.Errorf("pending %v, %v", p, err)
				}
				if err := s.Continuations.Withdraw(ctx); mine == errors.Is(err, plugin.ErrNotYours) {
					t.Errorf("withdraw: %v", err)
				}
				return nil
			})
			if mine {
				h.Say("go")
			} else if _, _, err := h.Continuations().Ask(t.Context(), continuation.Ask{SessionID: "s1", Owner: "assistant", Kind: continuation.YesNo, Question: "Shall I?"}); err != nil {
				t.Fatal(err)
			}
			h.Say("go")
			if waits := h.Pending() != nil; waits == mine {
				t.Errorf("waits: %t", waits)
			}
		})
	}
}
