package storetest_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/storetest"
)

// fakeT is a test that fails in peace.
type fakeT struct {
	name string
	ctx  context.Context

	mu       sync.Mutex
	problems []string
	cleanups []func()
}

func (t *fakeT) Helper()                  {}
func (t *fakeT) Name() string             { return t.name }
func (t *fakeT) Context() context.Context { return t.ctx }
func (t *fakeT) Logf(string, ...any)      {}

func (t *fakeT) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *fakeT) TempDir() string {
	dir, err := os.MkdirTemp("", "storetest")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (t *fakeT) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

func (t *fakeT) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

func (t *fakeT) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.problems) > 0
}

// try runs a check on the stores of f and returns what it found.
func try(ctx context.Context, c storetest.Check, f storetest.Factory) []string {
	t := &fakeT{name: c.Name, ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(t.cleanups) {
				f()
			}
		}()
		defer func() {
			if r := recover(); r != nil { // a check may stumble over a broken store
				t.Errorf("panic: %v", r)
			}
		}()
		c.Run(t, f)
	}()
	<-done
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.problems
}

// factory makes stores in memory, broken by b. A second handle is the store itself, and so is one that is reopened.
func factory(b func(s storetest.Store) storetest.Store) storetest.Factory {
	return patient(b, 50*time.Millisecond)
}

// patient is factory with stores whose writes wait so long for one another; those that are to be impatient do not.
func patient(b func(s storetest.Store) storetest.Store, patience time.Duration) storetest.Factory {
	waiting := func(d time.Duration) func(storetest.TB) storetest.Store {
		return func(storetest.TB) storetest.Store { return b(memstore.NewWith(memstore.Options{Patience: d})) }
	}
	open, impatient := waiting(patience), waiting(50*time.Millisecond)
	again := func(_ storetest.TB, s storetest.Store) storetest.Store { return s }
	return storetest.Factory{Open: open, Impatient: impatient, Second: again, Reopen: again, TxDone: memstore.ErrTxDone, Deadlock: memstore.ErrDeadlock}
}

// TestASoundStorePasses is the control: nothing is found where nothing is broken.
func TestASoundStorePasses(t *testing.T) {
	t.Parallel()
	for _, c := range storetest.Checks() {
		for _, problem := range try(t.Context(), c, patient(func(s storetest.Store) storetest.Store { return s }, time.Minute)) {
			t.Errorf("%s: %s", c.Name, problem)
		}
	}
}

// TestBrokenStoresFail runs each broken store through the suite. The checks that it names must fail.
func TestBrokenStoresFail(t *testing.T) {
	t.Parallel()
	checks := map[string]storetest.Check{}
	for _, c := range storetest.Checks() {
		checks[c.Name] = c
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	t.Run("mutants", func(t *testing.T) {
		for _, m := range mutants() {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				for _, name := range m.fails {
					c, there := checks[name]
					if !there {
						t.Fatalf("there is no check %q", name)
					}
					if len(try(t.Context(), c, factory(m.break_))) == 0 {
						t.Errorf("%q passed", name)
					}
					mu.Lock()
					seen[name] = true
					mu.Unlock()
				}
			})
		}
	})
	if testing.Short() || t.Failed() {
		return
	}
	for name := range checks {
		if !seen[name] && !strings.HasPrefix(name, "handles/nothing is lost") {
			t.Errorf("no broken store fails %q: it has not been seen to fail", name)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range storetest.Checks() {
		if seen[c.Name] {
			t.Errorf("two checks are named %q", c.Name)
		}
		seen[c.Name] = true
	}
}
