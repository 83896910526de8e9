package storetest

import (
	"errors"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// same reports what differs between got and want. A nil slice is an empty one.
func same[T any](t TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// ok ends the check at an error.
func ok(t TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// is reports an error that is not want.
func is(t TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// as reports an error that is not an E, and returns the E that it is.
func as[E error](t TB, what string, err error) (out E) {
	t.Helper()
	if !errors.As(err, &out) {
		t.Errorf("%s: error %v, want a %T", what, err, out)
	}
	return out
}

// must returns a function's value and ends the check at its error.
func must[T any](t TB, what string) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		ok(t, what, err)
		return v
	}
}

// together runs f n times at once and returns what each returned.
func together(n int, f func(i int) error) []error {
	errs := make([]error, n)
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			errs[i] = f(i)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()
	return errs
}

// oneWinner reports where not exactly one of errs is nil, and returns its index.
func oneWinner(t TB, what string, errs []error) int {
	t.Helper()
	winner, n := -1, 0
	for i, err := range errs {
		if err == nil {
			winner, n = i, n+1
		}
	}
	if n != 1 {
		t.Fatalf("%s: %d winners, want 1; the errors are %v", what, n, errs)
	}
	return winner
}
