package iris_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

func TestForget(t *testing.T) {
	t.Parallel()
	m := iristest.Model().AskUser("Neo4j or Stardog?").Answer("Hello.")
	h := iristest.New(t, m)
	h.Say("compare")
	if err := h.Forget(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	runs, err := h.Runs(t.Context(), "s1", "", 10)
	if err != nil || len(runs) != 0 || h.Pending() != nil {
		t.Errorf("left: runs %v (%v), waits %v", runs, err, h.Pending())
	}
	h.Say("hello")
	if got := len(m.Requests()[1].Messages); got != 1 {
		t.Errorf("the next turn sees %d messages, want its own alone", got)
	}
	if _, err := h.Audit().Verify(t.Context()); err != nil {
		t.Errorf("the audit: %v", err)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	m := iristest.Model().Func(func(ctx context.Context, _ *llm.Request) (llm.Message, error) {
		close(started)
		<-ctx.Done()
		return llm.Message{}, ctx.Err()
	})
	h := iristest.New(t, m)
	go func() {
		<-started
		if !h.Stop(context.Background(), "s1") {
			t.Error("no turn to stop")
		}
	}()
	_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "think"})
	var te *iris.TurnError
	if !errors.As(err, &te) {
		t.Fatalf("turn: %v, want a TurnError", err)
	}
	m.Answer("Back.")
	if r := h.Say("hello"); r.Text != "Back." {
		t.Errorf("the next turn: %q", r.Text)
	}
	if h.Stop(context.Background(), "s1") {
		t.Error("a turn was stopped that is over")
	}
}

func TestRedeliveryWhileTheFirstIsProcessed(t *testing.T) {
	t.Parallel()
	started, goOn := make(chan struct{}), make(chan struct{})
	m := iristest.Model().Func(func(context.Context, *llm.Request) (llm.Message, error) {
		close(started)
		<-goOn
		return llm.Message{Text: "Once."}, nil
	})
	h := iristest.New(t, m)
	r := iris.TurnRequest{SessionID: "s1", Message: "hello", MessageID: "m1"}
	replies := make(chan iris.Reply, 2)
	turn := func() {
		reply, err := h.Turn(context.Background(), r)
		if err != nil {
			t.Errorf("turn: %v", err)
		}
		replies <- reply
	}
	go turn()
	<-started
	go turn()
	close(goOn)
	a, b := <-replies, <-replies
	if a.Text != "Once." || b.Text != "Once." || a.Repeated == b.Repeated || m.Calls() != 1 {
		t.Errorf("replies %+v and %+v, model calls %d; want one processed and one from the record", a, b, m.Calls())
	}
}

func TestRedeliveryOfAFailure(t *testing.T) {
	t.Parallel()
	var wrote counterInt
	m := iristest.Model().Fail(errors.New("down")).Call("write", nil).Fail(errors.New("down again")).Answer("Never asked.")
	h := iristest.New(t, m, iristest.Tools(countingTool("write", iris.Write, &wrote.v)))
	turn := func() error {
		_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "write it", MessageID: "m1"})
		return err
	}
	var te *iris.TurnError
	if err := turn(); !errors.As(err, &te) || te.Happened {
		t.Errorf("the first delivery: %v, want a failure before anything happened", err)
	}
	if err := turn(); !errors.As(err, &te) || !te.Happened || wrote.v.Load() != 1 {
		t.Errorf("the second delivery: %v, wrote %d; want it processed, and failed after an effect", err, wrote.v.Load())
	}
	calls := m.Calls()
	if err := turn(); !errors.As(err, &te) || m.Calls() != calls || wrote.v.Load() != 1 {
		t.Errorf("the third delivery: %v, wrote %d, %d more model calls; want the recorded failure", err, wrote.v.Load(), m.Calls()-calls)
	}
}

func TestReentrantTurns(t *testing.T) {
	t.Parallel()
	var h *iristest.Harness
	var same, other error
	var there iris.Reply
	call := iris.NewTool(iris.ToolSpec{Name: "call", Description: "takes turns", Effect: iris.ReadOnly}, func(ctx context.Context, _ struct{}) (string, error) {
		_, same = h.Turn(ctx, iris.TurnRequest{SessionID: "s1", Message: "again"})
		there, other = h.Turn(ctx, iris.TurnRequest{SessionID: "s2", Message: "yes"})
		return "ok", nil
	})
	m := iristest.Model().AskUser("Shall I?").Call("call", nil).Answer("A System turn.").Answer("Done.")
	h = iristest.New(t, m, iristest.Tools(call))
	h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "ask me"})
	h.Say("call")
	if !errors.Is(same, iris.ErrReentrant) {
		t.Errorf("the own session: %v, want ErrReentrant", same)
	}
	if other != nil || there.Text != "A System turn." || there.Asked == nil {
		t.Errorf("another session: %+v (%v), want a turn that answers nothing", there, other)
	}
}

func TestSessionsDoNotWaitForOneAnother(t *testing.T) {
	t.Parallel()
	hung := make(chan struct{})
	m := llm.Func(func(ctx context.Context, req *llm.Request) (llm.Message, error) {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text, "hang") {
			close(hung)
			<-ctx.Done()
			return llm.Message{}, ctx.Err()
		}
		return llm.Message{Text: "Quick."}, nil
	})
	h := iristest.New(t, m)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := h.Turn(ctx, iris.TurnRequest{SessionID: "slow", Message: "hang"})
		done <- err
	}()
	<-hung
	if r := h.Say("hello"); r.Text != "Quick." {
		t.Errorf("reply %q", r.Text)
	}
	busy, stop := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer stop()
	if _, err := h.Turn(busy, iris.TurnRequest{SessionID: "slow", Message: "hello"}); !errors.Is(err, iris.ErrBusy) {
		t.Errorf("a second turn of the hung session: %v, want ErrBusy", err)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("the hung turn did not fail")
	}
	h.MustTurn(iris.TurnRequest{SessionID: "slow", Message: "hello"})
}

func TestConsumerThatStopsRanging(t *testing.T) {
	t.Parallel()
	var wrote counterInt
	m := iristest.Model().Call("write", `{"text":"1"}`).Call("write", `{"text":"2"}`).Answer("Done.")
	h := iristest.New(t, m, iristest.Tools(countingTool("write", iris.Write, &wrote.v)))
	for range h.Stream(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "write"}) {
		break
	}
	runs, err := h.Runs(t.Context(), "s1", "", 10)
	if err != nil || len(runs) != 1 || runs[0].State != "failed" || runs[0].Reason != "interrupted" || wrote.v.Load() != 1 {
		t.Fatalf("runs %+v (%v), wrote %d; want one, failed: interrupted, after its first step", runs, err, wrote.v.Load())
	}
	r, err := h.Resume(t.Context(), runs[0].ID)
	if err != nil || r.Text != "Done." || wrote.v.Load() != 2 {
		t.Errorf("resumed: %q (%v), wrote %d", r.Text, err, wrote.v.Load())
	}
}
