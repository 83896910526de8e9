package intercept

import (
	"context"

	"github.com/iris-harness/iris/continuation"
)

// Pender claims the pending question for an intercept.
type Pender interface {
	// ClaimFor claims c for the turn at hand, on behalf of the intercept owner.
	ClaimFor(ctx context.Context, c *continuation.Continuation, owner string) error
}

// Handled is the result of a dispatch.
type Handled struct {
	By    string // the intercept; "" where none took the turn
	Reply Reply
	// Claimed reports whether the intercept had claimed the pending question.
	Claimed bool
	// Err is why an intercept that had claimed could not answer.
	Err error
}

// Dispatch calls the intercepts in order until one takes the turn. pending is the session's question as read for this turn.
// mayAnswer is false for a message that may not answer anything: then no intercept that resolves confirmations is called.
//
// An intercept that resolves confirmations is skipped, not called, while another owner waits. An error, a panic, an empty reply, or a handler that is
// not back in time is a decline, unless the intercept had claimed: then the turn is its own and Err says why there is no reply.
func (c *Chain) Dispatch(ctx context.Context, m Message, pending *continuation.Continuation, mayAnswer bool, p Pender) Handled {
	for i := range c.specs {
		s := &c.specs[i]
		if s.Disabled || shielded(s, pending, mayAnswer) {
			continue
		}
		h := c.call(ctx, s, m, pending, mayAnswer, p)
		if h.By != "" {
			return h
		}
	}
	return Handled{}
}

// shielded reports whether s must not see this turn.
func shielded(s *Spec, pending *continuation.Continuation, mayAnswer bool) bool {
	if s.Confirmation != Resolves {
		return false
	}
	return !mayAnswer || pending != nil && pending.Owner != s.Name
}
