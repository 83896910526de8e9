package loop

import (
	"context"
	"sync"
	"time"
)

// callContext is the context of one tool call: the caller's, with a deadline, and with what [Ask] and [CallKey] read. It costs a timer only
// if somebody waits for it; a tool that is quick never does.
type callContext struct {
	context.Context // the step's
	deadline        time.Time
	scope           callScope

	mu     sync.Mutex
	real   context.Context
	cancel context.CancelFunc
	ended  bool
}

var _ context.Context = (*callContext)(nil)

// newCallContext must be ended.
func newCallContext(ctx context.Context, c *call, agent string, asker Asker) *callContext {
	return &callContext{
		Context: ctx, deadline: time.Now().Add(c.tool.timeout()),
		scope: callScope{key: attemptOf(c.key), agent: agent, asker: asker, args: c.call.Args},
	}
}

// Deadline returns the earlier of the call's deadline and the step's.
func (c *callContext) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return &c.scope
	}
	return c.Context.Value(key)
}

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.waiting().Done() }

// Err implements context.Context.
func (c *callContext) Err() error {
	c.mu.Lock()
	quiet := c.real == nil && !c.ended && time.Now().Before(c.deadline)
	c.mu.Unlock()
	if quiet {
		return c.Context.Err()
	}
	return c.waiting().Err()
}

// waiting returns the context that does the waiting, made when it is first wanted.
func (c *callContext) waiting() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.real == nil {
		c.real, c.cancel = context.WithDeadline(c.Context, c.deadline)
		if c.ended {
			c.cancel()
		}
	}
	return c.real
}

// end closes the call's scope and cancels what still waits.
func (c *callContext) end() {
	c.scope.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.cancel != nil {
		c.cancel()
	}
}
