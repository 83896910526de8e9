package intercept

import (
	"context"
	"fmt"

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
// An intercept that resolves confirmations is skipped, not called, while another owner waits. An error or a panic is a
// decline, unless the intercept had claimed: then the turn is its own and Err says why there is no reply.
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

func (c *Chain) call(ctx context.Context, s *Spec, m Message, pending *continuation.Continuation, mayAnswer bool, p Pender) (h Handled) {
	if pending != nil {
		view := *pending
		m.Pending = &view
		if mayAnswer && pending.Owner == s.Name {
			m.claim = func(ctx context.Context) error {
				err := p.ClaimFor(ctx, pending, s.Name)
				h.Claimed = h.Claimed || err == nil
				return err
			}
		}
	}
	reply, err := guard(ctx, s, m)
	switch {
	case err == nil && reply != nil:
		h.By, h.Reply = s.Name, *reply
	case err != nil:
		c.fault(ctx, s, err)
		if h.Claimed {
			h.By, h.Err = s.Name, err
		}
	case h.Claimed && reply == nil: // claimed as a no, and the rest of the reply goes on
	}
	return h
}

// guard calls the handler; a panic is an error.
func guard(ctx context.Context, s *Spec, m Message) (r *Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			r, err = nil, fmt.Errorf("intercept: %q panicked: %v", s.Name, v)
		}
	}()
	return s.Handler(ctx, m)
}

func (c *Chain) fault(ctx context.Context, s *Spec, err error) {
	c.c.Logger.WarnContext(ctx, "intercept declined", "intercept", s.Name, "plugin", s.Plugin, "err", err)
	if c.c.Fault != nil {
		c.c.Fault(s.Plugin, s.Name, err)
	}
}
