package loop

import (
	"context"
	"fmt"
	"slices"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// resume makes the state of an execution that takes up r.task.Seed.
func (r *execution) resume(ctx context.Context) error {
	s := r.task.Seed
	effects, err := r.journal.Effects(ctx, s.Run.ID)
	if err != nil {
		return fmt.Errorf("loop: effects of run %s: %w", s.Run.ID, err)
	}
	if err := ambiguous(s.Run.ID, effects); err != nil {
		return err
	}
	r.ledger = make(map[string]checkpoint.Effect, len(effects))
	for _, e := range effects {
		r.ledger[e.Key] = e
	}
	r.row = s.Run
	r.row.State, r.row.Reason, r.row.Detail = checkpoint.Running, "", ""
	r.past = s.past.handOver()
	r.msgs = append(r.msgs, s.Last.Base...)
	if s.Open {
		r.open, r.base = &s.Last, s.Last.Base
	} else {
		r.add(&s.Last)
	}
	r.settle(r.ledger)
	r.usage = s.past.used.Add(s.Last.Usage)
	r.limit = max(r.limit, s.past.step+2)
	r.tellLost(effects)
	r.tellRejected()
	return nil
}

// tell puts what the loop itself has to say before the next reply. It is recorded with that reply's step.
func (r *execution) tell(text string) {
	m := llm.Message{Role: llm.User, Text: text}
	r.base = append(r.base[:len(r.base):len(r.base)], m)
	r.msgs = append(r.msgs, m)
}

// tellRejected tells the model of a rejection where no call waits for it.
func (r *execution) tellRejected() {
	a := r.task.Seed.Approval
	if a == nil || a.Rejected == nil || a.Point == string(governance.PreTool) {
		return
	}
	text := "A person was asked whether you may go on with this, and rejected it: " + *a.Rejected + ". Do not do it; find another way, or say that you stopped."
	switch {
	case r.open == nil:
		r.tell(text)
	case r.open.Reply == nil:
		r.open.Note = append(r.open.Note, llm.Message{Role: llm.User, Text: text})
	}
}

// approval returns the approval that this step is done under at a point, or nil.
func (r *execution) approval(at governance.Point) *Approval {
	s := r.task.Seed
	if s == nil || s.Approval == nil || s.Approval.Rejected != nil || s.Approval.Point != string(at) || r.step != s.openStep() {
		return nil
	}
	return s.Approval
}

// openStep is the step that waited, or the one after the last where none did.
func (s *Seed) openStep() int {
	if s.Open {
		return s.past.step
	}
	return s.past.step + 1
}

// closeOpen closes the step that waited. It returns nil where the run goes on.
func (r *execution) closeOpen(ctx context.Context) *outcome {
	p, a := r.open, r.task.Seed.Approval
	r.open = nil
	switch {
	case a != nil && a.Point == string(governance.PreTool):
		return r.release(ctx, p, a)
	case p.Reply == nil && len(p.Note) == 0: // held before the model was asked: its reply is this step
		return nil
	case p.Reply == nil:
		return r.stage(ctx, p)
	case a != nil && a.Rejected != nil: // held after a step that ends on its own question: it is not put
		answerWaiting(p, checkpoint.ResultRejected, "not asked, rejected: "+*a.Rejected)
		return r.stage(ctx, p)
	case a != nil:
		return r.putAgain(ctx, p)
	}
	answerWaiting(p, checkpoint.ResultOK, r.task.Seed.Reply)
	return r.stage(ctx, p)
}

// answerWaiting gives the call that waits its result.
func answerWaiting(p *checkpoint.Payload, state checkpoint.ResultState, text string) {
	for i := range p.Results {
		if p.Results[i].State == checkpoint.ResultWaiting {
			p.Results[i].State, p.Results[i].Text = state, text
		}
	}
}

// approvedAnswer ends a run that was held after its answer: a person let it stand, and it is on record.
func (r *execution) approvedAnswer(ctx context.Context) *outcome {
	s := r.task.Seed
	if s == nil || s.Open || s.Approval == nil || s.Approval.Rejected != nil || s.Approval.Point != string(governance.PostStep) {
		return nil
	}
	reply := s.Last.Reply
	if reply == nil || len(reply.Calls) > 0 || isBlank(reply.Text) {
		return nil
	}
	return r.stopWith(ctx, checkpoint.Done, "", nil, nil, reply.Text)
}

// stage closes a step without a write of its own: it goes with the run's next one, so that a resume that fails before has
// changed nothing and the person can simply answer again.
func (r *execution) stage(ctx context.Context, p *checkpoint.Payload) *outcome {
	c, err := r.checkpoint(p, checkpoint.ClosedStep)
	if err != nil {
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, err, nil)
	}
	r.journal.Stage(*c)
	r.advance(p)
	return nil
}

// putAgain asks the question of a step that a person allowed to stand.
func (r *execution) putAgain(ctx context.Context, p *checkpoint.Payload) *outcome {
	for i, c := range p.Reply.Calls {
		if p.Results[i].State != checkpoint.ResultWaiting {
			continue
		}
		a, err := parseAskUser(c.Args)
		if err != nil {
			break
		}
		return r.putQuestion(ctx, p, &checkpoint.Asked{CallID: c.ID, StepID: r.step, Question: a.Question, Choices: a.Choices})
	}
	return r.stop(ctx, checkpoint.Failed, checkpoint.ModelError, fmt.Errorf("%w: the step that waits asks nothing", ErrCannotResume), nil)
}

// release runs what a person decided about the pinned calls of a step, and closes it. Where the task is interrupted before all of them
// have run the step stays open: the run waits as before, and can be taken up for the rest.
func (r *execution) release(ctx context.Context, p *checkpoint.Payload, a *Approval) *outcome {
	calls := r.pinned(p, a)
	held, err := r.carryOut(ctx, calls)
	switch {
	case err != nil:
		return r.broken(ctx, err)
	case held != nil:
		return r.broken(ctx, fmt.Errorf("%w: %w", ErrCannotResume, held))
	case ctx.Err() != nil && slices.ContainsFunc(calls, func(c *call) bool { return c.short }):
		return r.interrupt(ctx, nil)
	}
	p.Results = r.results(calls)
	return r.closeStep(ctx, p)
}

// pinned makes the calls of a held step again: those with a result keep it, those that wait get what was decided.
func (r *execution) pinned(p *checkpoint.Payload, a *Approval) []*call {
	out := make([]*call, len(p.Results))
	for i, res := range p.Results {
		c := &call{call: p.Reply.Calls[i], digest: res.Digest, key: res.Key, tool: r.core.tools[p.Reply.Calls[i].Name]}
		out[i] = c
		if res.State != checkpoint.ResultWaiting {
			c.settled, c.state, c.text = true, res.State, res.Text
			if res.ErrKind != "" {
				c.failed = &governance.ToolError{Kind: res.ErrKind, Message: res.Text}
			}
			continue
		}
		r.applyDecision(c, a, out[:i])
	}
	return out
}

// applyDecision settles a call that a person did not approve, and makes one that a person did as it was pinned or edited.
func (r *execution) applyDecision(c *call, a *Approval, before []*call) {
	item, ok := a.Items[c.call.ID]
	switch {
	case a.Rejected != nil:
		c.settle(checkpoint.ResultRejected, governance.ToolDenied, "rejected: "+*a.Rejected)
		return
	case !ok || !item.Approved:
		c.settle(checkpoint.ResultRejected, governance.ToolDenied, "rejected: a person did not approve this call")
		return
	}
	args := c.call.Args
	if item.Args != nil {
		args = item.Args
	}
	args, err := llm.Canonical(args)
	if err != nil {
		c.settle(checkpoint.ResultError, governance.InvalidArguments, "nothing ran: "+err.Error())
		return
	}
	if item.Edited {
		c.note = fmt.Sprintf("(a person changed the arguments to %s) ", args)
	}
	c.call.Args, c.digest, c.key = args, "", ""
	r.bind(c, before)
	r.refuseUsed(c, a)
}
