package memstore

import (
	"context"
	"time"
)

// tx is a transaction: a copy of the state that replaces the one it was taken from.
type tx struct {
	state *state
	turn  chan struct{} // holds one token: statements through one context come one after another
	done  bool          // guarded by turn
}

// txKey finds a store's transaction in a context. The store is part of the key: another store's context does not join.
type txKey struct{ s *Store }

func newTx(from *state) *tx {
	next := *from
	t := &tx{state: &next, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// Atomically runs fn in one transaction: all that is done with the context that fn is given is kept if fn returns nil, and
// nothing of it otherwise. With a context that is inside of a transaction it joins that one. fn's panic rolls back.
// A ctx that is given up before fn starts is its error; after that fn's outcome is what counts.
func (s *Store) Atomically(ctx context.Context, fn func(ctx context.Context) error) error {
	if outer, ok := ctx.Value(txKey{s}).(*tx); ok {
		return s.nest(ctx, outer, fn)
	}
	if err := s.take(ctx, s.turn); err != nil {
		return err
	}
	defer func() { s.turn <- struct{}{} }()
	t := newTx(s.committed.Load())
	if err := s.run(ctx, t, fn); err != nil {
		return err
	}
	s.committed.Store(t.state)
	return nil
}

// nest runs fn as a part of outer that is undone alone. Outer's context waits meanwhile.
func (s *Store) nest(ctx context.Context, outer *tx, fn func(ctx context.Context) error) error {
	if err := s.enter(outer); err != nil {
		return err
	}
	defer outer.leave()
	t := newTx(outer.state)
	if err := s.run(ctx, t, fn); err != nil {
		return err
	}
	outer.state = t.state
	return nil
}

// run calls fn inside of t and ends t, however fn ends.
func (s *Store) run(ctx context.Context, t *tx, fn func(ctx context.Context) error) error {
	defer func() {
		<-t.turn // a statement in progress is short
		t.done = true
		t.leave()
	}()
	return fn(context.WithValue(ctx, txKey{s}, t))
}

// update runs one writing operation, in the transaction of ctx or in its own. An operation that fails changed nothing.
func (s *Store) update(ctx context.Context, op func(st *state) error) error {
	if t, ok := ctx.Value(txKey{s}).(*tx); ok {
		if err := s.enter(t); err != nil {
			return err
		}
		defer t.leave()
		next := *t.state
		if err := op(&next); err != nil {
			return err
		}
		t.state = &next
		return nil
	}
	if err := s.take(ctx, s.turn); err != nil {
		return err
	}
	defer func() { s.turn <- struct{}{} }()
	next := *s.committed.Load()
	if err := op(&next); err != nil {
		return err
	}
	s.committed.Store(&next)
	return nil
}

// view runs one reading operation. Outside of a transaction it waits for nobody.
func (s *Store) view(ctx context.Context, op func(st *state) error) error {
	t, ok := ctx.Value(txKey{s}).(*tx)
	if !ok {
		if s.closed.Load() {
			return ErrClosed
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return op(s.committed.Load())
	}
	if err := s.enter(t); err != nil {
		return err
	}
	defer t.leave()
	return op(t.state)
}

// enter waits for t's turn and refuses a transaction that has ended. A transaction that has begun is not given up
// half way: the caller's context is not asked.
func (s *Store) enter(t *tx) error {
	if err := s.take(context.Background(), t.turn); err != nil {
		return err
	}
	if t.done {
		t.leave()
		return ErrTxDone
	}
	return nil
}

func (t *tx) leave() { t.turn <- struct{}{} }

// take takes the token of turn.
func (s *Store) take(ctx context.Context, turn chan struct{}) error {
	if s.closed.Load() {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-turn:
		return nil
	default:
	}
	timer := time.NewTimer(s.patience)
	defer timer.Stop()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ErrDeadlock
	}
}
