package plugin_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/plugin"
)

// executor runs f; it counts.
type executor struct {
	kind string
	n    atomic.Int64
	f    func(ctx context.Context, payload json.RawMessage) (string, error)
}

func (e *executor) Kind() string { return e.kind }

func (e *executor) Execute(ctx context.Context, payload json.RawMessage) (string, error) {
	e.n.Add(1)
	if e.f == nil {
		return "It is done.", nil
	}
	return e.f(ctx, payload)
}

// inviter is a plugin that asks "invite Bob?" of whoever says "invite", and runs it with e.
func inviter(e *executor) iris.Plugin {
	return of("inviter", func(r *plugin.Registrar, s plugin.Services) {
		r.Intercept(intercept.Spec{Name: "invite", Confirmation: intercept.Never, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
			if !strings.HasPrefix(m.Text, "invite") {
				return nil, nil
			}
			return &intercept.Reply{Text: "Shall I invite Bob?"}, s.Continuations.Confirm(ctx, "invite", "invite", map[string]string{"who": "Bob"}, "Shall I invite Bob?")
		}})
		if e != nil {
			r.Executor(e)
		}
	})
}

func with(p iris.Plugin, store iris.Store) iristest.Option {
	return iristest.With(func(c *iris.Config) {
		c.Plugins = []iris.Plugin{p}
		if store != nil {
			c.Store = store
		}
	})
}

// TestOutcomesOfAnExecutor: each is told to the person, and only a success says that it is done.
func TestOutcomesOfAnExecutor(t *testing.T) {
	t.Parallel()
	decode := func(_ context.Context, payload json.RawMessage) (string, error) {
		var v struct{ Guests []string }
		if err := json.Unmarshal(payload, &v); err != nil {
			return "", err
		}
		if len(v.Guests) == 0 {
			return "", errors.New("this invitation was written by an older version; please ask again")
		}
		return "Invited.", nil
	}
	for _, tt := range []struct {
		name    string
		f       func(ctx context.Context, payload json.RawMessage) (string, error)
		want    string
		unknown bool
	}{
		{name: "it succeeds", want: "It is done."},
		{name: "a changed schema", f: decode, want: "It did not work: this invitation was written by an older version"},
		{name: "an error", f: func(context.Context, json.RawMessage) (string, error) { return "", errors.New("no network") }, want: "It did not work: no network"},
		{name: "a panic", f: func(context.Context, json.RawMessage) (string, error) { panic("boom") }, want: "I do not know whether it happened", unknown: true},
		{name: "one that hangs", f: func(context.Context, json.RawMessage) (string, error) { time.Sleep(time.Hour); return "", nil },
			want: "I do not know whether it happened", unknown: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &executor{kind: "invite", f: tt.f}
				h := iristest.New(t, iristest.Model(), with(inviter(e), memstore.New()))
				h.Say("invite Bob")
				r := h.Say("yes")
				if !strings.Contains(r.Text, tt.want) || !strings.Contains(r.Text, "You said yes to: Shall I invite Bob?") {
					t.Errorf("the person is told %q", r.Text)
				}
				if tt.f != nil && (strings.Contains(r.Text, "done") || strings.Contains(r.Text, "Invited.")) {
					t.Errorf("it claims to have succeeded: %q", r.Text)
				}
				left, err := h.Ambiguous(t.Context(), "s1", "", 10)
				if err != nil || (len(left) == 1) != tt.unknown {
					t.Errorf("%d effects that nobody knows the outcome of: %v", len(left), err)
				}
				if st := h.Plugins()[0]; tt.f != nil && tt.name != "one that hangs" && st.State != plugin.Degraded {
					t.Errorf("status %+v", st)
				}
				if h.Pending() != nil || e.n.Load() != 1 {
					t.Errorf("it still waits, or ran %d times", e.n.Load())
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestUnknownKind: the plugin that could run the action is gone when the answer comes; asking for a kind that nobody runs is refused at once.
func TestUnknownKind(t *testing.T) {
	t.Parallel()
	store := memstore.New()
	t.Cleanup(func() { _ = store.Close() })
	iristest.New(t, iristest.Model(), with(inviter(&executor{kind: "invite"}), store)).Say("invite Bob")
	h := iristest.New(t, iristest.Model().Answer("An agent's answer."), with(inviter(nil), store))
	if r := h.Say("yes"); !strings.Contains(r.Text, `nothing here knows how to run "invite" any more. Nothing was done.`) {
		t.Errorf("the person is told %q", r.Text)
	}
	if r := h.Say("invite Bob"); r.Asked != nil || r.Text != "An agent's answer." {
		t.Errorf("a question that nobody can act on was put: %q", r.Text)
	}
}

// TestCrashBetweenClaimAndEffect: a process that dies after the claim leaves the question to be answered again where nothing had begun, and an
// unknown outcome where the action had.
func TestCrashBetweenClaimAndEffect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		begun  bool
		inside func(block func()) (iris.Hook, *executor)
	}{
		{"before the effect", false, func(block func()) (iris.Hook, *executor) {
			return iris.Hook{Name: "slow", At: governance.PreTool, Decide: func(context.Context, iris.Subject) iris.Decision {
				block()
				return governance.Allow()
			}}, &executor{kind: "invite"}
		}},
		{"in the effect", true, func(block func()) (iris.Hook, *executor) {
			return iris.Hook{Name: "fast", At: governance.PreTool, Decide: func(context.Context, iris.Subject) iris.Decision { return governance.Allow() }},
				&executor{kind: "invite", f: func(context.Context, json.RawMessage) (string, error) { block(); return "", nil }}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reached, dead := make(chan struct{}), make(chan struct{})
			hook, e := tt.inside(func() { close(reached); <-dead })
			store := memstore.New()
			h := iristest.New(t, iristest.Model(), with(inviter(e), store), iristest.With(func(c *iris.Config) { c.Hooks, c.HookTimeout = []iris.Hook{hook}, time.Hour }))
			h.Say("invite Bob")
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = h.Turn(context.WithoutCancel(t.Context()), iris.TurnRequest{SessionID: "s1", Message: "yes"}) // dies: what it returns, nobody reads
			}()
			<-reached
			afterCrash(t, store, tt.begun)
			close(dead)
			<-gone
		})
	}
}

func afterCrash(t *testing.T, store iris.Store, begun bool) {
	t.Helper()
	e := &executor{kind: "invite"}
	h := iristest.New(t, iristest.Model(), with(inviter(e), store))
	if _, err := h.RecoverAlone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if begun {
		v, err := h.Harness.Session(t.Context(), "s1")
		if err != nil || v.Waiting != nil || len(v.Ambiguous) != 1 || v.History[0].Outcome != "unknown" {
			t.Errorf("after the crash: %+v, %v", v, err)
		}
		if err := h.Tick(t.Context()); err != nil || len(h.Sent.Texts()) != 1 || strings.Contains(h.Sent.Texts()[0], "done") {
			t.Errorf("the person is told %q, %v", h.Sent.Texts(), err)
		}
		return
	}
	if q := h.Pending(); q == nil {
		t.Fatal("the question is lost")
	}
	if r := h.Say("yes"); e.n.Load() != 1 || !strings.Contains(r.Text, "It is done.") {
		t.Errorf("answered again: ran %d times, %q", e.n.Load(), r.Text)
	}
}
