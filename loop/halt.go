package loop

import (
	"context"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
)

// firstAsk returns the question that the step stops for, or nil.
func firstAsk(calls []*call) *call {
	for _, c := range calls {
		if c.asked != nil {
			return c
		}
	}
	return nil
}

// pause stops the run to ask. Nothing else of the step runs, and each call says so.
func (r *execution) pause(ctx context.Context, p *checkpoint.Payload, calls []*call, asked *call) *outcome {
	for _, c := range calls {
		switch {
		case c == asked || c.settled:
		case c.asked != nil:
			c.settle(checkpoint.ResultNotRun, governance.NotRun, "not asked: one question at a time, another of this step was put")
		default:
			c.settle(checkpoint.ResultNotRun, governance.NotRun, "not run, the user was asked first")
		}
	}
	p.Results = r.results(calls)
	if out := r.reviewStep(ctx, p, calls, checkpoint.OpenStep); out != nil {
		return out
	}
	return r.putQuestion(ctx, p, &checkpoint.Asked{
		CallID: asked.call.ID, StepID: r.step, Question: asked.asked.Question, Choices: asked.asked.Choices,
	})
}

// putQuestion writes the open step and the paused run. Where that cannot be kept the question is asked all the same, as the
// answer of a run that is done: without a row nothing could take it up.
func (r *execution) putQuestion(ctx context.Context, p *checkpoint.Payload, asked *checkpoint.Asked) *outcome {
	c, err := r.checkpoint(p, checkpoint.OpenStep)
	if err == nil {
		r.row.State, r.row.Reason, r.row.Asked, r.row.UpdatedAt = checkpoint.Paused, checkpoint.AwaitingUserInput, asked, r.now()
		r.row.ApprovalID = ""
		wctx, cancel := writing(ctx)
		defer cancel()
		err = r.journal.Pause(wctx, r.row, *c)
	}
	switch {
	case errors.Is(err, checkpoint.ErrTooLarge) || errors.Is(err, errNoJournal):
		return r.stopWith(ctx, checkpoint.Ended, checkpoint.Limit, err, nil, questionText(asked))
	case err != nil:
		return &outcome{err: fmt.Errorf("loop: pause of run %s: %w", r.row.ID, err)}
	}
	return &outcome{fin: Finished{Run: r.row, Text: asked.Question, Usage: r.spent, Executed: r.executed, Live: r.remember(p, c)}}
}

// hold stops the run until a person decides.
func (r *execution) hold(ctx context.Context, p *checkpoint.Payload, state checkpoint.StepState, held *governance.Held) *outcome {
	c, err := r.checkpoint(p, state)
	if err != nil {
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, err, nil)
	}
	r.row.State, r.row.Reason, r.row.Asked, r.row.UpdatedAt = checkpoint.Held, checkpoint.AwaitingApproval, nil, r.now()
	wctx, cancel := writing(ctx)
	defer cancel()
	approvalID, err := r.journal.Hold(wctx, r.row, *c, held)
	if err != nil {
		return &outcome{err: fmt.Errorf("loop: hold of run %s: %w", r.row.ID, err)}
	}
	r.row.ApprovalID = approvalID
	return &outcome{fin: Finished{Run: r.row, Text: held.Reason, Usage: r.spent, Executed: r.executed, Live: r.remember(p, c)}}
}

// reviewStep lets post_step hooks judge the step before its row is written. It returns nil where the run goes on.
func (r *execution) reviewStep(ctx context.Context, p *checkpoint.Payload, calls []*call, state checkpoint.StepState) *outcome {
	s := r.subject(governance.PostStep, "")
	s.Step = r.stepView(p, calls)
	if _, err := r.core.c.Kernel.Review(ctx, s); err != nil {
		return r.judged(ctx, p, state, err)
	}
	return nil
}

// judged stops a run at a step that was denied or held, or that could not be judged.
func (r *execution) judged(ctx context.Context, p *checkpoint.Payload, state checkpoint.StepState, err error) *outcome {
	var held *governance.Held
	var denied *governance.Denied
	switch {
	case errors.As(err, &held):
		return r.hold(ctx, p, state, held)
	case errors.As(err, &denied):
		return r.stop(ctx, checkpoint.Ended, checkpoint.Denied, err, notRun(p))
	case ctx.Err() != nil && len(p.Results) == 0: // an answer that nobody judged is not kept: the model is asked again
		p = nil
	}
	return r.brokenAt(ctx, err, p)
}

// notRun closes what waits in a step that ends its run.
func notRun(p *checkpoint.Payload) *checkpoint.Payload {
	if p != nil {
		answerWaiting(p, checkpoint.ResultNotRun, "not run: the task was stopped")
	}
	return p
}

// questionText is a question with its choices, where nothing will show them.
func questionText(a *checkpoint.Asked) string {
	text := a.Question
	for i, c := range a.Choices {
		text += fmt.Sprintf("\n%d. %s", i+1, c)
	}
	return text
}

// stepView is what the signals judge. It is lent: hooks get copies.
func (r *execution) stepView(p *checkpoint.Payload, calls []*call) *governance.StepView {
	r.viewed = r.viewed[:0]
	for _, c := range calls {
		if c.asked == nil && (c.failed == nil || c.failed.Kind != governance.NotRun) {
			r.window.Observe(c.call.Name, c.call.Args, c.failed)
		}
		r.viewed = append(r.viewed, governance.ToolResult{Call: c.call, Result: c.raw, Err: c.failed})
	}
	v := &r.view
	*v = governance.StepView{Reply: *p.Reply, Results: r.viewed}
	v.Run = r.window.View(governance.RunView{Task: r.row.Task, Usage: r.usage, Elapsed: r.core.c.Clock().Sub(r.began)})
	if r.task.Seed != nil {
		v.Run.Reply = r.task.Text
	}
	return v
}
