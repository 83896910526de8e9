package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/sqlite"
)

// bench is one experiment's file and what was paid on it.
type bench struct {
	path   string
	slow   bool
	paid   atomic.Int64
	stores []*sqlite.Store
}

// Kind and Execute make the bench the executor of payments.
func (b *bench) Kind() string { return "pay" }

func (b *bench) Execute(context.Context, json.RawMessage) (string, error) {
	b.paid.Add(1)
	return "Paid.", nil
}

type amount struct {
	To string `json:"to,omitempty"`
}

// open opens the file once more, as another process would.
func (b *bench) open(ctx context.Context, model *iristest.ScriptedModel) (*iris.Harness, error) {
	file, err := sqlite.Open(ctx, b.path)
	if err != nil {
		return nil, err
	}
	b.stores = append(b.stores, file)
	var store iris.Store = file
	if b.slow {
		store = slowStore{file}
	}
	ask := iris.NewTool(iris.ToolSpec{Name: "propose", Description: "ask before paying", Effect: iris.ReadOnly},
		func(ctx context.Context, in amount) (string, error) {
			return "asked", iris.Confirm(ctx, "pay", in, "Shall I pay "+in.To+"?")
		})
	pay := iris.NewTool(iris.ToolSpec{Name: "pay", Description: "pay"}, func(context.Context, amount) (string, error) {
		b.paid.Add(1)
		return "paid", nil
	})
	drop := iris.NewTool(iris.ToolSpec{Name: "drop", Description: "cannot be undone", Effect: iris.Destructive},
		func(context.Context, amount) (string, error) { return "dropped", nil })
	broken := iris.NewTool(iris.ToolSpec{Name: "broken", Description: "fails", Effect: iris.ReadOnly},
		func(context.Context, amount) (string, error) { return "", errors.New("the index is corrupt") })
	return iris.New(iris.Config{
		Store: store, LLM: model, Tools: []iris.Tool{ask, pay, drop, broken}, Executors: []iris.ConfirmationExecutor{b},
		Approvals: iris.ApprovalConfig{Stderr: io.Discard},
	})
}

// say takes a turn.
func say(ctx context.Context, h *iris.Harness, text string) (iris.Reply, error) {
	return h.Turn(ctx, iris.TurnRequest{SessionID: "s1", Message: text})
}

// press presses a button of a question.
func press(ctx context.Context, h *iris.Harness, id, option string) error {
	_, err := h.Turn(ctx, iris.TurnRequest{SessionID: "s1", Press: &iris.Press{ContinuationID: id, Option: option}})
	return err
}

// slowStore takes 5 ms for every transaction and every question's claim.
type slowStore struct{ *sqlite.Store }

const delay = 5 * time.Millisecond

func (s slowStore) Atomically(ctx context.Context, fn func(ctx context.Context) error) error {
	time.Sleep(delay)
	return s.Store.Atomically(ctx, fn)
}

func (s slowStore) Continuations() continuation.Store {
	return slowContinuations{s.Store.Continuations()}
}

type slowContinuations struct{ continuation.Store }

func (s slowContinuations) Pending(ctx context.Context, id string, now time.Time) (*continuation.Continuation, error) {
	time.Sleep(delay)
	return s.Store.Pending(ctx, id, now)
}

func (s slowContinuations) Claim(ctx context.Context, by continuation.Claimant) (*continuation.Continuation, error) {
	time.Sleep(delay)
	return s.Store.Claim(ctx, by)
}

func (s slowContinuations) Move(ctx context.Context, m continuation.Move) (*continuation.Continuation, error) {
	time.Sleep(delay)
	return s.Store.Move(ctx, m)
}
