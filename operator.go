package iris

import (
	"context"
	"errors"

	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/pipeline"
)

// ErrNoRuntime is returned for a turn or a resume by a harness that has no agents: [NewOperator].
var ErrNoRuntime = errors.New("iris: no runtime in this process")

// NewOperator builds a harness without agents, for an operator's tool: it looks, decides approvals, settles effects, and asks for resumes, which a process
// with a runtime takes up. Of c, Store is required; models, tools and agents are left out.
func NewOperator(c Config) (*Harness, error) {
	c.LLM, c.Tools, c.Plugins, c.Intercepts, c.Executors = nil, nil, nil, nil, nil
	c.Agents = []Agent{{Runner: loop.AgentFunc(defaultAgent, func(context.Context, loop.Task) (string, error) { return "", ErrNoRuntime })}}
	c.operator = true
	return New(c)
}

// inside reports whether ctx belongs to a callback of a harness.
func (h *Harness) inside(ctx context.Context) bool {
	_, inside := pipeline.ScopeOf(ctx)
	return inside
}
