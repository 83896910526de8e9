package pipeline

import (
	"fmt"
	"strings"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/loop"
)

// failure returns the error of a turn that has nothing to show: every task of it failed. A run that stopped for a limit or a
// denial is an answer; one whose claim goes back is a failure.
func (t *Turn) failure() error {
	t.noteClaim()
	var first *result
	for i := range t.results {
		r := &t.results[i]
		if !failedTask(r) {
			return nil
		}
		if first == nil {
			first = r
		}
	}
	if first == nil {
		return nil
	}
	cause := first.err
	if cause == nil {
		cause = first.fin.Err
	}
	return &TurnError{
		SessionID: t.Req.SessionID, TurnID: t.ID, RunID: first.fin.Run.ID, Reason: first.fin.Run.Reason,
		Text: failedText(first), Happened: t.happened(), Err: cause,
	}
}

func failedTask(r *result) bool {
	if r.err != nil {
		return true
	}
	return r.fin.Err != nil && (r.fin.Run.Reason == checkpoint.ModelError || r.fin.Run.Reason == checkpoint.Interrupted ||
		r.fin.Run.State == checkpoint.Paused || r.fin.Run.State == checkpoint.Held)
}

func failedText(r *result) string {
	if r.fin.Text != "" {
		return r.fin.Text
	}
	return apology(r.err)
}

// noteClaim says what became of the question that this turn answers: it goes back where nothing was done on the strength of it.
func (t *Turn) noteClaim() {
	if t.claim == nil || t.steer == nil || len(t.results) == 0 || t.claim.Row().Owner == ApprovalOwner { // a decision stands, whatever becomes of its run
		return
	}
	r := &t.results[0]
	touched := t.journal.touched()
	t.claim.acted = touched || !failedTask(r)
	t.claim.back = !t.claim.acted
	if touched && failedTask(r) {
		t.claim.outcome = string(checkpoint.Failed)
	}
}

// haltText is what the person is told of a held run: that it waits, for what, where to answer, and what has and has not run.
func (t *Turn) haltText(fin *loop.Finished) string {
	var req approval.Request
	for _, h := range t.held {
		if h.ID == fin.Run.ApprovalID {
			req = h
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "I stopped: this needs a person's approval (%s).", strings.TrimSuffix(fin.Text, "."))
	for _, it := range req.Items {
		if !it.Allowed {
			fmt.Fprintf(&b, "\n- waits: %s", it.Card)
		} else {
			fmt.Fprintf(&b, "\n- waits with it: %s", it.Card)
		}
	}
	if len(fin.Executed) > 0 {
		fmt.Fprintf(&b, "\nAlready done: %s.", strings.Join(fin.Executed, ", "))
	} else {
		b.WriteString("\nNothing of it was done yet.")
	}
	fmt.Fprintf(&b, "\nApproval ID: %s, open until %s.", req.ID, req.TimeoutAt.Format("2006-01-02 15:04 MST"))
	if t.p.c.Where != nil {
		here := t.halt != nil && t.halt.ID == req.ID
		if where := t.p.c.Where(req, here); where != "" {
			b.WriteString(" " + where)
		}
	}
	return b.String()
}
