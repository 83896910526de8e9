package governance

import (
	"context"
	"math"
	"time"
)

// LastPriority is the priority of the default policy: it is asked after every hook of a lower priority.
const LastPriority = math.MaxInt

// DefaultHookTimeout is how long a hook may take where neither it nor the Config says.
const DefaultHookTimeout = 5 * time.Second

// Hook is one rule at one point.
type Hook struct {
	Name     string // unique at its point; on the record
	At       Point
	Priority int           // ascending; hooks of one priority are asked in the order of their names
	Timeout  time.Duration // 0: the kernel's
	// Decide is called with a context that ends at the hook's timeout, from one goroutine per call and possibly
	// from several calls at once. What it returns after its timeout is ignored. A panic is a Deny.
	Decide func(ctx context.Context, s Subject) Decision

	// pure is what a hook of this package has in place of Decide: it is fast, changes nothing, keeps nothing and
	// calls nobody else's code, so it is called without a copy and without a goroutine.
	pure func(s *Subject) Decision
}
