// Package gate is the only code that calls a model, a tool's function or an executor.
//
// A raw function goes in and never comes out: the sealed value calls it for a [governance.Permit] and for nothing else,
// with the permit's own request or arguments.
//
// The embedder's code runs on a goroutine of its own. Its panics become a *[PanicError], and where it is not back
// when the context ends, the caller is: with a *[CutOffError], while the goroutine is left to itself. The consumer's
// code (a sink) runs on the caller's goroutine, outside of every recover.
//
// A sealed value that is called inside a testing/synctest bubble belongs to that bubble.
package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"github.com/iris-harness/iris/governance"
)

// rawFunc is a tool's function or an executor's.
type rawFunc func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)

// Func is a tool's function, or an executor's, that is called with a permit. The zero Func calls nothing: [ErrUnsealed].
type Func struct{ f *sealedFunc }

type sealedFunc struct {
	kernel *governance.Kernel
	name   string
	raw    rawFunc
	idle   sync.Pool // of *invocation
}

// SealTool binds a tool's function to k and its name. Its permits are for PreTool and that name.
// run must not change args.
func SealTool(k *governance.Kernel, name string, run func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)) Func {
	return Func{&sealedFunc{kernel: k, name: name, raw: run}}
}

// SealExecutor binds the confirmation executor of a kind to k. Its permits are for PreTool and the
// [governance.ExecutorName] of kind. run must not change payload.
func SealExecutor(k *governance.Kernel, kind string, run func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error)) Func {
	return SealTool(k, governance.ExecutorName(kind), run)
}

// Call makes the call that p permits, with the permit's arguments, and returns the function's result or error.
// Where nothing was called the error is [ErrUnsealed], one of Permit.Take's, or wraps [ErrNotCalled] and ctx's, which leaves the permit unused.
// Else it may be a *[PanicError], or a *[CutOffError] where ctx ended first.
func (f Func) Call(ctx context.Context, p governance.Permit) (json.RawMessage, error) {
	if f.f == nil || f.f.raw == nil {
		return nil, ErrUnsealed
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotCalled, err)
	}
	s, err := p.Take(f.f.kernel, governance.PreTool, f.f.name)
	if err != nil {
		return nil, err
	}
	return f.f.invoke(ctx, s)
}

// invoke calls the function on a goroutine of its own. Only Call may call it.
func (f *sealedFunc) invoke(ctx context.Context, s governance.Subject) (json.RawMessage, error) {
	i := f.invocation()
	i.ctx, i.args = ctx, s.Call.Args
	go i.start()
	runtime.Gosched() // a quick function is back by then, and nobody has to be woken
	select {
	case <-i.done:
		return f.finish(i)
	default:
	}
	select {
	case <-i.done:
		return f.finish(i)
	case <-ctx.Done():
	}
	select {
	case <-i.done: // it was back in time, and the select tossed a coin
		return f.finish(i)
	default:
		return nil, newCutOffError(ctx, f.name)
	}
}

// invocation is one call. One that was cut off is left to its goroutine.
type invocation struct {
	f      *sealedFunc
	ctx    context.Context
	args   json.RawMessage
	result json.RawMessage
	err    error

	start func()        // i.run, bound once
	done  chan struct{} // holds one
}

func (f *sealedFunc) invocation() *invocation {
	if i, ok := f.idle.Get().(*invocation); ok {
		return i
	}
	i := &invocation{f: f, done: make(chan struct{}, 1)}
	i.start = i.run
	return i
}

// finish takes the outcome of i and lets i be used again.
func (f *sealedFunc) finish(i *invocation) (json.RawMessage, error) {
	result, err := i.result, i.err
	i.ctx, i.args, i.result, i.err = nil, nil, nil, nil
	f.idle.Put(i)
	return result, err
}

// run is the goroutine of a call. It reports even a function that ends it.
func (i *invocation) run() {
	returned := false
	defer func() {
		if v := recover(); v != nil || !returned {
			i.result, i.err = nil, newPanicError(i.f.name, v)
		}
		i.done <- struct{}{}
	}()
	i.result, i.err = i.f.raw(i.ctx, i.args)
	returned = true
}
