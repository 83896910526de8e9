//go:build cgo

package sqlite_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris/sqlite"
	"github.com/iris-harness/iris/storetest"
)

// paths remembers where a store is, for a second handle on it.
type paths struct{ byStore sync.Map }

func (p *paths) open(t storetest.TB, path string, o sqlite.Options) storetest.Store {
	t.Helper()
	s, err := sqlite.OpenWith(t.Context(), path, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	p.byStore.Store(s, path)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func (p *paths) of(s storetest.Store) string {
	path, _ := p.byStore.Load(s)
	return path.(string)
}

func TestStore(t *testing.T) {
	t.Parallel()
	p, o := &paths{}, sqlite.Options{Synchronous: sqlite.Normal}
	file := func(t storetest.TB) string { return filepath.Join(t.TempDir(), "iris.db") }
	storetest.Run(t, storetest.Factory{
		Open:   func(t storetest.TB) storetest.Store { return p.open(t, file(t), o) },
		Second: func(t storetest.TB, s storetest.Store) storetest.Store { return p.open(t, p.of(s), o) },
		Reopen: func(t storetest.TB, s storetest.Store) storetest.Store {
			if err := s.Close(); err != nil {
				t.Fatalf("close: %v", err)
			}
			return p.open(t, p.of(s), o)
		},
		Impatient: func(t storetest.TB) storetest.Store {
			return p.open(t, file(t), sqlite.Options{Synchronous: sqlite.Normal, Patience: 100 * time.Millisecond})
		},
		TxDone:   sqlite.ErrTxDone,
		Deadlock: sqlite.ErrDeadlock,
	})
}

func TestStoreInMemory(t *testing.T) {
	t.Parallel()
	p := &paths{}
	storetest.Run(t, storetest.Factory{
		Open: func(t storetest.TB) storetest.Store { return p.open(t, sqlite.Memory, sqlite.Options{}) },
		Impatient: func(t storetest.TB) storetest.Store {
			return p.open(t, sqlite.Memory, sqlite.Options{Patience: 100 * time.Millisecond})
		},
		TxDone:   sqlite.ErrTxDone,
		Deadlock: sqlite.ErrDeadlock,
	})
}
