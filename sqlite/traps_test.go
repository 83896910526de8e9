//go:build cgo

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris/sqlite"
)

// TestFunctionsThatDoNotReturn: in one batch some functions of Atomically panic or end their goroutine; the others are kept.
func TestFunctionsThatDoNotReturn(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	errs := queued(t, s, 30, func(i int) (err error) {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			err = errors.New("did not return")
			err = s.Atomically(t.Context(), func(ctx context.Context) error {
				if _, err := s.Continuations().Open(ctx, question(fmt.Sprintf("s%d", i))); err != nil {
					return err
				}
				switch i % 3 {
				case 1:
					panic("boom")
				case 2:
					runtime.Goexit()
				}
				return nil
			})
		}()
		<-ended
		return err
	})
	for i, err := range errs {
		want := []string{"<nil>", "panic: boom", "did not return"}[i%3]
		if got := fmt.Sprint(err); got != want {
			t.Errorf("caller %d: %s, want %s", i, got, want)
		}
		c, err := s.Continuations().Pending(t.Context(), fmt.Sprintf("s%d", i), start)
		if err != nil || (c != nil) != (i%3 == 0) {
			t.Errorf("caller %d: its question is %v, %v", i, c, err)
		}
	}
}

// TestALeaderThatDoesNotReturnStillCommits: the one that leads panics or ends its goroutine, with others in its batch.
func TestALeaderThatDoesNotReturnStillCommits(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	for name, end := range map[string]func(){"panic": func() { panic("boom") }, "goexit": runtime.Goexit} {
		errs := make([]error, 10)
		var done sync.WaitGroup
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { _ = recover() }()
			_ = s.Atomically(t.Context(), func(context.Context) error {
				for i := range errs {
					done.Go(func() { errs[i] = ask(t, s, fmt.Sprintf("%s-%d", name, i)) })
				}
				sqlite.AwaitQueue(s, len(errs))
				end()
				return nil
			})
		}()
		<-ended
		done.Wait()
		for i, err := range errs {
			if c, perr := s.Continuations().Pending(t.Context(), fmt.Sprintf("%s-%d", name, i), start); err != nil || perr != nil || c == nil {
				t.Errorf("%s: caller %d: %v, %v", name, i, err, perr)
			}
		}
	}
}

// TestWhoWaitsForAStuckTransaction: those that wait for longer than the patience are told, and the writer goes on after it.
func TestWhoWaitsForAStuckTransaction(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{Patience: 20 * time.Millisecond})
	errs := make([]error, 5)
	var done sync.WaitGroup
	held(t, s, func(letGo func()) {
		for i := range errs {
			done.Go(func() { errs[i] = ask(t, s, fmt.Sprintf("s%d", i)) })
		}
		done.Wait() // while the transaction is still there
		letGo()
	})
	for i, err := range errs {
		if !errors.Is(err, sqlite.ErrDeadlock) {
			t.Errorf("caller %d: %v, want %v", i, err, sqlite.ErrDeadlock)
		}
		if c, err := s.Continuations().Pending(t.Context(), fmt.Sprintf("s%d", i), start); c != nil || err != nil {
			t.Errorf("caller %d was told that it is not served, and its question is %v, %v", i, c, err)
		}
	}
	if err := ask(t, s, "after"); err != nil {
		t.Errorf("after it: %v", err)
	}
}
