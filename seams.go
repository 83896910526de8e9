package iris

import (
	"context"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/pipeline"
	"github.com/iris-harness/iris/plugin"
)

// seams is what plugins can reach of the harness.
func (h *Harness) seams() plugin.Seams {
	return plugin.Seams{
		Turn: currentTurn,
		AskInTurn: func(ctx context.Context, a continuation.Ask) error {
			return h.pipeline.AskInTurn(ctx, a)
		},
		AskNow: func(ctx context.Context, a continuation.Ask) (*continuation.Continuation, error) {
			return h.pipeline.AskNow(ctx, a)
		},
		Pending: func(ctx context.Context, sessionID string) (*continuation.Continuation, error) {
			return h.registry.Pending(ctx, sessionID)
		},
		Withdraw: func(ctx context.Context, sessionID, id string) error {
			_, err := h.registry.Withdraw(ctx, sessionID, id, continuation.Withdrawn, "its owner")
			return err
		},
		PendingActions: func(ctx context.Context) ([]plugin.Action, error) { return h.PendingActions(ctx) },
		Log:            h.c.Logger,
	}
}

func currentTurn(ctx context.Context) *plugin.Turn {
	s, ok := pipeline.ScopeOf(ctx)
	if !ok {
		return nil
	}
	return &plugin.Turn{SessionID: s.SessionID, Query: s.Query, Channel: s.Channel, Sender: s.Sender}
}
