package pipeline

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
)

// press takes a button straight to its claim, or ends the turn with what became of its question: *continuation.ClosedError,
// continuation.ErrNotFound for another session's, [ErrNotAllowed], [ErrNoSuchOption].
func press(ctx context.Context, t *Turn) error {
	c, err := t.p.c.Continuations.Get(ctx, t.Req.SessionID, t.Req.Press.ContinuationID)
	if err != nil {
		return err
	}
	if c.Status != continuation.Pending {
		return &continuation.ClosedError{Row: *c}
	}
	t.pending = c
	if !t.mayAnswer() {
		return ErrNotAllowed
	}
	a, err := readPress(c, t.Req.Press.Option)
	if err != nil {
		return err
	}
	if t.text == "" {
		t.text = pressText(a)
	}
	if c.Owner == intercept.ConfirmationName && c.Executable() && a.kind == decides {
		return t.pressConfirmation(ctx, c, a)
	}
	t.pressed = &a
	if c.Owner != ApprovalOwner && t.p.c.Chain.Has(c.Owner) {
		t.dispatchTo(ctx, c.Owner, pressText(a))
	}
	return nil
}

// readPress reads a button as the claim table's row.
func readPress(c *continuation.Continuation, option string) (answer, error) {
	yes := continuation.Reading{Verdict: continuation.Yes, Reason: "the button", Strong: true}
	no := continuation.Reading{Verdict: continuation.No, Reason: "the button"}
	a := answer{}
	switch {
	case c.Kind == continuation.YesNo && option == PressApprove:
		a = answer{kind: decides, reading: yes}
	case c.Kind == continuation.YesNo && option == PressReject:
		a = answer{kind: decides, reading: no}
	default:
		for i := range c.Options {
			if fmt.Sprint(c.Options[i].Position) == option {
				a = answer{kind: picks, pick: &c.Options[i]}
			}
		}
	}
	if a.kind == ordinary {
		return a, fmt.Errorf("%w: %q", ErrNoSuchOption, option)
	}
	if c.Resumable() {
		a.kind = resumes
	}
	return a, nil
}

// pressText is what a button says in words.
func pressText(a answer) string {
	switch {
	case a.pick != nil && a.pick.Text != "":
		return a.pick.Text
	case a.pick != nil:
		return fmt.Sprint(a.pick.Position)
	default:
		return a.reading.Verdict.String()
	}
}

func (t *Turn) pressConfirmation(ctx context.Context, c *continuation.Continuation, a answer) error {
	act := t.p.c.Confirmer.Refuse
	if a.reading.Verdict == continuation.Yes {
		act = t.p.c.Confirmer.Run
	}
	m := t.message().WithClaim(func(ctx context.Context) error { return t.take(ctx, c) })
	r, err := act(t.scoped(ctx, ""), m, c)
	if err != nil {
		return err
	}
	if r == nil { // somebody was faster
		row, err := t.p.c.Continuations.Get(ctx, t.Req.SessionID, c.ID)
		if err != nil {
			return err
		}
		return &continuation.ClosedError{Row: *row}
	}
	t.took(intercept.Handled{By: intercept.ConfirmationName, Reply: *r, Claimed: true})
	return nil
}
