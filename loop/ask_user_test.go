package loop_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

func TestAskUser(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		reply  llm.Message
		asked  checkpoint.Asked // without the call's id
		states []string
	}{
		{"alone", multi(askCall("Which?")), checkpoint.Asked{Question: "Which?"}, []string{"ask_user waiting"}},
		{"with choices", multi(askCall("Which?", "A", " ", "B ")), checkpoint.Asked{Question: "Which?", Choices: []string{"A", "B"}}, []string{"ask_user waiting"}},
		{"after an effect", multi(tcall("delete", "x"), askCall("Delete x?")), checkpoint.Asked{Question: "Delete x?"}, []string{"delete not_run", "ask_user waiting"}},
		{"before an effect", multi(askCall("Delete x?"), tcall("delete", "x")), checkpoint.Asked{Question: "Delete x?"}, []string{"ask_user waiting", "delete not_run"}},
		{"beside a read", multi(tcall("look", "x"), askCall("Which?")), checkpoint.Asked{Question: "Which?"}, []string{"look not_run", "ask_user waiting"}},
		{"twice", multi(askCall("First?"), askCall("Second?")), checkpoint.Asked{Question: "First?"}, []string{"ask_user waiting", "ask_user not_run"}},
		{"beside four other calls", multi(tcall("write", "1"), tcall("write", "2"), tcall("write", "3"), tcall("write", "4"), askCall("Which?")),
			checkpoint.Asked{Question: "Which?"}, []string{"write not_run", "write not_run", "write not_run", "write not_run", "ask_user waiting"}},
		{"an empty one is passed over", multi(askCall(" "), askCall("Which?")), checkpoint.Asked{Question: "Which?"}, []string{"ask_user error", "ask_user waiting"}},
		{"beside an unknown tool", multi(tcall("nothing", "x"), askCall("Which?")), checkpoint.Asked{Question: "Which?"}, []string{"nothing error", "ask_user waiting"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Reply(tt.reply).Answer("done"))
			fin := a.do(a.task())
			end{State: checkpoint.Paused, Reason: checkpoint.AwaitingUserInput}.check(t, fin)
			if fin.Text != tt.asked.Question || len(a.ran.list()) != 0 {
				t.Errorf("it says %q, and %v ran", fin.Text, a.ran.list())
			}
			asked := *a.tape.run.Asked
			asked.CallID = ""
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.states, a.states(0)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			end{State: checkpoint.Done}.check(t, a.do(a.answered("the reply")))
			if len(a.ran.list()) != 0 {
				t.Errorf("the reply ran %v", a.ran.list())
			}
			if diff := cmp.Diff([]string{"closed", "closed"}, a.rows()); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAskUserThatAsksNothing(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]llm.Call{
		"empty":             askCall(""),
		"blank":             askCall(" \n"),
		"no question":       iristest.ToolCall("", "ask_user", `{"choices":["A"]}`),
		"null":              iristest.ToolCall("", "ask_user", `{"question":null}`),
		"an unknown field":  iristest.ToolCall("", "ask_user", `{"question":"Which?","urgent":true}`),
		"no text":           iristest.ToolCall("", "ask_user", `{"question":7}`),
		"too long":          askCall(strings.Repeat("x", 17<<10)),
		"a choice is null":  iristest.ToolCall("", "ask_user", `{"question":"Which?","choices":[null]}`),
		"a choice is a map": iristest.ToolCall("", "ask_user", `{"question":"Which?","choices":[{}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Reply(multi(call)).Answer("done"))
			end{State: checkpoint.Done}.check(t, a.do(a.task()))
			if !strings.HasPrefix(a.prompt(1), "nothing was asked: ") {
				t.Errorf("the model is told %q", a.prompt(1))
			}
		})
	}
}

func TestAskUserAtTheStepLimit(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().AskUser("Which?").Call("look", nil).Answer("never"), limits(loop.Limits{Steps: 1}))
	end{State: checkpoint.Paused, Reason: checkpoint.AwaitingUserInput}.check(t, a.do(a.task()))
	fin := a.do(a.answered("A"))
	end{checkpoint.Failed, checkpoint.Limit, loop.ErrLimit}.check(t, fin)
	if diff := cmp.Diff([]string{"look "}, a.ran.list()); diff != "" {
		t.Errorf("one more step is granted (-want +got):\n%s", diff)
	}
	end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
}

func TestAskUserTurnedOff(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().AskUser("Which?").Answer("done"), func(a *agent) { a.config.NoAskUser = true })
	end{State: checkpoint.Done}.check(t, a.do(a.task()))
	if want := `nothing ran: there is no tool "ask_user"; the tools are delete, look, write`; a.prompt(1) != want {
		t.Errorf("the model is told %q, want %q", a.prompt(1), want)
	}
	for _, d := range a.model.Requests()[0].Tools {
		if d.Name == loop.AskUser {
			t.Error("ask_user is offered")
		}
	}
}

func TestAskUserIsOffered(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Answer("done"))
	a.do(a.task())
	tools := a.model.Requests()[0].Tools
	d := tools[len(tools)-1]
	if d.Name != loop.AskUser || !strings.Contains(d.Description, "every question your message would end on") || !strings.Contains(d.Description, "leave it in the final answer") {
		t.Errorf("the last tool is %q: %s", d.Name, d.Description)
	}
}

// TestNoTierGate holds that no pre_tool hook is asked about a question: it is a control action.
func TestNoTierGate(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().AskUser("Which?"), hook(governance.PreTool, func(governance.Subject) governance.Decision { return governance.Deny("no tools here") }))
	end{State: checkpoint.Paused, Reason: checkpoint.AwaitingUserInput}.check(t, a.do(a.task()))
}
