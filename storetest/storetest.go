package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
)

// Store is what is tested.
type Store interface {
	Checkpoints() checkpoint.Store
	Ledger() checkpoint.Ledger
	Continuations() continuation.Store
	Approvals() approval.Store
	Outbox() approval.Outbox
	Sessions() session.Store
	Audit() audit.Log
	// Atomically runs fn in one transaction, which calls made with the inner context join.
	Atomically(ctx context.Context, fn func(ctx context.Context) error) error
	Close() error
}

// TB is what a check needs of a test: *testing.T is one.
type TB interface {
	Helper()
	Name() string
	Context() context.Context
	Cleanup(func())
	TempDir() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
}

// Factory makes the stores that are tested.
type Factory struct {
	// Open returns an empty store. Required. It closes the store with t.Cleanup.
	Open func(t TB) Store
	// Second returns another handle on what s holds, as another process would have. Where it is nil those checks are skipped.
	Second func(t TB, s Store) Store
	// Reopen closes s and returns a store on what it held. Where it is nil those checks are skipped.
	Reopen func(t TB, s Store) Store
	// Impatient returns an empty store that gives up soon on a wait which cannot end. Where it is nil those checks are skipped.
	Impatient func(t TB) Store
	// TxDone is the store's error for the context of a transaction that has ended, Deadlock for a wait that cannot end. Any error
	// will do where they are nil.
	TxDone, Deadlock error
}

// Check is one thing that a store must do.
type Check struct {
	Name string
	Run  func(t TB, f Factory)
}

// Run runs all checks against the stores of f.
func Run(t *testing.T, f Factory) {
	t.Helper()
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, f)
		})
	}
}

// Checks returns all checks.
func Checks() []Check {
	var all []Check
	for _, part := range [][]Check{
		continuationChecks(), claimChecks(), moveChecks(), runChecks(), stepChecks(), ledgerChecks(), approvalChecks(),
		outboxChecks(), sessionChecks(), leaseChecks(), forgetChecks(), auditChecks(), atomicChecks(), trapChecks(),
		handleChecks(), modelChecks(),
	} {
		all = append(all, part...)
	}
	return all
}

// start is the time at which the checks begin.
func start() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

// at is the time d after the start.
func at(d time.Duration) time.Time { return start().Add(d) }
