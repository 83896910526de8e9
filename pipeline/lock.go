package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/iris-harness/iris/session"
)

// sessionLocks queues the turns of one session in this process, before they queue for its lease.
type sessionLocks struct {
	mu sync.Mutex
	m  map[string]*sessionLock
}

type sessionLock struct {
	held    chan struct{} // one token
	waiters int
}

// lock waits for the session's turn; the error is ctx's.
func (l *sessionLocks) lock(ctx context.Context, sessionID string) (unlock func(), err error) {
	l.mu.Lock()
	if l.m == nil {
		l.m = map[string]*sessionLock{}
	}
	s := l.m[sessionID]
	if s == nil {
		s = &sessionLock{held: make(chan struct{}, 1)}
		l.m[sessionID] = s
	}
	s.waiters++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if s.waiters--; s.waiters == 0 {
			delete(l.m, sessionID)
		}
	}
	if err := ctx.Err(); err != nil {
		leave()
		return nil, err
	}
	select {
	case s.held <- struct{}{}:
		return func() { <-s.held; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}

// poll is how often a turn that waits for another process's turn looks again.
const poll = 50 * time.Millisecond

// awaitLease calls take until the session's lease is free. A holder that died is waited for until its lease lapses.
func awaitLease(ctx context.Context, take func() error) error {
	for {
		err := take()
		var busy *session.BusyError
		if !errors.As(err, &busy) {
			return err
		}
		t := time.NewTimer(poll)
		select {
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("%w: %w", ErrBusy, context.Cause(ctx))
		case <-t.C:
		}
	}
}
