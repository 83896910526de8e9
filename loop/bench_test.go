package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

// The schemas that are inferred for both add nothing to their Go types.
type (
	flatIn struct {
		N    int    `json:"n"`
		Path string `json:"path"`
	}
	nestedIn struct {
		N    int    `json:"n"`
		Path string `json:"path"`
		Opts struct {
			Deep bool `json:"deep"`
		} `json:"opts"`
	}
)

// fullSchema says more of flatIn than its Go type does, so that arguments are validated against it.
const fullSchema = `{"type":"object","properties":{"n":{"type":"integer","minimum":0},"path":{"type":"string","pattern":"^/"}},"required":["n","path"],"additionalProperties":false}`

// stepper is an agent whose model calls one tool in each step, with other arguments each time, and then answers.
type stepper struct {
	core  *loop.AgenticCore
	steps int
	args  []json.RawMessage
}

func newStepper(tb testing.TB, steps int, tool loop.Tool, args string, hooks ...governance.Hook) *stepper {
	tb.Helper()
	hooks = append(hooks, governance.DefaultPolicy(), governance.Evaluator(governance.EvaluatorConfig{}))
	k, err := governance.NewKernel(governance.Config{Hooks: hooks, Recorder: gateRecorder{}})
	if err != nil {
		tb.Fatal(err)
	}
	s := &stepper{steps: steps}
	for i := range steps {
		s.args = append(s.args, json.RawMessage(fmt.Sprintf(args, i)))
	}
	s.core, err = loop.NewCore(loop.CoreConfig{
		Name: "agent", Kernel: k, Model: gate.SealModel(k, llm.Func(s.reply)), Limits: loop.Limits{Steps: steps + 1, WallClock: time.Hour},
		Tools: []loop.BoundTool{{Tool: tool, Func: gate.SealRaw(k, tool.Name(), tool.Raw())}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// reply calls the tool once more; a conversation has two messages for each step.
func (s *stepper) reply(_ context.Context, r *llm.Request) (llm.Message, error) {
	n := len(r.Messages) / 2
	if n >= s.steps {
		return llm.Message{Text: "done"}, nil
	}
	return llm.Message{Calls: []llm.Call{{ID: "call", Name: "look", Args: s.args[n]}}}, nil
}

func (s *stepper) run(tb testing.TB, ctx context.Context, j loop.Journal) {
	fin, err := s.core.Run(ctx, loop.Task{SessionID: "s", TurnID: "t", Text: "look around", Journal: j})
	if err != nil || fin.Text != "done" {
		tb.Fatal(fin.Text, fin.Err, err)
	}
}

func flatTool() loop.Tool {
	return loop.NewTool(loop.ToolSpec{Name: "look", Description: "x", Effect: governance.ReadOnly},
		func(context.Context, flatIn) (string, error) { return "42 files", nil })
}

func fullTool() loop.Tool {
	return loop.NewTool(loop.ToolSpec{Name: "look", Description: "x", Effect: governance.ReadOnly, Schema: json.RawMessage(fullSchema)},
		func(context.Context, flatIn) (string, error) { return "42 files", nil })
}

func nestedTool() loop.Tool {
	return loop.NewTool(loop.ToolSpec{Name: "look", Description: "x", Effect: governance.ReadOnly},
		func(context.Context, nestedIn) (string, error) { return "42 files", nil })
}

const (
	flatArgs   = `{"n":%d,"path":"/home"}`
	nestedArgs = `{"n":%d,"opts":{"deep":true},"path":"/home"}`
)

func ownHook() governance.Hook {
	return governance.Hook{Name: "own", At: governance.PreTool, Decide: func(context.Context, governance.Subject) governance.Decision { return governance.Allow() }}
}

// BenchmarkStep is one step of the loop: a model's reply with one call, all decisions, the call, the result. The figures are per step.
func BenchmarkStep(b *testing.B) {
	for _, bc := range []struct {
		name    string
		steps   int
		stepper func(steps int) *stepper
		journal bool
	}{
		{"flat tool/50", 50, func(n int) *stepper { return newStepper(b, n, flatTool(), flatArgs) }, false},
		{"flat tool/500", 500, func(n int) *stepper { return newStepper(b, n, flatTool(), flatArgs) }, false},
		{"nested tool/50", 50, func(n int) *stepper { return newStepper(b, n, nestedTool(), nestedArgs) }, false},
		{"full schema/50", 50, func(n int) *stepper { return newStepper(b, n, fullTool(), flatArgs) }, false},
		{"full schema/500", 500, func(n int) *stepper { return newStepper(b, n, fullTool(), flatArgs) }, false},
		{"flat tool and a hook of one's own/50", 50, func(n int) *stepper { return newStepper(b, n, flatTool(), flatArgs, ownHook()) }, false},
		{"flat tool, step rows encoded/50", 50, func(n int) *stepper { return newStepper(b, n, flatTool(), flatArgs) }, true},
	} {
		b.Run(bc.name, func(b *testing.B) {
			s := bc.stepper(bc.steps)
			var j loop.Journal
			if bc.journal {
				j = discard{}
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				s.run(b, b.Context(), j)
			}
			runtime.ReadMemStats(&after)
			steps := float64(b.N * bc.steps)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/steps, "ns/step")
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/steps, "allocs/step")
			b.ReportMetric(0, "ns/op")
		})
	}
}
