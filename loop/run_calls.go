package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
)

// runCalls runs the ReadOnly calls, a bounded number at once, then the effects in order. effects is false where one is held:
// then none of the step's runs. The error is of a decision that could not be recorded.
func (r *execution) runCalls(ctx context.Context, calls []*call, effects bool) error {
	if err := r.runReads(ctx, calls); err != nil {
		return err
	}
	for _, c := range calls {
		if c.settled || !effects {
			continue
		}
		if err := r.runEffect(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// runReads runs the step's ReadOnly calls that may run.
func (r *execution) runReads(ctx context.Context, calls []*call) error {
	r.reads = r.reads[:0]
	for _, c := range calls {
		if !c.settled && !c.effect() && c.ruling.Err() == nil {
			r.reads = append(r.reads, c)
			r.started(c)
		}
	}
	if err := r.runAtOnce(ctx, r.reads); err != nil {
		return err
	}
	for _, c := range r.reads {
		r.finished(c)
	}
	return nil
}

func (r *execution) runAtOnce(ctx context.Context, reads []*call) error {
	if len(reads) == 1 {
		return r.runOne(ctx, reads[0])
	}
	var g errgroup.Group
	g.SetLimit(r.core.c.Limits.Concurrent)
	for _, c := range reads {
		g.Go(func() error { return r.runOne(ctx, c) })
	}
	return g.Wait()
}

// runEffect runs one effect, unless an equal one of the step was cut off before it, or the task was.
func (r *execution) runEffect(ctx context.Context, c *call) error {
	if r.refuseRepeat(c); c.settled {
		return nil
	}
	if ctx.Err() != nil {
		c.interrupted()
		return nil
	}
	r.started(c)
	if err := r.runOne(ctx, c); err != nil {
		return err
	}
	r.finished(c)
	return nil
}

// interrupted settles a call that the end of the task came before.
func (c *call) interrupted() {
	c.short = true
	c.settle(checkpoint.ResultNotRun, governance.NotRun, "not run: the task was interrupted before it")
}

func (r *execution) started(c *call) {
	r.emit(ToolStarted{r.row.ID, r.step, c.call.ID, c.call.Name})
}

func (r *execution) finished(c *call) {
	r.emit(ToolFinished{r.row.ID, r.step, c.call.ID, c.call.Name, c.state})
}

// callTool makes one governed tool call. It is one of the two places of this package where a guarded call is made
// (governance/nobypass holds that): the decision and the call stand together.
func (r *execution) callTool(ctx context.Context, c *call) (json.RawMessage, error) {
	permit, err := r.core.c.Kernel.Mint(ctx, c.ruling)
	if err != nil {
		return nil, err
	}
	c.minted = true
	in := newCallContext(ctx, c, r.core.c.Name, r.task.Asker)
	defer in.end()
	return c.tool.Func.Call(in, permit)
}

func (t *BoundTool) timeout() time.Duration {
	if t.spec.Timeout > 0 {
		return t.spec.Timeout
	}
	return DefaultToolTimeout
}

// runOne runs one call and reviews its result. The error is of a decision that could not be recorded: nothing ran then.
func (r *execution) runOne(ctx context.Context, c *call) error {
	raw, err := r.callTool(ctx, c)
	switch {
	case err != nil && !c.minted:
		if refused(c, err) {
			return nil
		}
		return err
	case errors.Is(err, gate.ErrNotCalled):
		c.interrupted()
	case err != nil:
		r.failedCall(c, err)
	default:
		c.settled, c.state, c.raw, c.text = true, checkpoint.ResultOK, raw, truncate(resultText(raw), r.core.c.Limits.Result)
	}
	r.note(c)
	return r.review(ctx, c, c.ruling.Subject())
}

// failedCall says what an error of a tool means for its call.
func (r *execution) failedCall(c *call, err error) {
	var te *governance.ToolError
	var pe *gate.PanicError
	panicked := errors.As(err, &pe)
	cut := cutOff(err)
	limit := r.core.c.Limits.Result
	switch {
	case (cut || panicked) && c.effect() && !c.tool.spec.Idempotent:
		c.settle(checkpoint.ResultUnknown, governance.UnknownOutcome, "it was cut off: whether it happened is not known. Do not repeat it; tell the user")
	case cut:
		c.settle(checkpoint.ResultError, governance.ToolTimeout, truncate("it was cut off: "+err.Error(), limit))
	case panicked:
		c.settle(checkpoint.ResultError, governance.ToolPanic, truncate(fmt.Sprintf("the tool broke down: %v", pe.Value), limit))
	case errors.As(err, &te):
		c.settle(checkpoint.ResultError, te.Kind, truncate(te.Message, limit))
	default:
		c.settle(checkpoint.ResultError, governance.ToolFailed, truncate(err.Error(), limit))
	}
}

// cutOff reports whether a tool's error leaves open what became of its call.
func cutOff(err error) bool {
	return errors.Is(err, gate.ErrOutcomeUnknown) || errors.Is(err, ErrOutcomeUnknown) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// note tells the ledger what became of an effect that was begun. One that was cut off stays started.
func (r *execution) note(c *call) {
	if !c.effect() {
		return
	}
	if !c.short {
		r.executed = append(r.executed, c.call.Name)
	}
	switch {
	case c.state == checkpoint.ResultUnknown:
		if r.unknown == nil {
			r.unknown = map[string]bool{}
		}
		r.unknown[c.digest] = true
	case c.failed == nil || c.failed.Kind != governance.ToolTimeout || !c.tool.spec.Idempotent:
		r.journal.Done(c.key, []byte(c.text), c.failed != nil)
	}
}

// review lets post_tool hooks have a result before the model does. s is what was decided on.
func (r *execution) review(ctx context.Context, c *call, s governance.Subject) error {
	s.Point, s.Result, s.ToolErr = governance.PostTool, c.raw, c.failed
	reviewed, err := r.core.c.Kernel.Review(ctx, s)
	if err != nil {
		return c.unreviewed(ctx, err)
	}
	switch {
	case c.failed != nil && reviewed.ToolErr != nil:
		c.failed, c.text = reviewed.ToolErr, truncate(reviewed.ToolErr.Message, r.core.c.Limits.Result)
	case c.failed == nil && string(reviewed.Result) != string(c.raw):
		c.raw, c.text = reviewed.Result, truncate(resultText(reviewed.Result), r.core.c.Limits.Result)
	}
	return nil
}

// unreviewed withholds a result that a hook denied, or that nobody got to review. It returns any other error.
func (c *call) unreviewed(ctx context.Context, err error) error {
	var denied *governance.Denied
	var unrecorded *governance.RecordError
	switch {
	case errors.As(err, &denied):
		c.withhold("it ran, and its result is withheld: " + denied.Reason)
	case ctx.Err() != nil && !errors.As(err, &unrecorded):
		c.withhold("it ran, and the task was interrupted before its result could be reviewed")
	default:
		return err
	}
	return nil
}

// withhold takes a result away from the model. What is not known to have happened stays so.
func (c *call) withhold(text string) {
	c.raw = nil
	if c.state == checkpoint.ResultUnknown || c.short {
		return
	}
	c.settle(checkpoint.ResultError, governance.ResultWithheld, text)
}
