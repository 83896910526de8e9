package iris_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
)

// exampleHarness is a harness in memory; the examples show what is said to it.
func exampleHarness(c iris.Config) *iris.Harness {
	c.Store = memstore.New()
	c.Approvals.Stderr = io.Discard
	h, err := iris.New(c)
	if err != nil {
		panic(err)
	}
	return h
}

func say(h *iris.Harness, text string) iris.Reply {
	reply, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "web-1", Message: text})
	if err != nil {
		fmt.Println("error:", err)
	}
	fmt.Println(reply.Text)
	return reply
}

// A model asks in the middle of its task; the reply resumes the same run.
func ExampleHarness_Turn() {
	model := iristest.Model().AskUser("Neo4j or Stardog?").Answer("Stardog it is.")
	h := exampleHarness(iris.Config{LLM: model})
	say(h, "compare graph databases")
	say(h, "use Stardog")
	// Output:
	// Neo4j or Stardog?
	// Stardog it is.
}

// Events say what happens while it does.
func ExampleHarness_Stream() {
	look := iris.NewTool(iris.ToolSpec{Name: "look", Description: "look something up", Effect: iris.ReadOnly},
		func(context.Context, struct{}) (string, error) { return "42 files", nil })
	h := exampleHarness(iris.Config{LLM: iristest.Model().Call("look", nil).Answer("There are 42 files."), Tools: []iris.Tool{look}})
	for ev, err := range h.Stream(context.Background(), iris.TurnRequest{SessionID: "web-1", Message: "how many files?"}) {
		if err != nil {
			fmt.Println("error:", err)
			return
		}
		if done, ok := ev.(iris.Done); ok {
			fmt.Println(done.Reply.Text)
			continue
		}
		fmt.Println(ev.EventType())
	}
	// Output:
	// activity
	// tool_started
	// tool_finished
	// There are 42 files.
}

// payer is the executor of payments.
type payer struct{}

func (payer) Kind() string { return "pay" }

func (payer) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	return "Paid: " + string(payload), nil
}

// A tool asks before something is done. A plain yes runs exactly what was asked about, once, whatever happens to the process in between.
func ExampleConfirm() {
	propose := iris.NewTool(iris.ToolSpec{Name: "propose", Description: "propose a payment", Effect: iris.ReadOnly},
		func(ctx context.Context, in struct{ To string }) (string, error) {
			return "asked", iris.Confirm(ctx, "pay", in, "Shall I pay 10 to "+in.To+"?")
		})
	h := exampleHarness(iris.Config{
		LLM:   iristest.Model().Call("propose", `{"To":"Ann"}`).Answer("One invoice is open."),
		Tools: []iris.Tool{propose}, Executors: []iris.ConfirmationExecutor{payer{}},
	})
	asked := say(h, "pay what is open")
	say(h, "yes")
	_, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "web-1", Press: &iris.Press{ContinuationID: asked.Asked.ID, Option: "approve"}})
	fmt.Println("again:", errors.Is(err, iris.ErrAnswered))
	// Output:
	// One invoice is open.
	//
	// Shall I pay 10 to Ann?
	// You said yes to: Shall I pay 10 to Ann?
	// Paid: {"To":"Ann"}
	// again: true
}

// A tool offers a shortlist; what is picked travels back as it was offered.
func ExampleAsk() {
	find := iris.NewTool(iris.ToolSpec{Name: "find", Description: "find a mail", Effect: iris.ReadOnly},
		func(ctx context.Context, _ struct{}) (string, error) {
			return "two match", iris.Ask(ctx, iris.Question{
				Text:    "Which one should I read?\n1. Invoice from Ann\n2. Invoice from Bob",
				Options: []iris.Option{{Ref: json.RawMessage(`"msg-17"`)}, {Ref: json.RawMessage(`"msg-23"`)}},
			})
		})
	model := iristest.Model().Call("find", nil).Answer("Two mails match.").Answer("Bob writes: please pay.")
	h := exampleHarness(iris.Config{LLM: model, Tools: []iris.Tool{find}})
	say(h, "read the invoice")
	say(h, "the second one")
	fmt.Println(model.Prompt(2))
	// Output:
	// Two mails match.
	//
	// Which one should I read?
	// 1. Invoice from Ann
	// 2. Invoice from Bob
	// Bob writes: please pay.
	// You offered a list and asked: Which one should I read?
	// 1. Invoice from Ann
	// 2. Invoice from Bob
	// They picked: number 2 ("msg-23")
	// Their words: the second one
	// Act on the picked item, as their words ask, and on no other.
}

// What cannot be undone waits for a person, whatever the model wants.
func ExampleHarness_Approvals() {
	drop := iris.NewTool(iris.ToolSpec{Name: "drop", Description: "drop a table", Effect: iris.Destructive},
		func(_ context.Context, in struct{ Table string }) (string, error) { return "dropped " + in.Table, nil })
	h := exampleHarness(iris.Config{LLM: iristest.Model().Call("drop", `{"Table":"logs"}`).Answer("The table is gone."), Tools: []iris.Tool{drop}})
	reply, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "web-1", Message: "drop the logs"})
	if err != nil {
		panic(err)
	}
	answer := iris.Answer{ApprovalID: reply.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "ann"}, Surface: "pager"}
	outcome, err := h.Approvals().Respond(context.Background(), answer)
	fmt.Println(outcome.Resumed, outcome.Answer, err)
	_, err = h.Approvals().Respond(context.Background(), answer)
	fmt.Println(err != nil)
	// Output:
	// true The table is gone. <nil>
	// true
}

// What a conversation waits on.
func ExampleHarness_Session() {
	h := exampleHarness(iris.Config{LLM: iristest.Model().AskUser("Red or blue?", "red", "blue")})
	say(h, "paint it")
	v, err := h.Session(context.Background(), "web-1")
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Waiting.Owner, "waits:", v.Waiting.Question, v.Waiting.Options[1].Text)
	fmt.Println(v.HowToAnswer)
	// Output:
	// Red or blue?
	// 1. red
	// 2. blue
	// assistant waits: Red or blue? blue
	// say anything: the next message is the answer
}

// A rule of governance: it sees every call before it is made.
func ExampleHook() {
	send := iris.NewTool(iris.ToolSpec{Name: "send", Description: "send a mail"},
		func(_ context.Context, in struct{ To string }) (string, error) { return "sent to " + in.To, nil })
	inside := iris.Hook{Name: "inside only", At: iris.PreTool, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
		if string(s.Call.Args) == `{"To":"press"}` {
			return iris.Deny("no mail leaves the house")
		}
		return iris.Allow()
	}}
	model := iristest.Model().Call("send", `{"To":"press"}`).Answer("I may not.")
	h := exampleHarness(iris.Config{LLM: model, Tools: []iris.Tool{send}, Hooks: []iris.Hook{inside}})
	say(h, "tell the press")
	fmt.Println(model.Prompt(1))
	// Output:
	// I may not.
	// nothing ran: not allowed: no mail leaves the house
}
