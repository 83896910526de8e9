//go:build !cgo

package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/iris-harness/iris/sqlite"
)

func TestWithoutCgo(t *testing.T) {
	t.Parallel()
	for _, path := range []string{sqlite.Memory, filepath.Join(t.TempDir(), "iris.db")} {
		if _, err := sqlite.Open(t.Context(), path); !errors.Is(err, sqlite.ErrNoCgo) {
			t.Errorf("open of %s: %v, want %v", path, err, sqlite.ErrNoCgo)
		}
	}
}
