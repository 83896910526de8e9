package iris

import (
	"context"
	"log/slog"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/plugin"
)

// Config is what a [Harness] is made of. Store is required, and LLM unless every agent brings its own; everything else has a zero value
// that works.
type Config struct {
	Store Store     // Required. sqlite.Open makes one.
	LLM   llm.Model // Required, unless every agent has its own. llm.Func adapts a plain function.

	// Tools are what every agent may call.
	Tools []Tool
	// Instructions is the system message of the one agent that there is where Agents is empty.
	Instructions string
	// Agents are the agents, by name; the first is the default. Where empty there is one, named "assistant".
	Agents []Agent
	// Intercepts answer turns deterministically, in order, before any agent; the confirmation intercept comes before them.
	Intercepts []Intercept
	// Executors run the stored actions of executable questions, by kind.
	Executors []ConfirmationExecutor
	// Plugins are the parts that the application is put together from.
	Plugins []Plugin

	// Hooks are governance's rules, besides the default policy.
	Hooks []Hook
	// Signals configures the signals that stop a run; the zero value has their defaults.
	Signals Signals
	// Embedder measures goal drift; nil switches that signal off.
	Embedder governance.Embedder
	// HookTimeout bounds one hook; 5 s where zero.
	HookTimeout time.Duration

	Classifier Classifier // the agent that is named, or whose topic is, else the first
	Planner    Planner    // one task
	Curator    Curator    // leaves answers as they are
	Judges     []Judge    // none
	// Deliver brings a text to a session's surface outside of its own turn; nil leaves it in the log.
	Deliver Deliver
	// Authorizer says who may decide an approval; any person, within asked_of, where nil.
	Authorizer approval.Authorizer
	// Actions are the application's own sources of pending actions.
	Actions []ActionSource
	// NoActionsTool takes the read-only tool "pending_actions" from the agents.
	NoActionsTool bool

	// Channels are the surfaces that approvals are brought to.
	Channels []Channel
	// Approvals configures the approval queue. There is no switch that turns it off.
	Approvals ApprovalConfig
	// OnRecover says what becomes of runs that a dead process left: ReportRuns (default) or ResumeRuns.
	OnRecover OnRecover

	// Lexicons are the languages besides English that replies are read in.
	Lexicons []continuation.Lexicon
	// History is how many messages of the conversation a task sees; 20 where zero, none where negative.
	History int
	// Keep is how long closed rows stay, for History and late presses; 90 days where zero.
	Keep time.Duration
	// Limits bounds runs; zero values take the loop's defaults.
	Limits Limits
	// Distance says when a yes is too far from its question to run an action: an hour, or three turns, where zero.
	Distance Distance
	// LeaseTTL is how long a dead process's turn blocks its session (RecoverAlone does not wait); half a minute more than a run may take where zero,
	// so that a turn that waits for its model does not look dead. A live turn renews it as it writes.
	LeaseTTL time.Duration
	// Drafts streams the model's raw text, which nobody has judged.
	Drafts bool

	operator bool // no runtime: NewOperator

	Logger *slog.Logger     // discards where nil
	Clock  func() time.Time // time.Now where nil
}

// Agent is one agent of a harness.
type Agent struct {
	Name         string // Required, unless Runner is set: it owns the questions that the agent asks.
	Instructions string
	Tools        []Tool    // besides Config.Tools
	LLM          llm.Model // Config.LLM where nil
	Limits       Limits    // Config.Limits where zero
	// NoAskUser takes the ask_user action from the agent.
	NoAskUser bool
	// Topics are words that the default classifier knows the agent by, besides its name.
	Topics []string
	// Runner brings an agent of the application's own; then only Topics is read besides it.
	Runner loop.Agent
}

// Signals configures the signals that stop a run.
type Signals = governance.EvaluatorConfig

// Limits bounds a run.
type Limits = loop.Limits

// OnRecover says what becomes of runs that a dead process left.
type OnRecover uint8

// What can become of them.
const (
	ReportRuns OnRecover = iota // they are reported, and can be resumed with Harness.Resume
	ResumeRuns                  // they are resumed, unless an effect of theirs is ambiguous
)

// Deliver brings a text to the surface of a session. key is stable: a surface that knows it can drop a second copy. An error is tried again.
type Deliver interface {
	Deliver(ctx context.Context, d Delivery) error
}

// Delivery is a text for a session, outside of its own turn.
type Delivery struct {
	SessionID string
	Channel   string // the one that the session's turn came from
	Text      string
	Key       string
}

// DeliverFunc adapts a function.
type DeliverFunc func(ctx context.Context, d Delivery) error

// Deliver calls f.
func (f DeliverFunc) Deliver(ctx context.Context, d Delivery) error { return f(ctx, d) }

// ActionSource lists things that wait for a person. A source that fails costs its own items only.
type ActionSource interface {
	Actions(ctx context.Context) ([]plugin.Action, error)
}

// Intercept answers turns deterministically before any agent is asked.
type Intercept = intercept.Spec

// Plugin is a part of an application.
type Plugin = plugin.Plugin

const (
	defaultAgent = "assistant"
	defaultKeep  = 90 * 24 * time.Hour
	leaseSlack   = 30 * time.Second
)
