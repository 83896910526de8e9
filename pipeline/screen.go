package pipeline

import (
	"context"
	"errors"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
)

const screenedSentence = "I can't take this message."

// screen lets pre_turn hooks see the message before anything else does.
func screen(ctx context.Context, t *Turn) error {
	t.text = t.Req.Message
	if err := t.readPending(ctx); err != nil {
		return err
	}
	s, err := t.p.c.Kernel.Review(t.scoped(ctx, ""), t.subject(governance.PreTurn, t.Req.Message))
	var denied *governance.Denied
	switch {
	case errors.As(err, &denied):
		t.screened, t.answer = denied.Reason, screenedSentence
		if denied.Reason == "" {
			t.screened = "denied"
		}
	case err != nil:
		return err
	default:
		t.text = s.Text
	}
	return nil
}

// readPending reads the session's question once for the whole turn. Not knowing who asked is the incident: a failure fails the turn.
func (t *Turn) readPending(ctx context.Context) (err error) {
	t.pending, err = t.p.c.Continuations.Pending(ctx, t.Req.SessionID)
	return err
}

// mayAnswer reports whether this message may answer the question that waits.
func (t *Turn) mayAnswer() bool {
	if !t.person || t.resume != nil || t.Req.Press == nil && continuation.IsBlank(t.text) {
		return false
	}
	return t.pending == nil || t.pending.AskedOf == "" || t.pending.AskedOf == t.Req.Sender
}

func (t *Turn) subject(at governance.Point, text string) governance.Subject {
	return governance.Subject{
		Point: at, SessionID: t.Req.SessionID, TurnID: t.ID, Channel: t.Req.Channel, Sender: t.Req.Sender,
		System: !t.person, Text: text, Agent: t.owner,
	}
}
