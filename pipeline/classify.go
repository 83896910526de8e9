package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/continuation"
)

// classify decides whom the turn is for: the owner of the question that it answers, or the agent that the classifier names.
func classify(ctx context.Context, t *Turn) error {
	if t.resume != nil { // nobody spoke: nothing is claimed on the strength of a reply that was never sent
		return t.readPending(ctx)
	}
	a, err := t.readTable(ctx)
	if err != nil {
		return err
	}
	switch a.kind {
	case ordinary:
	case withdraws:
		t.withdraw = t.pending
	case staysTask:
		t.leftOpen = true
		t.steer = &steer{c: *t.pending, answer: a}
		return nil
	default:
		if err := t.answerPending(ctx, a); err != nil || t.steer != nil {
			return err
		}
	}
	return t.classifyAfresh(ctx)
}

// readTable reads the message, or the button, against the question that waits.
func (t *Turn) readTable(ctx context.Context) (answer, error) {
	switch {
	case t.pressed != nil:
		return *t.pressed, nil
	case t.claim != nil || t.pending == nil: // claimed as a no by an intercept, or nothing waits
		return answer{}, nil
	case !t.mayAnswer():
		t.leftOpen = true
		return answer{}, nil
	}
	a := readAnswer(t.p.c.Reader, t.pending, t.text)
	if t.Req.AnswerTo != "" && (a.kind == ordinary || a.kind == withdraws || a.kind == staysTask) {
		return a, ErrNotAnAnswer
	}
	return a, nil
}

// answerPending claims the question and steers the turn to its owner. A claim that somebody else won makes this an ordinary turn,
// unless the answer was addressed to that question.
func (t *Turn) answerPending(ctx context.Context, a answer) error {
	if t.pending.Owner == ApprovalOwner && a.kind != picks {
		return t.answerApproval(ctx, a)
	}
	if won, err := t.win(ctx); !won {
		return err
	}
	t.claim.outcome = a.kind.outcome(a)
	if a.kind != declines {
		t.steer = &steer{c: t.claim.Row(), answer: a}
	}
	return nil
}

// win claims the question that waits. Where somebody else was faster, words that were not addressed to it are an ordinary message.
func (t *Turn) win(ctx context.Context) (won bool, err error) {
	err = t.take(ctx, t.pending)
	var closed *continuation.ClosedError
	if errors.As(err, &closed) && !t.direct() {
		return false, nil
	}
	return err == nil, err
}

// direct reports whether the turn was addressed to one question, by a button or by AnswerTo: then it answers that or nothing.
func (t *Turn) direct() bool { return t.pressed != nil || t.Req.AnswerTo != "" }

// outcome is what History says of the answer.
func (k answerKind) outcome(a answer) string {
	switch k {
	case picks:
		return fmt.Sprintf("picked %d", a.pick.Position)
	case decides, decidesYes, declines:
		return a.reading.Verdict.String()
	default:
		return "answered"
	}
}

// classifyAfresh asks the classifier.
func (t *Turn) classifyAfresh(ctx context.Context) error {
	in, err := t.inbound(ctx)
	if err != nil {
		return err
	}
	intent, err := guarded("classifier", func() (Intent, error) { return t.p.c.Classifier.Classify(t.scoped(ctx, ""), in) })
	if err != nil {
		return err
	}
	if intent.Agent == "" {
		intent.Agent = t.p.names[0]
	}
	if t.p.agents[intent.Agent] == nil {
		return fmt.Errorf("iris: the classifier named an agent that there is not: %q", intent.Agent)
	}
	t.intent = intent
	return nil
}

func (t *Turn) inbound(ctx context.Context) (Inbound, error) {
	if t.history == nil {
		h, err := t.p.historyBefore(ctx, t)
		if err != nil {
			return Inbound{}, err
		}
		t.history = h
	}
	return Inbound{
		SessionID: t.Req.SessionID, TurnID: t.ID, Channel: t.Req.Channel, Sender: t.Req.Sender, System: !t.person,
		Text: t.text, Agents: t.p.names, History: t.history,
	}, nil
}

// guarded calls embedder code; a panic is an error.
func guarded[T any](what string, call func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("iris: the %s panicked: %v", what, p)
		}
	}()
	v, err = call()
	if err != nil {
		err = fmt.Errorf("iris: %s: %w", what, err)
	}
	return v, err
}
