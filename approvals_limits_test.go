package iris_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

// TestRefusals: each is typed, is in the audit, and leaves the request as it was.
func TestRefusals(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	id := h.MustTurn(iris.TurnRequest{SessionID: "s1", Sender: "u1", Message: "remove A"}).Approvals[0]
	tests := map[string]struct {
		by   iris.Principal
		want error
	}{
		"the system":     {iris.Principal{ID: "cron", System: true}, approval.ErrNotAPerson},
		"another person": {iris.Principal{ID: "u2"}, approval.ErrAskedOf},
	}
	for name, tt := range tests {
		before := auditOf(t, h, "refused")
		_, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: tt.by})
		var refused *approval.RefusedError
		if !errors.As(err, &refused) || !errors.Is(err, tt.want) || auditOf(t, h, "refused") != before+1 {
			t.Errorf("%s: %v, %d audit rows more; want %v, and one", name, err, auditOf(t, h, "refused")-before, tt.want)
		}
	}
	if r, err := h.Approvals().Get(t.Context(), id); err != nil || r.Status != approval.Pending || deleted.Load() != 0 {
		t.Errorf("the request is %v (%v), deleted %d", r.Status, err, deleted.Load())
	}
}

// TestAwaitAcrossHandles: another process decides.
func TestAwaitAcrossHandles(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	path, file := onFile(t)
	tools := iristest.Tools(countingTool("rm", iris.Destructive, &deleted))
	a := iristest.New(t, iristest.Model().Call("rm", `{"text":"A"}`), file, tools)
	b := iristest.New(t, iristest.Model().Answer("Gone."), iristest.Store(openFile(t, path)), tools)
	id := a.Say("remove A").Approvals[0]
	woke := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		r, err := a.Approvals().Gate().Await(ctx, id)
		if err == nil && r.Status != approval.Approved {
			err = errors.New("woke with " + string(r.Status))
		}
		woke <- err
	}()
	if o, err := b.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: iris.Principal{ID: "u1"}}); err != nil || !o.Resumed {
		t.Errorf("respond: %+v (%v)", o, err)
	}
	if err := <-woke; err != nil || deleted.Load() != 1 {
		t.Errorf("await: %v, deleted %d", err, deleted.Load())
	}
}

// TestALongResumeDelaysNoDelivery: what is to be sent goes out before runs are taken up.
func TestALongResumeDelaysNoDelivery(t *testing.T) {
	t.Parallel()
	var deleted, sent atomic.Int64
	pager := approval.NewTextChannel("pager", func(context.Context, approval.TextMessage) error {
		if sent.Add(1) == 1 {
			return errors.New("no signal")
		}
		return nil
	})
	early := int64(-1)
	m := iristest.Model().Call("rm", `{"text":"A"}`).Call("rm", `{"text":"B"}`).
		Do(func() { early = sent.Load() }, llm.Message{Text: "Gone."})
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) { c.Channels = []iris.Channel{pager} }))
	first := h.MustTurn(iris.TurnRequest{SessionID: "s1", Message: "remove A"})
	h.MustTurn(iris.TurnRequest{SessionID: "s2", Channel: "pager", Message: "remove B"})
	if _, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: first.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}, Later: true}); err != nil {
		t.Fatal(err)
	}
	if err := h.RequestResume(t.Context(), first.Runs[0]); err != nil {
		t.Fatal(err)
	}
	h.Clock.Advance(time.Minute)
	if err := h.Tick(t.Context()); err != nil || early != 2 || deleted.Load() != 1 {
		t.Errorf("sent %d times before the run was taken up (%v), deleted %d; want 2 and 1", early, err, deleted.Load())
	}
}
