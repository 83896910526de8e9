package iris_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

func TestCaseB04NobodySweepsAndTheDeadlineHolds(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)),
		iristest.With(func(c *iris.Config) { c.Approvals.Destructive = time.Minute }))
	r := h.Say("clean up")
	h.Clock.Advance(61 * time.Second)
	_, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	if !errors.Is(err, approval.ErrOverdue) {
		t.Errorf("a second too late: %v, want ErrOverdue", err)
	}
	req, err := h.Approvals().Get(t.Context(), r.Approvals[0])
	if err != nil || req.Status != approval.TimedOut {
		t.Errorf("stored as %v (%v), want timed_out", req.Status, err)
	}
	if deleted.Load() != 0 || m.Calls() != 1 {
		t.Errorf("deleted %d, model calls %d: the run went on", deleted.Load(), m.Calls())
	}
}

func TestCaseB10AnsweredNotResumed(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	m := iristest.Model().Call("rm", `{"text":"A"}`).Do(cancel, llm.Message{Text: "gone"})
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	r := h.Say("clean up")
	cancel()
	o, err := h.Approvals().Respond(ctx, iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	if err != nil || o.Resumed || o.Request.Status != approval.Approved || o.Request.Principal != "u1" {
		t.Errorf("outcome %+v (%v), want approved by u1 and not resumed", o, err)
	}
	if got := auditOf(t, h, "decided"); got != 1 {
		t.Errorf("%d audit rows of the decision, want 1", got)
	}
}

func auditOf(t *testing.T, h *iristest.Harness, kind string) int {
	t.Helper()
	n := 0
	for e, err := range h.Store.Audit().Entries(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if string(e.Kind) == kind {
			n++
		}
	}
	return n
}

func TestCaseB16ADecisionIsNotUsedUpByAFailedResume(t *testing.T) {
	t.Parallel()
	var done atomic.Int64
	hook := iris.Hook{Name: "ask", At: governance.PreLLM, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
		if s.StepID == 1 {
			return governance.RequireApproval("step 1 needs a word")
		}
		return governance.Allow()
	}}
	m := iristest.Model().Call("write", nil).Fail(errors.New("provider 500")).Answer("Finished.")
	h := iristest.New(t, m, iristest.Tools(countingTool("write", iris.Write, &done)), iristest.With(func(c *iris.Config) { c.Hooks = []iris.Hook{hook} }))
	r := h.Say("write it")
	o, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	if err != nil || o.Resumed || o.Reason != approval.NotResumedFailed || !strings.Contains(o.Err.Error(), "provider 500") {
		t.Fatalf("outcome %+v (%v), want approved, not resumed: provider 500", o, err)
	}
	reply, err := h.Resume(t.Context(), r.Runs[0])
	if err != nil || reply.Text != "Finished." {
		t.Fatalf("resume: %q (%v)", reply.Text, err)
	}
	if _, err := h.Resume(t.Context(), r.Runs[0]); !errors.Is(err, iris.ErrCannotResume) {
		t.Errorf("a further resume: %v, want ErrCannotResume", err)
	}
	if n := auditOf(t, h, "decided"); n != 1 || done.Load() != 1 {
		t.Errorf("%d decisions, %d effects, want 1 and 1", n, done.Load())
	}
}

func TestCaseB19AnsweringOneOfTwoReleasesThatOne(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`).Call("rm", `{"text":"B"}`).Answer("B is gone.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	a1, a2 := h.Say("remove A"), h.Say("remove B")
	if _, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: a2.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}}); err != nil {
		t.Fatal(err)
	}
	got := map[string]approval.Status{}
	for _, id := range []string{a1.Approvals[0], a2.Approvals[0]} {
		r, err := h.Approvals().Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		got[id] = r.Status
	}
	if diff := cmp.Diff(map[string]approval.Status{a1.Approvals[0]: approval.Pending, a2.Approvals[0]: approval.Approved}, got); diff != "" {
		t.Error(diff)
	}
	if deleted.Load() != 1 {
		t.Errorf("%d effects, want the one of B", deleted.Load())
	}
	for _, id := range []string{"", "01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		if _, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: iris.Principal{ID: "u1"}}); !errors.Is(err, approval.ErrNotFound) {
			t.Errorf("id %q: %v, want ErrNotFound", id, err)
		}
	}
}

func TestCaseB26NobodyElsesSurface(t *testing.T) {
	t.Parallel()
	for _, copyTo := range []string{"", "telegram"} {
		t.Run("copy to "+copyTo, func(t *testing.T) {
			t.Parallel()
			var sent, deleted atomic.Int64
			telegram := approval.NewTextChannel("telegram", func(context.Context, approval.TextMessage) error { sent.Add(1); return nil })
			m := iristest.Model()
			h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
				c.Channels = []iris.Channel{telegram}
				c.Approvals.CopyTo = copyTo
			}))
			raise := func(session, channel string) iris.Reply {
				m.Call("rm", `{"text":"A"}`)
				return h.MustTurn(iris.TurnRequest{SessionID: session, Channel: channel, Message: "remove A"})
			}
			web := raise("w", "web")
			want := int64(0)
			if copyTo != "" {
				want = 1
			}
			if sent.Load() != want {
				t.Errorf("raised from the web: telegram was told %d times, want %d", sent.Load(), want)
			}
			raise("t", "telegram")
			if sent.Load() != want+1 {
				t.Errorf("raised from telegram: told %d times, want %d", sent.Load(), want+1)
			}
			raise("n", "")
			if sent.Load() != want+1 {
				t.Errorf("raised from nowhere: told %d times, want %d: it goes to a line on stderr", sent.Load(), want+1)
			}
			m.Answer("done")
			answer := iris.Answer{ApprovalID: web.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}}
			if _, err := h.Approvals().Respond(t.Context(), answer); err != nil {
				t.Error(err)
			}
			if _, err := h.Approvals().Respond(t.Context(), answer); !errors.Is(err, approval.ErrDecided) {
				t.Errorf("the other copy: %v, want ErrDecided", err)
			}
		})
	}
}

func TestCaseB35TheApprovedStepIsNotHeldAgain(t *testing.T) {
	t.Parallel()
	var asked, n atomic.Int64
	hook := iris.Hook{Name: "step", At: governance.PostStep, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
		if s.StepID == 1 {
			asked.Add(1)
			return governance.RequireApproval("step 1 needs a word")
		}
		return governance.Allow()
	}}
	m := iristest.Model().Call("look", `{"text":"a"}`).Call("look", `{"text":"b"}`).Answer("Finished.")
	h := iristest.New(t, m, iristest.Tools(countingTool("look", iris.ReadOnly, &n)), iristest.With(func(c *iris.Config) { c.Hooks = []iris.Hook{hook} }))
	r := h.Say("look twice")
	o, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	if err != nil || !o.Resumed || o.Answer != "Finished." {
		t.Fatalf("outcome %+v (%v)", o, err)
	}
	rows, err := h.Approvals().List(t.Context(), approval.Query{})
	if err != nil || len(rows) != 1 || asked.Load() != 1 || n.Load() != 2 {
		t.Errorf("%d approvals (%v), the hook judged step 1 %d times, %d looks, want 1, 1, 2", len(rows), err, asked.Load(), n.Load())
	}
	if got := m.Requests()[2].Messages; got[len(got)-1].Text != "ok b" {
		t.Errorf("step 1's observation is %q, want the tool's own", got[len(got)-1].Text)
	}
}

func TestCaseB53OnlyWhoWasAsked(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	r := h.MustTurn(iris.TurnRequest{SessionID: "tg:-100", Sender: "u1", Message: "remove A"})
	a := iris.Answer{ApprovalID: r.Approvals[0], Decision: iris.Approve, By: iris.Principal{ID: "u2"}}
	var refused *approval.RefusedError
	if _, err := h.Approvals().Respond(t.Context(), a); !errors.As(err, &refused) {
		t.Errorf("u2: %v, want a refusal", err)
	}
	m.Answer("Only u1 can say that.")
	h.MustTurn(iris.TurnRequest{SessionID: "tg:-100", Sender: "u2", Message: "yes, go ahead"})
	if got, err := h.Approvals().Get(t.Context(), a.ApprovalID); err != nil || got.Status != approval.Pending || deleted.Load() != 0 {
		t.Errorf("after u2: %v (%v), deleted %d", got.Status, err, deleted.Load())
	}
	if n := auditOf(t, h, "refused"); n != 1 {
		t.Errorf("%d refused attempts in the audit, want 1", n)
	}
	a.By.ID = "u1"
	m.Answer("A is gone.")
	if o, err := h.Approvals().Respond(t.Context(), a); err != nil || !o.Resumed || deleted.Load() != 1 {
		t.Errorf("u1: %+v (%v), deleted %d", o, err, deleted.Load())
	}
}
