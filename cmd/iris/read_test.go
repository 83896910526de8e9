package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// runIris runs the tool and returns what it prints and its exit code.
func runIris(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = dispatch(context.Background(), args, &out, &errs)
	return out.String(), errs.String(), code
}

func TestReadReply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{
			"decision",
			[]string{"read", "--question", "Shall I archive it?", "yes, but", "rename it"},
			"decision: yes_with_more\nreason:   it says yes and brings something more\n",
		},
		{
			"options in one flag",
			[]string{"read", "--options", "tea|coffee", "the second one, and hurry"},
			"decision: unclear\nreason:   it opens with something that is neither yes nor no\npick:     2, coffee\nmore:     and hurry\n",
		},
		{
			"options in two flags",
			[]string{"read", "--options", "tea", "--options", "coffee", "3"},
			"decision: unclear\nreason:   it opens with something that is neither yes nor no\npick:     none\n",
		},
		{
			"json",
			[]string{"read", "--json", "no"},
			`{"verdict":"no","strong":false,"reason":"it says no"}` + "\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runIris(t, tt.args...)
			if diff := cmp.Diff(tt.want, stdout); diff != "" || code != exitOK {
				t.Errorf("code %d, %s (-want +got):\n%s", code, stderr, diff)
			}
		})
	}
}

func TestReadCorpusJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := runIris(t, "read", "--corpus", filepath.Join("testdata", "replies.jsonl"), "--json")
	if code != exitOK {
		t.Fatalf("code %d: %s", code, stderr)
	}
	var got map[string]float64
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"n": 10, "plain_yes": 2, "plain_yes_precision": 1, "plain_yes_recall": 2.0 / 3, "yes_recall": 1,
		"more_as_plain_yes": 0, "none_as_plain_yes": 0, "none_as_yes_with_more": 0.5,
		"no_precision": 1, "no_recall": 1, "no_with_more_recall": 0.5, "none_as_no": 0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

func TestReadChoiceCorpusJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := runIris(t, "read", "--corpus", filepath.Join("testdata", "choices.jsonl"), "--json")
	want := `{"n":4,"choice_precision":1,"choice_recall":0.5}` + "\n"
	if diff := cmp.Diff(want, stdout); diff != "" || code != exitOK {
		t.Errorf("code %d, %s (-want +got):\n%s", code, stderr, diff)
	}
}

func TestReadCorpusTable(t *testing.T) {
	t.Parallel()
	stdout, _, code := runIris(t, "read", "--corpus", filepath.Join("testdata", "replies.jsonl"))
	for _, line := range []string{"replies ", "plain yes: precision ", "100.00 %", "2 of 2", "no: recall "} {
		if !strings.Contains(stdout, line) || code != exitOK {
			t.Errorf("code %d, no %q in:\n%s", code, line, stdout)
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		code int
		want string // in stderr
	}{
		{"no command", nil, exitUsage, "usage: iris"},
		{"unknown command", []string{"fly"}, exitUsage, `unknown command "fly"`},
		{"no reply", []string{"read"}, exitUsage, "-question"},
		{"unknown flag", []string{"read", "--nope"}, exitUsage, "nope"},
		{"no such file", []string{"read", "--corpus", filepath.Join("testdata", "none.jsonl")}, exitFail, "none.jsonl"},
		{"broken row", []string{"read", "--corpus", filepath.Join("testdata", "broken.jsonl")}, exitFail, "line 2"},
		{"two kinds of rows", []string{"read", "--corpus", filepath.Join("testdata", "both.jsonl")}, exitFail, "in one corpus"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, stderr, code := runIris(t, tt.args...)
			if code != tt.code || !strings.Contains(stderr, tt.want) {
				t.Errorf("code %d, want %d; no %q in %q", code, tt.code, tt.want, stderr)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	stdout, _, code := runIris(t, "help")
	if code != exitOK || !strings.Contains(stdout, "read") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}
