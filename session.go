package iris

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/pipeline"
)

// SessionView is what a conversation waits on, and how it came to that.
type SessionView = pipeline.SessionView

// sessionHistory is how many closed questions Session shows.
const sessionHistory = 50

// Session says what a conversation waits on: what was asked, by whom, since when, until when, how to answer; and its closed questions.
func (h *Harness) Session(ctx context.Context, sessionID string) (*SessionView, error) {
	return h.pipeline.Session(ctx, sessionID, sessionHistory)
}

// Questions lists open questions of all sessions, newest first: up to limit of them, older than the id before ("" starts at the newest).
func (h *Harness) Questions(ctx context.Context, before string, limit int) ([]OpenQuestion, error) {
	rows, err := h.registry.List(ctx, continuation.Query{Status: []continuation.Status{continuation.Pending}, Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	out := make([]OpenQuestion, len(rows))
	for i := range rows {
		out[i] = *pipeline.OpenOf(&rows[i])
	}
	return out, nil
}

// Withdraw takes a session's open question back, in the name of by. The run behind it, if there is one, ends. A question that is not open is
// a *continuation.ClosedError; another session's is continuation.ErrNotFound.
func (h *Harness) Withdraw(ctx context.Context, sessionID, continuationID, by string) error {
	return h.pipeline.Withdraw(ctx, sessionID, continuationID, by)
}

// Runs lists runs newest first: of one session, or ("") of all; older than the id before.
func (h *Harness) Runs(ctx context.Context, sessionID, before string, limit int) ([]checkpoint.Run, error) {
	runs, err := h.c.Store.Checkpoints().List(ctx, checkpoint.Query{
		SessionID: sessionID, Before: before, Limit: limit, Now: h.c.Clock().UTC(),
	})
	if err != nil {
		return nil, fmt.Errorf("iris: runs: %w", err)
	}
	return runs, nil
}
