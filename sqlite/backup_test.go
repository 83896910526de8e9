//go:build cgo

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/sqlite"
)

// TestBackup copies a store while it is written to: the copy is whole, and of one moment.
func TestBackup(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	fillPending(t, s, 2000)
	stop, stopped := make(chan struct{}), make(chan error)
	go func() { // each transaction adds a question and an audit row
		for i := 0; ; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := s.Atomically(t.Context(), func(ctx context.Context) error {
				_, err := s.Continuations().Open(ctx, question(fmt.Sprintf("live-%d", i)))
				return errors.Join(err, s.Audit().Append(ctx, audit.Entry{SessionID: "s", At: start, Kind: audit.KindClaimed}))
			}); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for n := range 5 {
		dest := filepath.Join(t.TempDir(), fmt.Sprintf("copy-%d.db", n))
		if err := sqlite.Backup(t.Context(), s, dest); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(dest)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("the copy: %v, %v", info, err)
		}
		checkCopy(t, dest)
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
}

// checkCopy opens a copy and counts: as many audit rows as questions that were asked while it was made.
func checkCopy(t *testing.T, path string) {
	t.Helper()
	c, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rows, err := c.Continuations().List(t.Context(), continuation.Query{Limit: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.Verify(t.Context(), c.Audit())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows)-2000 != report.Rows {
		t.Errorf("the copy has %d live questions and %d audit rows: it is not of one moment", len(rows)-2000, report.Rows)
	}
}

func TestBackupLeavesNothingHalfDone(t *testing.T) {
	t.Parallel()
	s := openNormal(t, sqlite.Options{})
	fillPending(t, s, 10)
	dir := t.TempDir()
	there := filepath.Join(dir, "there.db")
	if err := os.WriteFile(there, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Backup(t.Context(), s, there); !errors.Is(err, sqlite.ErrExists) {
		t.Errorf("over a file: %v", err)
	}
	if b, _ := os.ReadFile(there); string(b) != "precious" {
		t.Errorf("the file is now %q", b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sqlite.Backup(ctx, s, filepath.Join(dir, "never.db")); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if err := sqlite.Backup(t.Context(), s, filepath.Join(dir, "no", "such", "dir.db")); !errors.Is(err, sqlite.ErrCannotOpen) {
		t.Errorf("into nowhere: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	m, err := sqlite.Open(t.Context(), sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	fillPending(t, m, 2000)
	dest := filepath.Join(dir, "memory.db")
	if err := sqlite.Backup(t.Context(), m, dest); err != nil {
		t.Fatal(err)
	}
	checkCopy(t, dest)
}
