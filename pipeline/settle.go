package pipeline

import (
	"context"

	"github.com/iris-harness/iris/approval"
)

// Settle records what became of an effect that was cut off, in the name of by.
func (p *Pipeline) Settle(ctx context.Context, key string, happened bool, by string) error {
	return p.c.Stores.Atomically(ctx, func(ctx context.Context) error {
		return settleEffect(ctx, p.c.Stores, key, happened, by, p.now())
	})
}

// RequestResume asks, durably, for a run to be taken up by a process that can.
func (p *Pipeline) RequestResume(ctx context.Context, runID string) error {
	r, err := p.resumption(ctx, runID)
	if err != nil {
		return err
	}
	now := p.now()
	return p.c.Stores.Outbox().Put(ctx, approval.Delivery{
		Key: "resume/" + runID, Kind: approval.DeliverResume, Channel: r.run.Channel, SessionID: r.run.SessionID, RunID: runID, NextAt: now, CreatedAt: now,
	})
}
