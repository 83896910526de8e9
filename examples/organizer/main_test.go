package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/iristest"
)

func TestStory(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	want, err := os.ReadFile("testdata/transcript.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("testdata/transcript.txt (-told +observed):\n%s", diff)
	}
}

// TestPlugin has the organizer checked as every plugin is. Each time it has moved the file, another one is there.
func TestPlugin(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	folder := filepath.Join(root, "downloads")
	var n atomic.Int64
	moved := func() int {
		left, _ := filepath.Glob(filepath.Join(folder, "txt", "*"))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Error(err)
		}
		if here, _ := filepath.Glob(filepath.Join(folder, "*.txt")); len(here) == 0 {
			name := strings.Repeat("x", int(n.Add(1))) + ".txt"
			if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
				t.Error(err)
			}
		}
		return len(left)
	}
	moved()
	iristest.CheckPlugin(t, (&organizer{root: root}).plugin(), iristest.PluginScript{Ask: "organize downloads", Acted: moved})
}
