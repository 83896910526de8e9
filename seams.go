package iris

import (
	"context"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/pipeline"
	"github.com/iris-harness/iris/plugin"
)

// seams is what plugins can reach of the harness: nothing, until it stands.
func (h *Harness) seams() plugin.Seams {
	return plugin.Seams{
		Turn: currentTurn,
		AskInTurn: func(ctx context.Context, a continuation.Ask) error {
			return h.whenStanding(func() error { return h.pipeline.AskInTurn(ctx, a) })
		},
		AskNow: func(ctx context.Context, a continuation.Ask) (asked *continuation.Continuation, err error) {
			err = h.whenStanding(func() (err error) { asked, err = h.pipeline.AskNow(ctx, a); return err })
			return asked, err
		},
		Pending: func(ctx context.Context, sessionID string) (c *continuation.Continuation, err error) {
			err = h.whenStanding(func() (err error) { c, err = h.registry.Pending(ctx, sessionID); return err })
			return c, err
		},
		Withdraw: func(ctx context.Context, sessionID, id string) error {
			return h.whenStanding(func() error {
				return h.pipeline.Withdraw(ctx, sessionID, id, "its owner")
			})
		},
		PendingActions: func(ctx context.Context) (all []plugin.Action, err error) {
			err = h.whenStanding(func() (err error) { all, err = h.PendingActions(ctx); return err })
			return all, err
		},
		Log: h.c.Logger,
	}
}

// whenStanding calls f once the harness is built: a plugin has its services from Register on.
func (h *Harness) whenStanding(f func() error) error {
	if !h.stands.Load() {
		return plugin.ErrNoHarness
	}
	return f()
}

func currentTurn(ctx context.Context) *plugin.Turn {
	s, ok := pipeline.ScopeOf(ctx)
	if !ok {
		return nil
	}
	return &plugin.Turn{SessionID: s.SessionID, Query: s.Query, Channel: s.Channel, Sender: s.Sender}
}
