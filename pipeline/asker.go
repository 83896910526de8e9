package pipeline

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/loop"
)

// asker puts the questions of a turn's tools: they are opened by record, with the answer, or not at all.
type asker Turn

var _ loop.Asker = (*asker)(nil)

// Ask implements [loop.Asker].
func (a *asker) Ask(_ context.Context, agent string, q loop.Question) error {
	t := (*Turn)(a)
	ask := continuation.Ask{Owner: agent, Question: q.Text, ExecutorKind: q.ExecutorKind, Payload: q.Payload}
	if q.YesNo {
		ask.Kind = continuation.YesNo
	}
	if q.ExecutorKind != "" {
		if !t.p.c.Confirmer.Knows(q.ExecutorKind) {
			return fmt.Errorf("%w: no executor of kind %q", continuation.ErrInvalid, q.ExecutorKind)
		}
		ask.Kind, ask.Owner, ask.Asker = continuation.YesNo, intercept.ConfirmationName, agent
	}
	for _, o := range q.Options {
		ask.Options = append(ask.Options, continuation.Option{Position: o.Position, Text: o.Text, Ref: o.Ref})
	}
	return t.ask(ask)
}

// ask keeps a question of this turn for record. It is frozen and validated now.
func (t *Turn) ask(a continuation.Ask) error {
	a.SessionID, a.TurnID, a.Channel = t.Req.SessionID, t.ID, t.Req.Channel
	if a.Intent == "" {
		a.Intent = t.intent.Name
	}
	if a.AskedOf == "" {
		a.AskedOf = t.Req.Sender
	}
	frozen, err := a.Freeze()
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asks = append(t.asks, frozen)
	return nil
}

// Restate asks an executable question once more, in the answer of the turn turnID: the yes came too late, or too far from it.
func (p *Pipeline) Restate(_ context.Context, turnID string, c *continuation.Continuation) error {
	t := p.c.Recorder.turn(turnID)
	if t == nil {
		return ErrNotFound
	}
	t.restated = c
	return t.ask(continuation.Ask{
		Owner: c.Owner, Asker: c.Asker, Kind: c.Kind, Question: c.Question, Options: c.Options, AskedOf: c.AskedOf,
		ExecutorKind: c.ExecutorKind, Payload: c.Payload, Intent: c.Intent,
	})
}

// Distant reports whether c is too old, or has too many turns in between, for a yes to run its action.
func (p *Pipeline) Distant(ctx context.Context, c *continuation.Continuation) (bool, error) {
	if p.now().Sub(c.CreatedAt) > p.c.Distance.Age {
		return true, nil
	}
	n, err := p.c.Stores.Sessions().CountTurns(ctx, c.SessionID, c.ID)
	if err != nil {
		return false, fmt.Errorf("iris: turns since the question: %w", err)
	}
	return n-1 >= p.c.Distance.Turns, nil // the turn at hand is one of them
}

// EffectDone notes the result of a confirmed action for the turn's record.
func (p *Pipeline) EffectDone(turnID, key string, result []byte, failed bool) {
	if t := p.c.Recorder.turn(turnID); t != nil {
		t.journal.Done(key, result, failed)
	}
}
