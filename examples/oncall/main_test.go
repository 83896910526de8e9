package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStory(t *testing.T) {
	t.Parallel()
	tool := filepath.Join(t.TempDir(), "iris")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "github.com/iris-harness/iris/cmd/iris").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	var got strings.Builder
	if err := run(t.Context(), tool, &got); err != nil {
		t.Fatalf("%v\n%s", err, got.String())
	}
	want, err := os.ReadFile("testdata/transcript.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("testdata/transcript.txt (-told +observed):\n%s", diff)
	}
}
