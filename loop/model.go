package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// callModel makes one governed model call. It is one of the two places of this package where a guarded call is made
// (governance/nobypass holds that): the decision and the call stand together.
func (r *execution) callModel(ctx context.Context, s governance.Subject, sink func(*llm.Chunk) bool) error {
	permit, err := r.core.c.Kernel.Permit(ctx, s)
	if err != nil {
		return err
	}
	return r.core.c.Model.Generate(ctx, permit, sink)
}

// ask gets the model's reply to the conversation so far. A failure that the client marks transient is tried again, each time
// from the request before the hooks and with a new decision.
func (r *execution) ask(ctx context.Context) (*llm.Message, llm.Usage, error) {
	wait := r.core.c.Limits.Backoff
	for attempt := 0; ; attempt++ {
		reply, usage, err := r.askOnce(ctx)
		if err == nil || attempt == r.core.c.Limits.Retries || !llm.IsTransient(err) {
			return reply, usage, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, usage, err
		}
		wait *= 2
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (r *execution) askOnce(ctx context.Context) (*llm.Message, llm.Usage, error) {
	reply := &llm.Message{Role: llm.Assistant}
	var usage llm.Usage
	var text strings.Builder
	s := r.subject(governance.PreLLM, governance.ModelName).
		WithRequest(&llm.Request{Messages: r.msgs[:len(r.msgs):len(r.msgs)], Tools: r.core.defs})
	if a := r.approval(governance.PreLLM); a != nil {
		s.ApprovalID = a.ID
	}
	err := r.callModel(ctx, s, func(c *llm.Chunk) bool {
		text.WriteString(c.Text)
		reply.Calls = append(reply.Calls, c.Calls...)
		if c.ProviderData != nil {
			reply.ProviderData = c.ProviderData
		}
		if c.Usage != nil {
			usage = usage.Add(*c.Usage)
		}
		if c.Text != "" && r.core.c.Drafts {
			r.emit(Delta{Agent: r.core.c.Name, Text: c.Text, Draft: true})
		}
		return true
	})
	if err != nil {
		return nil, usage, err
	}
	reply.Text = text.String()
	r.nameCalls(reply)
	return reply, usage, nil
}

// nameCalls gives every call an id of its own and its arguments their canonical form.
func (r *execution) nameCalls(reply *llm.Message) {
	for i := range reply.Calls {
		c := &reply.Calls[i]
		taken := c.ID == ""
		for j := range i {
			taken = taken || reply.Calls[j].ID == c.ID
		}
		if taken {
			c.ID = fmt.Sprintf("call_%d_%d", r.step, i)
		}
	}
}

// modelFailed stops a run whose model call was refused, held or failed.
func (r *execution) modelFailed(ctx context.Context, err error) *outcome {
	var held *governance.Held
	var denied *governance.Denied
	var unrecorded *governance.RecordError
	switch {
	case errors.As(err, &held):
		return r.hold(ctx, &checkpoint.Payload{Base: r.base}, checkpoint.OpenStep, held)
	case errors.As(err, &denied):
		return r.stop(ctx, checkpoint.Ended, checkpoint.Denied, err, nil)
	case errors.As(err, &unrecorded):
		return r.unrecorded(ctx, err)
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, fmt.Errorf("%w: %w", ErrLimit, err), nil)
	case ctx.Err() != nil:
		return r.stop(ctx, checkpoint.Failed, checkpoint.Interrupted, fmt.Errorf("%w: %w", ErrInterrupted, err), nil)
	}
	return r.stop(ctx, checkpoint.Failed, checkpoint.ModelError, err, nil)
}

// unrecorded stops a run whose decisions cannot be written down: nothing is shown, the caller gets the error.
func (r *execution) unrecorded(ctx context.Context, cause error) *outcome {
	out := r.stop(ctx, checkpoint.Failed, checkpoint.Interrupted, cause, nil)
	if out.err == nil {
		out.err = fmt.Errorf("loop: run %s: %w", r.row.ID, cause)
	}
	return out
}

// subject is what governance is told of this run.
func (r *execution) subject(at governance.Point, name string) governance.Subject {
	return governance.Subject{
		Point: at, Name: name, SessionID: r.row.SessionID, TurnID: r.task.TurnID, RunID: r.row.ID, StepID: r.step,
		Agent: r.core.c.Name, Channel: r.row.Channel, Sender: r.task.Sender, System: r.task.System,
		Holdable: r.task.Journal != nil,
	}
}
