package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStory(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), "testdata/mail.mbox", &out); err != nil {
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

func TestBrokenBox(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no mail":       "hello\n",
		"no sender":     "From x Mon Sep  7 09:12:00 2026\nSubject: x\n\nx\n",
		"broken header": "From x Mon Sep  7 09:12:00 2026\nnonsense\n\nx\n",
	} {
		path := t.TempDir() + "/mail.mbox"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if box, err := readBox(path); err == nil {
			t.Errorf("%s: read as %v", name, box)
		}
	}
}
