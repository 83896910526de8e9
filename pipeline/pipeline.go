package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/loop"
)

// Pipeline takes turns through the stages. It is safe for concurrent use; the turns of one session come one after another.
type Pipeline struct {
	c      Config
	agents map[string]loop.Agent
	names  []string
	locks  sessionLocks
	runs   liveRuns

	mu     sync.Mutex
	live   map[string]*Turn // by session: the turn in progress in this process
	closed bool
}

// New returns a pipeline over c, or all that is wrong with its agents.
func New(c Config) (*Pipeline, error) {
	p := &Pipeline{c: c.withDefaults(), agents: map[string]loop.Agent{}, live: map[string]*Turn{}}
	var errs []error
	if len(c.Agents) == 0 {
		errs = append(errs, errors.New("no agent"))
	}
	for _, a := range c.Agents {
		name := a.Name()
		switch {
		case name == "":
			errs = append(errs, errors.New("an agent without a name"))
		case p.agents[name] != nil || c.Chain.Has(name):
			errs = append(errs, fmt.Errorf("the name %q is registered twice: owners share one namespace", name))
		}
		p.agents[name] = a
		p.names = append(p.names, name)
	}
	return p, errors.Join(errs...)
}

// now is the pipeline's time as it is stored: microseconds, UTC.
func (p *Pipeline) now() time.Time { return p.c.Clock().UTC().Truncate(time.Microsecond) }

// newID returns a fresh ULID.
func (p *Pipeline) newID() string { return id.New(p.now()) }

// Stream takes one message through the stages. The sequence is ranged over once; it ends with a [Done] or with an error: [ErrInvalid], [ErrBlank],
// [ErrBusy], [ErrReentrant], a *[TurnError], a *continuation.ClosedError for a button that came too late, or the store's own.
// A consumer that stops ranging ends the turn at the next step boundary.
func (p *Pipeline) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := r.validate(); err != nil {
			yield(nil, err)
			return
		}
		if err := p.checkReentry(ctx, &r); err != nil {
			yield(nil, err)
			return
		}
		p.serve(ctx, &Turn{p: p, ID: p.newID(), Req: r, yield: yield, person: !r.System}, Stages)
	}
}

// serve admits a turn, takes it through stages and closes it.
func (p *Pipeline) serve(ctx context.Context, t *Turn, stages []Stage) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.cancel = cancel
	unlock, err := p.locks.lock(ctx, t.Req.SessionID)
	if err != nil {
		t.fail(fmt.Errorf("%w: %w", ErrBusy, err))
		return
	}
	defer unlock()
	repeated, err := p.admit(ctx, t)
	if err != nil {
		t.fail(err)
		return
	}
	if repeated != nil {
		t.emit(Done{Reply: *repeated})
		return
	}
	defer p.forgetLive(t)
	defer t.close(ctx)
	if err := t.run(ctx, stages); err != nil {
		t.failed(ctx, err)
		return
	}
	for _, q := range t.reply.Superseded {
		t.emit(Superseded{Question: q, By: t.ID})
	}
	if t.reply.Asked != nil {
		t.emit(Asked{Question: *t.reply.Asked})
	}
	t.emit(Done{Reply: t.reply})
}

// Stop cancels the turn of a session that is in progress in this process, and reports whether there was one.
func (p *Pipeline) Stop(sessionID string) bool {
	p.mu.Lock()
	t := p.live[sessionID]
	p.mu.Unlock()
	if t == nil {
		return false
	}
	t.cancel(loop.ErrInterrupted)
	return true
}

// Close makes every later turn fail with [ErrClosed].
func (p *Pipeline) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

func (p *Pipeline) setLive(t *Turn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.live[t.Req.SessionID] = t
	p.c.Recorder.attach(t)
	return nil
}

func (p *Pipeline) forgetLive(t *Turn) {
	p.c.Recorder.detach(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live[t.Req.SessionID] == t {
		delete(p.live, t.Req.SessionID)
	}
}
