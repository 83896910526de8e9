package intercept_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/intercept"
)

func TestLoadRows(t *testing.T) {
	t.Parallel()
	got, err := intercept.LoadRows(strings.NewReader(`[
		{"name": "weather", "resolves_confirmation": false, "order": 20},
		{"name": "calendar", "resolves_confirmation": true, "trace_text": "looking at the calendar", "order": 10},
		{"name": "mail", "resolves_confirmation": true, "disabled": true, "order": 20}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []intercept.Row{
		{Name: "calendar", ResolvesConfirmation: true, TraceText: "looking at the calendar", Order: 10},
		{Name: "weather", Order: 20},
		{Name: "mail", ResolvesConfirmation: true, Disabled: true, Order: 20},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLoadRowsRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rows string
		want       []string
	}{
		{"nothing", ``, []string{"EOF"}},
		{"no JSON", `name: calendar`, []string{"invalid character"}},
		{"an object", `{}`, []string{"cannot unmarshal"}},
		{"two values", `[] []`, []string{"more than one value"}},
		{"a field that there is not", `[{"name": "a", "resolves_confirmation": true, "handler": "x"}]`, []string{"handler"}},
		{"all that is wrong", `[{"resolves_confirmation": true}, {"name": "a"}, {"name": "b", "resolves_confirmation": true}, {"name": "b", "resolves_confirmation": true}]`,
			[]string{"row 1 has no name", `"a" does not say`, `two rows are named "b"`}},
		{"too long", strings.Repeat(" ", 1<<20) + "[]", []string{"over 1048576 bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := intercept.LoadRows(strings.NewReader(tt.rows))
			if !errors.Is(err, intercept.ErrInvalid) {
				t.Fatalf("%v, want ErrInvalid", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
		})
	}
}

func FuzzLoadRows(f *testing.F) {
	f.Add(`[{"name": "a", "resolves_confirmation": true, "order": -1}]`)
	f.Add(`[{"name": "a"}]`)
	f.Add(`[null]`)
	f.Fuzz(func(t *testing.T, s string) {
		rows, err := intercept.LoadRows(strings.NewReader(s))
		if err != nil && rows != nil {
			t.Errorf("rows and an error: %v", err)
		}
		for _, r := range rows {
			if r.Name == "" {
				t.Errorf("a row without a name from %q", s)
			}
		}
	})
}

func quiet(context.Context, intercept.Message) (*intercept.Reply, error) { return nil, nil }

// TestARowIsNotWeakened: what says "resolves", or "off", holds, whoever says otherwise.
func TestARowIsNotWeakened(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		row           bool
		code, plugin  intercept.Confirmation
		wantShielded  bool
		wantDisabled  bool
		rowIsDisabled bool
		codeDisabled  bool
	}{
		{name: "nobody says so", code: intercept.Never, plugin: intercept.Never},
		{name: "the row does", row: true, code: intercept.Never, plugin: intercept.Never, wantShielded: true},
		{name: "the application's handler does", code: intercept.Resolves, plugin: intercept.Never, wantShielded: true},
		{name: "the plugin does", code: intercept.Never, plugin: intercept.Resolves, wantShielded: true},
		{name: "switched off in code", code: intercept.Never, plugin: intercept.Never, codeDisabled: true, wantDisabled: true},
		{name: "switched off by the row", code: intercept.Never, plugin: intercept.Never, rowIsDisabled: true, wantDisabled: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows := []intercept.Row{{Name: "x", ResolvesConfirmation: tt.row, Disabled: tt.rowIsDisabled}}
			specs := intercept.Arrange(rows, intercept.Spec{Name: "x", Handler: quiet, Confirmation: tt.code, Disabled: tt.codeDisabled})
			d := &desk{}
			c, err := intercept.NewChain(specs, []intercept.Spec{d.spec("x", tt.plugin, true)}, intercept.Config{})
			if err != nil {
				t.Fatal(err)
			}
			c.Dispatch(t.Context(), intercept.Message{}, nil, false, d)
			if called := len(d.called) > 0; called == (tt.wantShielded || tt.wantDisabled) {
				t.Errorf("called for who may not answer: %t", called)
			}
			if c.Has("x") == tt.wantDisabled {
				t.Errorf("enabled: %t", c.Has("x"))
			}
		})
	}
}

func TestArrange(t *testing.T) {
	t.Parallel()
	spec := func(name string) intercept.Spec {
		return intercept.Spec{Name: name, Handler: quiet, Confirmation: intercept.Never}
	}
	specs := intercept.Arrange([]intercept.Row{{Name: "c"}, {Name: "plugin's"}, {Name: "a"}}, spec("a"), spec("b"), spec("c"))
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"c", "plugin's", "a", "b"}, names); diff != "" {
		t.Error(diff)
	}
	_, err := intercept.NewChain(specs, nil, intercept.Config{})
	if err == nil || !strings.Contains(err.Error(), `"plugin's" has no handler`) {
		t.Errorf("a row that nobody handles: %v", err)
	}
	if _, err := intercept.NewChain(specs, []intercept.Spec{spec("plugin's")}, intercept.Config{}); err != nil {
		t.Error(err)
	}
}

// TestUnreadableFile falls back to the built-in chain, and says so.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	builtin := []intercept.Spec{{Name: "a", Handler: quiet, Confirmation: intercept.Never}, {Name: "b", Handler: quiet, Confirmation: intercept.Never}}
	for name, tt := range map[string]struct {
		path, first string
		warned      bool
	}{
		"missing": {filepath.Join(dir, "none.json"), "a", true},
		"broken":  {write("broken.json", `[{"name":`), "a", true},
		"good":    {write("good.json", `[{"name": "b", "resolves_confirmation": false}]`), "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			got := intercept.ArrangeFile(slog.New(slog.NewTextHandler(&log, nil)), tt.path, builtin...)
			if len(got) != 2 || got[0].Name != tt.first {
				t.Errorf("chain %v", got)
			}
			if warned := strings.Contains(log.String(), "level=WARN"); warned != tt.warned {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

func TestTheLibrarysOwnNameIsNotTaken(t *testing.T) {
	t.Parallel()
	_, err := intercept.NewChain(nil, []intercept.Spec{{Name: intercept.ConfirmationName, Handler: quiet, Confirmation: intercept.Resolves}}, intercept.Config{})
	if !errors.Is(err, intercept.ErrInvalid) {
		t.Errorf("a plugin took the confirmation intercept: %v", err)
	}
}
