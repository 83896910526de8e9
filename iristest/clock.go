package iristest

import (
	"sync"
	"time"
)

// T0 is where a [Clock] starts.
var T0 = time.Date(2026, 9, 12, 10, 0, 0, 0, time.UTC)

// Clock is a clock that only moves when it is told to. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock at start, or at [T0] where start is zero.
func NewClock(start time.Time) *Clock {
	if start.IsZero() {
		start = T0
	}
	return &Clock{now: start}
}

// Now returns the clock's time; it is what Config.Clock takes.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d and returns its time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}
