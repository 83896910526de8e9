package plugin_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/iristest"
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

// TestStoppedByAPerson: a turn that is stopped is no fault of the agent that it was with.
func TestStoppedByAPerson(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	waits := stream(func(ctx context.Context, yield func(loop.Event, error) bool) {
		close(begun)
		<-ctx.Done()
		yield(nil, ctx.Err())
	})
	p := of("p", func(r *plugin.Registrar, _ plugin.Services) { r.Agent(waits) })
	h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{p} }))
	done := make(chan error, 1)
	go func() {
		_, err := h.Turn(context.WithoutCancel(t.Context()), iris.TurnRequest{SessionID: "s1", Message: "something odd, please"})
		done <- err
	}()
	<-begun
	h.Stop(t.Context(), "s1")
	if err := <-done; err == nil {
		t.Error("a stopped turn has an answer")
	}
	if st := h.Plugins()[0]; st.State != plugin.Loaded {
		t.Errorf("status %+v", st)
	}
}

// TestNobodyListens: an agent is told that its consumer has gone, and nothing is yielded after that.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	yielded := make(chan int, 1)
	chatty := stream(func(_ context.Context, yield func(loop.Event, error) bool) {
		n := 0
		for n < 1000 && yield(loop.Activity{Text: "still at it"}, nil) {
			n++
		}
		yielded <- n
	})
	p := of("p", func(r *plugin.Registrar, _ plugin.Services) { r.Agent(chatty) })
	h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{p} }))
	for ev, err := range h.Stream(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "something odd, please"}) {
		if _, ok := ev.(loop.Activity); ok || err != nil {
			break
		}
	}
	if n := <-yielded; n > 10 {
		t.Errorf("it went on for %d events", n)
	}
	if st := h.Plugins()[0]; st.State != plugin.Loaded {
		t.Errorf("status %+v", st)
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
