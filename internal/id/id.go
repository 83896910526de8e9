// Package id makes the ids of turns, runs, continuations, approvals and deliveries: ULIDs, so they sort by creation.
//
// There is one source for the process, with entropy from crypto/rand: two harnesses on one file, in one
// process or in two, never make the same id.
package id

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

var source = struct {
	sync.Mutex
	entropy *ulid.MonotonicEntropy
}{entropy: ulid.Monotonic(rand.Reader, 0)}

// New returns a fresh ULID for the time now. Ids made for the same millisecond ascend.
// A time outside of ULID's range (before 1970) counts as 1970.
func New(now time.Time) string {
	ms := uint64(max(now.UnixMilli(), 0))
	source.Lock()
	defer source.Unlock()
	v, err := ulid.New(ms, source.entropy)
	if err != nil { // the millisecond's range is used up: start a new one at random
		v = ulid.MustNew(ms, rand.Reader)
	}
	return v.String()
}
