package loop

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
)

// tellLost tells the model what was done in a step whose row was never written: its reply is lost, its effects are not.
func (r *execution) tellLost(effects []checkpoint.Effect) {
	if r.open != nil {
		return
	}
	var b strings.Builder
	for i := range effects {
		e := &effects[i]
		if e.StepID != r.step || e.State == checkpoint.Started || e.State == checkpoint.Settled && !e.Happened {
			continue
		}
		_, _, text := recorded(e)
		fmt.Fprintf(&b, "\n- %s %s: %s", e.Tool, e.Args, text)
	}
	if b.Len() > 0 {
		r.tell("You were interrupted. This was done before that; do not do it again:" + b.String())
	}
}

// refuseUsed settles a pinned call that was begun before and is known not to have happened: its approval was for that one call.
func (r *execution) refuseUsed(c *call, a *Approval) {
	e, ok := r.ledger[attemptOf(c.key)]
	if ok && !c.settled && e.ApprovalID == a.ID && e.State == checkpoint.Settled && !e.Happened {
		c.settle(checkpoint.ResultNotRun, governance.NotRun, "it did not happen, as "+e.SettledBy+" has found; its approval is used up, so call it again where it is still wanted")
	}
}

// replay settles a call from the ledger: what ran, ran, and is not decided on again. What the model reads of it is reviewed as it was then.
func (r *execution) replay(ctx context.Context, c *call) error {
	e, ok := r.ledger[c.key]
	if c.settled || !ok || e.State == checkpoint.Started {
		return nil
	}
	state, failed, text := recorded(&e)
	c.settled, c.state, c.failed, c.text = true, state, failed, text
	if failed == nil {
		c.raw = rawResult(text)
	}
	return r.review(ctx, c, r.callSubject(c))
}

// recorded is what the ledger knows of an effect that ran.
func recorded(e *checkpoint.Effect) (state checkpoint.ResultState, failed *governance.ToolError, text string) {
	text = string(e.Result)
	switch {
	case e.State == checkpoint.Settled:
		return checkpoint.ResultOK, nil, "it happened, as " + e.SettledBy + " has found; its result was not recorded"
	case e.Failed:
		return checkpoint.ResultError, &governance.ToolError{Kind: governance.ToolFailed, Message: text}, text
	}
	return checkpoint.ResultOK, nil, text
}

// keyOf names an effect: the same for every attempt of one call, until an attempt is known not to have happened.
func (r *execution) keyOf(digest string, same int) string {
	key := r.row.ID + "/" + strconv.Itoa(r.step) + "/" + digest[:12] + "/" + strconv.Itoa(same)
	base := key
	for n := 2; ; n++ {
		e, ok := r.ledger[key]
		if !ok || e.State != checkpoint.Settled || e.Happened {
			return key
		}
		key = base + "#" + strconv.Itoa(n)
	}
}

// attemptOf cuts the number of the attempt off a ledger key: what is left is the call's own key.
func attemptOf(key string) string {
	for i := len(key) - 1; i >= 0 && key[i] != '/'; i-- {
		if key[i] == '#' {
			return key[:i]
		}
	}
	return key
}
