package plugin_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/plugin"
)

// TestFaultsOfATool: the model is told, and the plugin is degraded; an error that the tool returns is its answer, and degrades nothing.
func TestFaultsOfATool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		run  func() (string, error)
		want plugin.State
	}{
		{"a panic", func() (string, error) { panic("boom") }, plugin.Degraded},
		{"one that hangs", func() (string, error) { time.Sleep(time.Hour); return "", nil }, plugin.Degraded},
		{"an error", func() (string, error) { return "", errors.New("no such mail") }, plugin.Loaded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				look := loop.NewTool(loop.ToolSpec{Name: "look", Description: "look", Effect: iris.ReadOnly}, func(context.Context, struct{}) (string, error) { return tt.run() })
				p := of("p", func(r *plugin.Registrar, _ plugin.Services) { r.Tool(look) })
				h := iristest.New(t, iristest.Model().Call("look", `{}`).Answer("I could not look."), iristest.With(func(c *iris.Config) {
					c.Plugins, c.Limits.WallClock = []iris.Plugin{p}, 3*time.Hour
				}))
				if r := h.Say("look"); r.Text != "I could not look." {
					t.Errorf("reply %q", r.Text)
				}
				if st := h.Plugins()[0]; st.State != tt.want {
					t.Errorf("status %+v, want %s", st, tt.want)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestAHeartbeatThatHangs delays no other, and is not started again while it runs.
func TestAHeartbeatThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var hung, ran atomic.Int64
		p := of("p", func(r *plugin.Registrar, _ plugin.Services) {
			r.Heartbeat(plugin.Heartbeat{Name: "hangs", Every: time.Minute, Run: func(context.Context) error { hung.Add(1); time.Sleep(time.Hour); return nil }})
			r.Heartbeat(plugin.Heartbeat{Name: "good", Every: time.Minute, Run: func(context.Context) error { ran.Add(1); return nil }})
		})
		h := iristest.New(t, iristest.Model(), with(p, memstore.New()))
		began := time.Now()
		for range 4 {
			if err := h.Tick(t.Context()); err != nil {
				t.Error(err)
			}
			h.Clock.Advance(2 * time.Minute)
		}
		if hung.Load() != 1 || ran.Load() != 3 || time.Since(began) > time.Minute {
			t.Errorf("started %d times, want once; the other one %d times, want 3; it took %s", hung.Load(), ran.Load(), time.Since(began))
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestFaultsOfAnIntercept: in a harness, the session and the others go on, and what had been claimed is told as it is.
func TestFaultsOfAnIntercept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := of("p", func(r *plugin.Registrar, s plugin.Services) {
			r.Intercept(intercept.Spec{Name: "odd", Confirmation: intercept.Resolves, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
				switch {
				case m.Pending != nil && m.Pending.Owner == "odd":
					if err := m.Claim(ctx); err != nil {
						t.Error(err)
					}
					panic("boom")
				case m.Text == "ask me":
					return &intercept.Reply{Text: "Shall I?"}, s.Continuations.Ask(ctx, continuation.Ask{Owner: "odd", Kind: continuation.YesNo, Question: "Shall I?"})
				case m.Text == "hang":
					time.Sleep(time.Hour)
				}
				return nil, nil
			}})
		})
		h := iristest.New(t, iristest.Model().Answer("one").Answer("two"), with(p, memstore.New()))
		if r := h.Say("hang"); r.Text != "one" {
			t.Errorf("reply %q", r.Text)
		}
		h.Say("ask me")
		if r := h.Say("yes"); !strings.Contains(r.Text, "Something broke while I acted on it, and I cannot say how far it got.") {
			t.Errorf("the person is told %q", r.Text)
		}
		if r := h.Say("are you there?"); r.Text != "two" || h.Pending() != nil {
			t.Errorf("reply %q", r.Text)
		}
		if st := h.Plugins()[0]; st.State != plugin.Degraded || st.Faults != 2 {
			t.Errorf("status %+v", st)
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestDisabledOwner: a row that switches an intercept off leaves its plugin nobody to ask as.
func TestDisabledOwner(t *testing.T) {
	t.Parallel()
	errs := make(chan error, 1)
	p := of("p", func(r *plugin.Registrar, s plugin.Services) {
		r.Intercept(intercept.Spec{Name: "off", Confirmation: intercept.Never, Handler: says("x")})
		r.Intercept(intercept.Spec{Name: "on", Confirmation: intercept.Never, Handler: func(ctx context.Context, _ intercept.Message) (*intercept.Reply, error) {
			errs <- s.Continuations.Ask(ctx, continuation.Ask{Owner: "off", Question: "Which one?"})
			return nil, nil
		}})
	})
	h := iristest.New(t, iristest.Model().Answer("one"), with(p, nil), iristest.With(func(c *iris.Config) {
		c.Intercepts = intercept.Arrange([]intercept.Row{{Name: "off", Disabled: true}})
	}))
	h.Say("hello")
	if err := <-errs; !errors.Is(err, continuation.ErrInvalid) || h.Pending() != nil {
		t.Errorf("a question that nobody resolves: %v", err)
	}
}
