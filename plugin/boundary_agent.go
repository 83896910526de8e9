package plugin

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/iris-harness/iris/loop"
)

// agentLimit bounds one task of a plugin's agent.
const agentLimit = 5 * time.Minute

var (
	// ErrCutOff is the fault of an agent that was not back in time. Its goroutine is left to itself.
	ErrCutOff = errors.New("plugin: cut off")
	// ErrGarbage is the fault of an agent that yields no event, or ends without an answer.
	ErrGarbage = errors.New("plugin: garbage")
)

// agent is a plugin's agent behind its boundary: it runs on a goroutine of its own, and its events are taken from there.
type agent struct {
	b     boundary
	name  string
	inner loop.Agent
}

// resumableAgent is one whose runs can be taken up where they stopped.
type resumableAgent struct {
	*agent
	ready func(ctx context.Context, runID string, j loop.Journal) error
}

// Ready says whether a run of the agent may be taken up.
func (a *resumableAgent) Ready(ctx context.Context, runID string, j loop.Journal) error {
	return a.ready(ctx, runID, j)
}

func boundAgent(b boundary, a loop.Agent) loop.Agent {
	bound := &agent{b, a.Name(), a}
	if r, ok := a.(interface {
		Ready(ctx context.Context, runID string, j loop.Journal) error
	}); ok {
		return &resumableAgent{bound, r.Ready}
	}
	return bound
}

func (a *agent) Name() string { return a.name }

// item is what the agent's goroutine hands over.
type item struct {
	ev  loop.Event
	err error
}

// Stream implements [loop.Agent].
func (a *agent) Stream(ctx context.Context, t loop.Task) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		limited, cancel := context.WithTimeout(ctx, agentLimit)
		defer cancel()
		items, stop := make(chan item), make(chan struct{})
		go a.run(limited, t, items, stop)
		for {
			it, open := a.next(limited, items)
			switch {
			case !open:
				return
			case it.err != nil:
				yield(nil, a.b.note(ctx, "agent "+a.name, it.err))
				return
			case !yield(it.ev, nil):
				close(stop)
				a.drain(limited, items)
				return
			}
		}
	}
}

// next waits for the agent, and no longer than ctx lasts.
func (a *agent) next(ctx context.Context, items <-chan item) (it item, open bool) {
	select {
	case it, open = <-items:
		return it, open
	case <-ctx.Done():
		return item{err: fmt.Errorf("%w: agent %q: %w", ErrCutOff, a.name, ctx.Err())}, true
	}
}

// drain lets an agent that nobody listens to any more come to its end.
func (a *agent) drain(ctx context.Context, items <-chan item) {
	for {
		if it, open := a.next(ctx, items); !open || it.err != nil {
			return
		}
	}
}

// run takes the agent through its task. An end without an answer is garbage, unless nobody listens any more.
func (a *agent) run(ctx context.Context, t loop.Task, items chan<- item, stop <-chan struct{}) {
	defer close(items)
	send := func(it item) bool {
		select {
		case items <- it:
			return true
		case <-stop:
		case <-ctx.Done():
		}
		return false
	}
	if err := a.take(ctx, t, func(ev loop.Event) bool { return send(item{ev: ev}) }); err != nil {
		send(item{err: err})
	}
}

func (a *agent) take(ctx context.Context, t loop.Task, send func(loop.Event) bool) (err error) {
	ended := false
	err = fmt.Errorf("agent %q ended its goroutine", a.name)
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("agent %q panicked: %v", a.name, v)
		}
	}()
	for ev, err := range a.inner.Stream(ctx, t) {
		switch {
		case err != nil:
			return err
		case ev == nil:
			return fmt.Errorf("%w: agent %q yielded no event", ErrGarbage, a.name)
		}
		_, fin := ev.(loop.Finished)
		if ended = ended || fin; !send(ev) {
			return nil
		}
	}
	if !ended {
		return fmt.Errorf("%w: agent %q ended without an answer", ErrGarbage, a.name)
	}
	return nil
}
