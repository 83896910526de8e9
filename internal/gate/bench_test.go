package gate_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
)

// nowhere records nothing: the benchmarks are without a store.
type nowhere struct{}

func (nowhere) Record(context.Context, governance.Subject, audit.Entry) error { return nil }
func (nowhere) Defer(governance.Subject, audit.Entry)                         {}

// BenchmarkStep is what governance and the gate add to one step with one call: five decisions, two guarded calls.
func BenchmarkStep(b *testing.B) {
	allow := func(context.Context, governance.Subject) governance.Decision { return governance.Allow() }
	builtin := []governance.Hook{governance.DefaultPolicy(), governance.Evaluator(governance.EvaluatorConfig{})}
	own := func(points ...governance.Point) []governance.Hook {
		hooks := builtin
		for _, p := range points {
			hooks = append(hooks, governance.Hook{Name: "own", At: p, Decide: allow})
		}
		return hooks
	}
	for _, bc := range []struct {
		name  string
		hooks []governance.Hook
	}{
		{"builtin", builtin},
		{"and one own", own(governance.PreTool)},
		{"and four own", own(governance.PreLLM, governance.PreTool, governance.PostTool, governance.PostStep)},
	} {
		b.Run(bc.name, func(b *testing.B) {
			k, err := governance.NewKernel(governance.Config{Hooks: bc.hooks, Recorder: nowhere{}})
			if err != nil {
				b.Fatal(err)
			}
			step := newStep(k)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			b.ReportAllocs()
			for b.Loop() {
				if err := step.run(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type step struct {
	kernel *governance.Kernel
	model  gate.Model
	tool   gate.Func
	req    *llm.Request
	reply  llm.Message
}

func newStep(k *governance.Kernel) *step {
	reply := llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "1", Name: "look", Args: json.RawMessage(`{"n":1}`)}}}
	answer := json.RawMessage(`"ok"`)
	return &step{
		kernel: k,
		model:  gate.SealModel(k, llm.Func(func(context.Context, *llm.Request) (llm.Message, error) { return reply, nil })),
		tool: gate.SealTool(k, "look", func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return answer, nil
		}),
		req:   &llm.Request{Messages: make([]llm.Message, 20)},
		reply: reply,
	}
}

func (st *step) run(ctx context.Context) error {
	s := governance.Subject{Point: governance.PreLLM, Name: governance.ModelName}
	p, err := st.kernel.Permit(ctx, s.WithRequest(st.req))
	if err != nil {
		return err
	}
	if err := st.model.Generate(ctx, p, func(*llm.Chunk) bool { return true }); err != nil {
		return err
	}
	call := governance.Subject{Point: governance.PreTool, Name: "look", Effect: governance.ReadOnly, Call: st.reply.Calls[0]}
	rulings := st.kernel.Rule(ctx, []governance.Subject{call})
	if p, err = st.kernel.Mint(ctx, rulings[0]); err != nil {
		return err
	}
	call.Point = governance.PostTool
	if call.Result, err = st.tool.Call(ctx, p); err != nil {
		return err
	}
	if call, err = st.kernel.Review(ctx, call); err != nil {
		return err
	}
	view := governance.StepView{Reply: st.reply, Results: []governance.ToolResult{{Call: call.Call, Result: call.Result}}}
	_, err = st.kernel.Review(ctx, governance.Subject{Point: governance.PostStep, Step: &view})
	return err
}
