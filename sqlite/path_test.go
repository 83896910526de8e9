//go:build cgo

package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/sqlite"
)

// TestPathsThatCannotBeOpened: a typed error each, with the path and a hint, and the file as it was.
func TestPathsThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	write := func(content string, mode os.FileMode) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(content), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    error
	}{
		{"a directory", func(t *testing.T, path string) { mkdir(t, path, 0o700) }, sqlite.ErrIsDirectory},
		{"no such directory", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, sqlite.ErrCannotOpen},
		{"a read-only file", func(t *testing.T, path string) { filled(t, path); chmod(t, path, 0o400) }, sqlite.ErrReadOnly},
		{"a read-only directory", func(t *testing.T, path string) { chmod(t, filepath.Dir(path), 0o500) }, sqlite.ErrReadOnly},
		{"some other file", write(strings.Repeat("not a database at all\n", 500), 0o600), sqlite.ErrNotADatabase},
		{"a short other file", write("hello", 0o600), sqlite.ErrNotADatabase},
		{"a truncated database", func(t *testing.T, path string) {
			filled(t, path)
			if err := os.Truncate(path, 10_000); err != nil {
				t.Fatal(err)
			}
		}, sqlite.ErrCorrupt},
		{"another program's database", func(t *testing.T, path string) {
			c := rawConn(t, path)
			if err := errors.Join(rawExec(c, "CREATE TABLE theirs (a); PRAGMA user_version = 1"), c.Close()); err != nil {
				t.Fatal(err)
			}
		}, sqlite.ErrForeign},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "dir")
			mkdir(t, dir, 0o700)
			t.Cleanup(func() { os.Chmod(dir, 0o700) })
			path := filepath.Join(dir, "iris.db")
			test.prepare(t, path)
			before, _ := os.ReadFile(path)
			s, err := sqlite.Open(t.Context(), path)
			if err == nil {
				s.Close()
			}
			var e *sqlite.Error
			if !errors.Is(err, test.want) || !errors.As(err, &e) || e.Path != path || !strings.Contains(err.Error(), path) {
				t.Fatalf("open: %v, want %v with the path", err, test.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Errorf("the file was touched")
			}
		})
	}
	if _, err := sqlite.Open(t.Context(), ""); !errors.Is(err, sqlite.ErrCannotOpen) {
		t.Errorf("open of no path: %v", err)
	}
	if _, err := sqlite.OpenWith(t.Context(), sqlite.Memory, sqlite.Options{Synchronous: "SOMETIMES"}); !errors.Is(err, sqlite.ErrCannotOpen) {
		t.Errorf("an unknown level: %v", err)
	}
}

func mkdir(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Mkdir(path, mode); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// filled makes a store with some rows and closes it.
func filled(t *testing.T, path string) {
	t.Helper()
	s, err := sqlite.OpenWith(t.Context(), path, sqlite.Options{Synchronous: sqlite.Off})
	if err != nil {
		t.Fatal(err)
	}
	fillPending(t, s, 500)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestGarbagePage damages the last pages: whoever meets the damage gets the typed error, and what is elsewhere is still read.
func TestGarbagePage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "iris.db")
	filled(t, path)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for page := info.Size() / 4096 * 3 / 4; page < info.Size()/4096; page++ {
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xA5}, 4096), page*4096); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	damaged := 0
	for i := range 500 {
		c, err := s.Continuations().Pending(t.Context(), fmt.Sprintf("s%d", i), start)
		switch {
		case errors.Is(err, sqlite.ErrCorrupt):
			damaged++
		case err != nil:
			t.Fatalf("pending: %v", err)
		case c != nil && c.SessionID != fmt.Sprintf("s%d", i):
			t.Fatalf("session s%d reads the question of %s", i, c.SessionID)
		}
	}
	if damaged == 0 {
		t.Errorf("nobody met the damage")
	}
}

// TestFullDisk fills a file up to its limit: every write is told, nothing that was committed is lost, and there is a way on.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "iris.db")
	s, err := sqlite.OpenWith(t.Context(), path, sqlite.Options{Synchronous: sqlite.Off, MaxPages: 120})
	if err != nil {
		t.Fatal(err)
	}
	kept, failed := 0, 0
	for i := 0; failed < 20; i++ {
		c := question(fmt.Sprintf("s%d", i))
		c.Question = strings.Repeat("q", 2000)
		_, err := s.Continuations().Open(t.Context(), c)
		switch {
		case err == nil && failed == 0:
			kept++
		case err == nil:
			t.Fatalf("a write went through after the disk was full")
		case !errors.Is(err, sqlite.ErrFull):
			t.Fatalf("write %d: %v, want %v", i, err, sqlite.ErrFull)
		default:
			failed++
		}
	}
	for i := range kept {
		if c, err := s.Continuations().Pending(t.Context(), fmt.Sprintf("s%d", i), start); err != nil || c == nil {
			t.Fatalf("question %d is lost: %v", i, err)
		}
	}
	for i := range kept / 2 { // what frees space works
		if err := s.Sessions().Forget(t.Context(), fmt.Sprintf("s%d", i)); err != nil {
			t.Fatalf("forget: %v", err)
		}
	}
	if _, err := s.Continuations().Open(t.Context(), question("again")); err != nil {
		t.Errorf("a write after space was freed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err = sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Continuations().List(t.Context(), continuation.Query{Limit: 10_000})
	if err != nil || len(rows) != kept-kept/2+1 {
		t.Errorf("%d rows after reopening, want %d: %v", len(rows), kept-kept/2+1, err)
	}
}
