package storetest_test

import (
	"context"
	"slices"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
	"github.com/iris-harness/iris/storetest"
)

// mutant is a store that breaks one rule, and the checks that must notice.
type mutant struct {
	name   string
	break_ func(s storetest.Store) storetest.Store
	fails  []string
}

// parts replaces parts of a store.
type parts struct {
	storetest.Store
	c       continuation.Store
	r       checkpoint.Store
	l       checkpoint.Ledger
	a       approval.Store
	o       approval.Outbox
	s       session.Store
	log     audit.Log
	atomic  func(ctx context.Context, fn func(ctx context.Context) error) error
	noClose bool
}

func (p parts) Continuations() continuation.Store { return or(p.c, p.Store.Continuations()) }
func (p parts) Checkpoints() checkpoint.Store     { return or(p.r, p.Store.Checkpoints()) }
func (p parts) Ledger() checkpoint.Ledger         { return or(p.l, p.Store.Ledger()) }
func (p parts) Approvals() approval.Store         { return or(p.a, p.Store.Approvals()) }
func (p parts) Outbox() approval.Outbox           { return or(p.o, p.Store.Outbox()) }
func (p parts) Sessions() session.Store           { return or(p.s, p.Store.Sessions()) }
func (p parts) Audit() audit.Log                  { return or(p.log, p.Store.Audit()) }

func (p parts) Atomically(ctx context.Context, fn func(ctx context.Context) error) error {
	if p.atomic != nil {
		return p.atomic(ctx, fn)
	}
	return p.Store.Atomically(ctx, fn)
}

func (p parts) Close() error {
	if p.noClose {
		return nil
	}
	return p.Store.Close()
}

func or[I comparable](broken, sound I) I {
	var none I
	if broken != none {
		return broken
	}
	return sound
}

func mutants() []mutant {
	return slices.Concat(continuationMutants(), runMutants(), approvalMutants(), sessionMutants(), storeMutants())
}
