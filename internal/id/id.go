// Package id makes the ids of turns, runs, continuations, approvals and deliveries: ULIDs, so they sort by creation.
//
// There is one source for the process, with entropy from crypto/rand: two harnesses on one file, in one
// process or in two, never make the same id.
package id

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// source is the 80 bits beside the time. They only ever go up, by a random step: so ids of one millisecond ascend whatever
// other times ids are made for in between (a clock that is set by hand, one that is behind, goroutines that overtake each other).
var source = struct {
	sync.Mutex
	started bool
	high    uint16
	low     uint64
}{}

// New returns a fresh ULID for the time now. Ids made for the same millisecond ascend.
// A time outside of ULID's range (before 1970) counts as 1970.
func New(now time.Time) string {
	var v ulid.ULID
	_ = v.SetTime(uint64(min(max(now.UnixMilli(), 0), int64(ulid.MaxTime()))))
	high, low := next()
	binary.BigEndian.PutUint16(v[6:8], high)
	binary.BigEndian.PutUint64(v[8:16], low)
	return v.String()
}

// next takes a step of at most 40 bits, so that a trillion ids fit above the half where the source starts.
func next() (high uint16, low uint64) {
	var random [10]byte
	rand.Read(random[:]) // never fails
	s := &source
	s.Lock()
	defer s.Unlock()
	if !s.started {
		s.started = true
		s.high, s.low = binary.BigEndian.Uint16(random[:2])>>1, binary.BigEndian.Uint64(random[2:])
		return s.high, s.low
	}
	before := s.low
	s.low += binary.BigEndian.Uint64(random[:8])>>24 + 1
	if s.low < before {
		s.high++
	}
	return s.high, s.low
}
