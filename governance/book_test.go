package governance_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

var points = []governance.Point{
	governance.PreTurn, governance.PreLLM, governance.PreTool, governance.PostTool, governance.PostStep, governance.PreResponse,
}

// book is a Recorder and Approvals that remembers in memory, and fails on demand.
type book struct {
	mu       sync.Mutex
	recorded []audit.Entry
	deferred []audit.Entry
	consumed []string
	err      error
}

func (b *book) Record(_ context.Context, _ governance.Subject, e audit.Entry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	b.recorded = append(b.recorded, e)
	return nil
}

func (b *book) Defer(_ governance.Subject, e audit.Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deferred = append(b.deferred, e)
}

func (b *book) Consume(_ context.Context, id string, s governance.Subject) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return b.err
	}
	b.consumed = append(b.consumed, id+" "+s.Name+" "+s.Digest())
	return nil
}

// lines returns what was recorded as "point verdict by".
func (b *book) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var lines []string
	for _, e := range b.recorded {
		lines = append(lines, strings.TrimSpace(e.Point+" "+e.Verdict+" "+e.By))
	}
	return lines
}

func newKernel(t testing.TB, b *book, hooks ...governance.Hook) *governance.Kernel {
	t.Helper()
	k, err := governance.NewKernel(governance.Config{Hooks: hooks, Recorder: b, Approvals: b, Clock: func() time.Time { return time.Unix(1, 2345) }})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// says is a hook that always answers d.
func says(name string, at governance.Point, priority int, d governance.Decision) governance.Hook {
	return governance.Hook{Name: name, At: at, Priority: priority, Decide: func(context.Context, governance.Subject) governance.Decision { return d }}
}

// subject is one that can be held, with something to decide on at every point.
func subject(at governance.Point) governance.Subject {
	s := governance.Subject{
		Point: at, SessionID: "s", RunID: "r", TurnID: "t", StepID: 3, Name: "tool", Text: "words", Holdable: true,
		Call: llm.Call{ID: "1", Name: "tool", Args: json.RawMessage(`{"a":1}`)},
	}
	switch at {
	case governance.PreLLM:
		s.Name = governance.ModelName
		s = s.WithRequest(&llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "hello", ProviderData: []byte("x")}}})
	case governance.PostTool:
		s.Result = json.RawMessage(`"result"`)
	case governance.PostStep:
		s.Step = &governance.StepView{Reply: llm.Message{Calls: []llm.Call{s.Call}}}
	}
	return s
}

// decide runs s through the method that belongs to its point and returns the subject that came of it.
func decide(ctx context.Context, k *governance.Kernel, s governance.Subject) (governance.Subject, error) {
	if s.Point != governance.PreLLM && s.Point != governance.PreTool {
		return k.Review(ctx, s)
	}
	p, err := k.Permit(ctx, s)
	if err != nil {
		return s, err
	}
	return p.Take(k, s.Point, s.Name)
}
