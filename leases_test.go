package iris_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/session"
)

// unleased is a store whose lease does nothing: everybody gets it, and nobody loses it.
type unleased struct {
	iris.Store
	epoch *atomic.Int64
}

func withoutLease(s iris.Store) iris.Store { return unleased{s, new(atomic.Int64)} }

func (u unleased) Sessions() session.Store { return unleasedSessions{u.Store.Sessions(), u.epoch} }

type unleasedSessions struct {
	session.Store
	epoch *atomic.Int64
}

func (u unleasedSessions) Acquire(_ context.Context, sessionID, holder string, _, until time.Time) (session.Lease, error) {
	return session.Lease{SessionID: sessionID, Holder: holder, Epoch: u.epoch.Add(1), Until: until}, nil
}

func (unleasedSessions) Hold(_ context.Context, l session.Lease, _ time.Time) (session.Lease, error) {
	return l, nil
}

func (unleasedSessions) Release(context.Context, session.Lease) error { return nil }
func (unleasedSessions) TakeOver(context.Context, string) error       { return nil }

// TestOneWinnerWithoutALease: correctness is in the rows, and holds where turns of one session run at the same time.
func TestOneWinnerWithoutALease(t *testing.T) {
	t.Parallel()
	stores := map[string]func(t *testing.T) iris.Store{
		"memory": func(t *testing.T) iris.Store {
			s := memstore.New()
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		"sqlite": func(t *testing.T) iris.Store { return openFile(t, t.TempDir()+"/iris.db") },
	}
	for name, open := range stores {
		t.Run(name+" action", func(t *testing.T) { t.Parallel(); unleasedAction(t, open) })
		t.Run(name+" run", func(t *testing.T) { t.Parallel(); unleasedRun(t, open) })
		t.Run(name+" approval", func(t *testing.T) { t.Parallel(); unleasedApproval(t, open) })
	}
}

// atOnce says text in s1 n times at the same time, through each of the harnesses in turn.
func atOnce(t *testing.T, n int, text string, hs ...*iristest.Harness) {
	t.Helper()
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-start
			_, err := hs[i%len(hs)].Turn(context.Background(), iris.TurnRequest{SessionID: "s1", Message: text})
			var te *iris.TurnError
			if err != nil && !errors.As(err, &te) {
				t.Errorf("turn: %v", err)
			}
		})
	}
	close(start)
	all.Wait()
}

func unleasedAction(t *testing.T, open func(t *testing.T) iris.Store) {
	for range 10 {
		x, s := &counter{kind: "pay"}, withoutLease(open(t))
		hello := llm.Func(func(context.Context, *llm.Request) (llm.Message, error) { return llm.Message{Text: "Hello."}, nil })
		a := iristest.New(t, hello, iristest.Store(s), executors(x))
		b := iristest.New(t, hello, iristest.Store(s), executors(x))
		if _, _, err := a.Continuations().Ask(t.Context(), payAsk()); err != nil {
			t.Fatal(err)
		}
		if atOnce(t, 8, "yes", a, b); x.count() != 1 {
			t.Fatalf("ran %d times, want 1", x.count())
		}
		a.Say("hello")
		if broken := iristest.Broken(a.Harness, s, a.Clock.Now()); len(broken) > 0 {
			t.Error(broken)
		}
	}
}

func unleasedRun(t *testing.T, open func(t *testing.T) iris.Store) {
	for range 10 {
		var wrote atomic.Int64
		s := withoutLease(open(t))
		m := llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
			last := req.Messages[len(req.Messages)-1].Text
			switch {
			case last == "compare":
				return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "ask_user", `{"question":"Neo4j or Stardog?"}`)}}, nil
			case strings.Contains(last, "Neo4j or Stardog?"):
				return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "write", `{"text":"Neo4j"}`)}}, nil
			}
			return llm.Message{Text: "Done."}, nil
		})
		tools := iristest.Tools(countingTool("write", iris.Write, &wrote))
		a, b := iristest.New(t, m, iristest.Store(s), tools), iristest.New(t, m, iristest.Store(s), tools)
		a.Say("compare")
		atOnce(t, 8, "Neo4j", a, b)
		if wrote.Load() > 1 {
			t.Fatalf("wrote %d times, want 1 at most", wrote.Load())
		}
		a.Say("hello")
		if broken := iristest.Broken(a.Harness, s, a.Clock.Now()); len(broken) > 0 {
			t.Error(broken)
		}
	}
}

func unleasedApproval(t *testing.T, open func(t *testing.T) iris.Store) {
	for range 10 {
		var deleted atomic.Int64
		s := withoutLease(open(t))
		m := llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
			if req.Messages[len(req.Messages)-1].Text == "remove A" {
				return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"A"}`)}}, nil
			}
			return llm.Message{Text: "Done."}, nil
		})
		tools := iristest.Tools(countingTool("rm", iris.Destructive, &deleted))
		a, b := iristest.New(t, m, iristest.Store(s), tools), iristest.New(t, m, iristest.Store(s), tools)
		id := a.Say("remove A").Approvals[0]
		var all sync.WaitGroup
		for i, h := range []*iristest.Harness{a, b, a, b} {
			all.Go(func() {
				_, err := h.Approvals().Respond(context.Background(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: iris.Principal{ID: fmt.Sprint(i)}})
				if err != nil && !errors.Is(err, approval.ErrDecided) {
					t.Errorf("respond: %v", err)
				}
			})
		}
		atOnce(t, 4, "yes, go ahead", a, b)
		all.Wait()
		if deleted.Load() > 1 {
			t.Fatalf("deleted %d times, want 1 at most", deleted.Load())
		}
	}
}

// TestALeaseThatLapsesUnderALiveTurn: another process takes the turn for dead. What it still writes is refused, and the person can answer again.
func TestALeaseThatLapsesUnderALiveTurn(t *testing.T) {
	t.Parallel()
	var wrote atomic.Int64
	thinking, goOn := make(chan struct{}), make(chan struct{})
	m := iristest.Model().AskUser("Neo4j or Stardog?").Func(func(context.Context, *llm.Request) (llm.Message, error) {
		close(thinking)
		<-goOn
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "write", `{"text":"late"}`)}}, nil
	})
	tools := iristest.Tools(countingTool("write", iris.Write, &wrote))
	a := iristest.New(t, m, tools)
	b := iristest.New(t, iristest.Model().Call("write", `{"text":"again"}`).Answer("Neo4j it is."), iristest.Store(a.Store), tools)
	a.Say("compare")
	late := make(chan error, 1)
	go func() {
		_, err := a.Turn(context.Background(), iris.TurnRequest{SessionID: "s1", Message: "Neo4j"})
		late <- err
	}()
	<-thinking
	a.Clock.Advance(time.Hour)
	b.Clock.Advance(time.Hour)
	if got, err := b.Recover(t.Context()); err != nil || len(got) != 1 || len(got[0].Released) != 1 {
		t.Fatalf("recovered %+v (%v), want the question given back", got, err)
	}
	if r := b.Say("Neo4j"); r.Text != "Neo4j it is." || wrote.Load() != 1 {
		t.Errorf("reply %q, wrote %d", r.Text, wrote.Load())
	}
	close(goOn)
	var te *iris.TurnError
	if err := <-late; !errors.As(err, &te) || wrote.Load() != 1 {
		t.Errorf("the late turn: %v, wrote %d; want it refused", err, wrote.Load())
	}
	if broken := iristest.Broken(b.Harness, b.Store, b.Clock.Now()); len(broken) > 0 {
		t.Error(broken)
	}
}

// TestAClockThatGoesBack: what waits can still be answered and decided, and every row says a time that is not before it began.
func TestAClockThatGoesBack(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	var deleted atomic.Int64
	_, file := onFile(t)
	m := iristest.Model().AskUser("Neo4j or Stardog?").Call("rm", `{"text":"A"}`).Answer("Neo4j.").Answer("Gone.")
	h := iristest.New(t, m, file, executors(x), iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	h.Say("compare")
	held := h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "remove A"})
	a := payAsk()
	a.SessionID = "s3"
	if _, _, err := h.Continuations().Ask(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	h.Clock.Advance(-time.Hour)
	if r := h.Say("Neo4j"); r.Text != "Neo4j." {
		t.Errorf("reply %q", r.Text)
	}
	if _, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: held.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}}); err != nil || deleted.Load() != 1 {
		t.Errorf("respond: %v, deleted %d", err, deleted.Load())
	}
	if h.MustTurn(iris.TurnRequest{SessionID: "s3", Message: "yes"}); x.count() != 1 {
		t.Errorf("ran %d times", x.count())
	}
	if err := h.Tick(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestManySweepers: a lapse is told once on each side, whoever sweeps.
func TestManySweepers(t *testing.T) {
	t.Parallel()
	var told atomic.Int64
	pager := approval.NewTextChannel("pager", func(_ context.Context, m approval.TextMessage) error {
		if strings.HasPrefix(m.Key, "lapse/") {
			told.Add(1)
		}
		return nil
	})
	var deleted atomic.Int64
	path, _ := onFile(t)
	with := iristest.With(func(c *iris.Config) {
		c.Channels, c.Tools = []iris.Channel{pager}, []iris.Tool{countingTool("rm", iris.Destructive, &deleted)}
	})
	a := iristest.New(t, iristest.Model().Call("rm", `{"text":"A"}`), iristest.Store(openFile(t, path)), with)
	b := iristest.New(t, iristest.Model(), iristest.Store(openFile(t, path)), with)
	held := a.MustTurn(iris.TurnRequest{SessionID: "s1", Channel: "pager", Message: "remove A"})
	a.Clock.Advance(61 * time.Minute)
	b.Clock.Advance(61 * time.Minute)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := []*iristest.Harness{a, b}[i%2].Tick(context.Background()); err != nil {
				t.Errorf("tick: %v", err)
			}
		})
	}
	all.Wait()
	for range 2 {
		a.Clock.Advance(time.Minute)
		if err := a.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	texts := append(a.Sent.Texts(), b.Sent.Texts()...)
	if told.Load() != 1 || len(texts) != 1 || !strings.Contains(texts[0], held.Approvals[0]) || auditOf(t, a, "lapsed") != 1 {
		t.Errorf("told %d times on the channel, %q in the chat, %d audit rows; want one each", told.Load(), texts, auditOf(t, a, "lapsed"))
	}
	if q, err := a.Continuations().Pending(t.Context(), "s1"); err != nil || q != nil {
		t.Errorf("waits %+v (%v)", q, err)
	}
	rows, err := a.Continuations().History(t.Context(), "s1", "", 1)
	if err != nil || rows[0].Status != continuation.Expired && rows[0].Status != continuation.Superseded {
		t.Errorf("the chat's question: %+v (%v)", rows, err)
	}
}

// TestALeaseOutlastsTheLongestRun: an agent with limits of its own does not look dead while it waits for its model.
func TestALeaseOutlastsTheLongestRun(t *testing.T) {
	t.Parallel()
	thinking, goOn := make(chan struct{}), make(chan struct{})
	m := iristest.Model().Func(func(context.Context, *llm.Request) (llm.Message, error) {
		close(thinking)
		<-goOn
		return llm.Message{Text: "At last."}, nil
	})
	h := iristest.New(t, nil, iristest.With(func(c *iris.Config) {
		c.Agents = []iris.Agent{{Name: "quick", LLM: m}, {Name: "slow", LLM: m, Limits: iris.Limits{WallClock: 20 * time.Minute}}}
	}))
	other := iristest.New(t, m, iristest.Store(h.Store))
	done := make(chan error, 1)
	go func() {
		_, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "s1", Message: "think slow"})
		done <- err
	}()
	<-thinking
	other.Clock.Advance(19 * time.Minute)
	if got, err := other.Recover(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("recovered %+v (%v), want nothing: the turn lives", got, err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Errorf("the turn: %v", err)
	}
}
