package iris

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/pipeline"
	"github.com/iris-harness/iris/plugin"
)

// New builds a harness, or returns all that is wrong with c at once. It starts nothing: no goroutine is behind a harness unless
// Run is called.
func New(c Config) (*Harness, error) {
	b := &builder{c: c}
	h := b.build()
	if err := errors.Join(b.errs...); err != nil {
		return nil, fmt.Errorf("iris: %w", err)
	}
	h.stands.Store(true)
	return h, nil
}

// builder collects faults while a harness is put together.
type builder struct {
	c      Config
	errs   []error
	h      *Harness
	kernel *governance.Kernel
	parts  plugin.Contributions
}

func (b *builder) fault(format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf(format, args...))
}

func (b *builder) check(err error) {
	if err != nil {
		b.errs = append(b.errs, err)
	}
}

func (b *builder) build() *Harness {
	if b.c.Store == nil {
		b.fault("Config.Store is required: sqlite.Open makes one")
		return nil
	}
	b.defaults()
	b.h = &Harness{c: b.c, beats: map[string]beatState{}, tools: map[string]Tool{}}
	b.plugins()
	b.owners()
	recorder := pipeline.NewRecorder(b.c.Store, b.c.Clock)
	b.governance(recorder)
	b.h.registry = continuation.NewRegistry(continuation.Config{
		Store: b.c.Store.Continuations(), Log: b.c.Store.Audit(), Atomically: b.c.Store.Atomically, Clock: b.c.Clock,
	})
	confirmer := b.confirmer()
	chain, err := intercept.NewChain(append([]Intercept{confirmer.Spec()}, b.c.Intercepts...), b.parts.Intercepts,
		intercept.Config{Logger: b.c.Logger, Fault: b.h.host.Fault})
	b.check(err)
	agents := b.agents()
	b.approvalQueue()
	if len(b.errs) > 0 {
		return nil
	}
	b.h.pipeline, err = pipeline.New(pipeline.Config{
		Stores: b.c.Store, Continuations: b.h.registry, Kernel: b.kernel, Recorder: recorder, Agents: agents, Chain: chain, Confirmer: confirmer,
		Classifier: b.c.Classifier, Planner: b.c.Planner, Curator: b.c.Curator, Judges: b.c.Judges, Reader: b.reader(),
		ReportRejected: b.c.Approvals.OnReject == ReportToModel, History: b.c.History, LeaseTTL: b.c.LeaseTTL,
		Timeouts:   pipeline.Timeouts{Approval: b.c.Approvals.Timeout, Destructive: b.c.Approvals.Destructive},
		Deliveries: b.h.router.Deliveries, Deliver: b.h.deliverNow, Where: b.h.where, Approve: b.chatApprovals(),
		NotRequester: b.c.Approvals.NotRequester, Distance: b.c.Distance, Clock: b.c.Clock, Logger: b.c.Logger,
	})
	b.check(err)
	return b.h
}

func (b *builder) defaults() {
	if b.c.Logger == nil {
		b.c.Logger = slog.New(slog.DiscardHandler)
	}
	if b.c.Clock == nil {
		b.c.Clock = time.Now
	}
	if b.c.Keep == 0 {
		b.c.Keep = defaultKeep
	}
	if len(b.c.Agents) == 0 {
		b.c.Agents = []Agent{{Name: defaultAgent, Instructions: b.c.Instructions}}
	}
	for i := range b.c.Agents {
		if a := &b.c.Agents[i]; a.Runner != nil {
			a.Name = a.Runner.Name()
		}
	}
	if b.c.Classifier == nil {
		b.c.Classifier = newTopics(b.c.Agents)
	}
	if b.c.LeaseTTL == 0 { // a turn that waits for its model must not look dead
		b.c.LeaseTTL = leaseSlack + b.longestRun()
	}
	if b.c.Embedder != nil {
		b.c.Signals.Embedder = b.c.Embedder
	}
}

// longestRun is how long a run of any agent may take.
func (b *builder) longestRun() time.Duration {
	longest := cmp.Or(b.c.Limits.WallClock, loop.DefaultWallClock)
	for i := range b.c.Agents {
		longest = max(longest, b.c.Agents[i].Limits.WallClock)
	}
	return longest
}

func (b *builder) reader() continuation.Reader { return continuation.Reader{Lexicons: b.c.Lexicons} }

func (b *builder) plugins() {
	host, err := plugin.NewHost(b.c.Plugins, b.h.seams())
	b.check(err)
	b.h.host = host
	b.parts = host.Contributions()
}

// governance builds the kernel: the application's hooks, the signals, and the default policy last.
func (b *builder) governance(r *pipeline.Recorder) {
	hooks := append(b.pluginFaults(), b.c.Hooks...)
	hooks = append(hooks, governance.Evaluator(b.c.Signals), governance.DefaultPolicy())
	k, err := governance.NewKernel(governance.Config{
		Hooks: hooks, Recorder: r, Approvals: r, HookTimeout: b.c.HookTimeout, Clock: b.c.Clock, Logger: b.c.Logger,
	})
	b.check(err)
	if b.kernel = k; err != nil { // a kernel without hooks lets the rest be checked, too; it is never used
		b.kernel, err = governance.NewKernel(governance.Config{Recorder: r})
		b.check(err)
	}
}

// confirmer seals the executors and makes the confirmation intercept of them.
func (b *builder) confirmer() *intercept.Confirmer {
	executors := map[string]gate.Func{}
	for _, e := range append(append([]ConfirmationExecutor{}, b.c.Executors...), b.parts.Executors...) {
		switch {
		case e == nil || e.Kind() == "":
			b.fault("an executor without a kind")
			continue
		case executors[e.Kind()] != (gate.Func{}):
			b.fault("two executors of kind %q", e.Kind())
		}
		executors[e.Kind()] = gate.SealExecutor(b.kernel, e.Kind(), executeJSON(e))
	}
	h := b.h
	return intercept.NewConfirmer(intercept.ConfirmationConfig{
		Kernel: b.kernel, Executors: executors, Reader: b.reader(),
		Done: func(turnID, key string, result []byte, failed bool) {
			h.pipeline.EffectDone(turnID, key, result, failed)
		},
		Distant: func(ctx context.Context, c *continuation.Continuation) (bool, error) {
			return h.pipeline.Distant(ctx, c)
		},
		Restate: func(ctx context.Context, turnID string, c *continuation.Continuation) error {
			return h.pipeline.Restate(ctx, turnID, c)
		},
	})
}

// agents makes the loop of every agent, with its tools and model sealed to the kernel.
func (b *builder) agents() []loop.Agent {
	shared := append(append([]Tool{}, b.c.Tools...), b.parts.Tools...)
	var out []loop.Agent
	for i := range b.c.Agents {
		a := &b.c.Agents[i]
		if a.Runner != nil {
			out = append(out, a.Runner)
			continue
		}
		tools := append(append([]Tool{}, shared...), a.Tools...)
		if !b.c.NoActionsTool {
			tools = append(tools, b.h.actionsTool())
		}
		out = append(out, b.core(a, tools))
	}
	return append(out, b.parts.Agents...)
}

func (b *builder) core(a *Agent, tools []Tool) loop.Agent {
	model := a.LLM
	if model == nil {
		model = b.c.LLM
	}
	if model == nil {
		b.fault("agent %q has no model: set Config.LLM or its own", a.Name)
	}
	limits := a.Limits
	if limits == (Limits{}) {
		limits = b.c.Limits
	}
	core, err := loop.NewCore(loop.CoreConfig{
		Name: a.Name, Instructions: a.Instructions, Model: b.seal(model), Kernel: b.kernel, Tools: b.bind(tools),
		Limits: limits, NoAskUser: a.NoAskUser, Drafts: b.c.Drafts, Clock: b.c.Clock, Logger: b.c.Logger,
	})
	b.check(err)
	return core
}

// chatApprovals is how a conversation decides the approvals of its own runs; nil where it may not.
func (b *builder) chatApprovals() func(ctx context.Context, d pipeline.ChatDecision) error {
	if b.c.Approvals.NoChat {
		return nil
	}
	return b.h.decideInChat
}

func (b *builder) seal(m llm.Model) gate.Model {
	return gate.SealModel(b.kernel, m)
}

func (b *builder) bind(tools []Tool) []loop.BoundTool {
	out := make([]loop.BoundTool, len(tools))
	for i, t := range tools {
		b.h.tools[t.Name()] = t
		out[i] = loop.BoundTool{Tool: t, Func: gate.SealRaw(b.kernel, t.Name(), t.Raw())}
	}
	return out
}

// executeJSON gives an executor the form that the gate calls.
func executeJSON(e ConfirmationExecutor) func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
		outcome, err := e.Execute(ctx, payload)
		if err != nil {
			return nil, err
		}
		return json.Marshal(outcome)
	}
}
