package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
)

// ApprovalOwner owns the question that a halt opens in its own conversation.
const ApprovalOwner = "approval"

// chatHalt is the approval that the conversation itself is asked to decide: the first that this turn raised, or, where it answered the question that
// waited, the oldest of those that wait; nil where there is none. It is only asked where nothing else waits.
func (t *Turn) chatHalt(ctx context.Context) (*approval.Request, error) {
	if t.p.c.Approve == nil {
		return nil, nil
	}
	waiting := t.held
	if len(waiting) == 0 && t.claim != nil {
		all, err := t.p.c.Stores.Approvals().List(ctx, approval.Query{SessionID: t.Req.SessionID, Status: []approval.Status{approval.Pending}})
		if err != nil {
			return nil, err
		}
		slices.Reverse(all)
		waiting = all
	}
	if len(waiting) > 0 { // something may have been asked since this turn looked
		if c, err := t.p.c.Continuations.Pending(ctx, t.Req.SessionID); err != nil || c != nil {
			return nil, err
		}
	}
	for i := range waiting {
		if r := &waiting[i]; len(t.p.approvalAsk(r, t.ID)) > 0 {
			return r, nil
		}
	}
	return nil, nil
}

// approvalAsk is the question of a halt in its own conversation: none where it is overdue, or where duties are separated and nobody knows who asked for
// it. It waits no longer than the approval does.
func (p *Pipeline) approvalAsk(r *approval.Request, turnID string) []continuation.Ask {
	left := r.TimeoutAt.Sub(p.now())
	if left <= 0 || p.c.NotRequester && r.AskedOf == "" {
		return nil
	}
	a := continuation.Ask{
		SessionID: r.SessionID, TurnID: turnID, Owner: ApprovalOwner, Asker: r.Agent, Kind: continuation.YesNo,
		Question: approvalQuestion(r), Channel: r.Channel, AskedOf: r.AskedOf, Intent: r.ID, TTL: left,
	}
	if p.c.NotRequester { // anybody but who asked for it: the decision itself refuses them
		a.AskedOf = ""
	}
	return []continuation.Ask{a}
}

// approvalQuestion says what waits, below a first line that asks.
func approvalQuestion(r *approval.Request) string {
	what := r.Card
	if what == "" {
		what = r.Summary
	}
	text := "May I go on with this?\n" + what
	if len(text) > continuation.MaxQuestion {
		text = strings.ToValidUTF8(text[:continuation.MaxQuestion], "")
	}
	return text
}

// answerApproval lets the conversation decide the approval that its own run waits for (DESIGN §9). Only a plain yes does, a strong one where it is
// destructive; a no rejects with the reply as reason; anything else decides nothing.
func (t *Turn) answerApproval(ctx context.Context, a answer) error {
	req, err := t.p.c.Stores.Approvals().Get(ctx, t.pending.Intent)
	if err != nil && !errors.Is(err, approval.ErrNotFound) {
		return err
	}
	if err != nil || t.p.c.Approve == nil || !a.decidesApproval(req) {
		if t.direct() {
			return ErrNotAnAnswer
		}
		return nil
	}
	if won, err := t.win(ctx); !won {
		return err
	}
	t.claim.outcome = a.reading.Verdict.String()
	yes := a.reading.Verdict == continuation.Yes
	err = t.p.c.Approve(ctx, ChatDecision{
		ApprovalID: req.ID, Approve: yes, Reason: t.text, Sender: t.Req.Sender, Channel: t.Req.Channel, SessionID: t.Req.SessionID,
	})
	if sentence, said := notDecided(err); said {
		var refused *approval.RefusedError
		t.claim.back = errors.As(err, &refused) // else there is nothing to decide any more
		t.claim.outcome = "too late"
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

// decidesApproval reports whether a decides req: a plain yes does, a strong one where it is destructive, and any no.
func (a *answer) decidesApproval(req *approval.Request) bool {
	switch a.kind {
	case decides, declines:
		return a.reading.Verdict != continuation.Yes || !req.Destructive || a.reading.Strong
	}
	return false
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
