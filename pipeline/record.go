package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/session"
)

// record writes the turn's end in one transaction: the answer, what became of the question that it answers, the question that it asks. Where the
// bookkeeping of questions fails the answer is recorded without it: that never fails an answered turn.
func record(ctx context.Context, t *Turn) error {
	t.deliverHeld(ctx)
	err := t.commit(ctx, true)
	if err != nil && !errors.Is(err, session.ErrFenced) {
		t.p.c.Logger.ErrorContext(ctx, "questions not recorded", "session", t.Req.SessionID, "turn", t.ID, "err", err)
		err = t.commit(ctx, false)
	}
	if err != nil {
		return fmt.Errorf("iris: record: %w", err)
	}
	t.recorded = true
	return nil
}

// commit is record's transaction.
func (t *Turn) commit(ctx context.Context, questions bool) error {
	var reply Reply
	err := t.journal.write(ctx, "", func(ctx context.Context) error {
		reply = t.newReply()
		if err := t.settleClaim(ctx); err != nil {
			return err
		}
		if questions {
			if err := t.keepQuestions(ctx, &reply); err != nil {
				return err
			}
		}
		if err := t.logAnswer(ctx); err != nil {
			return err
		}
		b, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		now := t.p.now()
		sessions := t.p.c.Stores.Sessions()
		if err := sessions.CloseTurn(ctx, session.Turn{
			ID: t.ID, SessionID: t.Req.SessionID, State: session.Answered, Reply: b, EndedAt: now,
		}); err != nil {
			return err
		}
		return sessions.Release(ctx, t.lease)
	})
	if err == nil {
		t.reply = reply
	}
	return err
}

func (t *Turn) newReply() Reply {
	r := Reply{SessionID: t.Req.SessionID, TurnID: t.ID, Text: t.answer, Agent: t.owner}
	for i := range t.results {
		fin := &t.results[i].fin
		r.Usage = r.Usage.Add(fin.Usage)
		r.Executed = append(r.Executed, fin.Executed...)
		if fin.Run.ID != "" {
			r.Runs = append(r.Runs, fin.Run.ID)
		}
	}
	for i := range t.held {
		r.Approvals = append(r.Approvals, t.held[i].ID)
	}
	return r
}

// settleClaim says what became of the question that this turn answers.
func (t *Turn) settleClaim(ctx context.Context) error {
	switch {
	case t.claim == nil:
		return nil
	case t.claim.back:
		return unlessClosed(t.claim.Release(ctx))
	}
	return unlessClosed(t.claim.Settle(ctx, t.claim.outcome))
}

// unlessClosed takes no notice of a claim that another process has ended since: it took this turn for dead, and said what became of the answer.
func unlessClosed(err error) error {
	var closed *continuation.ClosedError
	if errors.As(err, &closed) || errors.Is(err, continuation.ErrClaimLost) {
		return nil
	}
	return err
}

func (t *Turn) logAnswer(ctx context.Context) error {
	if t.answer == "" {
		return nil
	}
	now := t.p.now()
	m := session.Message{
		ID: id.New(now), SessionID: t.Req.SessionID, TurnID: t.ID, Role: session.Answer, Agent: t.owner, Channel: t.Req.Channel,
		Text: t.answer, At: now,
	}
	if err := t.p.c.Stores.Sessions().Append(ctx, m); err != nil || t.resume == nil || t.person {
		return err
	}
	return t.p.c.Stores.Outbox().Put(ctx, textDelivery(&m)) // nobody waits for this answer: it goes to the session's surface
}

// keepQuestions withdraws what lives one turn and opens at most one question: an explicit one, a paused run's, the chat's side of an approval,
// or one that the answer ends on.
func (t *Turn) keepQuestions(ctx context.Context, reply *Reply) error {
	if t.withdraws() {
		if err := t.close1(ctx, t.pending, t.withdrawReason()); err != nil {
			return err
		}
	}
	if t.withheld || t.unasked {
		if err := t.endWithheld(ctx); err != nil {
			return err
		}
	}
	asks := t.newQuestions()
	asked, err := t.askedMeanwhile(ctx)
	if err != nil {
		return err
	}
	if asked != nil {
		asks = nil
	}
	for _, a := range asks {
		if t.restated != nil {
			if err := t.close1(ctx, t.restated, continuation.Restated); err != nil {
				return err
			}
		}
		c, superseded, err := t.p.c.Continuations.Ask(ctx, a)
		if err != nil {
			return err
		}
		asked = c
		if superseded != nil && superseded.Status == continuation.Superseded && (superseded.Executable() || superseded.Resumable()) {
			reply.Superseded = append(reply.Superseded, *OpenOf(superseded))
		}
	}
	if asked == nil {
		pending, err := t.p.c.Continuations.Pending(ctx, t.Req.SessionID)
		if err != nil {
			return err
		}
		asked = pending
	}
	reply.Asked = OpenOf(asked)
	return nil
}

// askedMeanwhile is the question that was asked since this turn looked, where the turn's own is to leave it alone: that of a halt never takes
// another's place.
func (t *Turn) askedMeanwhile(ctx context.Context) (*continuation.Continuation, error) {
	if t.halt == nil {
		return nil, nil
	}
	return t.p.c.Continuations.Pending(ctx, t.Req.SessionID)
}

// endWithheld ends the runs of this turn whose question governance withheld: nobody was asked, and nobody will be.
func (t *Turn) endWithheld(ctx context.Context) error {
	for i := range t.results {
		run := &t.results[i].fin.Run
		if run.State != checkpoint.Paused || failedTask(&t.results[i]) {
			continue
		}
		if _, err := t.p.c.Stores.Checkpoints().Move(ctx, checkpoint.Move{
			RunID: run.ID, From: []checkpoint.State{checkpoint.Paused}, Epoch: run.Epoch, To: checkpoint.Ended,
			Reason: checkpoint.Denied, Detail: "its question was withheld", At: t.p.now(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// close1 withdraws one question that this turn read as pending. Another may have closed it since.
func (t *Turn) close1(ctx context.Context, c *continuation.Continuation, why continuation.Why) error {
	_, err := t.p.c.Continuations.Withdraw(ctx, t.Req.SessionID, c.ID, why, t.ID)
	var closed *continuation.ClosedError
	if errors.As(err, &closed) {
		return nil
	}
	return err
}

func (t *Turn) withdrawReason() continuation.Why {
	if t.screened != "" {
		return continuation.Screened
	}
	return continuation.Withdrawn
}

// newQuestions returns what the turn asks, in order; the last one stands.
func (t *Turn) newQuestions() []continuation.Ask {
	switch {
	case t.withheld || t.unasked:
		return nil
	case len(t.asks) > 0:
		return t.asks
	case t.paused != nil:
		return []continuation.Ask{t.pauseAsk(t.paused)}
	case t.halt != nil:
		return t.p.approvalAsk(t.halt, t.ID)
	}
	if a, ok := t.inferred(); ok {
		return []continuation.Ask{a}
	}
	return nil
}

// pauseAsk is the question of a paused run. Its time starts now; it is put where the run's own turn was.
func (t *Turn) pauseAsk(r *checkpoint.Run) continuation.Ask {
	a := continuation.Ask{
		SessionID: r.SessionID, TurnID: t.ID, Owner: r.Agent, Origin: continuation.Pause, Question: r.Asked.Question,
		Intent: r.Intent, Channel: r.Channel, AskedOf: r.AskedOf, RunID: r.ID, StepID: r.Asked.StepID,
	}
	for i, c := range r.Asked.Choices {
		a.Options = append(a.Options, continuation.Option{Position: i + 1, Text: c})
	}
	return a
}

// inferred is the question that the answer ends on (ADR-0106 §9, §10). An intercept's answer opens none, and a turn without a
// person's message only where nothing waits.
func (t *Turn) inferred() (continuation.Ask, bool) {
	if t.handled != "" || t.screened != "" || t.owner == "" || !t.person && t.remains() || t.leftOpen && t.steer == nil {
		return continuation.Ask{}, false
	}
	offer := t.p.c.Reader.ReadAnswer(t.answer)
	kind, ok := offerKinds[offer.Kind]
	if t.leftOpen && len(offer.Options) == 0 { // a plain yes to a list: it is still there to be picked from, unless the answer shows another
		return continuation.Ask{}, false
	}
	if !ok || len(offer.Question) > continuation.MaxQuestion {
		return continuation.Ask{}, false
	}
	a := continuation.Ask{
		SessionID: t.Req.SessionID, TurnID: t.ID, Owner: t.owner, Kind: kind, Origin: continuation.Inferred,
		Question: offer.Question, Intent: t.intent.Name, Channel: t.Req.Channel, AskedOf: t.Req.Sender,
	}
	for i, o := range offer.Options {
		a.Options = append(a.Options, continuation.Option{Position: i + 1, Text: o})
	}
	return a, true
}

var offerKinds = map[continuation.OfferKind]continuation.Kind{
	continuation.OfferQuestion: continuation.Question,
	continuation.OfferYesNo:    continuation.YesNo,
	continuation.OfferChoice:   continuation.Choice,
}
