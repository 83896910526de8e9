package memstore

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
)

// Options is what a [Store] is made of. The zero value works.
type Options struct {
	// Patience is how long a write waits for the transaction in progress before it is [ErrDeadlock]; 5 seconds where zero.
	Patience time.Duration
}

func (o Options) patience() time.Duration {
	if o.Patience > 0 {
		return o.Patience
	}
	return 5 * time.Second
}

// Store keeps everything in memory. It is safe for concurrent use.
type Store struct {
	committed atomic.Pointer[state]
	turn      chan struct{} // holds one token: whose turn it is to write
	patience  time.Duration
	closed    atomic.Bool
}

// state is all rows. Trees are immutable, so a copy of a state is a snapshot.
type state struct {
	continuations tree[continuation.Continuation] // by id
	pending       tree[string]                    // session -> id
	bySession     tree[string]                    // session, id -> id

	runs  tree[checkpoint.Run]        // by id
	steps tree[checkpoint.Checkpoint] // by run, step

	effects     tree[checkpoint.Effect] // by key
	effectOrder tree[string]            // the order they started -> key
	effectItems tree[string]            // approval, item -> key
	started     int

	approvals tree[approval.Request]  // by id
	outbox    tree[approval.Delivery] // by key

	messages tree[session.Message] // by session, id
	turns    tree[session.Turn]    // by session, id
	replies  tree[string]          // session, message id -> turn id
	leases   tree[session.Lease]   // by session
	fence    int64                 // the highest epoch of a lease that is gone

	entries tree[audit.Entry] // by seq
	heads   tree[string]      // session -> hash
	seq     int64
}

// New returns an empty store.
func New() *Store { return NewWith(Options{}) }

// NewWith returns an empty store made of o.
func NewWith(o Options) *Store {
	s := &Store{turn: make(chan struct{}, 1), patience: o.patience()}
	s.turn <- struct{}{}
	s.committed.Store(&state{})
	return s
}

// Continuations returns the store of continuations.
func (s *Store) Continuations() continuation.Store { return continuations{s} }

// Checkpoints returns the store of runs and steps.
func (s *Store) Checkpoints() checkpoint.Store { return runs{s} }

// Ledger returns the ledger of effects.
func (s *Store) Ledger() checkpoint.Ledger { return ledger{s} }

// Approvals returns the store of approval requests.
func (s *Store) Approvals() approval.Store { return approvals{s} }

// Outbox returns what is still to be delivered.
func (s *Store) Outbox() approval.Outbox { return outbox{s} }

// Sessions returns the store of conversations.
func (s *Store) Sessions() session.Store { return sessions{s} }

// Audit returns the audit log.
func (s *Store) Audit() audit.Log { return auditLog{s} }

// Close ends the use of the store: every call after it is [ErrClosed].
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

// join makes the key of a row that belongs to an owner.
func join(owner, id string) string { return owner + "\x00" + id }

// owned reports whether key is of owner.
func owned(key, owner string) bool {
	return len(key) > len(owner) && key[len(owner)] == 0 && strings.HasPrefix(key, owner)
}

// stamp returns t as a store holds it: microseconds, UTC.
func stamp(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

// orHundred is a limit with its default.
func orHundred(limit int) int {
	if limit <= 0 {
		return 100
	}
	return limit
}
