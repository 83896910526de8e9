package iris_test

import (
	"context"
	"testing"
	"time"

	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/session"
)

// deadTurn leaves an open turn of a process that is gone in s1, and returns its id.
func deadTurn(t *testing.T, h *iristest.Harness) string {
	t.Helper()
	const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	err := h.Store.Atomically(t.Context(), func(ctx context.Context) error {
		now := h.Clock.Now()
		l, err := h.Store.Sessions().Acquire(ctx, "s1", id, now, now.Add(time.Minute))
		if err != nil {
			return err
		}
		_, err = h.Store.Sessions().OpenTurn(ctx, session.Turn{ID: id, SessionID: "s1", Epoch: l.Epoch, State: session.Open, StartedAt: now})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
