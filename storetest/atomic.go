package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/continuation"
)

func atomicChecks() []Check {
	return []Check{
		{"atomically/all of it", atomicAll},
		{"atomically/nothing of it", atomicNothing},
		{"atomically/sees what it wrote, and nobody else does", atomicIsolated},
		{"atomically/a refused operation is undone alone", atomicRefused},
		{"atomically/nested joins", atomicNested},
		{"atomically/nested is undone alone", atomicNestedUndone},
		{"atomically/several goroutines", atomicGoroutines},
		{"atomically/many at once", atomicMany},
	}
}

// scope is what a function of Atomically is given.
type scope struct{ ctx context.Context }

// inner makes a function for Atomically. The suite names the inner context in.ctx, to tell it from the outer one.
func inner(f func(in scope) error) func(ctx context.Context) error {
	return func(ctx context.Context) error { return f(scope{ctx}) }
}

// pendingID returns the id of what waits in a session.
func pendingID(ctx context.Context, s Store, sessionID string) string {
	c, err := s.Continuations().Pending(ctx, sessionID, start())
	switch {
	case err != nil:
		return err.Error()
	case c == nil:
		return ""
	}
	return c.ID
}

func atomicAll(t TB, f Factory) {
	s := f.Open(t)
	ok(t, "the transaction", s.Atomically(t.Context(), inner(func(in scope) error {
		_, err := s.Continuations().Open(in.ctx, question("s", "c1"))
		return errors.Join(err, s.Approvals().Create(in.ctx, request("s", "a1")), s.Audit().Append(in.ctx, entry("s", 1)))
	})))
	same(t, "what waits", pendingID(t.Context(), s, "s"), "c1")
	getRequest(t, s, "a1")
	same(t, "the audit rows", len(entries(t, s, 0)), 1)
}

func atomicNothing(t TB, f Factory) {
	s := f.Open(t)
	open(t, s, question("s", "c0"))
	refused := errors.New("refused")
	err := s.Atomically(t.Context(), inner(func(in scope) error {
		for _, kind := range []string{"s", "u"} {
			fillWith(in.ctx, t, s, kind)
		}
		return refused
	}))
	is(t, "the transaction", err, refused)
	same(t, "what waits", pendingID(t.Context(), s, "s"), "c0")
	for kind, n := range count(t, s, "u") {
		if n != 0 {
			t.Errorf("%d %s are there", n, kind)
		}
	}
}

// fillWith is [fill] inside of a transaction.
func fillWith(ctx context.Context, t TB, s Store, sessionID string) {
	t.Helper()
	fill(within{t, ctx}, s, sessionID)
}

// within is a test whose context is a transaction's.
type within struct {
	TB
	ctx context.Context
}

// Context returns the transaction's context.
func (w within) Context() context.Context { return w.ctx }

func atomicIsolated(t TB, f Factory) {
	s := f.Open(t)
	open(t, s, question("s", "c1"))
	ok(t, "the transaction", s.Atomically(t.Context(), inner(func(in scope) error {
		_, err := s.Continuations().Open(in.ctx, question("s", "c2"))
		same(t, "inside", pendingID(in.ctx, s, "s"), "c2")
		seen := make(chan string)
		go func() { seen <- pendingID(t.Context(), s, "s") }()
		if f.Second != nil { // a store on a file: reading waits for no writer
			same(t, "outside", <-seen, "c1")
		} else {
			go func() { <-seen }()
		}
		return err
	})))
	same(t, "after", pendingID(t.Context(), s, "s"), "c2")
}

func atomicRefused(t TB, f Factory) {
	s := f.Open(t)
	open(t, s, question("taken", "c0"))
	ok(t, "the transaction", s.Atomically(t.Context(), inner(func(in scope) error {
		_, err := s.Continuations().Open(in.ctx, question("s", "c1"))
		ok(t, "open", err)
		_, err = s.Continuations().Open(in.ctx, question("s", "c0")) // closes c1 and then finds its id taken
		is(t, "a refused open", err, continuation.ErrInvalid)
		same(t, "what waits after it", pendingID(in.ctx, s, "s"), "c1")
		as[*continuation.ClosedError](t, "a lost claim", second(claimTwice(in.ctx, s)))
		return nil
	})))
	same(t, "what waits", pendingID(t.Context(), s, "s"), "c1")
}

func claimTwice(ctx context.Context, s Store) (*continuation.Continuation, error) {
	c := question("taken", "c0")
	if _, err := s.Continuations().Claim(ctx, claimant(c)); err != nil {
		return nil, err
	}
	return s.Continuations().Claim(ctx, claimant(c))
}

func second[T any](_ T, err error) error { return err }

func atomicNested(t TB, f Factory) {
	s := f.Open(t)
	refused := errors.New("refused")
	write := func(ctx context.Context, id string) error {
		return second(s.Continuations().Open(ctx, question("s-"+id, id)))
	}
	err := s.Atomically(t.Context(), inner(func(in scope) error {
		ok(t, "open", write(in.ctx, "c1"))
		ok(t, "the nested one", s.Atomically(in.ctx, inner(func(deep scope) error {
			same(t, "seen inside", pendingID(deep.ctx, s, "s-c1"), "c1")
			return write(deep.ctx, "c2")
		})))
		same(t, "seen outside", pendingID(in.ctx, s, "s-c2"), "c2")
		return refused
	}))
	is(t, "the transaction", err, refused)
	same(t, "the rows", len(history(t, s, "", start())), 0)
}

func atomicNestedUndone(t TB, f Factory) {
	s := f.Open(t)
	refused := errors.New("refused")
	ok(t, "the transaction", s.Atomically(t.Context(), inner(func(in scope) error {
		_, err := s.Continuations().Open(in.ctx, question("s", "c1"))
		ok(t, "open", err)
		err = s.Atomically(in.ctx, inner(func(deep scope) error {
			_, err := s.Continuations().Open(deep.ctx, question("s", "c2"))
			ok(t, "open", err)
			return refused
		}))
		is(t, "the nested one", err, refused)
		return nil
	})))
	same(t, "what waits", pendingID(t.Context(), s, "s"), "c1")
	same(t, "the rows", len(history(t, s, "", start())), 1)
}

func atomicGoroutines(t TB, f Factory) {
	s := f.Open(t)
	ok(t, "the transaction", s.Atomically(t.Context(), inner(func(in scope) error {
		return errors.Join(together(20, func(i int) error {
			if i%4 == 0 {
				return s.Atomically(in.ctx, inner(func(deep scope) error { return s.Audit().Append(deep.ctx, entry("s", i)) }))
			}
			_, err := s.Continuations().Open(in.ctx, question("s", fmt.Sprintf("c%02d", i)))
			return errors.Join(err, s.Audit().Append(in.ctx, entry("s", i)))
		})...)
	})))
	report, err := audit.Verify(t.Context(), s.Audit())
	ok(t, "verify", err)
	same(t, "the audit rows", report.Rows, 20)
	same(t, "the questions", len(history(t, s, "s", start())), 15)
}

func atomicMany(t TB, f Factory) {
	s := f.Open(t)
	handles := []Store{s}
	if f.Second != nil {
		handles = append(handles, f.Second(t, s))
	}
	refused := errors.New("refused")
	for i, err := range together(40, func(i int) error {
		s := handles[i%len(handles)]
		return s.Atomically(t.Context(), inner(func(in scope) error {
			_, err := s.Continuations().Open(in.ctx, question(fmt.Sprintf("s%d", i), fmt.Sprintf("c%d", i)))
			if err = errors.Join(err, s.Audit().Append(in.ctx, entry("s", i))); err != nil {
				return err
			}
			if i%3 == 0 {
				return refused
			}
			return nil
		}))
	}) {
		if want := map[bool]error{true: refused}[i%3 == 0]; !errors.Is(err, want) {
			t.Errorf("transaction %d: %v, want %v", i, err, want)
		}
	}
	same(t, "the questions", len(history(t, s, "", at(time.Second))), 26)
	report, err := audit.Verify(t.Context(), s.Audit())
	ok(t, "verify", err)
	same(t, "the audit rows", report.Rows, 26)
}
