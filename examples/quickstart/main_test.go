package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStory(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), "", false, nil, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```\n"+out.String()+"```") {
		t.Errorf("README.md does not show the story as it is told:\n%s", out.String())
	}
	for _, want := range []string{
		"the answer reached the planner; files moved: 0", "same run: true", "answered: 1; already answered: 1; files moved: 1 time(s)", "All of it held.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the story does not tell %q:\n%s", want, out.String())
		}
	}
}

func TestChat(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "iris.db")
	var first, second strings.Builder
	if err := run(t.Context(), path, true, strings.NewReader("milk and bread\n"), &first); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), path, true, strings.NewReader("\nbuy milk and bread\n"), &second); err != nil {
		t.Fatal(err)
	}
	if want := "iris> Kept: buy milk and bread"; !strings.Contains(second.String(), want) {
		t.Errorf("after a restart: no %q in\n%s%s", want, first.String(), second.String())
	}
}
