package loop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// execution is one task while it runs: from its beginning or from a seed to where it stops.
type execution struct {
	core    *AgenticCore
	task    Task
	journal Journal
	yield   func(Event, error) bool
	gone    bool // the consumer stopped ranging

	row       checkpoint.Run
	past                    // what the steps so far came to
	base      []llm.Message // what the next step records of what the loop said before it: it is in the conversation already
	limit     int
	malformed int
	began     time.Time
	usage     llm.Usage // of the whole run
	spent     llm.Usage // of this execution
	window    governance.Window
	executed  []string
	unknown   map[string]bool // digests of effects whose outcome is not known: an equal call is refused
	ledger    map[string]checkpoint.Effect
	open      *checkpoint.Payload // the step that a resume has to close first

	// What one step needs and the next uses again.
	heard    heard
	calls    []*call
	reads    []*call
	subjects []governance.Subject
	recorded []checkpoint.Result
	view     governance.StepView
	viewed   []governance.ToolResult
	payload  checkpoint.Payload
}

func (r *execution) now() time.Time { return r.core.c.Clock().UTC().Truncate(time.Microsecond) }

func (r *execution) emit(ev Event) {
	if !r.gone && !r.yield(ev, nil) {
		r.gone = true
	}
}

// outcome is where an execution stands after a step; nil goes on.
type outcome struct {
	fin Finished
	err error // nothing could be recorded: the caller gets this instead
}

// errWallClock is the cause of a context that ended at the run's own limit.
var errWallClock = fmt.Errorf("%w: its time is up", ErrLimit)

// run takes steps until one of them ends the execution.
func (r *execution) run(parent context.Context) (Finished, error) {
	ctx, cancel := context.WithTimeoutCause(parent, r.core.c.Limits.WallClock, errWallClock)
	defer cancel()
	out := r.approvedAnswer(ctx)
	if r.open != nil {
		out = r.closeOpen(ctx)
	}
	for out == nil {
		if out = r.boundary(ctx); out == nil {
			out = r.takeStep(ctx)
		}
	}
	return out.fin, out.err
}

// boundary ends the run where it may not take another step.
func (r *execution) boundary(ctx context.Context) *outcome {
	switch {
	case r.gone:
		return r.stop(ctx, checkpoint.Failed, checkpoint.Interrupted, fmt.Errorf("%w: nobody is listening", ErrInterrupted), nil)
	case ctx.Err() != nil:
		return r.interrupt(ctx, nil)
	case r.step >= r.limit:
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, fmt.Errorf("%w: %d steps", ErrLimit, r.limit), nil)
	}
	return nil
}

// interrupt stops a run whose context has ended: at its own limit, or because its caller gave it up. p is the step that was being taken.
func (r *execution) interrupt(ctx context.Context, p *checkpoint.Payload) *outcome {
	cause := context.Cause(ctx)
	if errors.Is(cause, errWallClock) {
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, cause, p)
	}
	return r.stop(ctx, checkpoint.Failed, checkpoint.Interrupted, fmt.Errorf("%w: %w", ErrInterrupted, cause), p)
}

// takeStep asks the model and does what it asks for.
func (r *execution) takeStep(ctx context.Context) *outcome {
	r.window.Begin()
	reply, usage, err := r.ask(ctx)
	r.usage, r.spent = r.usage.Add(usage), r.spent.Add(usage)
	if err != nil {
		return r.modelFailed(ctx, err)
	}
	p := &r.payload
	*p = checkpoint.Payload{Base: r.base, Reply: reply, Usage: usage}
	switch {
	case len(reply.Calls) == 0 && isBlank(reply.Text):
		return r.reportMalformed(ctx, p)
	case len(reply.Calls) == 0:
		return r.answer(ctx, p)
	}
	calls := r.validate(reply)
	if asked := firstAsk(calls); asked != nil {
		return r.pause(ctx, p, calls, asked)
	}
	return r.perform(ctx, p, calls)
}

// answer ends the run with the model's text.
func (r *execution) answer(ctx context.Context, p *checkpoint.Payload) *outcome {
	if out := r.reviewStep(ctx, p, nil, checkpoint.ClosedStep); out != nil {
		return out
	}
	return r.done(ctx, p)
}

func (r *execution) done(ctx context.Context, p *checkpoint.Payload) *outcome {
	c, err := r.checkpoint(p, checkpoint.ClosedStep)
	if err != nil {
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, err, nil)
	}
	return r.stopWith(ctx, checkpoint.Done, "", nil, c, p.Reply.Text)
}

// reportMalformed tells the model that its reply was empty, a bounded number of times.
func (r *execution) reportMalformed(ctx context.Context, p *checkpoint.Payload) *outcome {
	r.malformed++
	if r.malformed > r.core.c.Limits.Malformed {
		return r.stop(ctx, checkpoint.Failed, checkpoint.ModelError, fmt.Errorf("%w: %d in one run", ErrMalformed, r.malformed), p)
	}
	p.Note = []llm.Message{{Role: llm.User, Text: "Your last reply was empty. Call a tool, or write the answer for the user."}}
	if out := r.reviewStep(ctx, p, nil, checkpoint.ClosedStep); out != nil {
		return out
	}
	return r.closeStep(ctx, p)
}

// closeStep writes a closed step and goes on.
func (r *execution) closeStep(ctx context.Context, p *checkpoint.Payload) *outcome {
	if r.task.Journal != nil {
		c, err := r.checkpoint(p, checkpoint.ClosedStep)
		if err != nil {
			return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, err, nil)
		}
		wctx, cancel := writing(ctx)
		defer cancel()
		if err := r.journal.Step(wctx, r.row, *c); err != nil {
			return &outcome{err: fmt.Errorf("loop: step %d of run %s: %w", r.step, r.row.ID, err)}
		}
	}
	r.advance(p)
	return nil
}

// advance adds a recorded step to the conversation. What it began with is there already.
func (r *execution) advance(p *checkpoint.Payload) {
	r.base = nil
	r.add(p)
}

// checkpoint encodes the step that is being taken.
func (r *execution) checkpoint(p *checkpoint.Payload, state checkpoint.StepState) (*checkpoint.Checkpoint, error) {
	b, err := checkpoint.Encode(*p)
	if err != nil {
		return nil, err
	}
	r.bytes += len(b)
	return &checkpoint.Checkpoint{
		RunID: r.row.ID, StepID: r.step, SessionID: r.row.SessionID, State: state, Payload: b, CreatedAt: r.now(),
	}, nil
}

// stop ends the run for a reason that is not an answer. p is the step that was being taken, where there is one.
func (r *execution) stop(ctx context.Context, to checkpoint.State, why checkpoint.Reason, cause error, p *checkpoint.Payload) *outcome {
	var c *checkpoint.Checkpoint
	if p != nil {
		c, _ = r.checkpoint(p, checkpoint.ClosedStep) // a step that is too large is left out: the run stops all the same
	}
	return r.stopWith(ctx, to, why, cause, c, stopSentence(why, cause))
}

func (r *execution) stopWith(ctx context.Context, to checkpoint.State, why checkpoint.Reason, cause error, c *checkpoint.Checkpoint, text string) *outcome {
	r.row.State, r.row.Reason, r.row.UpdatedAt = to, why, r.now()
	r.row.Asked, r.row.ApprovalID = nil, ""
	if cause != nil {
		r.row.Detail = cause.Error()
	}
	wctx, cancel := writing(ctx)
	defer cancel()
	back, err := r.journal.Stop(wctx, r.row, c)
	if err != nil {
		return &outcome{err: fmt.Errorf("loop: stop of run %s: %w", r.row.ID, errors.Join(err, cause))}
	}
	if back {
		r.row.State, r.row.Reason = r.task.Seed.Run.State, r.task.Seed.Run.Reason
		r.row.Asked, r.row.ApprovalID = r.task.Seed.Run.Asked, r.task.Seed.Run.ApprovalID
	}
	return &outcome{fin: Finished{Run: r.row, Text: text, Usage: r.spent, Err: cause, Executed: r.executed}}
}

// writeLimit bounds a write that a caller's cancel must not lose.
const writeLimit = 30 * time.Second

// writing returns a context for a write that does not die with the caller's.
func writing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
}

// stopSentence is what the person is told of a run that stopped.
func stopSentence(why checkpoint.Reason, cause error) string {
	switch why {
	case checkpoint.Denied:
		var d *governance.Denied
		if errors.As(cause, &d) && d.Reason != "" {
			return "I stopped here: " + d.Reason + "."
		}
		return "I stopped here: a rule does not let me go on."
	case checkpoint.Limit:
		if errors.Is(cause, checkpoint.ErrTooLarge) {
			return "I stopped here: one step of this came to more than I can keep."
		}
		return "I stopped here: this took more steps or more time than I may use for one task."
	case checkpoint.Interrupted:
		return "I was interrupted before I was done."
	default:
		return "I could not finish this: the language model did not give a usable reply."
	}
}

func isBlank(s string) bool {
	for _, c := range s {
		switch c {
		case ' ', '\n', '\t', '\r', '\u00a0', '\u200b', '\ufeff':
		default:
			return false
		}
	}
	return true
}
