// Package faultstore wraps any store so that the world of its process stops at its n-th write: as a crash does, for tests.
//
// A transaction counts as one write. From the moment the fuse blows every call, read or write, is [ErrCrashed]; what was written before
// is in the store underneath, which the test opens again.
package faultstore

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
)

// ErrCrashed is what every call of a store returns whose world has stopped.
var ErrCrashed = errors.New("faultstore: the process has crashed")

// Mode says how the n-th write goes wrong.
type Mode uint8

// The modes.
const (
	Before  Mode = iota // the world stops before it: nothing is written
	After               // it is written, and the caller hears so; then the world stops
	Unheard             // it is written, and the caller never hears so
)

// Modes lists all modes.
var Modes = []Mode{Before, After, Unheard}

// String names the mode.
func (m Mode) String() string { return [...]string{"before", "after", "unheard"}[m] }

// Inner is the store underneath.
type Inner interface {
	Checkpoints() checkpoint.Store
	Ledger() checkpoint.Ledger
	Continuations() continuation.Store
	Approvals() approval.Store
	Outbox() approval.Outbox
	Sessions() session.Store
	Audit() audit.Log
	Atomically(ctx context.Context, fn func(ctx context.Context) error) error
}

// Store is a store with a fuse.
type Store struct {
	inner Inner
	at    int64
	mode  Mode
	n     atomic.Int64
	blown atomic.Bool
}

// New returns inner with a fuse that blows at its at-th write, counted from 1; 0 never blows.
func New(inner Inner, at int, mode Mode) *Store {
	return &Store{inner: inner, at: int64(at), mode: mode}
}

// Blown reports whether the world has stopped.
func (s *Store) Blown() bool { return s.blown.Load() }

// Writes returns how many writes there were.
func (s *Store) Writes() int { return int(s.n.Load()) }

type insideKey struct{ s *Store }

// write makes one write, or the crash in its place.
func (s *Store) write(ctx context.Context, do func() error) error {
	if s.blown.Load() {
		return ErrCrashed
	}
	if ctx.Value(insideKey{s}) != nil { // part of a transaction, which counts as one
		return do()
	}
	if s.n.Add(1) != s.at {
		return do()
	}
	if s.mode == Before {
		s.blown.Store(true)
		return ErrCrashed
	}
	err := do()
	s.blown.Store(true)
	if s.mode == Unheard {
		return ErrCrashed
	}
	return err
}

// alive refuses a read of a world that has stopped.
func (s *Store) alive() error {
	if s.blown.Load() {
		return ErrCrashed
	}
	return nil
}

// Atomically runs fn in one transaction, which counts as one write.
func (s *Store) Atomically(ctx context.Context, fn func(ctx context.Context) error) error {
	return s.write(ctx, func() error {
		return s.inner.Atomically(ctx, func(ctx context.Context) error {
			return fn(context.WithValue(ctx, insideKey{s}, true))
		})
	})
}

// Checkpoints returns the runs and steps.
func (s *Store) Checkpoints() checkpoint.Store { return checkpoints{s, s.inner.Checkpoints()} }

// Ledger returns the effects.
func (s *Store) Ledger() checkpoint.Ledger { return ledger{s, s.inner.Ledger()} }

// Continuations returns the questions.
func (s *Store) Continuations() continuation.Store { return continuations{s, s.inner.Continuations()} }

// Approvals returns the requests.
func (s *Store) Approvals() approval.Store { return approvals{s, s.inner.Approvals()} }

// Outbox returns the deliveries.
func (s *Store) Outbox() approval.Outbox { return outbox{s, s.inner.Outbox()} }

// Sessions returns the conversations.
func (s *Store) Sessions() session.Store { return sessions{s, s.inner.Sessions()} }

// Audit returns the log.
func (s *Store) Audit() audit.Log { return log{s, s.inner.Audit()} }
