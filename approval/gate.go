package approval

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// awaitPoll is how often Await looks for a decision that another process made.
const awaitPoll = time.Second

// waiters wakes those who wait for a decision in this process.
type waiters struct {
	mu sync.Mutex
	m  map[string][]chan struct{}
}

func (w *waiters) add(id string) (woken <-chan struct{}, leave func()) {
	c := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.m == nil {
		w.m = map[string][]chan struct{}{}
	}
	w.m[id] = append(w.m[id], c)
	return c, func() { w.remove(id, c) }
}

func (w *waiters) remove(id string, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, x := range w.m[id] {
		if x == c {
			w.m[id] = append(w.m[id][:i:i], w.m[id][i+1:]...)
			break
		}
	}
	if len(w.m[id]) == 0 {
		delete(w.m, id)
	}
}

func (w *waiters) wake(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.m[id] {
		close(c)
	}
	delete(w.m, id)
}

// Gate waits for decisions.
type Gate struct{ s *Service }

// Gate returns the gate of the service's requests.
func (s *Service) Gate() Gate { return Gate{s} }

// Await returns a request once it is decided or timed out: at once where this process decides, within a second where another does. It
// changes nothing. It returns ctx's error, or [ErrNotFound].
func (g Gate) Await(ctx context.Context, id string) (*Request, error) {
	woken, leave := g.s.gate.add(id)
	defer leave()
	tick := time.NewTicker(awaitPoll)
	defer tick.Stop()
	for {
		r, err := g.s.c.Store.Get(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("approval: await: %w", err)
		}
		if r.Status != Pending || r.Overdue(g.s.now()) {
			return r, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-woken:
			woken = nil // decided: the next look finds it
		case <-tick.C:
		}
	}
}
