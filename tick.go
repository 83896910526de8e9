package iris

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/pipeline"
)

const (
	tickEvery  = time.Minute     // what Tick does, under Run
	lookEvery  = 2 * time.Second // deliveries and decided requests, under Run
	sweepBatch = 500
)

// Run does what happens outside of turns until ctx ends, and returns ctx's error: a Tick every minute, and a look for deliveries and for decisions that were
// made elsewhere every two seconds. Several processes may run on one store.
func (h *Harness) Run(ctx context.Context) error {
	tick, look := time.NewTicker(tickEvery), time.NewTicker(lookEvery)
	defer tick.Stop()
	defer look.Stop()
	h.logError(ctx, "tick", h.Tick(ctx))
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			h.logError(ctx, "tick", h.Tick(ctx))
		case <-look.C:
			h.logError(ctx, "look", h.look(ctx))
		}
	}
}

func (h *Harness) logError(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		h.c.Logger.ErrorContext(ctx, what, "err", err)
	}
}

// Tick does once what Run does: it times out approvals that are overdue, delivers what is due, takes up decided runs, recovers what dead processes left,
// runs the heartbeats that are due, and sweeps. Each part is tried whatever becomes of the others; the errors are joined.
func (h *Harness) Tick(ctx context.Context) error {
	if s, inside := pipeline.ScopeOf(ctx); inside {
		return fmt.Errorf("%w: Tick from inside a callback of session %q", ErrReentrant, s.SessionID)
	}
	_, lapse := h.approvals.Lapse(ctx)
	look := h.look(ctx)
	_, recovery := h.Recover(ctx)
	return errors.Join(lapse, look, recovery, h.heartbeats(ctx), h.sweep(ctx))
}

func (h *Harness) look(ctx context.Context) error {
	_, delivery := h.deliverer.Deliver(ctx)
	_, taken := h.approvals.TakeUp(ctx)
	return errors.Join(delivery, taken)
}

// sweep marks and deletes what is past its time.
func (h *Harness) sweep(ctx context.Context) error {
	now := h.c.Clock().UTC()
	keep := now.Add(-h.c.Keep)
	_, err1 := h.c.Store.Continuations().Sweep(ctx, now, keep, sweepBatch)
	_, err2 := h.c.Store.Checkpoints().Sweep(ctx, now, sweepBatch)
	_, err3 := h.c.Store.Approvals().Sweep(ctx, keep, sweepBatch)
	return errors.Join(err1, err2, err3)
}
