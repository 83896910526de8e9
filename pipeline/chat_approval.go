package pipeline

import (
	"context"
	"errors"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
)

// answerApproval lets the conversation decide the approval that its own run waits for (DESIGN §9). Only a plain yes does, a strong one where it is
// destructive; a no rejects with the reply as reason; anything else decides nothing.
func (t *Turn) answerApproval(ctx context.Context, a answer) error {
	req, err := t.p.c.Stores.Approvals().Get(ctx, t.pending.Intent)
	if err != nil {
		return err
	}
	if a.kind == decidesYes || a.kind == staysTask || a.reading.Verdict == continuation.Yes && req.Destructive && !a.reading.Strong {
		return nil
	}
	if err := t.take(ctx, t.pending); err != nil {
		return err
	}
	t.claim.outcome = a.reading.Verdict.String()
	yes := a.reading.Verdict == continuation.Yes
	err = t.p.c.Approve(ctx, ChatDecision{
		ApprovalID: req.ID, Approve: yes, Reason: t.text, Sender: t.Req.Sender, Channel: t.Req.Channel, SessionID: t.Req.SessionID,
	})
	if sentence, said := notDecided(err); said {
		t.claim.back = true
		t.handled, t.owner, t.answer = ApprovalOwner, ApprovalOwner, sentence
		return nil
	}
	if err != nil {
		return err
	}
	t.claim.acted = true
	if a.kind == declines {
		return nil
	}
	return t.afterDecision(ctx, req.ID, yes)
}

// notDecided is what the person is told whose word decided nothing.
func notDecided(err error) (sentence string, said bool) {
	var refused *approval.RefusedError
	var decided *approval.DecidedError
	switch {
	case errors.As(err, &refused):
		return "That is not yours to decide: " + refused.Err.Error() + ".", true
	case errors.As(err, &decided):
		return "That was decided before: " + string(decided.Request.Status) + ".", true
	case errors.Is(err, approval.ErrOverdue):
		return "That came too late: the time to decide is over, and nothing was done.", true
	}
	return "", false
}

// afterDecision goes on with the turn as the run's resume, under the turn's own lease, or says that the run was stopped.
func (t *Turn) afterDecision(ctx context.Context, approvalID string, yes bool) error {
	req, err := t.p.c.Stores.Approvals().Get(ctx, approvalID)
	if err != nil {
		return err
	}
	if !yes && !t.p.c.ReportRejected {
		t.handled, t.owner = ApprovalOwner, ApprovalOwner
		t.answer = "All right, I stopped. Nothing of it was done."
		t.outcome = t.answer
		return nil
	}
	run, err := t.p.c.Stores.Checkpoints().Get(ctx, req.RunID, t.p.now())
	if err != nil {
		return err
	}
	t.resume = &resumption{run: *run, approval: req, rejected: req.Status == approval.Rejected}
	t.steer = &steer{c: t.claim.Row()}
	return nil
}
