package iris_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/faultstore"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/sqlite"
)

var crashFile = flag.Bool("crash-sqlite", false, "crash at every write on a file, too, not only in memory")

// TestCrashEverywhere stops the process at every write of every conversation script, in each of three ways, and looks at what is left.
func TestCrashEverywhere(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts (%v)", err)
	}
	total := 0
	for _, script := range scripts {
		total += crashScript(t, script, func(t *testing.T) func() iris.Store {
			s := memstore.New()
			t.Cleanup(func() { _ = s.Close() })
			return func() iris.Store { return s }
		})
	}
	t.Logf("%d crash points in %d scripts", total, len(scripts))
}

// crashScript crashes one script at all of its points and returns how many there were.
func crashScript(t *testing.T, script string, store func(t *testing.T) func() iris.Store) int {
	t.Helper()
	points := 0
	for _, mode := range faultstore.Modes {
		for n := 1; ; n++ {
			p := iristest.CrashPoint{Write: n, Mode: mode}
			broken, reached, err := iristest.Crash(t, script, p, store(t))
			if err != nil {
				t.Errorf("%s, %s write %d: %v", filepath.Base(script), mode, n, err)
			}
			for _, b := range broken {
				t.Errorf("%s, %s write %d: %s", filepath.Base(script), mode, n, b)
			}
			if !reached {
				break
			}
			points++
		}
	}
	return points
}

func TestCrashOnAFile(t *testing.T) {
	t.Parallel()
	scripts := []string{"testdata/script/restart.txtar", "testdata/script/superseded.txtar", "testdata/script/halts_again.txtar"}
	if *crashFile {
		var err error
		if scripts, err = filepath.Glob("testdata/script/*.txtar"); err != nil {
			t.Fatal(err)
		}
	}
	total := 0
	for _, script := range scripts {
		total += crashScript(t, script, func(t *testing.T) func() iris.Store {
			path := filepath.Join(t.TempDir(), "iris.db")
			var open *sqlite.Store
			t.Cleanup(func() { _ = open.Close() })
			return func() iris.Store {
				if open != nil {
					_ = open.Close()
				}
				s, err := sqlite.OpenWith(t.Context(), path, sqlite.Options{Synchronous: sqlite.Off})
				if err != nil {
					t.Fatal(err)
				}
				open = s
				return s
			}
		})
	}
	t.Logf("%d crash points in %d scripts", total, len(scripts))
}
