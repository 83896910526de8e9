package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
)

func newKernel(t testing.TB, hooks ...governance.Hook) *governance.Kernel {
	t.Helper()
	k, err := governance.NewKernel(governance.Config{Hooks: hooks, Recorder: nowhere{}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func toolPermit(t testing.TB, k *governance.Kernel, name, args string) governance.Permit {
	t.Helper()
	p, err := k.Permit(t.Context(), governance.Subject{Point: governance.PreTool, Name: name, Call: llm.Call{Name: name, Args: json.RawMessage(args)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func modelPermit(t testing.TB, k *governance.Kernel, text string) governance.Permit {
	t.Helper()
	s := governance.Subject{Point: governance.PreLLM, Name: governance.ModelName}
	p, err := k.Permit(t.Context(), s.WithRequest(&llm.Request{Messages: []llm.Message{{Text: text}}}))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// seq is a model that yields what f does.
type seq func(ctx context.Context, req *llm.Request, yield func(*llm.Chunk, error) bool)

func (f seq) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) { f(ctx, req, yield) }
}

// Nothing is called for a permit that is not for this call, and a permit is good once.
func TestPermits(t *testing.T) {
	t.Parallel()
	k, other := newKernel(t), newKernel(t)
	var calls atomic.Int32
	count := func(context.Context, json.RawMessage) (json.RawMessage, error) { calls.Add(1); return nil, nil }
	tool, executor := gate.SealTool(k, "x", count), gate.SealExecutor(k, "x", count)
	model := gate.SealModel(k, seq(func(context.Context, *llm.Request, func(*llm.Chunk, error) bool) { calls.Add(1) }))
	call := func(f gate.Func) func(governance.Permit) error {
		return func(p governance.Permit) error { _, err := f.Call(t.Context(), p); return err }
	}
	generate := func(p governance.Permit) error { return model.Generate(t.Context(), p, nil) }
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	used, usedModel := toolPermit(t, k, "x", "{}"), modelPermit(t, k, "")
	if call(tool)(used) != nil || generate(usedModel) != nil || calls.Swap(0) != 2 {
		t.Fatal("a good permit was refused")
	}
	for _, tt := range []struct {
		name   string
		call   func(governance.Permit) error
		permit governance.Permit
		want   error
	}{
		{"tool, no permit", call(tool), governance.Permit{}, governance.ErrNoPermit},
		{"tool, used", call(tool), used, governance.ErrPermitUsed},
		{"tool, another kernel's", call(tool), toolPermit(t, other, "x", "{}"), governance.ErrPermitForeign},
		{"tool, another tool's", call(tool), toolPermit(t, k, "y", "{}"), governance.ErrPermitForeign},
		{"tool, a model's", call(tool), modelPermit(t, k, ""), governance.ErrPermitForeign},
		{"tool, the executor's", call(tool), toolPermit(t, k, governance.ExecutorName("x"), "{}"), governance.ErrPermitForeign},
		{"executor, the tool's", call(executor), toolPermit(t, k, "x", "{}"), governance.ErrPermitForeign},
		{"model, no permit", generate, governance.Permit{}, governance.ErrNoPermit},
		{"model, used", generate, usedModel, governance.ErrPermitUsed},
		{"model, another kernel's", generate, modelPermit(t, other, ""), governance.ErrPermitForeign},
		{"model, a tool's", generate, toolPermit(t, k, "x", "{}"), governance.ErrPermitForeign},
		{"zero tool", call(gate.Func{}), toolPermit(t, k, "x", "{}"), gate.ErrUnsealed},
		{"tool of nothing", call(gate.SealTool(k, "x", nil)), toolPermit(t, k, "x", "{}"), gate.ErrUnsealed},
		{"zero model", func(p governance.Permit) error { return gate.Model{}.Generate(t.Context(), p, nil) }, modelPermit(t, k, ""), gate.ErrUnsealed},
		{"tool, cancelled", func(p governance.Permit) error { _, err := tool.Call(cancelled, p); return err }, toolPermit(t, k, "x", "{}"), context.Canceled},
		{"model, cancelled", func(p governance.Permit) error { return model.Generate(cancelled, p, nil) }, modelPermit(t, k, ""), context.Canceled},
	} {
		if err := tt.call(tt.permit); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("%d calls were made", n)
	}
}

// What runs is what was decided, transforms included.
func TestCallsWithTheDecidedArguments(t *testing.T) {
	t.Parallel()
	change := func(_ context.Context, s governance.Subject) governance.Decision {
		if s.Point == governance.PreTool {
			return governance.TransformArgs(json.RawMessage(`{"safe":true}`), "")
		}
		return governance.TransformRequest(&llm.Request{Messages: []llm.Message{{Text: "redacted"}}}, "")
	}
	k := newKernel(t, governance.Hook{Name: "h", At: governance.PreTool, Decide: change}, governance.Hook{Name: "h", At: governance.PreLLM, Decide: change})
	tool := gate.SealRaw(k, "x", gate.Wrap(func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil }))
	got, err := tool.Call(t.Context(), toolPermit(t, k, "x", `{"safe":false}`))
	if err != nil || string(got) != `{"safe":true}` {
		t.Errorf("%s, %v", got, err)
	}
	model := gate.SealModel(k, llm.Func(func(_ context.Context, r *llm.Request) (llm.Message, error) {
		return llm.Message{Text: r.Messages[0].Text}, nil
	}))
	if got, err := collect(t.Context(), model, modelPermit(t, k, "secret")); err != nil || got != "redacted" {
		t.Errorf("%s, %v", got, err)
	}
}

func collect(ctx context.Context, m gate.Model, p governance.Permit) (string, error) {
	var text strings.Builder
	err := m.Generate(ctx, p, func(c *llm.Chunk) bool { text.WriteString(c.Text); return true })
	return text.String(), err
}

var errOwn = errors.New("the function's own")

func TestFunctionOutcomes(t *testing.T) {
	t.Parallel()
	k := newKernel(t)
	for _, tt := range []struct {
		name string
		run  func(context.Context, json.RawMessage) (json.RawMessage, error)
		want error
		as   bool // a *PanicError
	}{
		{"error", func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errOwn }, errOwn, false},
		{"panic", func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("oh") }, nil, true},
		{"panic with an error", func(context.Context, json.RawMessage) (json.RawMessage, error) { panic(errOwn) }, errOwn, true},
		{"goexit", func(context.Context, json.RawMessage) (json.RawMessage, error) { runtime.Goexit(); return nil, nil }, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := gate.SealTool(k, "x", tt.run).Call(t.Context(), toolPermit(t, k, "x", "{}"))
			check(t, err, tt.want, tt.as, "x")
			model := gate.SealModel(k, llm.Func(func(ctx context.Context, _ *llm.Request) (llm.Message, error) {
				_, err := tt.run(ctx, nil)
				return llm.Message{}, err
			}))
			_, err = collect(t.Context(), model, modelPermit(t, k, ""))
			check(t, err, tt.want, tt.as, governance.ModelName)
		})
	}
}

func check(t *testing.T, err, want error, panicked bool, name string) {
	t.Helper()
	var p *gate.PanicError
	if errors.As(err, &p) != panicked || want != nil && !errors.Is(err, want) {
		t.Errorf("%s: %v", name, err)
	}
	if panicked && (p.Name != name || !strings.Contains(string(p.Stack), "gate_test.go")) {
		t.Errorf("%s: panic of %s at %s", name, p.Name, p.Stack)
	}
}

// What ignores its context is cut off when it ends, at the deadline and not later; what has just come back is not.
func TestCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t)
		cause := errors.New("the cause")
		release := make(chan struct{})
		tool := gate.SealTool(k, "x", func(context.Context, json.RawMessage) (json.RawMessage, error) { <-release; return nil, nil })
		model := gate.SealModel(k, seq(func(_ context.Context, _ *llm.Request, yield func(*llm.Chunk, error) bool) {
			yield(&llm.Chunk{Text: "half"}, nil)
			<-release
			yield(&llm.Chunk{Text: "rest"}, nil)
		}))
		for name, call := range map[string]func(context.Context) error{
			"x": func(ctx context.Context) error { _, err := tool.Call(ctx, toolPermit(t, k, "x", "{}")); return err },
			"model": func(ctx context.Context) error {
				text, err := collect(ctx, model, modelPermit(t, k, ""))
				if text != "half" {
					t.Errorf("text %q", text)
				}
				return err
			},
		} {
			start := time.Now()
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, cause)
			err := call(ctx)
			cancel()
			var c *gate.CutOffError
			if !errors.As(err, &c) || c.Name != name || !errors.Is(err, gate.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, cause) {
				t.Errorf("%s: %v", name, err)
			}
			if d := time.Since(start); d != time.Minute {
				t.Errorf("%s: cut off after %s", name, d)
			}
		}
		close(release)
	})
}

// One that was cut off and comes back later does not disturb the calls that follow.
func TestLateResultIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t)
		tool := gate.SealTool(k, "x", func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			if string(args) == `"slow"` {
				time.Sleep(time.Minute)
			}
			return args, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := tool.Call(ctx, toolPermit(t, k, "x", `"slow"`)); !errors.Is(err, gate.ErrOutcomeUnknown) {
			t.Error(err)
		}
		for range 3 {
			got, err := tool.Call(t.Context(), toolPermit(t, k, "x", `"quick"`))
			if diff := cmp.Diff(`"quick"`, string(got)); diff != "" || err != nil {
				t.Error(diff, err)
			}
			time.Sleep(40 * time.Second)
		}
	})
}
