package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/storetest"
)

// log is an audit log with its entries changed on the way out.
type log struct {
	audit.Log
	append_ func(ctx context.Context, e audit.Entry) error
	change  func(e audit.Entry) audit.Entry
	most    int
}

func (l *log) Append(ctx context.Context, e audit.Entry) error {
	if l.append_ != nil {
		return l.append_(ctx, e)
	}
	return l.Log.Append(ctx, e)
}

func (l *log) Entries(ctx context.Context, after int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		n := 0
		for e, err := range l.Log.Entries(ctx, after) {
			if l.change != nil {
				e = l.change(e)
			}
			if n++; l.most > 0 && n > l.most || !yield(e, err) {
				return
			}
		}
	}
}

func withLog(l log) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		l := l
		l.Log = s.Audit()
		return parts{Store: s, log: &l}
	}
}

// withAtomically breaks a store's transactions.
func withAtomically(atomic func(s storetest.Store, ctx context.Context, fn func(ctx context.Context) error) error) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		return parts{Store: s, atomic: func(ctx context.Context, fn func(ctx context.Context) error) error { return atomic(s, ctx, fn) }}
	}
}

// inside marks a context as inside of a broken transaction.
type inside struct{}

func storeMutants() []mutant {
	type function = func(ctx context.Context) error
	return []mutant{
		{"audit without a chain", withLog(log{change: func(e audit.Entry) audit.Entry {
			e.Prev = ""
			return e
		}}), []string{"audit/one chain for each session", "audit/chains hold when many write", "audit/a row goes with its transaction"}},
		{"audit rows lose their reason", withLog(log{change: func(e audit.Entry) audit.Entry {
			e.Reason = ""
			return e
		}}), []string{"audit/keeps every field"}},
		{"audit reads one page", withLog(log{most: 256}), []string{"audit/pages"}},
		{"a transaction without rollback", withAtomically(func(_ storetest.Store, ctx context.Context, fn function) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(ctx)
		}), []string{"atomically/nothing of it", "atomically/nested joins", "atomically/nested is undone alone", "atomically/many at once",
			"atomically/sees what it wrote, and nobody else does", "audit/a row goes with its transaction", "trap/a panic", "trap/a goroutine that ends",
			"trap/the context of a transaction that has ended", "trap/the outer context waits for itself"}},
		{"a transaction that is always undone", withAtomically(func(s storetest.Store, ctx context.Context, fn function) error {
			undone := errors.New("undone")
			err := s.Atomically(ctx, func(ctx context.Context) error {
				if err := fn(ctx); err != nil {
					return err
				}
				return undone
			})
			if err == undone {
				return nil
			}
			return err
		}), []string{"atomically/all of it", "atomically/several goroutines"}},
		{"a panic is swallowed", withAtomically(func(s storetest.Store, ctx context.Context, fn function) (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			return s.Atomically(ctx, fn)
		}), []string{"trap/a panic"}},
		{"a nested transaction is none", withAtomically(func(s storetest.Store, ctx context.Context, fn function) error {
			if ctx.Value(inside{}) != nil {
				return fn(ctx)
			}
			return s.Atomically(context.WithValue(ctx, inside{}, true), fn)
		}), []string{"atomically/nested is undone alone"}},
		{"a context from elsewhere is taken for its own", withQuestions(func(q *questions) {
			q.open = func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
				if c.ID == "c1" && c.SessionID == "s" {
					return nil, memstore.ErrDeadlock
				}
				return q.Store.Open(ctx, c)
			}
		}), []string{"trap/another store's transaction"}},
		{"who gave up is served", func(s storetest.Store) storetest.Store {
			q := &questions{Store: s.Continuations()}
			q.open = func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
				return q.Store.Open(context.WithoutCancel(ctx), c)
			}
			return parts{Store: s, c: q}
		}, []string{"trap/given up before it begins"}},
		{"who gives up is undone", withAtomically(func(s storetest.Store, ctx context.Context, fn function) error {
			return s.Atomically(ctx, func(inner context.Context) error { return errors.Join(fn(inner), ctx.Err()) })
		}), []string{"trap/given up after it began"}},
		{"closed and still there", func(s storetest.Store) storetest.Store { return parts{Store: s, noClose: true} }, []string{"trap/closed"}},
		{"writes are lost", withQuestions(func(q *questions) {
			q.open = func(context.Context, continuation.Continuation) (*continuation.Continuation, error) { return nil, nil }
		}), []string{"handles/both see what either wrote", "reopen/everything is there"}},
	}
}
