package storetest

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
)

func trapChecks() []Check {
	return []Check{
		{"trap/the context of a transaction that has ended", trapEnded},
		{"trap/the outer context waits for itself", trapOuter},
		{"trap/another store's transaction", trapOtherStore},
		{"trap/a panic", trapPanic},
		{"trap/a goroutine that ends", trapGoexit},
		{"trap/given up before it begins", trapCancelled},
		{"trap/given up after it began", trapCancelledInside},
		{"trap/closed", trapClosed},
	}
}

// want is the error that a factory promises, or any.
func want(t TB, what string, err, promised error) {
	t.Helper()
	if err == nil || promised != nil && !errors.Is(err, promised) {
		t.Errorf("%s: error %v, want %v", what, err, promised)
	}
}

func trapEnded(t TB, f Factory) {
	s := f.Open(t)
	var ended []context.Context
	ok(t, "the transaction", s.Atomically(t.Context(), inner(func(in scope) error {
		ended = append(ended, in.ctx)
		return s.Atomically(in.ctx, inner(func(deep scope) error {
			ended = append(ended, deep.ctx)
			return nil
		}))
	})))
	_ = s.Atomically(t.Context(), inner(func(in scope) error {
		ended = append(ended, in.ctx)
		return errors.New("refused")
	}))
	for _, ctx := range ended {
		_, err := s.Continuations().Open(ctx, question("s", "c1"))
		want(t, "a write", err, f.TxDone)
		_, err = s.Continuations().Pending(ctx, "s", start())
		want(t, "a read", err, f.TxDone)
		want(t, "a transaction", s.Atomically(ctx, func(context.Context) error { return nil }), f.TxDone)
	}
	same(t, "the rows", len(history(t, s, "", start())), 0)
}

func trapOuter(t TB, f Factory) {
	if f.Impatient == nil {
		t.Logf("no impatient store: nothing to check")
		return
	}
	s := f.Impatient(t)
	err := s.Atomically(t.Context(), inner(func(in scope) error {
		_, err := s.Continuations().Open(in.ctx, question("s", "c1"))
		ok(t, "open", err)
		_, err = s.Continuations().Open(t.Context(), question("s", "c2"))
		return err
	}))
	want(t, "the outer context inside of Atomically", err, f.Deadlock)
	err = s.Atomically(t.Context(), inner(func(scope) error {
		return s.Atomically(t.Context(), func(context.Context) error { return nil })
	}))
	want(t, "a nested transaction with the outer context", err, f.Deadlock)
	err = s.Atomically(t.Context(), inner(func(in scope) error {
		return s.Atomically(in.ctx, inner(func(scope) error {
			_, err := s.Continuations().Open(in.ctx, question("s", "c3"))
			return err
		}))
	}))
	want(t, "the context around a nested transaction", err, f.Deadlock)
	same(t, "the rows", len(history(t, s, "", start())), 0)
	open(t, s, question("s", "c4")) // and the store goes on
}

func trapOtherStore(t TB, f Factory) {
	a, b := f.Open(t), f.Open(t)
	refused := errors.New("refused")
	err := a.Atomically(t.Context(), inner(func(in scope) error {
		_, err := b.Continuations().Open(in.ctx, question("s", "c1"))
		ok(t, "a write to another store", err)
		return refused
	}))
	is(t, "the transaction", err, refused)
	same(t, "what waits in the other store", pendingID(t.Context(), b, "s"), "c1")
}

func trapPanic(t TB, f Factory) {
	s := f.Open(t)
	for _, nested := range []bool{false, true} {
		func() {
			defer func() {
				if r := recover(); r != "boom" {
					t.Errorf("recovered %v, want boom", r)
				}
			}()
			err := s.Atomically(t.Context(), inner(func(in scope) error {
				fillWith(in.ctx, t, s, "s")
				if nested {
					return s.Atomically(in.ctx, func(context.Context) error { panic("boom") })
				}
				panic("boom")
			}))
			t.Errorf("a panic came back as %v", err)
		}()
		same(t, "the rows", len(history(t, s, "", start())), 0)
	}
	open(t, s, question("s", "c1")) // and the store goes on
}

func trapGoexit(t TB, f Factory) {
	s := f.Open(t)
	errs := together(8, func(i int) error {
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_ = s.Atomically(t.Context(), inner(func(in scope) error {
				_, err := s.Continuations().Open(in.ctx, question("s", string(rune('a'+i))))
				if i%2 == 0 {
					runtime.Goexit()
				}
				return err
			}))
		}()
		<-gone
		return nil
	})
	ok(t, "all of them", errors.Join(errs...))
	same(t, "the rows", len(history(t, s, "", start())), 4)
}

// trapCancelled calls every method of every part of the store with a context that was given up: each is that context's error, and
// nothing is written.
func trapCancelled(t TB, f Factory) {
	s := f.Open(t)
	fill(t, s, "s")
	before := count(t, s, "s")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, part := range []any{
		partOf[continuation.Store](s.Continuations()), partOf[checkpoint.Store](s.Checkpoints()), partOf[checkpoint.Ledger](s.Ledger()),
		partOf[approval.Store](s.Approvals()), partOf[approval.Outbox](s.Outbox()), partOf[session.Store](s.Sessions()),
	} {
		callAll(t, ctx, part.(reflect.Value))
	}
	is(t, "audit.Log.Append", s.Audit().Append(ctx, entry("s", 1)), context.Canceled)
	for _, err := range s.Audit().Entries(ctx, 0) {
		is(t, "audit.Log.Entries", err, context.Canceled)
	}
	err := s.Atomically(ctx, func(context.Context) error {
		t.Errorf("the function was called")
		return nil
	})
	is(t, "Atomically", err, context.Canceled)
	same(t, "the rows", count(t, s, "s"), before)
}

// partOf returns a part of the store as the interface that it is, so that reflection sees the interface's methods alone.
func partOf[I any](part I) reflect.Value { return reflect.ValueOf(&part).Elem() }

// callAll calls each method with ctx and zero values, but for what it writes, which is a new row.
func callAll(t TB, ctx context.Context, part reflect.Value) {
	t.Helper()
	fresh := map[reflect.Type]any{
		reflect.TypeFor[continuation.Continuation](): question("s", "new"), reflect.TypeFor[checkpoint.Run](): run("s", "new"),
		reflect.TypeFor[checkpoint.Effect](): effect(run("s", "new"), "new"), reflect.TypeFor[approval.Request](): request("s", "new"),
		reflect.TypeFor[approval.Delivery](): delivery("new", 0), reflect.TypeFor[session.Message](): message("s", "new"),
		reflect.TypeFor[continuation.Move]():  continuation.Move{ID: "c-s", From: continuation.Pending, To: continuation.Superseded},
		reflect.TypeFor[approval.Decision]():  approval.Decision{ID: "a-s", Status: approval.Approved, At: start()},
		reflect.TypeFor[session.Turn]():       session.Turn{ID: "t9", SessionID: "s", State: session.Answered},
		reflect.TypeFor[string]():             "s",
		reflect.TypeFor[time.Time]():          at(time.Hour),
		reflect.TypeFor[continuation.Query](): continuation.Query{}, reflect.TypeFor[int](): 10,
	}
	for i := range part.NumMethod() {
		name := part.Type().String() + "." + part.Type().Method(i).Name
		typ := part.Method(i).Type()
		args := []reflect.Value{reflect.ValueOf(ctx)}
		for n := 1; n < typ.NumIn(); n++ {
			if v, there := fresh[typ.In(n)]; there {
				args = append(args, reflect.ValueOf(v))
			} else {
				args = append(args, reflect.Zero(typ.In(n)))
			}
		}
		out := part.Method(i).Call(args)
		err, _ := out[len(out)-1].Interface().(error)
		is(t, name, err, context.Canceled)
	}
}

func trapCancelledInside(t TB, f Factory) {
	s := f.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	ok(t, "the transaction", s.Atomically(ctx, inner(func(in scope) error {
		cancel()
		_, err := s.Continuations().Open(in.ctx, question("s", "c1"))
		return err
	})))
	same(t, "what waits", pendingID(t.Context(), s, "s"), "c1")
}

func trapClosed(t TB, f Factory) {
	s := f.Open(t)
	open(t, s, question("s", "c1"))
	ok(t, "close", s.Close())
	_, err := s.Continuations().Open(t.Context(), question("s", "c2"))
	want(t, "a write after Close", err, nil)
	_, err = s.Continuations().Pending(t.Context(), "s", start())
	want(t, "a read after Close", err, nil)
	want(t, "a transaction after Close", s.Atomically(t.Context(), func(context.Context) error { return nil }), nil)
	ok(t, "close again", s.Close())
}
