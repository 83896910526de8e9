package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/sqlite"
)

// operate runs one command line and returns its exit code and all that it printed.
func operate(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out strings.Builder
	code := dispatch(t.Context(), args, &out, &out)
	return code, out.String()
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.db")
	code, out := operate(t, "actions", "--db", path)
	if code != exitFail || !strings.Contains(out, "there is no file "+path) {
		t.Errorf("exit %d: %s", code, out)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

// TestDecidedHereTakenUpThere decides with the tool on the file of an application: its Tick takes the run up.
func TestDecidedHereTakenUpThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "iris.db")
	acted := 0
	h := application(t, path, &acted)
	r, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "restart the database"})
	if err != nil {
		t.Fatal(err)
	}
	code, out := operate(t, "approvals", "approve", r.Approvals[0], "--db", path, "--as", "ann")
	if want := "approved by ann; answered, not resumed: no_runtime\n"; code != exitOK || out != want {
		t.Errorf("exit %d: %q, want %q", code, out, want)
	}
	if acted != 0 {
		t.Error("the tool acted")
	}
	if err := h.Tick(t.Context()); err != nil || acted != 1 {
		t.Errorf("the application acted %d times: %v", acted, err)
	}
	if code, out := operate(t, "audit", "verify", "--db="+path); code != exitOK || !strings.HasPrefix(out, "intact: ") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestReportRejections leaves the run of a rejection to the application that is configured so.
func TestReportRejections(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "iris.db")
	acted := 0
	h := application(t, path, &acted)
	r, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "restart the database"})
	if err != nil {
		t.Fatal(err)
	}
	_, out := operate(t, "approvals", "reject", r.Approvals[0], "--report-rejections", "--db", path, "--as", "ann")
	if !strings.Contains(out, "no_runtime") {
		t.Error(out)
	}
	_, out = operate(t, "run", "list", "--db", path)
	if !strings.Contains(out, "held") {
		t.Errorf("the run was ended: %s", out)
	}
}

func application(t *testing.T, path string, acted *int) *iris.Harness {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	restart := iris.NewTool(iris.ToolSpec{Name: "restart", Description: "restart", Effect: iris.Destructive},
		func(context.Context, struct{ Name string }) (string, error) { *acted++; return "ok", nil })
	h, err := iris.New(iris.Config{
		Store: store, Tools: []iris.Tool{restart}, LLM: iristest.Model().Call("restart", `{"Name":"db-1"}`).Answer("It is up again."),
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHelpNamesEveryCommand(t *testing.T) {
	t.Parallel()
	code, out := operate(t, "help")
	for _, want := range []string{"read ", "run resume", "session show", "approvals approve", "audit verify", "actions", "--db FILE"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit %d: no %q in\n%s", code, want, out)
		}
	}
	if code, out := operate(t, "fly"); code != exitUsage || !strings.Contains(out, `unknown command "fly"`) {
		t.Errorf("exit %d: %s", code, out)
	}
}
