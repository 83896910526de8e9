package pipeline

import (
	"container/list"
	"context"
	"sync"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/loop"
)

// How much the runs that wait may take up in memory: the oldest make room.
const (
	liveRunCount = 256
	liveRunBytes = 32 << 20
)

// liveRuns is what a process remembers of the runs that wait since it ran them. What it says is used only where the store still agrees
// ([loop.Live]), so that it may be lost, or out of date, at any time.
type liveRuns struct {
	mu    sync.Mutex
	byRun map[string]*list.Element
	order list.List // of *loop.Live, the oldest first
	bytes int
}

// keep remembers a run in place of what was known of it.
func (r *liveRuns) keep(l *loop.Live) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(l.Last.RunID)
	if r.byRun == nil {
		r.byRun = map[string]*list.Element{}
	}
	r.byRun[l.Last.RunID] = r.order.PushBack(l)
	r.bytes += l.Bytes()
	for r.order.Len() > liveRunCount || r.bytes > liveRunBytes {
		r.drop(r.order.Front().Value.(*loop.Live).Last.RunID)
	}
}

// take returns what is known of a run, and forgets it; nil is nothing.
func (r *liveRuns) take(runID string) *loop.Live {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.drop(runID)
}

// forget forgets the runs of a session.
func (r *liveRuns) forget(sessionID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for runID, e := range r.byRun {
		if e.Value.(*loop.Live).Last.SessionID == sessionID {
			r.drop(runID)
		}
	}
}

func (r *liveRuns) drop(runID string) *loop.Live {
	e := r.byRun[runID]
	if e == nil {
		return nil
	}
	l := r.order.Remove(e).(*loop.Live)
	delete(r.byRun, runID)
	r.bytes -= l.Bytes()
	return l
}

// seedOf reads a stopped run: its last step alone where this process remembers the rest, and else all of it.
func (p *Pipeline) seedOf(ctx context.Context, run *checkpoint.Run) (*loop.Seed, error) {
	cps := p.c.Stores.Checkpoints()
	if l := p.runs.take(run.ID); l != nil {
		rows, err := cps.Steps(ctx, run.ID, l.Last.StepID)
		if err != nil {
			return nil, err
		}
		if seed, err := l.Seed(*run, rows); err == nil {
			return seed, nil
		}
	}
	rows, err := cps.Steps(ctx, run.ID, 0)
	if err != nil {
		return nil, err
	}
	return loop.SeedOf(*run, rows)
}
