package continuation

import (
	"context"
	"fmt"
)

// Claim is the right to act on an answer. Only the winner of [Registry.Claim] holds one; exactly one of
// Settle and Release ends it.
type Claim struct {
	r   *Registry
	row Continuation
}

// Row returns the claimed row.
func (c *Claim) Row() Continuation { return c.row }

// Settle records that the answer was acted on, and what came of it.
func (c *Claim) Settle(ctx context.Context, outcome string) error {
	return c.move(ctx, Move{To: Answered, Outcome: outcome})
}

// Release gives the row back because nothing had happened: it is pending again and the person can simply answer again.
// Where another question waits by now it is superseded, and past its time it is expired.
func (c *Claim) Release(ctx context.Context) error {
	return c.move(ctx, Move{To: Pending})
}

// Close ends the row without an answer, for a claim that cannot be acted on.
func (c *Claim) Close(ctx context.Context, why Why, by string) error {
	return c.move(ctx, Move{To: Superseded, Why: why, By: by})
}

// Held returns nil while the claim is this turn's: it was not given back in its name, or ended, by a process that took the turn for dead.
// Otherwise it is [ErrClaimLost].
func (c *Claim) Held(ctx context.Context) error {
	row, err := c.r.c.Store.Get(ctx, c.row.ID, c.r.now())
	if err == nil && (row.Status != Claimed || row.ClaimedBy != c.row.ClaimedBy) {
		err = fmt.Errorf("%w: %s is %s", ErrClaimLost, row.ID, row.Status)
	}
	return err
}

func (c *Claim) move(ctx context.Context, m Move) error {
	m.ID, m.From, m.At = c.row.ID, Claimed, c.r.now()
	err := c.r.c.Atomically(ctx, func(ctx context.Context) error {
		if err := c.Held(ctx); err != nil {
			return err
		}
		row, err := c.r.c.Store.Move(ctx, m)
		if err != nil {
			return err
		}
		c.row = *row
		return c.r.recordSuperseded(ctx, row)
	})
	if err != nil {
		return fmt.Errorf("continuation: %s: %w", m.To, err)
	}
	return nil
}
