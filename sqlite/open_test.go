//go:build cgo

package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/sqlite"
)

func TestAcrossARestart(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "a file #1?.db")
	open := func() *sqlite.Store {
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	registry := func() *continuation.Registry {
		return continuation.NewRegistry(continuation.Config{Store: s.Continuations(), Log: s.Audit(), Atomically: s.Atomically, Clock: func() time.Time { return now }})
	}
	asked, _, err := registry().Ask(t.Context(), continuation.Ask{SessionID: "s", Owner: "planner", Question: "Shall I?", Kind: continuation.YesNo})
	if err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", path+suffix, info.Mode())
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	p, err := registry().Pending(t.Context(), "s")
	if err != nil || p == nil || p.ID != asked.ID {
		t.Fatalf("pending after the restart: %v, %v", p, err)
	}
	if _, err := registry().Claim(t.Context(), continuation.Claimant{ID: asked.ID, SessionID: "s", TurnID: "t"}); err != nil {
		t.Fatal(err)
	}
	if p, err := registry().Pending(t.Context(), "s"); p != nil || err != nil {
		t.Fatalf("pending after the claim: %v, %v", p, err)
	}
}
