package pipeline

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
)

// interceptTurn lets the chain answer. A button, and words that are addressed to one question, go straight to their claim.
func interceptTurn(ctx context.Context, t *Turn) error {
	switch {
	case t.Req.Press != nil:
		return press(ctx, t)
	case t.Req.AnswerTo != "":
		err := addressed(ctx, t)
		if err == nil {
			t.dispatchTo(ctx, t.pending.Owner, t.text)
		}
		return err
	}
	h := t.p.c.Chain.Dispatch(t.scoped(ctx, ""), t.message(), t.pending, t.mayAnswer(), t)
	t.took(h)
	return nil
}

// dispatchTo lets the intercept answer that owns the question this turn is addressed to, where one does: no other sees it.
func (t *Turn) dispatchTo(ctx context.Context, owner, text string) {
	m := t.message()
	m.Text = text
	t.took(t.p.c.Chain.Only(owner).Dispatch(t.scoped(ctx, ""), m, t.pending, true, t))
}

func (t *Turn) message() intercept.Message {
	return intercept.Message{
		SessionID: t.Req.SessionID, TurnID: t.ID, Channel: t.Req.Channel, Sender: t.Req.Sender, Text: t.text,
	}
}

// took notes what an intercept made of the turn.
func (t *Turn) took(h intercept.Handled) {
	if h.By == "" {
		if t.claim != nil { // claimed as a no; the reply goes on
			t.claim.outcome = "declined"
		}
		return
	}
	t.handled, t.owner = h.By, h.By
	t.answer = h.Reply.Text
	if t.claim != nil {
		t.claim.outcome, t.claim.acted = h.Reply.Outcome, true
		if h.Err != nil {
			t.claim.outcome = continuation.OutcomeUnknown
			t.answer = fmt.Sprintf("You answered: %s\nSomething broke while I acted on it, and I cannot say how far it got.", t.claim.Row().Question)
		}
		t.outcome = fmt.Sprintf("You answered: %s\nOutcome: %s.", t.claim.Row().Question, t.claim.outcome)
	}
}

// ClaimFor implements [intercept.Pender].
func (t *Turn) ClaimFor(ctx context.Context, c *continuation.Continuation, owner string) error {
	if c.Owner != owner {
		return intercept.ErrNotOwner
	}
	return t.take(ctx, c)
}

// take claims c for this turn: one winner, in one write that holds the lease.
func (t *Turn) take(ctx context.Context, c *continuation.Continuation) error {
	var claim *continuation.Claim
	err := t.write(ctx, func(ctx context.Context) (err error) {
		claim, err = t.p.c.Continuations.Claim(ctx, continuation.Claimant{
			ID: c.ID, SessionID: t.Req.SessionID, TurnID: t.ID, Sender: t.Req.Sender,
		})
		return err
	})
	if err != nil {
		return err
	}
	t.claim = &claimed{Claim: claim}
	return nil
}

// stillClaims returns an error where the question that this turn answers is not this turn's any more: nothing is done on the strength of it.
func (t *Turn) stillClaims(ctx context.Context) error {
	if t == nil || t.claim == nil {
		return nil
	}
	return t.claim.Held(ctx)
}

// addressed checks that the question of AnswerTo is the one that waits: these words answer it or nothing.
func addressed(ctx context.Context, t *Turn) error {
	c, err := t.p.c.Continuations.Get(ctx, t.Req.SessionID, t.Req.AnswerTo)
	if err != nil {
		return err
	}
	if c.Status != continuation.Pending {
		return &continuation.ClosedError{Row: *c}
	}
	t.pending = c
	switch {
	case t.person && continuation.IsBlank(t.text):
		return ErrNotAnAnswer
	case !t.mayAnswer():
		return ErrNotAllowed
	}
	return nil
}
