package faultstore

import (
	"context"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
)

type checkpoints struct {
	s     *Store
	inner checkpoint.Store
}

var _ checkpoint.Store = checkpoints{}

func (w checkpoints) Begin(ctx context.Context, r checkpoint.Run) error {
	return w.s.write(ctx, func() error { return w.inner.Begin(ctx, r) })
}

func (w checkpoints) Put(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
	return w.s.write(ctx, func() error { return w.inner.Put(ctx, epoch, c) })
}

func (w checkpoints) Move(ctx context.Context, m checkpoint.Move) (out *checkpoint.Run, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Move(ctx, m); return err })
	return out, err
}

func (w checkpoints) Get(ctx context.Context, runID string, now time.Time) (*checkpoint.Run, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Get(ctx, runID, now)
}

func (w checkpoints) Steps(ctx context.Context, runID string, from int) ([]checkpoint.Checkpoint, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Steps(ctx, runID, from)
}

func (w checkpoints) List(ctx context.Context, q checkpoint.Query) ([]checkpoint.Run, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.List(ctx, q)
}

func (w checkpoints) Pin(ctx context.Context, runID string, pinned bool, until time.Time) error {
	return w.s.write(ctx, func() error { return w.inner.Pin(ctx, runID, pinned, until) })
}

func (w checkpoints) Sweep(ctx context.Context, now time.Time, limit int) (out int, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Sweep(ctx, now, limit); return err })
	return out, err
}

type ledger struct {
	s     *Store
	inner checkpoint.Ledger
}

var _ checkpoint.Ledger = ledger{}

func (w ledger) Start(ctx context.Context, e checkpoint.Effect) error {
	return w.s.write(ctx, func() error { return w.inner.Start(ctx, e) })
}

func (w ledger) Finish(ctx context.Context, key string, result []byte, failed bool, at time.Time) error {
	return w.s.write(ctx, func() error { return w.inner.Finish(ctx, key, result, failed, at) })
}

func (w ledger) Settle(ctx context.Context, key string, happened bool, by string, at time.Time) error {
	return w.s.write(ctx, func() error { return w.inner.Settle(ctx, key, happened, by, at) })
}

func (w ledger) Effect(ctx context.Context, key string) (*checkpoint.Effect, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Effect(ctx, key)
}

func (w ledger) Effects(ctx context.Context, runID string) ([]checkpoint.Effect, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Effects(ctx, runID)
}

func (w ledger) Ambiguous(ctx context.Context, sessionID string, after string, limit int) ([]checkpoint.Effect, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Ambiguous(ctx, sessionID, after, limit)
}

type continuations struct {
	s     *Store
	inner continuation.Store
}

var _ continuation.Store = continuations{}

func (w continuations) Open(ctx context.Context, c continuation.Continuation) (out *continuation.Continuation, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Open(ctx, c); return err })
	return out, err
}

func (w continuations) Pending(ctx context.Context, sessionID string, now time.Time) (*continuation.Continuation, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Pending(ctx, sessionID, now)
}

func (w continuations) Get(ctx context.Context, id string, now time.Time) (*continuation.Continuation, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Get(ctx, id, now)
}

func (w continuations) Claim(ctx context.Context, by continuation.Claimant) (out *continuation.Continuation, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Claim(ctx, by); return err })
	return out, err
}

func (w continuations) Move(ctx context.Context, m continuation.Move) (out *continuation.Continuation, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Move(ctx, m); return err })
	return out, err
}

func (w continuations) List(ctx context.Context, q continuation.Query) ([]continuation.Continuation, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.List(ctx, q)
}

func (w continuations) Sweep(ctx context.Context, now time.Time, keep time.Time, limit int) (out int, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Sweep(ctx, now, keep, limit); return err })
	return out, err
}
