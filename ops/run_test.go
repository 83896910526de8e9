package ops_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/ops"
)

func assistant(calls ...llm.Call) llm.Message { return llm.Message{Calls: calls} }

func TestRunListAndPin(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("look", `{"text":"status"}`).Answer("All is well.").AskUser("Which one?", "db-1", "db-2"))
	d.run(0, "run", "list")
	first := d.say("how is it").Runs[0]
	d.Clock.Advance(26 * time.Hour)
	second := d.say("restart one").Runs[0]
	d.run(0, "run", "list")
	d.run(0, "run", "list", "--limit", "1")
	d.run(0, "run", "list", "--before", second)
	d.run(0, "run", "list", "--session", "s2")
	d.run(0, "run", "inspect", first)
	d.run(0, "run", "inspect", second)
	d.run(0, "session", "show", "s1")
	d.run(0, "run", "pin", first)
	d.Clock.Advance(10 * 24 * time.Hour)
	d.run(0, "run", "inspect", first)
	d.run(1, "run", "inspect", second)
	d.run(0, "run", "unpin", first)
	d.run(1, "run", "pin", second)
	d.run(1, "run", "resume", second)
	d.golden("runs")
}

func TestRunJSON(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("pay", `{"text":"rent"}`).Answer("I do not know whether it was paid."))
	run := d.say("pay the rent").Runs[0]
	d.run(0, "run", "inspect", run, "--json")
	d.run(0, "run", "pin", run, "--json")
	d.golden("run_json")
}

// TestSessionHistory shows what was asked before, what became of it, and what waits behind.
func TestSessionHistory(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Answer("Would you like me to go on?").Answer("Which one do you mean, the first or the second?").
		Answer("Fine.").AskUser("Which one?"))
	d.say("look at the logs")
	d.Clock.Advance(time.Minute)
	d.say("look at the other ones")
	d.Clock.Advance(time.Minute)
	d.say("the second")
	d.say("restart one")
	d.run(0, "session", "show", "s1")
	d.run(0, "session", "show", "nobody")
	d.golden("history")
}

// TestSettle has an effect that nobody knows the outcome of: a resume is refused until somebody says.
func TestSettle(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("pay", `{"text":"rent"}`).Fail(context.DeadlineExceeded).Answer("The rent is paid."))
	r, err := d.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "pay the rent"})
	if err == nil {
		t.Fatalf("the model failed, and the turn answered %q", r.Text)
	}
	runs, err := d.Runs(t.Context(), "s1", "", 1)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	left, err := d.Ambiguous(t.Context(), "s1", "", 10)
	if err != nil || len(left) != 1 {
		t.Fatalf("%d ambiguous effects: %v", len(left), err)
	}
	d.run(0, "actions")
	d.run(0, "session", "show", "s1")
	d.run(1, "run", "resume", runs[0].ID)
	d.run(2, "run", "settle", left[0].Key, "perhaps")
	d.run(1, "run", "settle", "no-such-effect", "happened")
	d.run(0, "run", "settle", left[0].Key, "happened")
	d.run(1, "run", "settle", left[0].Key, "did-not-happen")
	d.run(0, "run", "resume", runs[0].ID)
	d.tick()
	d.run(0, "run", "inspect", runs[0].ID)
	if d.done.Load() != 1 {
		t.Errorf("paid %d times", d.done.Load())
	}
	d.golden("settle")
}

// TestResumeRefusals goes through what a resume is refused for, here and in a process with a runtime.
func TestResumeRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Answer("db-1 is up again."))
	run := d.say("restart the database").Runs[0]
	d.run(1, "run", "resume", run)
	d.run(1, "run", "resume", "01K5000000000000000000000Z")
	d.Clock.Advance(2 * time.Hour)
	d.run(1, "run", "resume", run)
	d.run(1, "run", "resume", run, "--wait")
	d.tick()
	d.run(1, "run", "resume", run)
	d.mounted()
	d.run(1, "run", "resume", run)
	d.golden("resume_refused")
}

// TestResumeAfterApproval asks for a run that was approved and that nobody took up.
func TestResumeAfterApproval(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Answer("db-1 is up again."))
	r := d.say("restart the database")
	d.run(0, "approvals", "approve", r.Approvals[0])
	d.run(0, "run", "resume", r.Runs[0], "--wait")
	d.mounted()
	d.run(0, "run", "resume", r.Runs[0])
	d.run(1, "run", "resume", r.Runs[0])
	d.tick()
	if d.done.Load() != 1 {
		t.Errorf("acted %d times, want once", d.done.Load())
	}
	d.golden("resume")
}

// TestResumeWaits has the approval decided while the command waits: here the decision resumes the run itself, and the command says so.
func TestResumeWaits(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]bool{"the decision resumes": false, "the command resumes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { resumeWaits(t, later) })
		})
	}
}

func resumeWaits(t *testing.T, later bool) {
	d := &desk{t: t, names: map[string]string{}}
	d.Harness = iristest.New(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Answer("db-1 is up again."),
		iristest.Store(memstore.New()), iristest.Tools(d.tool("restart", iris.Destructive, nil)))
	d.ops.Clock = d.Clock.Now
	d.mounted()
	r := d.Say("restart the database")
	code := make(chan int)
	var out, notes strings.Builder
	go func() { code <- d.ops.Run(t.Context(), []string{"run", "resume", r.Runs[0], "--wait"}, &out, &notes) }()
	synctest.Wait()
	_, err := d.Approvals().Respond(t.Context(), iris.Answer{
		ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "bob"}, Later: later,
	})
	if err != nil {
		t.Error(err)
	}
	if got := <-code; got != ops.ExitOK {
		t.Errorf("exit %d: %s%s", got, out.String(), notes.String())
	}
	if !strings.Contains(notes.String(), "waiting for approval "+r.Approvals[0]) || d.done.Load() != 1 {
		t.Errorf("acted %d times: %s%s", d.done.Load(), out.String(), notes.String())
	}
	if later && !strings.Contains(out.String(), "resumed: db-1 is up again.") {
		t.Errorf("it does not show the answer: %s", out.String())
	}
}
