// Package agent has the shape of the loop, small enough to read: the two guarded calls, and what is around them.
package agent

import (
	"context"
	"encoding/json"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
)

type agent struct {
	kernel *governance.Kernel
	model  gate.Model
	tools  map[string]gate.Func
}

func (a *agent) run(ctx context.Context, task string) (llm.Message, error) {
	msgs := []llm.Message{{Role: llm.User, Text: task}}
	for {
		reply, err := a.reply(ctx, msgs)
		if err != nil || len(reply.Calls) == 0 {
			return reply, err
		}
		msgs = append(msgs, reply)
		results, err := a.step(ctx, reply.Calls)
		if err != nil {
			return llm.Message{}, err
		}
		msgs = append(msgs, results...)
	}
}

func (a *agent) reply(ctx context.Context, msgs []llm.Message) (llm.Message, error) {
	reply := llm.Message{Role: llm.Assistant}
	s := governance.Subject{Point: governance.PreLLM, Name: governance.ModelName}.WithRequest(&llm.Request{Messages: msgs})
	err := a.callModel(ctx, s, func(c *llm.Chunk) bool {
		reply.Text += c.Text
		reply.Calls = append(reply.Calls, c.Calls...)
		return true
	})
	return reply, err
}

func (a *agent) step(ctx context.Context, calls []llm.Call) ([]llm.Message, error) {
	subjects := make([]governance.Subject, len(calls))
	for i, c := range calls {
		subjects[i] = governance.Subject{Point: governance.PreTool, Name: c.Name, Call: c}
	}
	var results []llm.Message
	for _, r := range a.kernel.Rule(ctx, subjects) {
		result, err := a.callTool(ctx, r)
		if err != nil {
			return nil, err
		}
		results = append(results, llm.Message{Role: llm.Tool, Text: string(result)})
	}
	return results, nil
}

func (a *agent) callModel(ctx context.Context, s governance.Subject, sink func(*llm.Chunk) bool) error {
	p, err := a.kernel.Permit(ctx, s)
	if err != nil {
		return err
	}
	return a.model.Generate(ctx, p, sink)
}

func (a *agent) callTool(ctx context.Context, r governance.Ruling) (json.RawMessage, error) {
	p, err := a.kernel.Mint(ctx, r)
	if err != nil {
		return nil, err
	}
	return a.tools[r.Subject().Name].Call(ctx, p)
}
