package governance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/governance"
)

func TestHooksAreAskedInOrder(t *testing.T) {
	t.Parallel()
	for _, at := range points {
		var asked []string
		ask := func(name string, priority int, d governance.Decision) governance.Hook {
			return governance.Hook{Name: name, At: at, Priority: priority, Decide: func(context.Context, governance.Subject) governance.Decision {
				asked = append(asked, name)
				return d
			}}
		}
		k := newKernel(t, &book{}, ask("z", 1, governance.Allow()), ask("last", 9, governance.Allow()), ask("stop", 5, governance.Deny("no")),
			ask("a", 1, governance.Allow()), ask("first", -1, governance.Allow()))
		_, err := decide(t.Context(), k, subject(at))
		want := &governance.Denied{Point: at, Name: subject(at).Name, Hook: "stop", Reason: "no"}
		var got *governance.Denied
		if !errors.As(err, &got) || *got != *want {
			t.Errorf("%s: %v", at, err)
		}
		if diff := cmp.Diff([]string{"first", "a", "z", "stop"}, asked); diff != "" {
			t.Errorf("%s: %s", at, diff)
		}
	}
}

func TestFailClosed(t *testing.T) {
	t.Parallel()
	text := "x"
	hook := func(f func(context.Context, governance.Subject) governance.Decision) func(governance.Point) governance.Hook {
		return func(at governance.Point) governance.Hook { return governance.Hook{Name: "h", At: at, Decide: f} }
	}
	answer := func(d governance.Decision) func(governance.Point) governance.Hook {
		return func(at governance.Point) governance.Hook { return says("h", at, 0, d) }
	}
	for _, tt := range []struct {
		name   string
		hook   func(governance.Point) governance.Hook
		at     []governance.Point // nil: all
		reason string             // contained in the Deny's
	}{
		{"zero decision", answer(governance.Decision{}), nil, ""},
		{"unknown verdict", answer(governance.Decision{Verdict: 9}), nil, "unknown verdict 9"},
		{"panic", hook(func(context.Context, governance.Subject) governance.Decision { panic("secret") }), nil, "hook h panicked"},
		{"panic of nil", hook(func(context.Context, governance.Subject) governance.Decision { panic(nil) }), nil, "hook h panicked"},
		{"end of its goroutine", hook(func(context.Context, governance.Subject) governance.Decision {
			runtime.Goexit()
			return governance.Allow()
		}), nil, "hook h did not return"},
		{"approval where nothing waits", answer(governance.RequireApproval("why")),
			[]governance.Point{governance.PreTurn, governance.PostTool, governance.PreResponse}, "needs an approval (why), and nothing can wait at"},
		{"transform of nothing", answer(governance.Decision{Verdict: governance.VerdictTransform}), nil, "does not fit"},
		{"transform of two things", answer(governance.Decision{Verdict: governance.VerdictTransform, Text: &text, Args: json.RawMessage(`{}`)}), nil, "does not fit"},
		{"transform of a step", answer(governance.TransformText("x", "")), []governance.Point{governance.PostStep}, "does not fit"},
		{"text instead of a result", answer(governance.TransformText("x", "")), []governance.Point{governance.PostTool}, "does not fit"},
		{"arguments that are not an object", answer(governance.TransformArgs(json.RawMessage(`[1]`), "")), []governance.Point{governance.PreTool}, "not a JSON object"},
		{"arguments with a key twice", answer(governance.TransformArgs(json.RawMessage(`{"a":1,"a":2}`), "")), []governance.Point{governance.PreTool}, "not a JSON object"},
		{"result that is not JSON", answer(governance.TransformResult(json.RawMessage(`{`), "")), []governance.Point{governance.PostTool}, "not a JSON value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			at := tt.at
			if at == nil {
				at = points
			}
			for _, p := range at {
				b := &book{}
				_, err := decide(t.Context(), newKernel(t, b, tt.hook(p), says("z", p, 9, governance.Allow())), subject(p))
				var d *governance.Denied
				if !errors.As(err, &d) || !strings.Contains(d.Reason, tt.reason) || d.Hook != "h" {
					t.Errorf("%s: %v", p, err)
				}
				if diff := cmp.Diff([]string{string(p) + " deny h"}, b.lines()); diff != "" {
					t.Errorf("%s: %s", p, diff)
				}
			}
		})
	}
}

func TestHookTimeout(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		kernel, hook  time.Duration
		ignoreContext bool
		want          time.Duration
	}{
		{name: "default", want: governance.DefaultHookTimeout},
		{name: "kernel's", kernel: time.Second, want: time.Second},
		{name: "hook's own", kernel: time.Second, hook: time.Minute, want: time.Minute},
		{name: "one that ignores its context", ignoreContext: true, want: governance.DefaultHookTimeout},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				b := &book{}
				var log bytes.Buffer
				k, err := governance.NewKernel(governance.Config{
					Recorder: b, HookTimeout: tt.kernel, Logger: slog.New(slog.NewTextHandler(&log, nil)),
					Hooks: []governance.Hook{{Name: "h", At: governance.PreTool, Timeout: tt.hook, Decide: func(ctx context.Context, _ governance.Subject) governance.Decision {
						if d, ok := ctx.Deadline(); !ok || !d.Equal(time.Now().Add(tt.want)) {
							t.Errorf("deadline %v", d)
						}
						if tt.ignoreContext {
							<-release
						} else {
							<-ctx.Done()
						}
						return governance.Allow() // too late
					}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				_, err = k.Permit(t.Context(), subject(governance.PreTool))
				if !errors.Is(err, governance.ErrDenied) || !strings.Contains(err.Error(), "did not answer within "+tt.want.String()) {
					t.Errorf("error %v", err)
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("after %s, want %s", got, tt.want)
				}
				if !strings.Contains(log.String(), "hook timed out") {
					t.Errorf("log: %s", &log)
				}
				close(release)
			})
		})
	}
}

// A decision that is given up is neither made nor recorded.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for _, at := range points {
		synctest.Test(t, func(t *testing.T) {
			b := &book{}
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("the person left")
			k := newKernel(t, b, governance.Hook{Name: "h", At: at, Decide: func(ctx context.Context, _ governance.Subject) governance.Decision {
				cancel(cause)
				<-ctx.Done()
				return governance.Allow()
			}})
			for range 2 { // while the hook is asked, and before
				if _, err := decide(ctx, k, subject(at)); !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
					t.Errorf("%s: %v", at, err)
				}
			}
			if b.lines() != nil || b.deferred != nil {
				t.Errorf("%s: recorded %v, deferred %v", at, b.lines(), b.deferred)
			}
		})
	}
}

// What a hook is given is its own: changing any of it changes nothing that is decided on or done.
func TestSubjectIsACopy(t *testing.T) {
	t.Parallel()
	vandal := func(_ context.Context, s governance.Subject) governance.Decision {
		s.Name, s.Text, s.Effect = "other", "other", governance.ReadOnly
		clobber(s.Call.Args)
		clobber(s.Result)
		if r := s.Request(); r != nil {
			clobber(r.Messages[0].ProviderData)
			r.Messages[0].Text = "other"
			if s.Request().Messages[0].Text != "hello" {
				t.Error("two copies are one")
			}
		}
		if s.Step != nil {
			clobber(s.Step.Reply.Calls[0].Args)
			s.Step.Reply.Calls[0].Name = "other"
			s.Step.Run.Failures = 9
		}
		if s.ToolErr != nil {
			s.ToolErr.Message = "other"
		}
		return governance.Allow()
	}
	for _, at := range points {
		k := newKernel(t, &book{}, governance.Hook{Name: "vandal", At: at, Decide: vandal})
		given, want := subject(at), subject(at)
		given.ToolErr, want.ToolErr = &governance.ToolError{Kind: "k"}, &governance.ToolError{Kind: "k"}
		got, err := decide(t.Context(), k, given)
		if err != nil {
			t.Fatal(err)
		}
		compare := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(want, got, compare); diff != "" {
			t.Errorf("%s: %s", at, diff)
		}
	}
}

func clobber(b []byte) {
	for i := range b {
		b[i] = '!'
	}
}

func TestConcurrentDecisions(t *testing.T) {
	t.Parallel()
	b := &book{}
	k := newKernel(t, b, says("h", governance.PreTool, 0, governance.TransformArgs(json.RawMessage(`{"b":2}`), "")),
		says("i", governance.PreTool, 1, governance.Allow()))
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if s, err := decide(t.Context(), k, subject(governance.PreTool)); err != nil || string(s.Call.Args) != `{"b":2}` {
				t.Errorf("%s, %v", s.Call.Args, err)
			}
		})
	}
	wg.Wait()
	if n := len(b.recorded); n != 100 {
		t.Errorf("%d records", n)
	}
}

// One decision leaves nothing behind for the next: every hook is asked each time, and an old answer is not a new one.
func TestDecisionsAreIndependent(t *testing.T) {
	t.Parallel()
	for _, at := range points {
		n := 0
		k := newKernel(t, &book{}, governance.Hook{Name: "h", At: at, Decide: func(context.Context, governance.Subject) governance.Decision {
			if n++; n%2 == 0 {
				runtime.Goexit()
			}
			return governance.Allow()
		}})
		for i := range 10 {
			_, err := decide(t.Context(), k, subject(at))
			if n != i+1 {
				t.Fatalf("%s: asked %d times in %d decisions", at, n, i+1)
			}
			if errors.Is(err, governance.ErrDenied) != (n%2 == 0) {
				t.Errorf("%s: decision %d: %v", at, n, err)
			}
		}
	}
}
