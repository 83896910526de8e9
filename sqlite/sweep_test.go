//go:build cgo

package sqlite_test

import (
	"testing"
	"time"
)

// TestSweepGoesOnWhereItEnded: a sweep looks through a bounded part of what waits, and the sweeps after it through the rest.
func TestSweepGoesOnWhereItEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it writes 90000 rows")
	}
	t.Parallel()
	s := openAt(t, "OFF")
	fillPending(t, s, 90_000)
	last := question("z") // after every other session
	last.ExpiresAt = start.Add(time.Minute)
	if _, err := s.Continuations().Open(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 1, 0} {
		if n, err := s.Continuations().Sweep(t.Context(), start.Add(time.Minute), start, 10); n != want || err != nil {
			t.Errorf("sweep %d touched %d rows, want %d: %v", i, n, want, err)
		}
	}
	total := 0
	for range 20 {
		n, err := s.Continuations().Sweep(t.Context(), start.Add(time.Hour), start, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		total += n
	}
	if total != 90_000 {
		t.Errorf("%d rows were swept in the end, want all 90000", total)
	}
}
