package memstore_test

import (
	"testing"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest/memstore"
)

func TestAskAndClaim(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := continuation.NewRegistry(continuation.Config{Store: memstore.New().Continuations(), Clock: func() time.Time { return now }})
	asked, _, err := r.Ask(t.Context(), continuation.Ask{SessionID: "s", Owner: "planner", Question: "Shall I?", Kind: continuation.YesNo})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Claim(t.Context(), continuation.Claimant{ID: asked.ID, SessionID: "s", TurnID: "t"}); err != nil {
		t.Fatal(err)
	}
	if p, err := r.Pending(t.Context(), "s"); p != nil || err != nil {
		t.Fatalf("pending after the claim: %v, %v", p, err)
	}
}
