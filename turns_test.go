package iris_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/faultstore"
	"github.com/iris-harness/iris/iristest/memstore"
)

// TestWritesOfATurn counts a turn's commits: the message in, the claim, one for each step, one before each effect, and the record.
func TestWritesOfATurn(t *testing.T) {
	t.Parallel()
	yes := iris.TurnRequest{SessionID: "s1", Message: "yes"}
	var wrote counterInt
	x := &counter{kind: "pay"}
	tests := []struct {
		name   string
		model  *iristest.ScriptedModel
		before string // a turn that is not counted
		turn   iris.TurnRequest
		want   int
	}{
		{"an answer", iristest.Model().Answer("Hello."), "", iris.TurnRequest{SessionID: "s1", Message: "hello"}, 3},
		{"a pause", iristest.Model().AskUser("Which?"), "", iris.TurnRequest{SessionID: "s1", Message: "hello"}, 3},
		{"a yes to an agent", iristest.Model().Answer("Shall I go ahead?").Answer("Done."), "hello", yes, 4},
		{"a resume", iristest.Model().AskUser("Which?").Answer("Done."), "hello", yes, 5}, // the claim, and the run goes to running
		{"a confirmed action", iristest.Model().Call("propose", nil).Answer("An invoice."), "hello", yes, 4},
		{"two steps and an effect", iristest.Model().Call("write", nil).Answer("Done."), "", iris.TurnRequest{SessionID: "s1", Message: "write"}, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := faultstore.New(memstore.New(), 0, faultstore.Before)
			h := iristest.New(t, tt.model, executors(x), iristest.Store(s), iristest.Tools(
				countingTool("write", iris.Write, &wrote.v), confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?")))
			if tt.before != "" {
				h.Say(tt.before)
			}
			before := s.Writes()
			h.MustTurn(tt.turn)
			if got := s.Writes() - before; got != tt.want {
				t.Errorf("%d writes, want %d", got, tt.want)
			}
		})
	}
}

// TestEvents is what a consumer of Stream sees, as JSON.
func TestEvents(t *testing.T) {
	t.Parallel()
	var wrote counterInt
	m := iristest.Model().Call("write", `{"text":"x"}`).Answer("Written. Shall I go on?")
	h := iristest.New(t, m, iristest.Tools(countingTool("write", iris.Write, &wrote.v)), iristest.With(func(c *iris.Config) { c.Drafts = true }))
	var types []string
	for ev, err := range h.Stream(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "write"}) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(ev)
		if err != nil {
			t.Fatal(err)
		}
		var typed struct {
			Type  string
			Reply iris.Reply
		}
		if err := json.Unmarshal(b, &typed); err != nil || !strings.HasPrefix(string(b), `{"type":"`+ev.EventType()+`"`) {
			t.Errorf("%s (%v): the type is not its first member", b, err)
		}
		if typed.Type == "done" && typed.Reply.Text != "Written. Shall I go on?" {
			t.Errorf("done carries %q", typed.Reply.Text)
		}
		types = append(types, typed.Type)
	}
	if diff := cmp.Diff([]string{"activity", "tool_started", "tool_finished", "delta", "asked", "done"}, types); diff != "" {
		t.Error(diff)
	}
}
