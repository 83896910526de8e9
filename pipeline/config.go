package pipeline

import (
	"context"
	"log/slog"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/session"
)

// Stores is the part of a store that a pipeline uses. Everything in it commits together under Atomically.
type Stores interface {
	Checkpoints() checkpoint.Store
	Ledger() checkpoint.Ledger
	Continuations() continuation.Store
	Approvals() approval.Store
	Outbox() approval.Outbox
	Sessions() session.Store
	Audit() audit.Log
	Atomically(ctx context.Context, fn func(ctx context.Context) error) error
}

// Classifier says which agent a message is for, where no question's owner decides that. An error fails the turn.
type Classifier interface {
	Classify(ctx context.Context, m Inbound) (Intent, error)
}

// Inbound is a message as a classifier or planner sees it.
type Inbound struct {
	SessionID string
	TurnID    string
	Channel   string
	Sender    string
	System    bool
	Text      string
	Agents    []string      // the names there are, in the order of the configuration
	History   []llm.Message // the conversation before this turn
}

// Intent is what a message is about.
type Intent struct {
	Agent string // a registered agent's name; the first agent where empty
	Name  string // kept with a question that the turn raises, so that a resume skips classification
}

// Planner splits a message into tasks. The tasks of one wave run at the same time; a wave begins when the one before has ended.
type Planner interface {
	Plan(ctx context.Context, m Inbound, in Intent) ([][]PlannedTask, error)
}

// PlannedTask is one task of a plan.
type PlannedTask struct {
	Agent string // the classified agent where empty
	Text  string
}

// Curator rewrites an answer before it is judged and shown.
type Curator interface {
	Curate(ctx context.Context, d Draft) (string, error)
}

// Judge passes or withholds an answer. An error withholds it.
type Judge interface {
	Judge(ctx context.Context, d Draft) (Judgement, error)
}

// Draft is an answer before it is shown.
type Draft struct {
	SessionID string
	TurnID    string
	Agent     string
	Message   string
	Text      string
}

// Judgement is a judge's word on a draft. The zero value withholds it.
type Judgement struct {
	Pass   bool
	Reason string
}

// Config is what a [Pipeline] is made of. The root package fills it.
type Config struct {
	Stores        Stores                 // Required.
	Continuations *continuation.Registry // Required.
	Kernel        *governance.Kernel     // Required.
	Recorder      *Recorder              // Required: the kernel's own.
	Agents        []loop.Agent           // Required: the first is the default.
	Chain         *intercept.Chain       // Required.
	Confirmer     *intercept.Confirmer   // Required: the chain's own.
	Classifier    Classifier             // the first agent where nil
	Planner       Planner                // one task where nil
	Curator       Curator                // leaves the answer as it is where nil
	Judges        []Judge
	Reader        continuation.Reader

	// Approve decides an approval of this session in a person's name, for a chat answer; nil switches chat approvals off.
	Approve func(ctx context.Context, d ChatDecision) error
	// ReportRejected reports a rejection to the model, which goes on without the step; the run ends otherwise.
	ReportRejected bool
	// Deliveries are the rows that bring a request, or the notice of its lapse, to its surfaces; nil brings it nowhere.
	Deliveries func(kind approval.DeliveryKind, r *approval.Request, now, next time.Time) []approval.Delivery
	// Deliver tries deliveries that were just committed; what fails stays in the outbox. nil leaves them all there.
	Deliver func(ctx context.Context, d ...approval.Delivery)
	// Where says where an approval can be answered, for the halt's message; here says whether the next words of the conversation can.
	Where func(r approval.Request, here bool) string
	// NotRequester says that who an approval was raised for may not decide it.
	NotRequester bool

	History  int           // messages of the log that a task sees; 20 where zero, none where negative
	LeaseTTL time.Duration // 1 minute where zero
	Timeouts Timeouts      // of approvals
	Parallel int           // tasks of one wave at once; 4 where zero
	Distance Distance      // when a yes is too far from its question
	Clock    func() time.Time
	Logger   *slog.Logger
}

// ChatDecision is a decision that was made in the conversation itself.
type ChatDecision struct {
	ApprovalID string
	Approve    bool
	Reason     string
	Sender     string
	Channel    string
	SessionID  string
}

// Timeouts is how long approvals wait.
type Timeouts struct {
	Approval    time.Duration // approval.DefaultTimeout where zero
	Destructive time.Duration // approval.DestructiveTimeout where zero
}

// Distance says when an executable question is asked once more instead of being executed by a yes.
type Distance struct {
	Age   time.Duration // 1 hour where zero
	Turns int           // 3 where zero
}

func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Classifier == nil {
		c.Classifier = firstAgent{}
	}
	if c.Planner == nil {
		c.Planner = oneTask{}
	}
	def(&c.History, 20)
	def(&c.Parallel, 4)
	def(&c.Distance.Turns, 3)
	def(&c.LeaseTTL, time.Minute)
	def(&c.Distance.Age, time.Hour)
	def(&c.Timeouts.Approval, approval.DefaultTimeout)
	def(&c.Timeouts.Destructive, approval.DestructiveTimeout)
	return c
}

func def[T int | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// firstAgent is the classifier of a harness that has none.
type firstAgent struct{}

func (firstAgent) Classify(_ context.Context, m Inbound) (Intent, error) {
	return Intent{Agent: m.Agents[0]}, nil
}

// oneTask is the planner of a harness that has none.
type oneTask struct{}

func (oneTask) Plan(_ context.Context, m Inbound, in Intent) ([][]PlannedTask, error) {
	return [][]PlannedTask{{{Agent: in.Agent, Text: m.Text}}}, nil
}
