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
		if err := t.p.c.Stores.Sessions().CloseTurn(ctx, end); err != nil && !errors.Is(err, session.ErrNotFound) { // not found: taken for dead, and closed
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
		return unlessClosed(t.claim.Settle(ctx, t.claim.outcome))
	}
	return unlessClosed(t.claim.Release(ctx))
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
