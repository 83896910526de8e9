package iristest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/iris-harness/iris/llm"
)

// ScriptedModel is a model that gives scripted replies in order. It counts its calls and keeps what it was asked. It is safe for concurrent
// use; concurrent calls take the steps in the order they come.
type ScriptedModel struct {
	mu       sync.Mutex
	steps    []modelStep
	requests []llm.Request
}

type modelStep func(ctx context.Context, yield func(*llm.Chunk, error) bool)

// ErrScriptEnded is what a [ScriptedModel] returns when it is called more often than it has steps.
var ErrScriptEnded = errors.New("iristest: the model's script has ended")

// Model returns a model without steps.
func Model() *ScriptedModel { return &ScriptedModel{} }

var _ llm.Model = (*ScriptedModel)(nil)

func (m *ScriptedModel) add(s modelStep) *ScriptedModel {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps = append(m.steps, s)
	return m
}

// Answer adds a step that answers with text.
func (m *ScriptedModel) Answer(text string) *ScriptedModel { return m.Reply(llm.Message{Text: text}) }

// Call adds a step that calls one tool. args is anything that encodes as a JSON object; a string or json.RawMessage is taken as JSON.
func (m *ScriptedModel) Call(tool string, args any) *ScriptedModel {
	return m.Reply(llm.Message{Calls: []llm.Call{ToolCall("", tool, args)}})
}

// AskUser adds a step that asks the person.
func (m *ScriptedModel) AskUser(question string, choices ...string) *ScriptedModel {
	return m.Call("ask_user", map[string]any{"question": question, "choices": choices})
}

// Reply adds a step that gives a whole reply.
func (m *ScriptedModel) Reply(msg llm.Message) *ScriptedModel {
	return m.Stream(&llm.Chunk{Text: msg.Text, Calls: msg.Calls, ProviderData: msg.ProviderData})
}

// Stream adds a step that gives a reply in pieces.
func (m *ScriptedModel) Stream(chunks ...*llm.Chunk) *ScriptedModel {
	return m.add(func(_ context.Context, yield func(*llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	})
}

// Fail adds a step that fails.
func (m *ScriptedModel) Fail(err error) *ScriptedModel {
	return m.add(func(_ context.Context, yield func(*llm.Chunk, error) bool) { yield(nil, err) })
}

// Break adds a step that gives chunks and then fails: a stream that breaks half-way.
func (m *ScriptedModel) Break(err error, chunks ...*llm.Chunk) *ScriptedModel {
	return m.add(func(_ context.Context, yield func(*llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		yield(nil, err)
	})
}

// Hang adds a step that waits until its context ends.
func (m *ScriptedModel) Hang() *ScriptedModel {
	return m.add(func(ctx context.Context, yield func(*llm.Chunk, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	})
}

// Panic adds a step that panics.
func (m *ScriptedModel) Panic(v any) *ScriptedModel {
	return m.add(func(context.Context, func(*llm.Chunk, error) bool) { panic(v) })
}

// Do runs f just before the next step's reply, for a test that cancels or advances a clock in the middle.
func (m *ScriptedModel) Do(f func(), msg llm.Message) *ScriptedModel {
	return m.add(func(_ context.Context, yield func(*llm.Chunk, error) bool) {
		f()
		yield(&llm.Chunk{Text: msg.Text, Calls: msg.Calls, ProviderData: msg.ProviderData}, nil)
	})
}

// Func adds a step that is a function of the request.
func (m *ScriptedModel) Func(f func(ctx context.Context, req *llm.Request) (llm.Message, error)) *ScriptedModel {
	return m.add(func(ctx context.Context, yield func(*llm.Chunk, error) bool) {
		last := m.Requests()
		msg, err := f(ctx, &last[len(last)-1])
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&llm.Chunk{Text: msg.Text, Calls: msg.Calls, ProviderData: msg.ProviderData}, nil)
	})
}

// Generate implements [llm.Model].
func (m *ScriptedModel) Generate(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Chunk, error] {
	return func(yield func(*llm.Chunk, error) bool) {
		m.mu.Lock()
		n := len(m.requests)
		m.requests = append(m.requests, cloneRequest(req))
		var step modelStep
		if n < len(m.steps) {
			step = m.steps[n]
		}
		m.mu.Unlock()
		if step == nil {
			yield(nil, fmt.Errorf("%w: call %d", ErrScriptEnded, n+1))
			return
		}
		step(ctx, yield)
	}
}

// Calls returns how often the model was called.
func (m *ScriptedModel) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.requests)
}

// Requests returns what the model was asked, in order.
func (m *ScriptedModel) Requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Prompt returns the last message of the n-th request, from 0: the task, or the result that the model goes on from. It is "" where there is none.
func (m *ScriptedModel) Prompt(n int) string {
	reqs := m.Requests()
	if n < 0 || n >= len(reqs) || len(reqs[n].Messages) == 0 {
		return ""
	}
	msgs := reqs[n].Messages
	return msgs[len(msgs)-1].Text
}

func cloneRequest(r *llm.Request) llm.Request {
	return llm.Request{Messages: slices.Clone(r.Messages), Tools: slices.Clone(r.Tools)}
}

// ToolCall makes a call. args is anything that encodes as a JSON object; a string or json.RawMessage is taken as JSON.
func ToolCall(id, tool string, args any) llm.Call {
	var raw json.RawMessage
	switch a := args.(type) {
	case nil:
	case string:
		raw = json.RawMessage(a)
	case json.RawMessage:
		raw = a
	default:
		b, err := json.Marshal(a)
		if err != nil {
			panic(fmt.Sprintf("iristest: arguments of %s: %v", tool, err))
		}
		raw = b
	}
	return llm.Call{ID: id, Name: tool, Args: raw}
}
