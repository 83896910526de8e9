package intercept

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
)

// ConfirmationName is the owner of every executable question: the intercept that resolves it, not who asked (ADR-0108 §8).
const ConfirmationName = "confirmation"

// ConfirmationExecutor runs the stored action of one kind when a person says yes. It returns what to tell the person. The payload is exactly the JSON
// that was frozen when the question was asked; an executor that cannot make sense of it returns an error and has done nothing.
type ConfirmationExecutor interface {
	Kind() string
	Execute(ctx context.Context, payload json.RawMessage) (outcome string, err error)
}

// ConfirmationConfig is what the confirmation intercept needs.
type ConfirmationConfig struct {
	Kernel    *governance.Kernel
	Executors map[string]gate.Func // by kind, sealed
	Reader    continuation.Reader
	// Limit bounds one execution; 2 minutes where zero. One that was cut off has an unknown outcome.
	Limit time.Duration
	// Done notes the executed action's result, written with the turn's record.
	Done func(turnID, key string, result []byte, failed bool)
	// Distant reports whether a question is too old, or too far back, for a yes to run its action.
	Distant func(ctx context.Context, c *continuation.Continuation) (bool, error)
	// Restate asks the question once more, in the turn's own answer.
	Restate func(ctx context.Context, turnID string, c *continuation.Continuation) error
}

// Confirmer is the confirmation intercept.
type Confirmer struct{ c ConfirmationConfig }

// NewConfirmer returns the confirmation intercept over c.
func NewConfirmer(c ConfirmationConfig) *Confirmer {
	if c.Limit == 0 {
		c.Limit = executionLimit
	}
	return &Confirmer{c}
}

const executionLimit = 2 * time.Minute

// Spec returns the intercept as a chain lists it. Only a plain Yes runs an action; YesWithMore and Unclear are
// declined, so that the pipeline's classify stage reads them.
func (f *Confirmer) Spec() Spec {
	return Spec{Name: ConfirmationName, Handler: f.handle, Confirmation: Resolves, TraceText: "reading the answer", own: true}
}

// Knows reports whether an executor of this kind is registered.
func (f *Confirmer) Knows(kind string) bool {
	_, ok := f.c.Executors[kind]
	return ok
}

func (f *Confirmer) handle(ctx context.Context, m Message) (*Reply, error) {
	c := m.Pending
	if c == nil || c.Owner != ConfirmationName || !c.Executable() {
		return nil, nil
	}
	if _, picked := f.c.Reader.ReadChoice(c.Texts(), m.Text); picked && len(c.Options) > 0 {
		return nil, nil
	}
	switch f.c.Reader.ReadDecision(c.Question, m.Text).Verdict {
	case continuation.Yes:
		return f.yes(ctx, m, c)
	case continuation.No:
		return f.Refuse(ctx, m, c)
	case continuation.NoWithMore:
		return nil, lost(m.Claim(ctx))
	default:
		return nil, nil
	}
}

// lost turns a claim that somebody else won into a decline: the message is then an ordinary one.
func lost(err error) error {
	var closed *continuation.ClosedError
	if errors.As(err, &closed) || errors.Is(err, continuation.ErrNotFound) {
		return nil
	}
	return err
}

// Refuse claims the question as a no and runs nothing.
func (f *Confirmer) Refuse(ctx context.Context, m Message, c *continuation.Continuation) (*Reply, error) {
	if err := m.Claim(ctx); err != nil {
		return nil, lost(err)
	}
	return &Reply{Text: fmt.Sprintf("All right, I won't. (You said no to: %s)", c.Question), Outcome: "declined"}, nil
}

func (f *Confirmer) yes(ctx context.Context, m Message, c *continuation.Continuation) (*Reply, error) {
	distant, err := f.c.Distant(ctx, c)
	if err != nil {
		return nil, err
	}
	if distant {
		return f.restate(ctx, m, c)
	}
	return f.Run(ctx, m, c)
}

func (f *Confirmer) restate(ctx context.Context, m Message, c *continuation.Continuation) (*Reply, error) {
	if err := f.c.Restate(ctx, m.TurnID, c); err != nil {
		return nil, err
	}
	return &Reply{Text: continuation.Restate(c.Question)}, nil
}

// Run claims the question and runs its action. It is the same whether the yes was words or a button.
func (f *Confirmer) Run(ctx context.Context, m Message, c *continuation.Continuation) (*Reply, error) {
	if err := m.Claim(ctx); err != nil {
		return nil, lost(err)
	}
	executor, known := f.c.Executors[c.ExecutorKind]
	if !known {
		return &Reply{Outcome: "not run: no executor " + c.ExecutorKind, Text: fmt.Sprintf(
			"You said yes to: %s\nI cannot do it: nothing here knows how to run %q any more. Nothing was done.", c.Question, c.ExecutorKind)}, nil
	}
	key := EffectKey(c.ID)
	limited, cancel := context.WithTimeout(ctx, f.c.Limit)
	defer cancel()
	raw, err := f.execute(limited, executor, f.subject(m, c, key))
	text := ""
	if err == nil {
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		f.c.Done(m.TurnID, key, []byte(text), false)
		return &Reply{Outcome: "done", Text: answered(c.Question, text)}, nil
	}
	return f.failed(m, c, key, err), nil
}

// execute makes the one guarded call of this package: the decision and the call stand together.
func (f *Confirmer) execute(ctx context.Context, executor gate.Func, s governance.Subject) (json.RawMessage, error) {
	permit, err := f.c.Kernel.Permit(ctx, s)
	if err != nil {
		return nil, err
	}
	return executor.Call(ctx, permit)
}

// EffectKey is the ledger key of a confirmed action.
func EffectKey(continuationID string) string { return "confirm/" + continuationID }

func (f *Confirmer) subject(m Message, c *continuation.Continuation, key string) governance.Subject {
	return governance.Subject{
		Point: governance.PreTool, Name: governance.ExecutorName(c.ExecutorKind), SessionID: m.SessionID, TurnID: m.TurnID,
		Agent: c.Asker, Channel: m.Channel, Sender: m.Sender, Effect: governance.Write,
		Call: llm.Call{ID: c.ID, Name: c.ExecutorKind, Args: c.Payload}, CallKey: key,
	}
}

// failed says what became of an action that did not end well.
func (f *Confirmer) failed(m Message, c *continuation.Continuation, key string, err error) *Reply {
	var denied *governance.Denied
	var unrecorded *governance.RecordError
	var panicked *gate.PanicError
	var done *checkpoint.EffectError
	switch {
	case errors.As(err, &done):
		return &Reply{Outcome: "already done", Text: answered(c.Question, "That was done before. I did nothing now.")}
	case errors.As(err, &denied):
		return &Reply{Outcome: "denied", Text: answered(c.Question, "I may not do it: "+denied.Reason+". Nothing was done.")}
	case errors.As(err, &unrecorded):
		return &Reply{Outcome: "not run: not recorded", Text: answered(c.Question, "I could not write it down, so I did nothing. Please ask again.")}
	case errors.As(err, &panicked) || errors.Is(err, gate.ErrOutcomeUnknown) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return &Reply{Outcome: continuation.OutcomeUnknown, Text: answered(c.Question, "It was cut off while it ran, and I do not know whether it happened. Please check before you ask for it again.")}
	default:
		f.c.Done(m.TurnID, key, []byte(err.Error()), true)
		return &Reply{Outcome: "failed", Text: answered(c.Question, "It did not work: "+err.Error())}
	}
}

// answered names the question that was taken as answered (ADR-0106 D3).
func answered(question, text string) string {
	return fmt.Sprintf("You said yes to: %s\n%s", question, text)
}
