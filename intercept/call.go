package intercept

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/iris-harness/iris/continuation"
)

// DefaultLimit bounds one call of a handler whose spec does not say.
const DefaultLimit = 10 * time.Second

var (
	// ErrCutOff is the fault of a handler that was not back in time. Its goroutine is left to itself, and what it still does is dropped.
	ErrCutOff = errors.New("intercept: cut off")
	// ErrEmpty is the fault of a handler that took a turn and had nothing to say.
	ErrEmpty = errors.New("intercept: an empty reply")

	errGone = errors.New("intercept: the handler ended its goroutine")
)

// call is one call of a handler. What it claims after the end counts for nothing.
type call struct {
	mu      sync.Mutex
	claimed bool
	over    bool
}

// claim claims for the handler while its call lasts.
func (k *call) claim(ctx context.Context, take func(ctx context.Context) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return ErrCutOff
	}
	err := take(ctx)
	k.claimed = k.claimed || err == nil
	return err
}

// end closes the call and reports whether it had claimed.
func (k *call) end() (claimed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	return k.claimed
}

func (c *Chain) call(ctx context.Context, s *Spec, m Message, pending *continuation.Continuation, mayAnswer bool, p Pender) (h Handled) {
	var k call
	if pending != nil {
		m.Pending = view(pending)
		if mayAnswer && pending.Owner == s.Name {
			m.claim = func(ctx context.Context) error {
				return k.claim(ctx, func(ctx context.Context) error { return p.ClaimFor(ctx, pending, s.Name) })
			}
		}
	}
	reply, err := answer(ctx, s, m)
	h.Claimed = k.end()
	if err == nil && reply != nil && strings.TrimSpace(reply.Text) == "" {
		reply, err = nil, ErrEmpty
	}
	switch {
	case err != nil:
		c.fault(ctx, s, err)
		if h.Claimed {
			h.By, h.Err = s.Name, err
		}
	case reply != nil:
		h.By, h.Reply = s.Name, Reply{strings.ToValidUTF8(reply.Text, "\uFFFD"), reply.Outcome}
	case h.Claimed: // claimed as a no, and the rest of the reply goes on
	}
	return h
}

// view is a copy that shares nothing with the row: what a handler does to it changes no payload that runs later.
func view(c *continuation.Continuation) *continuation.Continuation {
	v := *c
	v.Payload = slices.Clone(c.Payload)
	v.Options = slices.Clone(c.Options)
	for i := range v.Options {
		v.Options[i].Ref = slices.Clone(v.Options[i].Ref)
	}
	return &v
}

type result struct {
	reply *Reply
	err   error
}

// answer calls the handler on a goroutine of its own, and leaves it behind where it is not back in time. The library's own handler is called as it
// is: the gate bounds what it runs.
func answer(ctx context.Context, s *Spec, m Message) (*Reply, error) {
	done := make(chan result, 1)
	if s.own {
		run(ctx, s, m, done)
		r := <-done
		return r.reply, r.err
	}
	ctx, cancel := context.WithTimeout(ctx, s.limit())
	defer cancel()
	go run(ctx, s, m, done)
	select {
	case r := <-done:
		return r.reply, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done: // it was back in time, and the select tossed a coin
		return r.reply, r.err
	default:
		return nil, fmt.Errorf("%w: %q: %w", ErrCutOff, s.Name, ctx.Err())
	}
}

// run calls the handler; a panic is an error.
func run(ctx context.Context, s *Spec, m Message, done chan<- result) {
	r := result{err: errGone}
	defer func() {
		if v := recover(); v != nil {
			r = result{err: fmt.Errorf("intercept: %q panicked: %v", s.Name, v)}
		}
		done <- r
	}()
	reply, err := s.Handler(ctx, m)
	r = result{reply, err}
}

func (s *Spec) limit() time.Duration {
	if s.Limit <= 0 {
		return DefaultLimit
	}
	return s.Limit
}

// fault notes that a handler failed. A turn that was stopped is nobody's fault.
func (c *Chain) fault(ctx context.Context, s *Spec, err error) {
	c.c.Logger.WarnContext(ctx, "intercept declined", "intercept", s.Name, "plugin", s.Plugin, "err", err)
	if c.c.Fault != nil && ctx.Err() == nil {
		c.c.Fault(s.Plugin, s.Name, err)
	}
}
