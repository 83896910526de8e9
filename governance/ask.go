package governance

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// ask returns h's decision on s. What goes wrong with the hook is a Deny; an error means that ctx ended first.
func (k *Kernel) ask(ctx context.Context, h *Hook, s *Subject) (Decision, error) {
	if ctx.Err() != nil {
		return Decision{}, cancelled(ctx)
	}
	if h.pure != nil {
		return h.pure(s), nil
	}
	a := k.asking()
	a.hook, a.subject = h, s.lend()
	a.ctx = &hookContext{Context: ctx, deadline: time.Now().Add(h.Timeout)}
	go a.run()
	runtime.Gosched() // a quick hook has answered by then, and nobody has to be woken
	select {
	case <-a.done:
		return k.answered(a), nil
	default:
		a.timer.Reset(time.Until(a.ctx.deadline))
	}
	select {
	case <-a.done:
		a.timer.Stop()
		return k.answered(a), nil
	case <-ctx.Done():
		a.ctx.end()
		return Decision{}, cancelled(ctx)
	case <-a.timer.C:
		a.ctx.end()
		k.logger.LogAttrs(ctx, slog.LevelError, "hook timed out", slog.String("hook", h.Name), slog.Duration("timeout", h.Timeout))
		return Deny(fmt.Sprintf("hook %s did not answer within %s", h.Name, h.Timeout)), nil
	}
}

// answered takes a's decision and lets a be used again. An asking that was given up is left to its goroutine.
func (k *Kernel) answered(a *asking) Decision {
	a.ctx.end()
	d := a.decision
	switch {
	case a.panic != nil:
		k.logger.LogAttrs(a.ctx, slog.LevelError, "hook panicked",
			slog.String("hook", a.hook.Name), slog.Any("panic", a.panic), slog.String("stack", string(a.stack)))
		d = Deny(fmt.Sprintf("hook %s panicked", a.hook.Name)) // the value may quote what it was asked about
	case !a.returned:
		d = Deny(fmt.Sprintf("hook %s did not return", a.hook.Name))
	}
	*a = asking{run: a.run, done: a.done, timer: a.timer}
	k.askings.Put(a)
	return d
}

// asking is one question to one hook, on a goroutine of its own.
type asking struct {
	hook     *Hook
	subject  Subject
	ctx      *hookContext
	decision Decision
	panic    any
	stack    []byte
	returned bool

	run   func()        // a.ask, bound once
	done  chan struct{} // holds one
	timer *time.Timer
}

func (k *Kernel) asking() *asking {
	if a, ok := k.askings.Get().(*asking); ok {
		return a
	}
	a := &asking{done: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	a.timer.Stop()
	a.run = a.ask
	return a
}

// ask runs on the hook's goroutine, and reports even a hook that ends it.
func (a *asking) ask() {
	defer func() {
		if a.panic = recover(); a.panic != nil {
			a.stack = debug.Stack()
		}
		a.done <- struct{}{}
	}()
	a.call()
}

// call is apart from ask, and not inlined, so that the copies of the subject are off the stack when ask reports: a new
// goroutine's stack would have to grow for it.
//
//go:noinline
func (a *asking) call() {
	a.decision = a.hook.Decide(a.ctx, a.subject)
	a.returned = true
}

// hookContext ends at a hook's deadline, or when the hook has answered. It costs a timer only if somebody waits for it.
type hookContext struct {
	context.Context // the caller's
	deadline        time.Time

	mu     sync.Mutex
	real   context.Context
	cancel context.CancelFunc
	ended  bool
}

// Deadline returns the earlier of the hook's deadline and the caller's.
func (c *hookContext) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}

// Done implements context.Context.
func (c *hookContext) Done() <-chan struct{} { return c.context().Done() }

// Err implements context.Context.
func (c *hookContext) Err() error { return c.context().Err() }

// context returns the context that does the waiting, made when it is first wanted.
func (c *hookContext) context() context.Context {
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

// end ends the context.
func (c *hookContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.cancel != nil {
		c.cancel()
	}
}
