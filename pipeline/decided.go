package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
)

// ChatSurface is where a decision comes from that was made in the conversation itself.
const ChatSurface = "chat"

// Decided closes what waited on a request, in the decision's own transaction: its question in the conversation, and, where a rejection ends it, its run.
func (p *Pipeline) Decided(ctx context.Context, r approval.Request) error {
	if err := p.closeChatQuestion(ctx, &r, continuation.Ended); err != nil {
		return err
	}
	if r.Status != approval.Rejected || p.c.ReportRejected {
		return nil
	}
	if err := p.endHeld(ctx, &r, checkpoint.Rejected); err != nil || r.SessionID == "" || r.Surface == ChatSurface {
		return err
	}
	return p.notify(ctx, r.SessionID, r.Channel, rejectedText(&r))
}

func rejectedText(r *approval.Request) string {
	text := fmt.Sprintf("I stopped: what I asked approval for was rejected (%s).", r.Summary)
	if r.Reason != "" {
		text += " Reason: " + r.Reason
	}
	return text
}

// Lapsed ends the run of a request that nobody decided, and says so on both sides, in the lapse's own transaction.
func (p *Pipeline) Lapsed(ctx context.Context, r approval.Request) error {
	if err := p.closeChatQuestion(ctx, &r, continuation.Lapsed); err != nil {
		return err
	}
	if err := p.endHeld(ctx, &r, checkpoint.Lapsed); err != nil {
		return err
	}
	if err := p.putDeliveries(ctx, approval.DeliverLapse, &r); err != nil {
		return err
	}
	if _, err := p.c.Stores.Approvals().Notice(ctx, r.ID, p.now()); err != nil || r.SessionID == "" {
		return err
	}
	return p.notify(ctx, r.SessionID, r.Channel, approval.LapseText(&r))
}

// closeChatQuestion withdraws the question that the conversation has for r, if it still waits.
func (p *Pipeline) closeChatQuestion(ctx context.Context, r *approval.Request, why continuation.Why) error {
	if r.SessionID == "" {
		return nil
	}
	c, err := p.c.Continuations.Pending(ctx, r.SessionID)
	if err != nil || c == nil || c.Owner != ApprovalOwner || c.Intent != r.ID {
		return err
	}
	_, err = p.c.Continuations.Withdraw(ctx, r.SessionID, c.ID, why, r.ID)
	var closed *continuation.ClosedError
	if errors.As(err, &closed) {
		return nil
	}
	return err
}

// endHeld ends the run that waits for r. A run that is gone, or does not wait any more, is left alone.
func (p *Pipeline) endHeld(ctx context.Context, r *approval.Request, why checkpoint.Reason) error {
	run, err := p.c.Stores.Checkpoints().Get(ctx, r.RunID, p.now())
	if errors.Is(err, checkpoint.ErrNotFound) || err == nil && (run.State != checkpoint.Held || run.ApprovalID != r.ID) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = p.c.Stores.Checkpoints().Move(ctx, checkpoint.Move{
		RunID: run.ID, From: []checkpoint.State{checkpoint.Held}, Epoch: run.Epoch, To: checkpoint.Ended, Reason: why,
		Detail: r.Reason, ApprovalID: r.ID, At: p.now(),
	})
	return err
}
