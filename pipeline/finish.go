package pipeline

import (
	"context"
	"errors"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
)

// finish ends a turn that did not come to its record: its runs stop, its claim is settled or given back, what lives one turn is withdrawn, and the
// message may be processed again if nothing had happened. One transaction; what it cannot write, [Pipeline.Recover] finds.
func (t *Turn) finish(ctx context.Context, cause error) {
	t.recorded = true
	happened := t.happened()
	err := t.journal.write(ctx, "", func(ctx context.Context) error {
		if err := t.stopRuns(ctx); err != nil {
			return err
		}
		if err := t.dropClaim(ctx, happened); err != nil {
			return err
		}
		if t.withdraws() && !answersOnly(cause) {
			if err := t.close1(ctx, t.pending, continuation.Failed); err != nil {
				return err
			}
		}
		end := session.Turn{ID: t.ID, SessionID: t.Req.SessionID, State: session.Void, Error: cause.Error(), EndedAt: t.p.now()}
		if happened {
			end.State = session.Failed
		}
		if err := t.p.c.Stores.Sessions().CloseTurn(ctx, end); err != nil {
			return err
		}
		return t.p.c.Stores.Sessions().Release(ctx, t.lease)
	})
	if err == nil || errors.Is(err, session.ErrFenced) {
		return
	}
	t.p.c.Logger.ErrorContext(ctx, "turn not closed", "session", t.Req.SessionID, "turn", t.ID, "err", err)
	// The lease, at least: the session's next turn then finds this one dead, and settles what it left.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	if err := t.p.c.Stores.Sessions().Release(ctx, t.lease); err != nil {
		t.p.c.Logger.ErrorContext(ctx, "lease not released", "session", t.Req.SessionID, "turn", t.ID, "err", err)
	}
}

// stopRuns ends what is still running: a run that was taken up and wrote nothing waits again as before, any other is interrupted.
func (t *Turn) stopRuns(ctx context.Context) error {
	for _, b := range t.journal.books {
		if b.row.ID == "" || b.stopped || !b.begun {
			continue
		}
		m := checkpoint.Move{
			RunID: b.row.ID, From: []checkpoint.State{checkpoint.Running}, Epoch: b.row.Epoch, To: checkpoint.Failed,
			Reason: checkpoint.Interrupted, At: t.p.now(),
		}
		if b.waitsStill() {
			m = moveBack(&b.row, b.before, t.p.now())
		}
		_, err := t.p.c.Stores.Checkpoints().Move(ctx, m)
		var moved *checkpoint.StateError
		if err != nil && !errors.As(err, &moved) {
			return err
		}
	}
	return nil
}

func (t *Turn) dropClaim(ctx context.Context, happened bool) error {
	switch {
	case t.claim == nil:
		return nil
	case happened:
		if t.claim.outcome == "" {
			t.claim.outcome = continuation.OutcomeUnknown
		}
		return t.claim.Settle(ctx, t.claim.outcome)
	}
	return t.claim.Release(ctx)
}

// deliverHeld lets the application deliver this turn's approvals, now that they are durable. What fails, the outbox has.
func (t *Turn) deliverHeld(ctx context.Context) {
	for _, req := range t.held {
		t.emit(ApprovalRequested{ApprovalID: req.ID, RunID: req.RunID, Summary: req.Summary})
		if t.p.c.Deliver != nil {
			t.p.c.Deliver(t.scoped(ctx, ""), t.p.deliveries(approval.DeliverRequest, &req, req.RequestedAt)...)
		}
	}
}

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
	if err := t.p.c.Approve(ctx, ChatDecision{
		ApprovalID: req.ID, Approve: yes, Reason: t.text, Sender: t.Req.Sender, Channel: t.Req.Channel, SessionID: t.Req.SessionID,
	}); err != nil {
		return err
	}
	t.claim.acted = true
	if a.kind == declines {
		return nil
	}
	return t.afterDecision(ctx, req.ID, yes)
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
