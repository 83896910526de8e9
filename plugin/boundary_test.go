package plugin_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/plugin"
)

// stream is an agent that is a function of its stream.
type stream func(ctx context.Context, yield func(loop.Event, error) bool)

func (stream) Name() string { return "odd" }

func (s stream) Stream(ctx context.Context, _ loop.Task) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) { s(ctx, yield) }
}

// TestFaultsOfAnAgent: a plugin's agent that fails fails its own turn; the next turn, and the other agents, go on.
func TestFaultsOfAnAgent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		agent stream
		want  error
	}{
		{"an error", func(_ context.Context, yield func(loop.Event, error) bool) { yield(nil, errors.ErrUnsupported) }, errors.ErrUnsupported},
		{"a panic", func(context.Context, func(loop.Event, error) bool) { panic("boom") }, nil},
		{"no event", func(_ context.Context, yield func(loop.Event, error) bool) { yield(nil, nil) }, plugin.ErrGarbage},
		{"no answer", func(context.Context, func(loop.Event, error) bool) {}, plugin.ErrGarbage},
		{"one that hangs", func(context.Context, func(loop.Event, error) bool) { time.Sleep(time.Hour) }, plugin.ErrCutOff},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := of("p", func(r *plugin.Registrar, _ plugin.Services) { r.Agent(tt.agent) })
				h := iristest.New(t, iristest.Model().Answer("All is well."), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{p} }))
				_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "something odd, please"})
				var failed *iris.TurnError
				if !errors.As(err, &failed) || tt.want != nil && !errors.Is(err, tt.want) {
					t.Errorf("the turn: %v, want %v", err, tt.want)
				}
				if st := h.Plugins()[0]; st.State != plugin.Degraded || !strings.HasPrefix(st.Last, "agent odd: ") {
					t.Errorf("status %+v", st)
				}
				if r := h.Say("and how is everything else?"); r.Text != "All is well." {
					t.Errorf("reply %q", r.Text)
				}
				time.Sleep(2 * time.Hour) // virtual: whoever hangs comes to an end
			})
		})
	}
}

// badChannel fails in every way.
type badChannel struct{ fail func() error }

func (badChannel) Name() string                                            { return "pager" }
func (c badChannel) Notify(context.Context, approval.Request) error        { return c.fail() }
func (c badChannel) NotifyTimeout(context.Context, approval.Request) error { return c.fail() }

// TestFaultsOfAChannel: the run is held and can be decided, whatever becomes of the channel.
func TestFaultsOfAChannel(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error":       func() error { return errors.New("no network") },
		"a panic":        func() error { panic("boom") },
		"one that hangs": func() error { time.Sleep(time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := of("p", func(r *plugin.Registrar, _ plugin.Services) { r.Channel(badChannel{fail}) })
				restart := loop.NewTool(loop.ToolSpec{Name: "restart", Description: "restart", Effect: iris.Destructive},
					func(context.Context, struct{}) (string, error) { return "ok", nil })
				h := iristest.New(t, iristest.Model().Call("restart", `{}`).Answer("It is up."), iristest.Tools(restart),
					iristest.With(func(c *iris.Config) { c.Plugins, c.Approvals.OffBox = []iris.Plugin{p}, "pager" }))
				r := h.Say("restart it")
				o, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "ann"}})
				if err != nil || o.Answer != "It is up." {
					t.Errorf("outcome %v: %v", o, err)
				}
				if st := h.Plugins()[0]; name != "one that hangs" && (st.State != plugin.Degraded || !strings.HasPrefix(st.Last, "channel pager: ")) {
					t.Errorf("status %+v", st)
				}
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestFaultsOfAHeartbeat: the others run, and a fault is the plugin's own.
func TestFaultsOfAHeartbeat(t *testing.T) {
	t.Parallel()
	ran := 0
	bad := of("bad", func(r *plugin.Registrar, s plugin.Services) {
		r.Heartbeat(plugin.Heartbeat{Name: "bad", Every: time.Minute, Run: func(ctx context.Context) error {
			if _, ok := s.CurrentSession(ctx); ok {
				t.Error("a heartbeat has a session")
			}
			panic("boom")
		}})
	})
	good := of("good", func(r *plugin.Registrar, _ plugin.Services) {
		r.Heartbeat(plugin.Heartbeat{Name: "good", Every: time.Minute, Run: func(context.Context) error { ran++; return nil }})
	})
	h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{bad, good} }))
	for range 2 {
		if err := h.Tick(t.Context()); err != nil {
			t.Error(err)
		}
		h.Clock.Advance(2 * time.Minute)
	}
	if st := h.Plugins(); ran != 1 || st[0].State != plugin.Degraded || st[1].State != plugin.Loaded {
		t.Errorf("ran %d, status %+v", ran, st)
	}
}

// TestNamesAreReadOnce: an agent that calls itself something else later is still who it was.
func TestNamesAreReadOnce(t *testing.T) {
	t.Parallel()
	a := &chameleon{name: "planner"}
	p := of("p", func(r *plugin.Registrar, _ plugin.Services) { r.Agent(a) })
	h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{p} }))
	a.name = "confirmation"
	if r := h.Say("planner, are you there?"); r.Agent != "planner" {
		t.Errorf("answered by %q", r.Agent)
	}
}

type chameleon struct{ name string }

func (c *chameleon) Name() string { return c.name }

func (c *chameleon) Stream(context.Context, loop.Task) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) { yield(loop.Finished{Text: "Here."}, nil) }
}

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
