package iristest

import (
	"context"
	"io"
	"testing"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/llm"
)

// Harness is a harness with its parts at hand, for a test. Its Must methods fail the test.
type Harness struct {
	*iris.Harness
	Store iris.Store
	Model *ScriptedModel
	Clock *Clock
	// Sent is what was delivered outside of turns.
	Sent *Deliveries
	// Session is the conversation that Say speaks in: "s1".
	Session string

	t      testing.TB
	config iris.Config
}

// Option changes the configuration of a harness under test.
type Option func(c *iris.Config)

// With applies f.
func With(f func(c *iris.Config)) Option { return f }

// Tools adds tools.
func Tools(tools ...iris.Tool) Option {
	return func(c *iris.Config) { c.Tools = append(c.Tools, tools...) }
}

// Store uses a store instead of one in memory.
func Store(s iris.Store) Option { return func(c *iris.Config) { c.Store = s } }

// New returns a harness over model, a store in memory and a clock at [T0].
func New(t testing.TB, model llm.Model, opts ...Option) *Harness {
	t.Helper()
	h := &Harness{Clock: NewClock(T0), Session: "s1", t: t}
	h.Model, _ = model.(*ScriptedModel)
	h.Sent = &Deliveries{}
	h.config = iris.Config{
		LLM: model, Clock: h.Clock.Now, Deliver: h.Sent, Approvals: iris.ApprovalConfig{Stderr: io.Discard},
	}
	for _, o := range opts {
		o(&h.config)
	}
	if h.config.Store == nil {
		s := memstore.New()
		t.Cleanup(func() { _ = s.Close() })
		h.config.Store = s
	}
	h.Store = h.config.Store
	h.build()
	return h
}

func (h *Harness) build() {
	h.t.Helper()
	built, err := iris.New(h.config)
	if err != nil {
		h.t.Fatalf("iristest: %v", err)
	}
	h.Harness = built
}

// Restart builds a fresh harness on the same store, as a new process would: with another model, where one is given.
func (h *Harness) Restart(model *ScriptedModel) {
	h.t.Helper()
	h.Harness.Close()
	if model != nil {
		h.Model, h.config.LLM = model, model
	}
	h.build()
}

// Say takes a person's message in h.Session and returns the reply; an error fails the test.
func (h *Harness) Say(text string) iris.Reply {
	h.t.Helper()
	return h.MustTurn(iris.TurnRequest{SessionID: h.Session, Channel: "test", Message: text})
}

// MustTurn takes a turn; an error fails the test.
func (h *Harness) MustTurn(r iris.TurnRequest) iris.Reply {
	h.t.Helper()
	reply, err := h.Turn(context.Background(), r)
	if err != nil {
		h.t.Fatalf("iristest: turn %q in %s: %v", r.Message, r.SessionID, err)
	}
	return reply
}

// Pending returns the question that waits in h.Session; nil where none does.
func (h *Harness) Pending() *iris.OpenQuestion {
	h.t.Helper()
	v, err := h.Harness.Session(context.Background(), h.Session)
	if err != nil {
		h.t.Fatalf("iristest: session %s: %v", h.Session, err)
	}
	return v.Waiting
}
