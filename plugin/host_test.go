package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/plugin"
)

// of makes a plugin of what it registers.
func of(name string, register func(r *plugin.Registrar, s plugin.Services)) plugin.Plugin {
	return plugin.Plugin{Name: name, Version: "v1", Register: func(r *plugin.Registrar, s plugin.Services) error {
		register(r, s)
		return nil
	}}
}

func says(text string) intercept.Handler {
	return func(context.Context, intercept.Message) (*intercept.Reply, error) {
		return &intercept.Reply{Text: text}, nil
	}
}

func agentOf(name, answer string) loop.Agent {
	return loop.AgentFunc(name, func(context.Context, loop.Task) (string, error) { return answer, nil })
}

func toolOf(name string) loop.Tool {
	return loop.NewTool(loop.ToolSpec{Name: name, Description: name}, func(context.Context, struct{}) (string, error) { return "", nil })
}

// TestAllFaultsAtOnce declares everything wrong that there is, in two plugins and an application, and gets it all from one New.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	first := of("one", func(r *plugin.Registrar, _ plugin.Services) {
		r.Intercept(intercept.Spec{Name: "flagless", Handler: says("x")})
		r.Intercept(intercept.Spec{Name: intercept.ConfirmationName, Handler: says("x"), Confirmation: intercept.Resolves})
		r.Intercept(intercept.Spec{Name: "planner", Handler: says("x"), Confirmation: intercept.Never})
		r.Tool(toolOf("shared"))
		r.Tool(loop.Tool{})
		r.Agent(agentOf("approval", ""))
		r.Agent(nil)
		r.Channel(nil)
		r.Executor(nil)
		r.Heartbeat(plugin.Heartbeat{Name: "beat", Every: time.Millisecond, Run: func(context.Context) error { return nil }})
		r.Executor(&executor{kind: "act"})
	})
	second := of("two", func(r *plugin.Registrar, _ plugin.Services) {
		r.Tool(toolOf("shared"))
		r.Heartbeat(plugin.Heartbeat{Name: "beat", Every: time.Minute})
		r.Channel(approval.NewTextChannel("pager", nil))
	})
	store := memstore.New()
	t.Cleanup(func() { _ = store.Close() })
	_, err := iris.New(iris.Config{
		Store:      store,
		Agents:     []iris.Agent{{Name: "planner", LLM: iristest.Model(), Tools: []iris.Tool{toolOf("shared")}}},
		Intercepts: []iris.Intercept{{Name: "nobody's", Confirmation: intercept.Never}},
		Executors:  []iris.ConfirmationExecutor{&executor{kind: "act"}},
		Channels:   []iris.Channel{approval.NewTextChannel("pager", nil)},
		Plugins:    []iris.Plugin{first, second, {Name: "one"}, {Version: "v2"}, {Name: "three"}},
	})
	if err == nil {
		t.Fatal("it was built")
	}
	for _, want := range []string{
		`"flagless" does not say whether it resolves confirmations`, `the name "confirmation"`, `the name "planner" of a plugin's intercept is taken by an agent`,
		`two plugins register the tool "shared"`, `the zero Tool`, `the name "approval" of a plugin's agent`, `an agent that is nil`, `a channel that is nil`,
		`an executor that is nil`, `heartbeat "beat" runs every 1ms`, `heartbeat "beat" has no function`, `two plugins register the heartbeat "beat"`,
		`two executors of kind "act"`, `two channels are named "pager"`, `"nobody's" has no handler`, `two plugins are named "one"`, `a plugin without a name`,
		`plugin "three": it registers nothing`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say: %s", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
}

// TestRegisterFails: a plugin whose Register fails contributes nothing; the others, and the sessions, go on.
func TestRegisterFails(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error":                 func() error { return errors.New("no API key") },
		"a panic":                  func() error { panic("boom") },
		"the end of its goroutine": func() error { runtime.Goexit(); return nil },
		"one that hangs":           func() error { time.Sleep(time.Hour); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { registerFails(t, fail) })
		})
	}
}

func registerFails(t *testing.T, fail func() error) {
	bad := plugin.Plugin{Name: "bad", Register: func(r *plugin.Registrar, _ plugin.Services) error {
		r.Intercept(intercept.Spec{Name: "bad", Handler: says("from bad"), Confirmation: intercept.Never})
		err := fail()
		r.Intercept(intercept.Spec{Name: "later", Handler: says("too late"), Confirmation: intercept.Never})
		return err
	}}
	good := of("good", func(r *plugin.Registrar, _ plugin.Services) {
		r.Intercept(intercept.Spec{Name: "good", Handler: says("from good"), Confirmation: intercept.Never})
	})
	h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{bad, good} }))
	if r := h.Say("hello"); r.Text != "from good" {
		t.Errorf("reply %q", r.Text)
	}
	st := h.Plugins()
	if st[0].State != plugin.Failed || st[0].Last == "" || st[0].Contributes != nil {
		t.Errorf("status of the one that failed: %+v", st[0])
	}
	if diff := cmp.Diff(plugin.Status{Name: "good", Version: "v1", State: plugin.Loaded, Contributes: []string{"intercept good"}}, st[1]); diff != "" {
		t.Error(diff)
	}
	time.Sleep(2 * time.Hour) // virtual: the one that hung goes on, and what it registers is refused
}

// TestLateRegistration is not taken, and the plugin is degraded.
func TestLateRegistration(t *testing.T) {
	t.Parallel()
	var kept *plugin.Registrar
	p := of("late", func(r *plugin.Registrar, _ plugin.Services) { kept = r })
	h := iristest.New(t, iristest.Model().Answer("an agent's answer"), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{p} }))
	kept.Intercept(intercept.Spec{Name: "late", Handler: says("too late"), Confirmation: intercept.Never})
	kept.Tool(toolOf("late"))
	kept.Agent(agentOf("late", ""))
	kept.Heartbeat(plugin.Heartbeat{})
	kept.Channel(approval.NewTextChannel("late", nil))
	kept.Executor(&executor{kind: "late"})
	if r := h.Say("hello"); r.Text != "an agent's answer" {
		t.Errorf("reply %q", r.Text)
	}
	if st := h.Plugins()[0]; st.State != plugin.Degraded || st.Faults != 6 || !strings.Contains(st.Last, plugin.ErrLate.Error()) {
		t.Errorf("status %+v", st)
	}
}

// TestServicesBeforeTheHarnessStands: from within Register, and from nothing at all, every seam is a no-op that says so.
func TestServicesBeforeTheHarnessStands(t *testing.T) {
	t.Parallel()
	try := func(s plugin.Services) (errs []error) {
		ctx := context.Background()
		_, perr := s.Continuations.Pending(ctx)
		_, aerr := s.PendingActions(ctx)
		if ref, ok := s.CurrentSession(ctx); ok || s.CurrentQuery(ctx) != "" {
			errs = append(errs, fmt.Errorf("a session from nowhere: %v", ref))
		}
		asks := []error{s.Continuations.Withdraw(ctx), perr, aerr}
		for _, err := range asks {
			if !errors.Is(err, plugin.ErrNoHarness) && !errors.Is(err, plugin.ErrNoTurn) {
				errs = append(errs, fmt.Errorf("%v, want ErrNoHarness", err))
			}
		}
		return errs
	}
	var within []error
	p := of("eager", func(_ *plugin.Registrar, s plugin.Services) { within = try(s) })
	iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{p} }))
	for _, err := range append(append(within, try(plugin.Bare())...), try(plugin.Services{})...) {
		t.Error(err)
	}
	if err := plugin.Bare().Continuations.Confirm(t.Context(), "x", "k", nil, "?"); !errors.Is(err, plugin.ErrNoHarness) {
		t.Errorf("confirm: %v", err)
	}
	plugin.Bare().Log.Info("a bare log is there")
}
