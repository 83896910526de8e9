package id_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/iris-harness/iris/internal/id"
)

func TestIDsAscend(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 9, 12, 10, 0, 0, 0, time.UTC)
	var all []string
	for i := range 1000 {
		all = append(all, id.New(at.Add(time.Duration(i/100)*time.Millisecond)))
		id.New(at.Add(-time.Hour)) // somebody else's clock is behind
	}
	if !slices.IsSorted(all) {
		t.Error("ids of ascending times do not ascend")
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(all)))); n != 1000 {
		t.Errorf("%d different ids of 1000", n)
	}
	v, err := ulid.ParseStrict(all[0])
	if err != nil || !v.Timestamp().Equal(at) {
		t.Errorf("%s is not a ULID of %s: %v", all[0], at, err)
	}
}

func TestIDsOfAnyTime(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{{}, time.Unix(-1, 0), time.Unix(0, 0), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if _, err := ulid.ParseStrict(id.New(at)); err != nil {
			t.Errorf("at %s: %v", at, err)
		}
	}
	last := ""
	for range 100_000 {
		got := id.New(time.Time{})
		if got <= last {
			t.Errorf("%s after %s", got, last)
		}
		last = got
	}
	if got := id.New(time.Time{}); !strings.HasPrefix(got, "0000000000") {
		t.Errorf("a time before 1970: %s", got)
	}
}

func TestIDsOfManyGoroutines(t *testing.T) {
	t.Parallel()
	const goroutines, each = 8, 500
	at := time.Now()
	ids := make([][]string, goroutines)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for range each {
				ids[g] = append(ids[g], id.New(at))
			}
		})
	}
	all.Wait()
	flat := slices.Concat(ids...)
	slices.Sort(flat)
	if n := len(slices.Compact(flat)); n != goroutines*each {
		t.Errorf("%d different ids of %d", n, goroutines*each)
	}
}
