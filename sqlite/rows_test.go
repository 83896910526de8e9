//go:build cgo

package sqlite_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/sqlite"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// question is a yes/no that waits an hour from start.
func question(sessionID string) continuation.Continuation {
	return continuation.Continuation{
		ID: id.New(start), SessionID: sessionID, TurnID: "01HZZZZZZZZZZZZZZZZZZZZZZZ", Owner: "planner", Kind: continuation.YesNo,
		Origin: continuation.Explicit, Question: "Would you like me to proceed with this plan?", Channel: "web",
		CreatedAt: start, ExpiresAt: start.Add(time.Hour),
	}
}

// fillPending opens a question in each of so many sessions.
func fillPending(t testing.TB, s *sqlite.Store, rows int) {
	var done sync.WaitGroup
	for part := range 64 {
		done.Go(func() {
			for i := part; i < rows; i += 64 {
				if _, err := s.Continuations().Open(t.Context(), question(fmt.Sprintf("s%d", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

// openAt opens a fresh file whose commits wait for what level says.
func openAt(t testing.TB, level sqlite.Synchronous) *sqlite.Store {
	s, err := sqlite.OpenWith(t.Context(), filepath.Join(t.TempDir(), "iris.db"), sqlite.Options{Synchronous: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
