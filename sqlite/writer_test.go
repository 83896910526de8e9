//go:build cgo

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/sqlite"
)

// held runs f while a transaction of s waits, so that all that f starts is queued behind it.
func held(t *testing.T, s *sqlite.Store, f func(done func())) {
	t.Helper()
	inside, leave := make(chan struct{}), make(chan struct{})
	ended := make(chan error)
	go func() {
		ended <- s.Atomically(t.Context(), func(context.Context) error {
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	f(func() { close(leave) })
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// queued starts n calls, waits until they are queued, does what is to be done then, lets them go and returns their errors.
func queued(t *testing.T, s *sqlite.Store, n int, call func(i int) error, then ...func()) []error {
	t.Helper()
	errs := make([]error, n)
	var done sync.WaitGroup
	held(t, s, func(letGo func()) {
		for i := range n {
			done.Go(func() { errs[i] = call(i) })
		}
		sqlite.AwaitQueue(s, n)
		for _, f := range then {
			f()
		}
		letGo()
	})
	done.Wait()
	return errs
}

func openNormal(t *testing.T, o sqlite.Options) *sqlite.Store {
	t.Helper()
	o.Synchronous = sqlite.Normal
	s, err := sqlite.OpenWith(t.Context(), filepath.Join(t.TempDir(), "iris.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func ask(t *testing.T, s *sqlite.Store, sessionID string) error {
	_, err := s.Continuations().Open(t.Context(), question(sessionID))
	return err
}

// TestOneCommitForAllWhoWait: 64 callers, one transaction.
func TestOneCommitForAllWhoWait(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	before := s.Stats()
	for i, err := range queued(t, s, 64, func(i int) error { return ask(t, s, fmt.Sprintf("s%d", i)) }) {
		if err != nil {
			t.Errorf("caller %d: %v", i, err)
		}
	}
	after := s.Stats()
	if n := after.Operations - before.Operations; n != 65 {
		t.Errorf("%d operations, want 64 and the one they waited for", n)
	}
	if n := after.Transactions - before.Transactions; n != 1 {
		t.Errorf("%d transactions for all of them, want 1", n)
	}
}

// TestStatements counts what an operation costs: BEGIN and COMMIT, one look and one write; a savepoint where two rows change.
func TestStatements(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	var asked continuation.Continuation
	open := func() error {
		asked = question("s")
		_, err := s.Continuations().Open(t.Context(), asked)
		return err
	}
	for _, test := range []struct {
		name string
		call func() error
		want int64
	}{
		{"an ask where nothing waits", open, 4},
		{"an ask where a question waits", open, 7},
		{"a claim", func() error {
			_, err := s.Continuations().Claim(t.Context(), continuation.Claimant{ID: asked.ID, SessionID: "s", TurnID: "t", At: start})
			return err
		}, 4},
		{"a read", func() error {
			_, err := s.Continuations().Pending(t.Context(), "s", start)
			return err
		}, 0},
	} {
		before := s.Stats().Statements
		if err := test.call(); err != nil {
			t.Fatal(err)
		}
		if n := s.Stats().Statements - before; n != test.want {
			t.Errorf("%s took %d statements of the writer's, want %d", test.name, n, test.want)
		}
	}
}

// TestABatchHasALimit: who waits beyond it is in the next one.
func TestABatchHasALimit(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	before := s.Stats()
	for i, err := range queued(t, s, 600, func(i int) error { return ask(t, s, fmt.Sprintf("s%d", i)) }) {
		if err != nil {
			t.Errorf("caller %d: %v", i, err)
		}
	}
	if n := s.Stats().Transactions - before.Transactions; n != 3 {
		t.Errorf("%d transactions for 601 operations, want 3 of at most 256", n)
	}
}

// TestAFailedOperationIsUndoneAlone: in one batch some are refused, at their first statement or after it, and the others stay.
func TestAFailedOperationIsUndoneAlone(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	taken := question("taken")
	if _, err := s.Continuations().Open(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := ask(t, s, fmt.Sprintf("waits-%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	errs := queued(t, s, 30, func(i int) error {
		c := question(fmt.Sprintf("s%d", i))
		switch i % 3 {
		case 1: // refused at once
			c.ID = taken.ID
		case 2: // closes what waits, and is refused then
			c.ID, c.SessionID = taken.ID, fmt.Sprintf("waits-%d", i/3)
		}
		_, err := s.Continuations().Open(t.Context(), c)
		return err
	})
	for i, err := range errs {
		if want := map[bool]error{true: continuation.ErrInvalid}[i%3 != 0]; !errors.Is(err, want) {
			t.Errorf("caller %d: %v, want %v", i, err, want)
		}
	}
	for i := range 10 {
		for _, sessionID := range []string{fmt.Sprintf("s%d", 3*i), fmt.Sprintf("waits-%d", i)} {
			if c, err := s.Continuations().Pending(t.Context(), sessionID, start); c == nil || err != nil {
				t.Errorf("session %s has lost its question: %v", sessionID, err)
			}
		}
	}
}

// TestAFullDiskFailsTheBatch: each caller is told, nothing of the batch is kept, and the writer goes on.
func TestAFullDiskFailsTheBatch(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{MaxPages: 90})
	big := func(i int) continuation.Continuation {
		c := question(fmt.Sprintf("s%d", i))
		c.Question = strings.Repeat("q", 16_000)
		return c
	}
	errs := queued(t, s, 40, func(i int) error {
		_, err := s.Continuations().Open(t.Context(), big(i))
		return err
	})
	kept := 0
	for i, err := range errs {
		c, perr := s.Continuations().Pending(t.Context(), fmt.Sprintf("s%d", i), start)
		if perr != nil {
			t.Fatal(perr)
		}
		switch {
		case err == nil && c != nil:
			kept++
		case err == nil:
			t.Errorf("caller %d was told that its question is kept, and it is not", i)
		case !errors.Is(err, sqlite.ErrFull):
			t.Errorf("caller %d: %v, want %v", i, err, sqlite.ErrFull)
		case c != nil:
			t.Errorf("caller %d was told that its question is refused, and it is there", i)
		}
	}
	if kept == len(errs) {
		t.Fatalf("the disk was not full")
	}
	if err := ask(t, s, "small"); err != nil {
		t.Errorf("a small write afterwards: %v", err)
	}
}

// TestGivenUpBeforeItBegins: a caller that leaves while it waits is not served; one that was begun gets its outcome.
func TestGivenUpBeforeItBegins(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	held(t, s, func(letGo func()) {
		go func() {
			_, err := s.Continuations().Open(ctx, question("gone"))
			errs <- err
		}()
		sqlite.AwaitQueue(s, 1)
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) { // while the writer is still held
			t.Errorf("who gave up: %v", err)
		}
		letGo()
	})
	if c, err := s.Continuations().Pending(t.Context(), "gone", start); c != nil || err != nil {
		t.Errorf("its question: %v, %v", c, err)
	}
}

// TestALeaderThatGivesUpStillLeads: the lead passes to a caller whose context is done by then, and the others are served.
func TestALeaderThatGivesUpStillLeads(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	for round := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		name := func(i int) string { return fmt.Sprintf("s%d-%d", round, i) }
		errs := queued(t, s, 300, func(i int) error { // the 256th begins a batch of its own
			if i%2 == 0 {
				_, err := s.Continuations().Open(ctx, question(name(i)))
				return err
			}
			return ask(t, s, name(i))
		}, cancel)
		for i, err := range errs {
			if err != nil && (i%2 == 1 || !errors.Is(err, context.Canceled)) {
				t.Errorf("caller %d: %v", i, err)
			}
			c, perr := s.Continuations().Pending(t.Context(), name(i), start)
			if perr != nil || (c != nil) != (err == nil) {
				t.Errorf("caller %d was told %v, and its question is %v", i, err, c)
			}
		}
	}
}

// TestBusyStore: a write waits for another process's transaction, and has a typed end where that has none.
func TestBusyStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "iris.db")
	s, err := sqlite.OpenWith(t.Context(), path, sqlite.Options{Synchronous: sqlite.Normal, BusyTimeout: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other := rawConn(t, path)
	if err := rawExec(other, "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := ask(t, s, "s"); !errors.Is(err, sqlite.ErrBusyStore) {
		t.Errorf("a write beside an endless transaction: %v, want %v", err, sqlite.ErrBusyStore)
	}
	if _, err := s.Continuations().Pending(t.Context(), "s", start); err != nil {
		t.Errorf("a read beside it: %v", err)
	}
	if err := rawExec(other, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := ask(t, s, "s"); err != nil {
		t.Errorf("a write after it: %v", err)
	}
}

// TestMemoryIsOneDatabase: reads and writes see the same rows, and every Open has its own.
func TestMemoryIsOneDatabase(t *testing.T) {
	t.Parallel()
	open := func() *sqlite.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Memory)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	a, b := open(), open()
	fillPending(t, a, 200)
	for i := range 200 {
		if c, err := a.Continuations().Pending(t.Context(), fmt.Sprintf("s%d", i), start); c == nil || err != nil {
			t.Fatalf("question %d: %v, %v", i, c, err)
		}
	}
	if c, err := b.Continuations().Pending(t.Context(), "s1", start); c != nil || err != nil {
		t.Errorf("another database's question: %v, %v", c, err)
	}
}
