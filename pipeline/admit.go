package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/session"
)

// errRepeated ends the transaction of a message that was seen before.
var errRepeated = errors.New("pipeline: seen before")

// admit takes the session's lease and writes the message in, in one transaction. A message that was processed before is answered from its
// record: the reply is returned, or the failure as an error.
func (p *Pipeline) admit(ctx context.Context, t *Turn) (*Reply, error) {
	t.journal = newJournal(t)
	for {
		prior, err := p.messageIn(ctx, t)
		switch {
		case err != nil:
			return nil, err
		case prior == nil:
			if err := p.setLive(t); err != nil {
				t.finish(ctx, err)
				return nil, err
			}
			if err := p.takeOverDead(ctx, t); err != nil {
				t.finish(ctx, err)
				p.forgetLive(t)
				return nil, err
			}
			return nil, nil
		case prior.State != session.Open:
			return recorded(prior)
		}
		// The turn that had this message is open, and its lease is free: its process died.
		if err := p.recoverTurn(ctx, prior); err != nil {
			return nil, err
		}
	}
}

// messageIn is one transaction: lease, turn, message. prior is the turn that had the message before; then nothing was written.
func (p *Pipeline) messageIn(ctx context.Context, t *Turn) (prior *session.Turn, err error) {
	s := p.c.Stores
	err = awaitLease(ctx, func() error {
		return s.Atomically(ctx, func(ctx context.Context) (err error) {
			now := p.now()
			if t.lease, err = s.Sessions().Acquire(ctx, t.Req.SessionID, t.ID, now, now.Add(p.c.LeaseTTL)); err != nil {
				return err
			}
			if prior, err = s.Sessions().OpenTurn(ctx, session.Turn{
				ID: t.ID, SessionID: t.Req.SessionID, MessageID: t.Req.MessageID, Channel: t.Req.Channel, Sender: t.Req.Sender,
				System: !t.person, Epoch: t.lease.Epoch, State: session.Open, StartedAt: now,
			}); err != nil {
				return err
			}
			if prior != nil {
				return errRepeated
			}
			return p.logMessage(ctx, t)
		})
	})
	if errors.Is(err, errRepeated) {
		return prior, nil
	}
	if err != nil {
		return nil, fmt.Errorf("iris: message in: %w", err)
	}
	return nil, nil
}

// logMessage files what was said. A run that is taken up has no message, and none is forged.
func (p *Pipeline) logMessage(ctx context.Context, t *Turn) error {
	if t.resume != nil {
		return nil
	}
	role := session.User
	if !t.person {
		role = session.System
	}
	text := t.Req.Message
	if text == "" && t.Req.Press != nil {
		text = "(pressed: " + t.Req.Press.Option + ")"
	}
	now := p.now()
	return p.c.Stores.Sessions().Append(ctx, session.Message{
		ID: id.New(now), SessionID: t.Req.SessionID, TurnID: t.ID, Role: role, Sender: t.Req.Sender, Channel: t.Req.Channel,
		Text: text, Attachments: t.Req.Attachments, At: now,
	})
}

// recorded is what a redelivered message gets.
func recorded(prior *session.Turn) (*Reply, error) {
	var r Reply
	if len(prior.Reply) > 0 {
		if err := json.Unmarshal(prior.Reply, &r); err != nil {
			return nil, fmt.Errorf("iris: recorded reply of turn %s: %w", prior.ID, err)
		}
	}
	r.Repeated = true
	if prior.State == session.Failed {
		return nil, &TurnError{SessionID: prior.SessionID, TurnID: prior.ID, Text: failedBefore, Happened: true,
			Err: fmt.Errorf("%w: %s", ErrFailedBefore, prior.Error)}
	}
	return &r, nil
}

const failedBefore = "I worked on this message before, and did not come to an end. It is not done again."

// takeOverDead settles what earlier turns of the session left behind: this turn holds the lease, so they are dead.
func (p *Pipeline) takeOverDead(ctx context.Context, t *Turn) error {
	dead, err := p.c.Stores.Sessions().OpenTurns(ctx, t.Req.SessionID, 100)
	if err != nil {
		return fmt.Errorf("iris: open turns: %w", err)
	}
	for i := range dead {
		if dead[i].ID == t.ID {
			continue
		}
		if _, err := p.settleDead(ctx, &dead[i], t.lease); err != nil {
			return err
		}
	}
	return nil
}
