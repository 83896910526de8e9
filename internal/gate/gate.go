// Package gate is the only code that calls a model, a tool's function or an executor.
//
// A raw function goes in and never comes out: the sealed value calls it for a [governance.Permit] and for nothing else,
// with the permit's own request or arguments.
package gate

import (
	"context"
	"encoding/json"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// Model is a model that is called with a permit. The zero Model calls nothing: [ErrUnsealed].
type Model struct {
	kernel *governance.Kernel
	model  llm.Model
}

// SealModel binds m to k. Its permits are for PreLLM and [governance.ModelName].
func SealModel(k *governance.Kernel, m llm.Model) Model { return Model{k, m} }

// Generate makes the call that p permits and gives each chunk to sink, until it returns false.
func (m Model) Generate(ctx context.Context, p governance.Permit, sink func(*llm.Chunk) bool) error {
	return ErrUnsealed
}

// Func is a tool's function, or an executor's, that is called with a permit. The zero Func calls nothing: [ErrUnsealed].
type Func struct {
	kernel *governance.Kernel
	name   string
	run    func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)
}

// SealTool binds a tool's function to k and its name. Its permits are for PreTool and that name.
func SealTool(k *governance.Kernel, name string, run func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)) Func {
	return Func{k, name, run}
}

// SealExecutor binds the confirmation executor of a kind to k. Its permits are for PreTool and [governance.ExecutorName] of kind.
func SealExecutor(k *governance.Kernel, kind string, run func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error)) Func {
	return Func{k, governance.ExecutorName(kind), run}
}

// Call makes the call that p permits, with the permit's arguments.
func (f Func) Call(ctx context.Context, p governance.Permit) (json.RawMessage, error) {
	return nil, ErrUnsealed
}
