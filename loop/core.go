package loop

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/llm"
)

// DefaultWallClock bounds a run where Limits does not say.
const DefaultWallClock = 2 * time.Minute

// Limits bounds a run. Zero values take the defaults.
type Limits struct {
	Steps      int           // 10. A resumed run is always granted one more
	WallClock  time.Duration // 2 minutes; waiting for a person does not count
	Malformed  int           // 2: malformed replies that are reported back before the run fails; none where negative
	Retries    int           // 2: repetitions of a model call that failed transiently; none where negative
	Backoff    time.Duration // 200 ms before the first repetition, doubled each time
	Concurrent int           // 4: ReadOnly calls of one step at once
	Result     int           // 64 KiB of one result; the rest is cut off, with a mark
}

func (l Limits) withDefaults() Limits {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.Steps, 10)
	def(&l.Malformed, 2)
	def(&l.Retries, 2)
	def(&l.Concurrent, 4)
	def(&l.Result, 64<<10)
	if l.WallClock == 0 {
		l.WallClock = DefaultWallClock
	}
	if l.Backoff == 0 {
		l.Backoff = 200 * time.Millisecond
	}
	return l
}

// BoundTool is a tool with its function sealed to the kernel.
type BoundTool struct {
	Tool
	Func gate.Func
}

// CoreConfig is what an agent is made of.
type CoreConfig struct {
	Name         string             // Required.
	Instructions string             // the system message; none where empty
	Model        gate.Model         // Required.
	Kernel       *governance.Kernel // Required.
	Tools        []BoundTool
	Limits       Limits
	// NoAskUser takes the ask_user action from this agent.
	NoAskUser bool
	// Drafts streams the model's raw text as Delta events. Nobody has judged it.
	Drafts bool
	Clock  func() time.Time // time.Now where nil
	TTL    time.Duration    // of a run; checkpoint.DefaultTTL where zero
	Logger *slog.Logger     // discards where nil
}

// AgenticCore is an agent: instructions, a model and tools in the one governed loop. It is safe for concurrent use.
type AgenticCore struct {
	c     CoreConfig
	tools map[string]*BoundTool
	defs  []llm.ToolDef
}

var _ Agent = (*AgenticCore)(nil)

// NewCore returns an agent, or all that is wrong with c.
func NewCore(c CoreConfig) (*AgenticCore, error) {
	var errs []error
	if !validName(c.Name) {
		errs = append(errs, fmt.Errorf("agent %q: a name is 1 to 64 letters, digits, '_', '-' or '.'", c.Name))
	}
	if c.Kernel == nil {
		errs = append(errs, fmt.Errorf("agent %q: no kernel", c.Name))
	}
	c.Limits = c.Limits.withDefaults()
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.TTL == 0 {
		c.TTL = checkpoint.DefaultTTL
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	a := &AgenticCore{c: c, tools: make(map[string]*BoundTool, len(c.Tools))}
	for i := range c.Tools {
		t := &c.Tools[i]
		if err := t.Err(); err != nil {
			errs = append(errs, err)
		}
		if a.tools[t.Name()] != nil {
			errs = append(errs, fmt.Errorf("agent %q: two tools are named %q", c.Name, t.Name()))
		}
		a.tools[t.Name()] = t
		a.defs = append(a.defs, t.Def())
	}
	if !c.NoAskUser {
		a.defs = append(a.defs, askUserDef())
	}
	return a, errors.Join(errs...)
}

// Name implements [Agent].
func (a *AgenticCore) Name() string { return a.c.Name }

// Stream implements [Agent]. ctx bounds the task; what a stop or a pause writes is written all the same. The sequence ends
// with a [Finished], whatever became of the run, or with an error where the run could not begin or could not be recorded:
// then nothing acts on what was not written.
func (a *AgenticCore) Stream(ctx context.Context, t Task) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		r, err := a.begin(ctx, t, yield)
		if err != nil {
			yield(nil, err)
			return
		}
		fin, err := r.run(ctx)
		if r.gone {
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
		yield(fin, nil)
	}
}

// Run drains [AgenticCore.Stream].
func (a *AgenticCore) Run(ctx context.Context, t Task) (Finished, error) {
	return Drain(a.Stream(ctx, t))
}

// Drain reads a task's events to the end and returns the last [Finished].
func Drain(events iter.Seq2[Event, error]) (Finished, error) {
	var fin Finished
	for ev, err := range events {
		if err != nil {
			return fin, err
		}
		if f, ok := ev.(Finished); ok {
			fin = f
		}
	}
	return fin, nil
}

// begin makes the state of one execution, new or resumed.
func (a *AgenticCore) begin(ctx context.Context, t Task, yield func(Event, error) bool) (*execution, error) {
	r := &execution{core: a, task: t, yield: yield, limit: a.c.Limits.Steps, began: a.c.Clock(), journal: t.Journal}
	if r.journal == nil {
		r.journal = noJournal{}
	}
	if t.Seed != nil {
		return r, r.resume(ctx)
	}
	now := r.now()
	r.row = checkpoint.Run{
		ID: id.New(now), SessionID: t.SessionID, TurnID: t.TurnID, Agent: a.c.Name, Intent: t.Intent, Channel: t.Channel,
		AskedOf: t.Sender, Task: t.Text, Order: t.Order, State: checkpoint.Running,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(a.c.TTL),
	}
	r.base = a.opening(t)
	r.msgs = append(r.msgs, r.base...)
	r.journal.Open(r.row)
	return r, nil
}

// opening is what a new run says to the model: the instructions, the conversation so far, the task.
func (a *AgenticCore) opening(t Task) []llm.Message {
	out := make([]llm.Message, 0, len(t.History)+2)
	if a.c.Instructions != "" {
		out = append(out, llm.Message{Role: llm.System, Text: a.c.Instructions})
	}
	out = append(out, t.History...)
	out = append(out, llm.Message{Role: llm.User, Text: t.Text, Attachments: t.Attachments})
	for i := range out { // what is not UTF-8 would not survive being stored
		out[i].Text = strings.ToValidUTF8(out[i].Text, "\uFFFD")
	}
	return out
}
