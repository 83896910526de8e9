package pipeline

import (
	"context"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/loop"
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
	if err := p.unambiguous(ctx, runID); err != nil {
		return err
	}
	now := p.now()
	return p.c.Stores.Outbox().Put(ctx, approval.Delivery{
		Key: "resume/" + runID, Kind: approval.DeliverResume, Channel: r.run.Channel, SessionID: r.run.SessionID, RunID: runID, NextAt: now, CreatedAt: now,
	})
}

// unambiguous refuses a run with an effect that nobody knows the outcome of. A tool's probe is not asked: it belongs to a process with a runtime.
func (p *Pipeline) unambiguous(ctx context.Context, runID string) error {
	effects, err := p.c.Stores.Ledger().Effects(ctx, runID)
	if err != nil {
		return err
	}
	refusal := &loop.AmbiguousEffectError{RunID: runID}
	for i := range effects {
		if effects[i].Ambiguous() {
			refusal.Keys, refusal.Tools = append(refusal.Keys, effects[i].Key), append(refusal.Tools, effects[i].Tool)
		}
	}
	if refusal.Keys == nil {
		return nil
	}
	return refusal
}
