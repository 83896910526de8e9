package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

// gateRecorder fails where it is told to, and counts what it was given.
type gateRecorder struct{ fail governance.Point }

func (r gateRecorder) Record(_ context.Context, s governance.Subject, _ audit.Entry) error {
	if s.Point == r.fail {
		return errors.New("disk full")
	}
	return nil
}

func (gateRecorder) Defer(governance.Subject, audit.Entry) {}

// counted is an agent whose model asks for a read and a write in each of two steps and then answers, and that counts
// what is really called.
type counted struct {
	core          *loop.AgenticCore
	model, tools  atomic.Int32
	sawToolResult atomic.Bool
}

func newCounted(t *testing.T, recorder governance.Recorder, hooks ...governance.Hook) *counted {
	t.Helper()
	k, err := governance.NewKernel(governance.Config{Hooks: hooks, Recorder: recorder})
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{}
	var bound []loop.BoundTool
	for name, effect := range map[string]governance.Effect{"read": governance.ReadOnly, "write": governance.Write} {
		tool := loop.NewTool(loop.ToolSpec{Name: name, Description: "x", Effect: effect}, func(context.Context, struct{}) (string, error) {
			c.tools.Add(1)
			return "the result", nil
		})
		bound = append(bound, loop.BoundTool{Tool: tool, Func: gate.SealRaw(k, name, tool.Raw())})
	}
	c.core, err = loop.NewCore(loop.CoreConfig{Name: "agent", Kernel: k, Model: gate.SealModel(k, llm.Func(c.reply)), Tools: bound})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *counted) reply(_ context.Context, r *llm.Request) (llm.Message, error) {
	for _, m := range r.Messages {
		if strings.Contains(m.Text, "the result") {
			c.sawToolResult.Store(true)
		}
	}
	if c.model.Add(1) > 2 {
		return llm.Message{Text: "done"}, nil
	}
	args := json.RawMessage(`{}`)
	return llm.Message{Calls: []llm.Call{{ID: "1", Name: "read", Args: args}, {ID: "2", Name: "write", Args: args}}}, nil
}

func (c *counted) run(ctx context.Context) {
	for _, err := range c.core.Stream(ctx, loop.Task{SessionID: "s", TurnID: "t", Text: "do it"}) {
		if err != nil {
			return
		}
	}
}

// TestNoBypassTwin is the proof's twin at run time: where the kernel denies at a point, or cannot write its decision
// down, nothing beyond that point is called.
func TestNoBypassTwin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		at           governance.Point // "": nowhere
		model, tools int32
		seen         bool // the model was told a tool's result
	}{
		{"", 3, 4, true},
		{governance.PreLLM, 0, 0, false},
		{governance.PreTool, 3, 0, false},
		{governance.PostTool, 3, 4, false},
		{governance.PostStep, 1, 2, false},
	} {
		for name, d := range map[string]governance.Decision{"deny": governance.Deny("no"), "approval": governance.RequireApproval("?"), "unknown": {Verdict: 99}} {
			t.Run(string(tt.at)+" "+name, func(t *testing.T) {
				t.Parallel()
				var hooks []governance.Hook
				if tt.at != "" {
					hooks = append(hooks, governance.Hook{Name: "wall", At: tt.at, Decide: func(context.Context, governance.Subject) governance.Decision { return d }})
				}
				c := newCounted(t, gateRecorder{}, hooks...)
				c.run(t.Context())
				if c.model.Load() != tt.model || c.tools.Load() != tt.tools || c.sawToolResult.Load() != tt.seen {
					t.Errorf("%d model calls, %d tool calls, results shown %v; want %d, %d, %v", c.model.Load(), c.tools.Load(), c.sawToolResult.Load(), tt.model, tt.tools, tt.seen)
				}
				if tt.at == "" {
					return
				}
				c = newCounted(t, gateRecorder{fail: tt.at}, hooks...)
				c.run(t.Context())
				if c.model.Load() > min(tt.model, 1) || c.tools.Load() > min(tt.tools, 2) {
					t.Errorf("without a record: %d model calls, %d tool calls", c.model.Load(), c.tools.Load())
				}
			})
		}
	}
}
