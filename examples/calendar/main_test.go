package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestUnreadableInvitation: what the executor cannot make sense of writes nothing.
func TestUnreadableInvitation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, payload := range []string{
		`"lunch"`, `{}`, `{"id": "a", "start": "Thursday", "length": "1h", "guests": ["x"]}`,
		`{"id": "../a", "start": "2026-09-17T12:00:00Z", "length": "1h", "guests": ["x"]}`, `{"id": "a", "start": "2026-09-17T12:00:00Z", "length": "1h"}`,
	} {
		if outcome, err := (&calendar{dir}).Execute(t.Context(), json.RawMessage(payload)); err == nil {
			t.Errorf("%s: %s", payload, outcome)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%d files were written: %v", len(files), err)
	}
}
