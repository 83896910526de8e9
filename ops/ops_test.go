package ops_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/ops"
)

// TestApproveFromASecondProcess decides with another handle on the file: the first process's Run takes the run up.
func TestApproveFromASecondProcess(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Answer("db-1 is up again."))
	id := d.say("restart the database").Approvals[0]
	d.Clock.Advance(90 * time.Second)
	d.run(0, "approvals", "list")
	d.run(0, "approvals", "show", id)
	d.run(0, "session", "show", "s1")
	d.run(0, "approvals", "approve", id, "--reason", "go ahead")
	d.run(1, "approvals", "reject", id)
	if d.done.Load() != 0 {
		t.Error("a process without a runtime acted")
	}
	d.tick()
	if d.done.Load() != 1 {
		t.Errorf("acted %d times after the decision, want once", d.done.Load())
	}
	d.run(0, "approvals", "list")
	d.run(0, "approvals", "list", "--all")
	d.run(0, "session", "show", "s1")
	d.golden("approve")
}

func TestApproveJSON(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Answer("db-1 is up again."))
	id := d.say("restart the database").Approvals[0]
	for _, args := range [][]string{
		{"approvals", "list", "--json"}, {"approvals", "show", id, "--json"}, {"session", "show", "s1", "--json"}, {"actions", "--json"},
		{"approvals", "approve", "--json", id}, {"run", "list", "--json"}, {"audit", "verify", "--json"},
	} {
		if out := d.run(0, args...); !json.Valid([]byte(out)) {
			t.Errorf("%q: not one JSON object:\n%s", args, out)
		}
	}
	if out := d.run(1, "approvals", "approve", id, "--json"); !json.Valid([]byte(out)) {
		t.Errorf("an error is not JSON:\n%s", out)
	}
	d.golden("approve_json")
}

// TestMountedResumesItself has the application's own harness behind the commands.
func TestMountedResumesItself(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Answer("db-1 is up again."))
	d.mounted()
	id := d.say("restart the database").Approvals[0]
	d.run(0, "approvals", "approve", id)
	if d.done.Load() != 1 {
		t.Errorf("acted %d times, want once", d.done.Load())
	}
	d.golden("mounted")
}

// TestApprovedAndFailed: the decision stands, and the exit code says that somebody has to look.
func TestApprovedAndFailed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Fail(io.ErrUnexpectedEOF))
	d.mounted()
	id := d.say("restart the database").Approvals[0]
	d.run(1, "approvals", "approve", id)
	d.run(0, "approvals", "list", "--all")
	d.golden("failed")
}

func TestRejectAndWithdraw(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Call("restart", `{"text":"db-2"}`))
	first := d.say("restart the database").Approvals[0]
	d.run(0, "approvals", "reject", first, "--reason", "not on a Friday")
	d.tick()
	second := d.say("and the other one").Approvals[0]
	d.run(0, "approvals", "withdraw", second)
	d.run(1, "approvals", "withdraw", second)
	d.tick()
	if d.done.Load() != 0 {
		t.Error("something that was rejected ran")
	}
	d.golden("reject")
}

func TestLaterAndItems(t *testing.T) {
	t.Parallel()
	two := iristest.ToolCall("a", "restart", `{"text":"db-1"}`)
	other := iristest.ToolCall("b", "restart", `{"text":"db-2"}`)
	d := newDesk(t, iristest.Model().Reply(assistant(two, other)).Answer("One of them is up again."))
	d.mounted()
	id := d.say("restart both").Approvals[0]
	d.run(2, "approvals", "approve", id, "--items", "one")
	d.run(1, "approvals", "approve", id, "--items", "3")
	d.run(0, "approvals", "approve", id, "--items", "1", "--later")
	d.run(0, "approvals", "show", id)
	d.tick()
	if d.done.Load() != 1 {
		t.Errorf("%d of two calls ran, want the one that was approved", d.done.Load())
	}
	d.golden("items")
}

func TestOverdue(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`))
	id := d.say("restart the database").Approvals[0]
	d.run(0, "approvals", "list", "--overdue")
	d.Clock.Advance(time.Hour)
	d.run(0, "approvals", "list", "--overdue")
	d.run(0, "actions")
	d.run(1, "approvals", "approve", id)
	d.run(0, "approvals", "list", "--all")
	d.golden("overdue")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing", nil, ops.ExitUsage, "usage: iris <command>"},
		{"help", []string{"help"}, ops.ExitOK, "run resume"},
		{"half a command", []string{"run"}, ops.ExitUsage, `unknown command "run"`},
		{"no command", []string{"fly", "to", "rome"}, ops.ExitUsage, `unknown command "fly to"`},
		{"an argument is missing", []string{"run", "inspect"}, ops.ExitUsage, "1 arguments, not 0"},
		{"one too many", []string{"actions", "x"}, ops.ExitUsage, "0 arguments, not 1"},
		{"no such flag", []string{"run", "list", "--colour"}, ops.ExitUsage, "not defined: -colour"},
		{"flags of one command", []string{"run", "list", "-h"}, ops.ExitOK, "older than this one"},
		{"the application's flags", []string{"actions", "-h"}, ops.ExitOK, "the tenant"},
		{"it does not open", []string{"actions", "--tenant", "x"}, ops.ExitFailed, "no tenant x"},
		{"it does not open, as JSON", []string{"actions", "--json"}, ops.ExitFailed, `"error": "no tenant "`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tenant string
			c := ops.Commands{
				Flags: func(fs *flag.FlagSet) { fs.StringVar(&tenant, "tenant", "", "the tenant") },
				Open: func(context.Context) (*iris.Harness, io.Closer, error) {
					return nil, nil, fmt.Errorf("no tenant %s", tenant)
				},
			}
			var out strings.Builder
			if code := c.Run(t.Context(), tt.args, &out, &out); code != tt.code {
				t.Errorf("exit %d, want %d", code, tt.code)
			}
			if !strings.Contains(out.String(), tt.want) {
				t.Errorf("no %q in\n%s", tt.want, out.String())
			}
		})
	}
}

// TestAuthenticatedCannotBeRenamed: where the application says who operates, there is no --as.
func TestAuthenticatedCannotBeRenamed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`))
	id := d.Say("restart the database").Approvals[0]
	d.ops.By = iris.Principal{ID: "ann"}
	var out strings.Builder
	if code := d.ops.Run(t.Context(), []string{"approvals", "reject", id, "--as", "bob"}, &out, &out); code != ops.ExitUsage {
		t.Errorf("exit %d\n%s", code, out.String())
	}
	out.Reset()
	if code := d.ops.Run(t.Context(), []string{"approvals", "reject", id}, &out, &out); code != 0 || !strings.Contains(out.String(), "rejected by ann") {
		t.Errorf("exit %d\n%s", code, out.String())
	}
}

// TestAskedOf refuses who was not asked, and leaves a row of the attempt.
func TestAskedOf(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`))
	r := d.MustTurn(iris.TurnRequest{SessionID: "s1", Sender: "bob", Message: "restart the database"})
	d.run(1, "approvals", "approve", r.Approvals[0])
	d.run(0, "run", "inspect", r.Runs[0])
	d.golden("asked_of")
}
