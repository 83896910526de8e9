package iris_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/sqlite"
)

// The tests of this file are named after the cases that were reported of other software: each is one input and its right result.

// counter is an executor that counts, and keeps its payloads.
type counter struct {
	kind     string
	mu       sync.Mutex
	payloads []string
}

func (c *counter) Kind() string { return c.kind }

func (c *counter) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.payloads = append(c.payloads, string(payload))
	return "Done.", nil
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.payloads)
}

func executors(all ...iris.ConfirmationExecutor) iristest.Option {
	return iristest.With(func(c *iris.Config) { c.Executors = append(c.Executors, all...) })
}

// countingTool is a tool that counts its calls.
func countingTool(name string, effect governance.Effect, n *atomic.Int64) iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: name, Description: "counts", Effect: effect},
		func(_ context.Context, in struct {
			Text string `json:"text,omitempty"`
		}) (string, error) {
			n.Add(1)
			return "ok " + in.Text, nil
		})
}

// confirmTool asks an executable question.
func confirmTool(kind string, payload any, question string) iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: "propose", Description: "proposes", Effect: iris.ReadOnly},
		func(ctx context.Context, _ struct{}) (string, error) {
			return "proposed", iris.Confirm(ctx, kind, payload, question)
		})
}

func onFile(t *testing.T) (path string, opt iristest.Option) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "iris.db")
	return path, iristest.Store(openFile(t, path))
}

func openFile(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestCaseB01RefusalsContainConsentWords(t *testing.T) {
	t.Parallel()
	for reply, runs := range map[string]int{
		"no, don't approve": 0, "not approved": 0, "do not go ahead": 0, "please don't": 0, "I cannot approve this yet": 0,
		"yes go head with the plan": 1,
		// B14: curly apostrophes, phrases inside longer words
		"don’t do it": 0, "do not do it": 0, "not okay": 0, "No—go ahead was for the other one": 0, "undo it": 0,
		"Yes.": 1, "YES!": 1, " yes\u00a0please ": 1,
	} {
		t.Run(reply, func(t *testing.T) {
			t.Parallel()
			x := &counter{kind: "cal.write"}
			m := iristest.Model().Call("propose", nil).Answer("There is a plan.").Answer("Noted.")
			h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("cal.write", map[string]int{"id": 7}, "Shall I go ahead with the plan?")))
			h.Say("plan it")
			h.Say(reply)
			if got := x.count(); got != runs {
				t.Errorf("the action ran %d times, want %d", got, runs)
			}
		})
	}
}

func TestCaseB03ZonesDoNotMoveDeadlines(t *testing.T) {
	zones := []*time.Location{time.UTC, time.FixedZone("west", -6*3600), time.FixedZone("east", 9*3600)}
	for _, zone := range zones {
		t.Run(zone.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "iris.db")
			clock := iristest.NewClock(time.Date(2026, 2, 18, 14, 16, 32, 0, zone))
			reg := func() *continuation.Registry {
				return continuation.NewRegistry(continuation.Config{Store: openFile(t, path).Continuations(), Clock: clock.Now})
			}
			if _, _, err := reg().Ask(t.Context(), continuation.Ask{SessionID: "s1", Owner: "a", Question: "Q?", TTL: 2 * time.Hour}); err != nil {
				t.Fatal(err)
			}
			clock.Advance(2*time.Hour - time.Minute)
			if c, err := reg().Pending(t.Context(), "s1"); err != nil || c == nil {
				t.Errorf("a minute before its time: %v, %v", c, err)
			}
			clock.Advance(2 * time.Minute)
			if c, err := reg().Pending(t.Context(), "s1"); err != nil || c != nil {
				t.Errorf("a minute after its time: %v, %v", c, err)
			}
		})
	}
}

func TestCaseB05TwentyAnswersOneWinner(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"buttons", "chat"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "iris.db")
			var wrote atomic.Int64
			first := iristest.New(t, iristest.Model().AskUser("Neo4j or Stardog?", "Neo4j", "Stardog"), iristest.Store(openFile(t, path)))
			asked := first.Say("compare")
			resumed, ordinary := &atomic.Int64{}, &atomic.Int64{}
			model := llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
				switch last := req.Messages[len(req.Messages)-1]; {
				case last.Role == llm.Tool && strings.Contains(last.Text, "Neo4j or Stardog?"):
					resumed.Add(1)
					return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "write", `{"text":"Neo4j"}`)}}, nil
				case last.Role == llm.Tool:
					return llm.Message{Text: "Written."}, nil
				}
				ordinary.Add(1)
				return llm.Message{Text: "An ordinary turn."}, nil
			})
			var hs []*iristest.Harness
			for range 2 {
				hs = append(hs, iristest.New(t, model, iristest.Store(openFile(t, path)), iristest.Tools(countingTool("write", iris.Write, &wrote))))
			}
			var got, late atomic.Int64
			var all sync.WaitGroup
			start := make(chan struct{})
			for i := range 20 {
				all.Go(func() {
					<-start
					r := iris.TurnRequest{SessionID: "s1", Message: "Neo4j"}
					if how == "buttons" {
						r = iris.TurnRequest{SessionID: "s1", Press: &iris.Press{ContinuationID: asked.Asked.ID, Option: "1"}}
					}
					_, err := hs[i%2].Turn(context.Background(), r)
					switch {
					case err == nil:
						got.Add(1)
					case errors.Is(err, iris.ErrAnswered), errors.Is(err, iris.ErrClaimed):
						late.Add(1)
					default:
						t.Errorf("turn: %v", err)
					}
				})
			}
			close(start)
			all.Wait()
			if wrote.Load() != 1 || resumed.Load() != 1 {
				t.Errorf("wrote %d, resumed %d, want 1 and 1", wrote.Load(), resumed.Load())
			}
			if how == "buttons" && (got.Load() != 1 || late.Load() != 19) {
				t.Errorf("answered %d, already answered %d, want 1 and 19", got.Load(), late.Load())
			}
			if how == "chat" && (got.Load() != 20 || ordinary.Load() != 19) {
				t.Errorf("answered %d, ordinary %d, want 20 and 19", got.Load(), ordinary.Load())
			}
			rows, err := hs[0].Continuations().History(t.Context(), "s1", "", 10)
			if err != nil || len(rows) != 1 || rows[0].Status != continuation.Answered {
				t.Errorf("history %+v (%v), want one answered row", rows, err)
			}
		})
	}
}

func TestCaseB10ACancelLosesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	m := iristest.Model().Call("look", nil).Do(cancel, llm.Message{Calls: []llm.Call{iristest.ToolCall("", "ask_user", `{"question":"Neo4j or Stardog?"}`)}})
	var n atomic.Int64
	h := iristest.New(t, m, iristest.Tools(countingTool("look", iris.ReadOnly, &n)))
	_, err := h.Turn(ctx, iris.TurnRequest{SessionID: "s1", Message: "compare"})
	pending, perr := h.Continuations().Pending(t.Context(), "s1")
	runs, rerr := h.Runs(t.Context(), "s1", "", 10)
	if perr != nil || rerr != nil {
		t.Fatal(perr, rerr)
	}
	switch {
	case err == nil && (pending == nil || len(runs) != 1 || runs[0].State != checkpoint.Paused || pending.RunID != runs[0].ID):
		t.Errorf("answered, and question %+v and runs %+v do not point at each other", pending, runs)
	case err != nil && pending != nil:
		t.Errorf("failed with %v, and a question waits: %+v", err, pending)
	}
}

// auditOf counts the audit rows of a kind.
func TestCaseB21ADamagedCheckpointCostsOnlyItself(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"empty": "", "cut off": "{", "null": "null", "a list": "[]", "a wrong type": `{"reply":7}`, "nothing in it": `{"x":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := iristest.Model().AskUser("Neo4j or Stardog?")
			h := iristest.New(t, m)
			damaged := h.Say("compare")
			damage(t, h, damaged.Runs[0], payload)
			m.Answer("An answer of its own.").Answer("Fine here.")
			if r := h.Say("Neo4j"); r.Text != "An answer of its own." || !strings.Contains(m.Prompt(1), "Neo4j or Stardog?") {
				t.Errorf("reply %q to prompt %q, want the reply's own turn, with its question", r.Text, m.Prompt(1))
			}
			if q := h.Pending(); q != nil {
				t.Errorf("a question is left: %+v", q)
			}
			if r := h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "hello"}); r.Text != "Fine here." {
				t.Errorf("another session: %q", r.Text)
			}
		})
	}
}

// damage replaces the bytes of a paused run's open step.
func damage(t *testing.T, h *iristest.Harness, runID, payload string) {
	t.Helper()
	run, err := h.Store.Checkpoints().Get(t.Context(), runID, h.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	back := checkpoint.Move{RunID: runID, From: []checkpoint.State{checkpoint.Paused}, Epoch: run.Epoch, To: checkpoint.Running, Asked: run.Asked, At: h.Clock.Now()}
	moved, err := h.Store.Checkpoints().Move(t.Context(), back)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Store.Checkpoints().Put(t.Context(), moved.Epoch, checkpoint.Checkpoint{
		RunID: runID, StepID: run.Asked.StepID, SessionID: run.SessionID, State: checkpoint.OpenStep, Payload: []byte(payload), CreatedAt: h.Clock.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.Checkpoints().Move(t.Context(), checkpoint.Move{
		RunID: runID, From: []checkpoint.State{checkpoint.Running}, Epoch: moved.Epoch, To: checkpoint.Paused, Reason: run.Reason, Asked: run.Asked, At: h.Clock.Now(),
	}); err != nil {
		t.Fatal(err)
	}
}

func TestCaseB22BlankAnswersNothing(t *testing.T) {
	t.Parallel()
	m := iristest.Model().AskUser("Neo4j or Stardog?").Answer("Neo4j it is.")
	h := iristest.New(t, m)
	h.Say("compare")
	for _, blank := range []string{"", "   ", "\n", "\u200b"} {
		if _, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: blank}); !errors.Is(err, iris.ErrBlank) {
			t.Errorf("%q: %v, want ErrBlank", blank, err)
		}
	}
	if h.Pending() == nil || m.Calls() != 1 {
		t.Fatalf("the question is gone, or the run went on: %d model calls", m.Calls())
	}
	if r := h.Say("Neo4j"); r.Text != "Neo4j it is." {
		t.Errorf("reply %q", r.Text)
	}
}

func TestCaseB23WhatWasApprovedIsWhatRuns(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	payload := map[string]any{"to": "A", "amount": 10}
	m := iristest.Model().Call("propose", nil).Answer("An invoice.")
	h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("pay", payload, "Shall I pay?")))
	h.Say("pay")
	payload["to"] = "B"
	h.Say("yes")
	if diff := cmp.Diff([]string{`{"amount":10,"to":"A"}`}, x.payloads); diff != "" {
		t.Error(diff)
	}

	var paid atomic.Int64
	m2 := iristest.Model().Call("pay", `{"text":"A"}`).Call("pay", `{"text":"B"}`)
	h2 := iristest.New(t, m2, iristest.Tools(countingTool("pay", iris.Destructive, &paid)))
	r := h2.Say("pay A")
	o, err := h2.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	if err != nil || !o.Resumed || paid.Load() != 1 {
		t.Fatalf("outcome %+v (%v), paid %d", o, err, paid.Load())
	}
	rows, err := h2.Approvals().List(t.Context(), approval.Query{Status: []approval.Status{approval.Pending}})
	if err != nil || len(rows) != 1 || rows[0].ID == r.Approvals[0] {
		t.Errorf("the second payment raised %+v (%v), want one fresh approval", rows, err)
	}
}

func TestCaseB29TheTaskIsKept(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	m := iristest.Model().Call("look", `{"text":"42 files"}`).AskUser("Neo4j or Stardog?").Answer("Stardog.")
	h := iristest.New(t, m, iristest.Tools(countingTool("look", iris.ReadOnly, &n)))
	h.Say("Compare graph DBs")
	h.Say("Stardog")
	msgs := m.Requests()[2].Messages
	var got []string
	for _, msg := range msgs {
		got = append(got, string(msg.Role)+": "+msg.Text)
	}
	want := []string{
		"user: Compare graph DBs", "assistant: ", "tool: ok 42 files", "assistant: ",
		"tool: " + continuation.ResumeObservation("Neo4j or Stardog?", "Stardog"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCaseB32TheChainIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	var first string
	for range 200 {
		var called []string
		spec := func(name string, answers bool) iris.Intercept {
			return iris.Intercept{Name: name, Confirmation: intercept.Never, Handler: handler(func() *string {
				called = append(called, name)
				if !answers {
					return nil
				}
				text := "from " + name
				return &text
			})}
		}
		plugins := []iris.Plugin{pluginOf("p1", spec("p1", false)), pluginOf("p2", spec("p2", false)), pluginOf("p3", spec("p3", false))}
		h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) {
			c.Intercepts = []iris.Intercept{spec("i1", false), spec("i2", false), spec("i3", true), spec("i4", false), spec("i5", false)}
			c.Plugins = plugins
		}))
		if r := h.Say("hello"); r.Text != "from i3" {
			t.Fatalf("reply %q", r.Text)
		}
		got := fmt.Sprint(called)
		if first == "" {
			first = got
		}
		if got != first || got != "[i1 i2 i3]" {
			t.Fatalf("called %s, first %s, want [i1 i2 i3]", got, first)
		}
	}
}

func TestCaseB33AnEffectWithoutItsStep(t *testing.T) {
	t.Parallel()
	var t1, t2, t3 atomic.Int64
	cut := iris.NewTool(iris.ToolSpec{Name: "t2", Description: "cut off"}, func(context.Context, struct{}) (string, error) {
		t2.Add(1)
		return "", iris.ErrOutcomeUnknown
	})
	m := iristest.Model().Call("t1", nil).Call("t2", nil).Fail(errors.New("the process ends"))
	h := iristest.New(t, m, iristest.Tools(countingTool("t1", iris.Write, &t1), cut, countingTool("t3", iris.Write, &t3)))
	_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "do all three"})
	var te *iris.TurnError
	if !errors.As(err, &te) {
		t.Fatalf("turn: %v", err)
	}
	_, err = h.Resume(t.Context(), te.RunID)
	if !errors.Is(err, iris.ErrAmbiguousEffect) || !strings.Contains(err.Error(), te.RunID) || !strings.Contains(err.Error(), "t2") {
		t.Errorf("resume: %v, want the ambiguous effect of t2 and its run", err)
	}
	m.Answer("An ordinary turn.")
	h.Say("hello")
	if t1.Load() != 1 || t2.Load() != 1 || t3.Load() != 0 {
		t.Errorf("t1 %d, t2 %d, t3 %d, want 1, 1, 0", t1.Load(), t2.Load(), t3.Load())
	}
}

func TestCaseB38NothingRunsBesideAQuestion(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string][]llm.Call{
		"after":  {iristest.ToolCall("d", "delete_file", `{"text":"x"}`), iristest.ToolCall("q", "ask_user", `{"question":"Delete x?"}`)},
		"before": {iristest.ToolCall("q", "ask_user", `{"question":"Delete x?"}`), iristest.ToolCall("d", "delete_file", `{"text":"x"}`)},
		"two questions": {iristest.ToolCall("q", "ask_user", `{"question":"Delete x?"}`), iristest.ToolCall("r", "ask_user", `{"question":"And y?"}`),
			iristest.ToolCall("d", "delete_file", `{"text":"x"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var deleted atomic.Int64
			m := iristest.Model().Reply(llm.Message{Calls: calls}).Answer("Kept.")
			h := iristest.New(t, m, iristest.Tools(countingTool("delete_file", iris.Write, &deleted)))
			if r := h.Say("tidy"); r.Text != "Delete x?" {
				t.Errorf("reply %q", r.Text)
			}
			h.Say("no")
			if deleted.Load() != 0 {
				t.Errorf("deleted %d times", deleted.Load())
			}
			results := map[string]string{}
			for _, msg := range m.Requests()[1].Messages {
				if msg.Role == llm.Tool {
					results[msg.CallID] = msg.Text
				}
			}
			if !strings.Contains(results["d"], "not run, the user was asked first") {
				t.Errorf("the deletion's result is %q", results["d"])
			}
			if second, ok := results["r"]; ok && !strings.Contains(second, "not asked") {
				t.Errorf("the second question's result is %q", second)
			}
		})
	}
}

func TestCaseB45NothingWaitsAndAYesIsAMessage(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	m := iristest.Model().Call("propose", nil).Answer("An invoice.").Answer("Yes to what?").Answer("Which plan?")
	h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?")))
	h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "pay"})
	h.Clock.Advance(69 * 24 * time.Hour)
	h.Say("Yes")
	h.Say("yes go head with the plan")
	if x.count() != 0 {
		t.Errorf("ran %d times", x.count())
	}
}

func TestCaseB55EverythingWaitsThroughARestart(t *testing.T) {
	t.Parallel()
	path, _ := onFile(t)
	x := &counter{kind: "pay"}
	var deleted atomic.Int64
	tools := iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?"), countingTool("rm", iris.Destructive, &deleted))
	m := iristest.Model().Call("propose", nil).Answer("An invoice.").AskUser("Neo4j or Stardog?").Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, executors(x), tools, iristest.Store(openFile(t, path)))
	h.Say("pay")
	h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "compare"})
	r := h.MustTurn(iris.TurnRequest{SessionID: "s3", Message: "remove A"})

	m2 := iristest.Model().Answer("Neo4j.").Answer("A is gone.")
	h2 := iristest.New(t, m2, executors(x), tools, iristest.Store(openFile(t, path)))
	h2.Say("yes")
	if diff := cmp.Diff([]string{`{"n":1}`}, x.payloads); diff != "" {
		t.Error(diff)
	}
	if got := h2.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "Neo4j"}); got.Text != "Neo4j." {
		t.Errorf("s2: %q", got.Text)
	}
	o, err := h2.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	if err != nil || !o.Resumed || deleted.Load() != 1 {
		t.Errorf("approval: %+v (%v), deleted %d", o, err, deleted.Load())
	}
}

func TestCaseB55AnExecutorThatIsGoneCostsItsActionOnly(t *testing.T) {
	t.Parallel()
	path, _ := onFile(t)
	x := &counter{kind: "pay"}
	tool := iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?"))
	h := iristest.New(t, iristest.Model().Call("propose", nil).Answer("An invoice."), executors(x), tool, iristest.Store(openFile(t, path)))
	h.Say("pay")
	h2 := iristest.New(t, iristest.Model().Answer("Hello."), iristest.Store(openFile(t, path)))
	if r := h2.Say("yes"); !strings.Contains(r.Text, "Nothing was done") || x.count() != 0 {
		t.Errorf("reply %q, ran %d times", r.Text, x.count())
	}
	if r := h2.Say("hello"); r.Text != "Hello." {
		t.Errorf("the next turn: %q", r.Text)
	}
}
