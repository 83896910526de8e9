package iris_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

// switchable is a part of the application that fails while it is on.
type switchable struct{ on atomic.Bool }

func (s *switchable) trip() {
	if s.on.Load() {
		panic("broken")
	}
}

func (s *switchable) Classify(context.Context, iris.Inbound) (iris.Intent, error) {
	s.trip()
	return iris.Intent{}, nil
}

func (s *switchable) Plan(_ context.Context, m iris.Inbound, in iris.Intent) ([][]iris.PlannedTask, error) {
	s.trip()
	return [][]iris.PlannedTask{{{Text: m.Text}}}, nil
}

func (s *switchable) Curate(_ context.Context, d iris.Draft) (string, error) {
	s.trip()
	return d.Text, nil
}

func (s *switchable) Judge(context.Context, iris.Draft) (iris.Judgement, error) {
	s.trip()
	return iris.Judgement{Pass: true}, nil
}

func (s *switchable) Deliver(context.Context, iris.Delivery) error {
	s.trip()
	return nil
}

func (s *switchable) Actions(context.Context) ([]iris.Action, error) {
	s.trip()
	return nil, nil
}

func (s *switchable) Authorize(context.Context, approval.Principal, approval.Request) error {
	s.trip()
	return nil
}

// breakable are the parts of an application that can break, by name: each puts s in its place.
var breakable = map[string]func(c *iris.Config, s *switchable){
	"classifier": func(c *iris.Config, s *switchable) { c.Classifier = s },
	"planner":    func(c *iris.Config, s *switchable) { c.Planner = s },
	"curator":    func(c *iris.Config, s *switchable) { c.Curator = s },
	"judge":      func(c *iris.Config, s *switchable) { c.Judges = []iris.Judge{s} },
	"deliver":    func(c *iris.Config, s *switchable) { c.Deliver = s },
	"actions":    func(c *iris.Config, s *switchable) { c.Actions = []iris.ActionSource{s} },
	"authorizer": func(c *iris.Config, s *switchable) { c.Authorizer = s },
	"intercept": func(c *iris.Config, s *switchable) {
		c.Intercepts = []iris.Intercept{{Name: "i", Confirmation: intercept.Never, Handler: handler(func() *string { s.trip(); return nil })}}
	},
	"channel": func(c *iris.Config, s *switchable) {
		c.Channels = []iris.Channel{approval.NewTextChannel("test", func(context.Context, approval.TextMessage) error { s.trip(); return nil })}
	},
	"hook before the turn":   func(c *iris.Config, s *switchable) { c.Hooks = []iris.Hook{tripping(iris.PreTurn, s)} },
	"hook before the model":  func(c *iris.Config, s *switchable) { c.Hooks = []iris.Hook{tripping(iris.PreLLM, s)} },
	"hook before a tool":     func(c *iris.Config, s *switchable) { c.Hooks = []iris.Hook{tripping(iris.PreTool, s)} },
	"hook after a step":      func(c *iris.Config, s *switchable) { c.Hooks = []iris.Hook{tripping(iris.PostStep, s)} },
	"hook before the answer": func(c *iris.Config, s *switchable) { c.Hooks = []iris.Hook{tripping(iris.PreResponse, s)} },
	"model": func(c *iris.Config, s *switchable) {
		inner := c.LLM
		c.LLM = llm.Func(func(ctx context.Context, r *llm.Request) (m llm.Message, err error) {
			s.trip()
			for chunk, err := range inner.Generate(ctx, r) {
				if err != nil {
					return m, err
				}
				m.Text, m.Calls = m.Text+chunk.Text, append(m.Calls, chunk.Calls...)
			}
			return m, nil
		})
	},
}

func tripping(at governance.Point, s *switchable) iris.Hook {
	return iris.Hook{Name: "trips", At: at, Decide: func(context.Context, iris.Subject) iris.Decision { s.trip(); return iris.Allow() }}
}

// conversant answers a conversation of any length: it asks, writes when it is answered, and is done.
func conversant(_ context.Context, req *llm.Request) (llm.Message, error) {
	last := req.Messages[len(req.Messages)-1]
	switch {
	case last.Text == "compare":
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "ask_user", `{"question":"Neo4j or Stardog?"}`)}}, nil
	case last.Text == "remove":
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"A"}`)}}, nil
	case last.Role == llm.Tool && strings.Contains(last.Text, "Stardog"):
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "write", `{"text":"Neo4j"}`)}}, nil
	}
	return llm.Message{Text: "Done."}, nil
}

// TestWhateverBreaks: a part of the application panics at every message of a conversation; nothing is left half done, and once it works the
// conversation goes on.
func TestWhateverBreaks(t *testing.T) {
	t.Parallel()
	for name, put := range breakable {
		for _, first := range []string{"hello", "compare", "remove"} {
			t.Run(name+" "+first, func(t *testing.T) {
				t.Parallel()
				var wrote, deleted atomic.Int64
				s := &switchable{}
				h := iristest.New(t, llm.Func(conversant), iristest.Tools(countingTool("write", iris.Write, &wrote), countingTool("rm", iris.Destructive, &deleted)),
					iristest.With(func(c *iris.Config) { put(c, s) }))
				h.Say(first)
				s.on.Store(true)
				_, _ = h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Channel: "test", Message: "yes, go ahead"})
				_ = h.Tick(t.Context())
				_, _ = h.PendingActions(t.Context())
				s.on.Store(false)
				whole(t, h)
				h.Say("yes, go ahead")
				if err := h.Tick(t.Context()); err != nil {
					t.Error(err)
				}
				whole(t, h)
				if wrote.Load() > 1 || deleted.Load() > 1 {
					t.Errorf("wrote %d, deleted %d; want 1 at most", wrote.Load(), deleted.Load())
				}
			})
		}
	}
}

// whole fails the test where something is half done.
func whole(t *testing.T, h *iristest.Harness) {
	t.Helper()
	if broken := iristest.Broken(h.Harness, h.Store, h.Clock.Now()); len(broken) > 0 {
		t.Error(broken)
	}
	if _, err := h.Audit().Verify(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestAConsumerThatLeavesAtAnyEvent: it stops ranging, panics, cancels or stops the turn at its n-th event. The person can go on, and nothing happens twice.
func TestAConsumerThatLeavesAtAnyEvent(t *testing.T) {
	t.Parallel()
	type leaver func(h *iristest.Harness, cancel context.CancelFunc) (goOn bool)
	leavers := map[string]leaver{
		"breaks":  func(*iristest.Harness, context.CancelFunc) bool { return false },
		"panics":  func(*iristest.Harness, context.CancelFunc) bool { panic("the consumer's own") },
		"cancels": func(_ *iristest.Harness, cancel context.CancelFunc) bool { cancel(); return true },
		"stops":   func(h *iristest.Harness, _ context.CancelFunc) bool { h.Stop(context.Background(), "s1"); return true },
	}
	for name, leave := range leavers {
		for _, first := range []string{"hello", "compare", "remove"} {
			for at := 1; at <= 8; at++ {
				t.Run(fmt.Sprint(name, " ", first, " ", at), func(t *testing.T) {
					t.Parallel()
					var wrote, deleted atomic.Int64
					h := iristest.New(t, llm.Func(conversant), iristest.Tools(countingTool("write", iris.Write, &wrote), countingTool("rm", iris.Destructive, &deleted)))
					h.Say(first)
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					func() {
						defer func() { _ = recover() }()
						n := 0
						for range h.Stream(ctx, iris.TurnRequest{SessionID: "s1", Message: "yes, go ahead"}) {
							if n++; n == at && !leave(h, cancel) {
								break
							}
						}
					}()
					whole(t, h)
					h.Say("yes, go ahead")
					if err := errors.Join(h.Tick(context.Background()), h.Tick(context.Background())); err != nil {
						t.Error(err)
					}
					whole(t, h)
					if wrote.Load() > 1 || deleted.Load() > 1 {
						t.Errorf("wrote %d, deleted %d; want 1 at most", wrote.Load(), deleted.Load())
					}
				})
			}
		}
	}
}

// TestAnExecutorThatPanics: nobody knows whether it happened; it is said, and not done again.
func TestAnExecutorThatPanics(t *testing.T) {
	t.Parallel()
	s := &panicking{}
	h := iristest.New(t, llm.Func(conversant), executors(s))
	if _, _, err := h.Continuations().Ask(t.Context(), payAsk()); err != nil {
		t.Fatal(err)
	}
	h.Say("yes")
	if row := lastClosed(t, h); row.Status != continuation.Answered || row.Outcome != continuation.OutcomeUnknown {
		t.Errorf("the question: %+v", row)
	}
	effects, err := h.Ambiguous(t.Context(), "s1", "", 10)
	if err != nil || len(effects) != 1 {
		t.Errorf("ambiguous %+v (%v)", effects, err)
	}
	if h.Say("yes"); s.n.Load() != 1 {
		t.Errorf("ran %d times", s.n.Load())
	}
}

type panicking struct{ n atomic.Int64 }

func (*panicking) Kind() string { return "pay" }

func (p *panicking) Execute(context.Context, json.RawMessage) (string, error) {
	p.n.Add(1)
	panic("broken")
}

// TestAHookThatHoldsAConfirmedAction: nothing can hold there, so that it is denied, and nothing runs.
func TestAHookThatHoldsAConfirmedAction(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	h := iristest.New(t, llm.Func(conversant), executors(x), iristest.With(func(c *iris.Config) {
		c.Hooks = []iris.Hook{{Name: "hold", At: iris.PreTool, Decide: func(context.Context, iris.Subject) iris.Decision { return iris.RequireApproval("money") }}}
	}))
	if _, _, err := h.Continuations().Ask(t.Context(), payAsk()); err != nil {
		t.Fatal(err)
	}
	h.Say("yes")
	if row := lastClosed(t, h); x.count() != 0 || row.Outcome != "denied" {
		t.Errorf("ran %d; the question: %+v", x.count(), row)
	}
	whole(t, h)
}

// TestASecondPauseOfOneRun keeps session, channel, owner and intent, and who is asked.
func TestASecondPauseOfOneRun(t *testing.T) {
	t.Parallel()
	m := iristest.Model().AskUser("Neo4j or Stardog?").AskUser("On which host?").Answer("Done.")
	h := iristest.New(t, m)
	first := h.MustTurn(iris.TurnRequest{SessionID: "s1", Channel: "telegram", Sender: "u1", Message: "compare"})
	second := h.MustTurn(iris.TurnRequest{SessionID: "s1", Channel: "web", Sender: "u1", Message: "Neo4j"})
	a, err1 := h.Continuations().Get(t.Context(), "s1", first.Asked.ID)
	b, err2 := h.Continuations().Get(t.Context(), "s1", second.Asked.ID)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if b.RunID != a.RunID || b.Owner != a.Owner || b.Channel != a.Channel || b.Intent != a.Intent || b.AskedOf != "u1" || b.StepID != a.StepID+1 {
		t.Errorf("the second pause %+v, the first %+v", b, a)
	}
}

// TestRecoverFromEverywhere: many processes recover at once, again and again; each dead turn is settled once.
func TestRecoverFromEverywhere(t *testing.T) {
	t.Parallel()
	h := iristest.New(t, llm.Func(conversant))
	asked := h.Say("compare").Asked
	dead := deadTurn(t, h)
	if _, err := h.Continuations().Claim(t.Context(), continuation.Claimant{ID: asked.ID, SessionID: "s1", TurnID: dead}); err != nil {
		t.Fatal(err)
	}
	h.Clock.Advance(time.Hour)
	other := iristest.New(t, llm.Func(conversant), iristest.Store(h.Store))
	other.Clock.Advance(time.Hour)
	var released atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			got, err := []*iristest.Harness{h, other}[i%2].Recover(context.Background())
			if err != nil {
				t.Errorf("recover: %v", err)
			}
			for _, r := range got {
				released.Add(int64(len(r.Released)))
			}
		})
	}
	all.Wait()
	if released.Load() != 1 || auditOf(t, h, "recovered") != 1 || h.Pending() == nil {
		t.Errorf("released %d times, %d audit rows, waits %+v", released.Load(), auditOf(t, h, "recovered"), h.Pending())
	}
	run, err := h.InspectRun(t.Context(), asked.RunID)
	if err != nil || run.Run.State != checkpoint.Paused {
		t.Errorf("run %+v (%v)", run, err)
	}
}
