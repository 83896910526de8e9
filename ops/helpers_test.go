package ops_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/ops"
	"github.com/iris-harness/iris/sqlite"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts with what was observed")

// desk is an application with a store's file, and an operator's tool on a second handle of that file.
type desk struct {
	*iristest.Harness
	t     *testing.T
	path  string
	done  atomic.Int64 // how often the tools acted
	ops   ops.Commands
	log   strings.Builder
	names map[string]string
}

type anything struct {
	Text string `json:"text,omitempty"`
}

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenWith(t.Context(), path, sqlite.Options{Synchronous: sqlite.Off})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newDesk(t *testing.T, model *iristest.ScriptedModel, opts ...iristest.Option) *desk {
	t.Helper()
	d := &desk{t: t, path: filepath.Join(t.TempDir(), "iris.db"), names: map[string]string{}}
	tools := iristest.Tools(
		d.tool("restart", iris.Destructive, nil), d.tool("look", iris.ReadOnly, nil), d.tool("pay", iris.Write, iris.ErrOutcomeUnknown),
	)
	d.Harness = iristest.New(t, model, append([]iristest.Option{iristest.Store(open(t, d.path)), tools}, opts...)...)
	d.ops = ops.Commands{Open: d.operator, Clock: d.Clock.Now}
	return d
}

func (d *desk) tool(name string, effect governance.Effect, err error) iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: name, Description: name, Effect: effect}, func(context.Context, anything) (string, error) {
		d.done.Add(1)
		return "ok", err
	})
}

// operator opens the file as another process does: without a runtime.
func (d *desk) operator(ctx context.Context) (*iris.Harness, io.Closer, error) {
	store, err := sqlite.OpenWith(ctx, d.path, sqlite.Options{Synchronous: sqlite.Off})
	if err != nil {
		return nil, nil, err
	}
	h, err := iris.NewOperator(iris.Config{Store: store, Clock: d.Clock.Now})
	return h, store, err
}

// mounted is the tool with the application's own harness: it resumes by itself.
func (d *desk) mounted() {
	d.ops.Open = func(context.Context) (*iris.Harness, io.Closer, error) { return d.Harness.Harness, nil, nil }
}

// run runs one command as Ann and keeps its transcript.
func (d *desk) run(want int, args ...string) string {
	d.t.Helper()
	var out, errs strings.Builder
	code := d.ops.Run(d.t.Context(), append(args, "--as", "ann"), &out, &errs)
	if code != want {
		d.t.Errorf("%q: exit %d, want %d\n%s%s", args, code, want, out.String(), errs.String())
	}
	fmt.Fprintf(&d.log, "$ iris %s\n%s", strings.Join(args, " "), out.String())
	for l := range strings.Lines(errs.String()) {
		d.log.WriteString("! " + l)
	}
	if code != ops.ExitOK {
		fmt.Fprintf(&d.log, "[exit %d]\n", code)
	}
	return out.String()
}

// say takes a turn of the application and keeps the first line of its answer in the transcript.
func (d *desk) say(text string) iris.Reply {
	d.t.Helper()
	r := d.Say(text)
	first, _, _ := strings.Cut(r.Text, "\n")
	fmt.Fprintf(&d.log, "you> %s\nbot> %s\n", text, first)
	return r
}

// tick does what the application's Run does, and keeps what it delivered.
func (d *desk) tick() {
	d.t.Helper()
	before := len(d.Sent.Texts())
	if err := d.Tick(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	d.log.WriteString("(the application's Run)\n")
	for _, text := range d.Sent.Texts()[before:] {
		fmt.Fprintf(&d.log, "bot> %s\n", text)
	}
}

var (
	ulids = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)
	sums  = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
)

// scrub names the ids in the order they appear, and takes the digests out.
func (d *desk) scrub(s string) string {
	s = ulids.ReplaceAllStringFunc(s, func(id string) string {
		if d.names[id] == "" {
			d.names[id] = fmt.Sprintf("ID%d", len(d.names)+1)
		}
		return d.names[id]
	})
	return sums.ReplaceAllString(s, "SHA-256")
}

// golden compares the transcript with testdata/name.txt.
func (d *desk) golden(name string) {
	d.t.Helper()
	file, got := filepath.Join("testdata", name+".txt"), d.scrub(d.log.String())
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		d.t.Errorf("%s (-golden +observed):\n%s", file, diff)
	}
}
