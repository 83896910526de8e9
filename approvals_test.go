package iris_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/plugin"
)

// attempt tries to approve with what a callback is handed: its context.
type attempt struct {
	h    *iristest.Harness
	id   string
	mu   sync.Mutex
	errs map[string]error
}

func (a *attempt) try(ctx context.Context, who string) {
	_, err := a.h.Approvals().Respond(ctx, iris.Answer{ApprovalID: a.id, Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
	if serr := a.h.Settle(ctx, "x", true, iris.Principal{ID: "u1"}); !errors.Is(serr, approval.ErrInside) {
		err = errors.Join(err, fmt.Errorf("settle: %w", serr))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.errs[who] = err
}

// Kind and Execute make the attempt an executor.
func (a *attempt) Kind() string { return "try" }

func (a *attempt) Execute(ctx context.Context, _ json.RawMessage) (string, error) {
	a.try(ctx, "executor")
	return "tried", nil
}

func TestNoAgentFacingAnswer(t *testing.T) {
	t.Parallel()
	a := &attempt{errs: map[string]error{}}
	var deleted atomic.Int64
	trying := iris.NewTool(iris.ToolSpec{Name: "try", Description: "tries", Effect: iris.ReadOnly}, func(ctx context.Context, _ struct{}) (string, error) {
		a.try(ctx, "tool")
		return "tried", iris.Confirm(ctx, "try", 1, "Shall I try?")
	})
	model := llm.Func(func(ctx context.Context, req *llm.Request) (llm.Message, error) {
		switch last := req.Messages[len(req.Messages)-1]; {
		case last.Text == "remove A":
			return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "rm", `{"text":"A"}`)}}, nil
		case last.Role == llm.User:
			a.try(ctx, "model")
			return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "try", nil)}}, nil
		}
		return llm.Message{Text: "I tried."}, nil
	})
	hook := func(at governance.Point) iris.Hook {
		return iris.Hook{Name: "try", At: at, Decide: func(ctx context.Context, s iris.Subject) iris.Decision {
			if a.id != "" {
				a.try(ctx, "hook "+string(at))
			}
			return iris.Allow()
		}}
	}
	part := iris.Plugin{Name: "p", Register: func(r *plugin.Registrar, _ plugin.Services) error {
		r.Heartbeat(plugin.Heartbeat{Name: "try", Every: time.Second, Run: func(ctx context.Context) error { a.try(ctx, "heartbeat"); return nil }})
		r.Intercept(iris.Intercept{Name: "try", Confirmation: intercept.Never, Handler: func(ctx context.Context, _ intercept.Message) (*intercept.Reply, error) {
			if a.id != "" {
				a.try(ctx, "intercept")
			}
			return nil, nil
		}})
		return nil
	}}
	a.h = iristest.New(t, model, executors(a), iristest.Tools(trying, countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Plugins = []iris.Plugin{part}
		c.Classifier = tryingClassifier{a}
		c.Judges = []iris.Judge{tryingJudge{a}}
		for _, at := range []governance.Point{iris.PreTurn, iris.PreLLM, iris.PreTool, iris.PostTool, iris.PostStep, iris.PreResponse} {
			c.Hooks = append(c.Hooks, hook(at))
		}
	}))
	a.id = a.h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "remove A"}).Approvals[0]
	a.h.Say("try it")
	a.h.Say("yes")
	for range 2 {
		if err := a.h.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.h.Clock.Advance(2 * time.Second)
	}
	who := []string{"tool", "model", "executor", "intercept", "heartbeat", "classifier", "judge",
		"hook pre_turn", "hook pre_llm", "hook pre_tool", "hook post_tool", "hook post_step", "hook pre_response"}
	for _, w := range who {
		if err, tried := a.errs[w]; !tried || !errors.Is(err, approval.ErrInside) {
			t.Errorf("%s: tried %t, %v; want ErrInside", w, tried, err)
		}
	}
	r, err := a.h.Approvals().Get(t.Context(), a.id)
	if err != nil || r.Status != approval.Pending || deleted.Load() != 0 {
		t.Errorf("the request is %v (%v), deleted %d", r.Status, err, deleted.Load())
	}
	if _, err := a.h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: a.id, Decision: iris.Approve, By: iris.Principal{ID: "bot", System: true}}); !errors.Is(err, approval.ErrNotAPerson) {
		t.Errorf("a system principal: %v", err)
	}
}

type tryingClassifier struct{ a *attempt }

func (c tryingClassifier) Classify(ctx context.Context, m iris.Inbound) (iris.Intent, error) {
	if c.a.id != "" {
		c.a.try(ctx, "classifier")
	}
	return iris.Intent{Agent: m.Agents[0]}, nil
}

type tryingJudge struct{ a *attempt }

func (j tryingJudge) Judge(ctx context.Context, _ iris.Draft) (iris.Judgement, error) {
	if j.a.id != "" {
		j.a.try(ctx, "judge")
	}
	return iris.Judgement{Pass: true}, nil
}

func TestPendingActions(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().AskUser("Neo4j or Stardog?").Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Actions = []iris.ActionSource{brokenSource{}, fixedSource{}}
	}))
	h.Say("compare")
	held := h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "remove A"})
	h.Clock.Advance(2 * time.Hour)
	items, err := h.PendingActions(t.Context())
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v, want the broken source's", err)
	}
	var kinds []string
	for _, it := range items {
		kinds = append(kinds, it.Kind)
	}
	if !slices.Equal(kinds, []string{"approval", "question", "chore"}) {
		t.Errorf("kinds %v", kinds)
	}
	first := items[0]
	if first.ID != held.Approvals[0] || first.Suppressible || !first.Overdue || !strings.Contains(first.Command, first.ID) {
		t.Errorf("the approval is %+v", first)
	}
}

type brokenSource struct{}

func (brokenSource) Actions(context.Context) ([]iris.Action, error) { panic("broken") }

type fixedSource struct{}

func (fixedSource) Actions(context.Context) ([]iris.Action, error) {
	return []iris.Action{{Kind: "chore", ID: "1", Title: "Water the plants", Suppressible: true}}, nil
}

func TestResumeRefuses(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().AskUser("Neo4j or Stardog?").Call("rm", `{"text":"A"}`).Answer("Hello.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	paused := h.Say("compare").Runs[0]
	held := h.MustTurn(iris.TurnRequest{SessionID: "s2", Message: "remove A"})
	done := h.MustTurn(iris.TurnRequest{SessionID: "s3", Message: "hello"}).Runs[0]
	tests := []struct {
		name, run string
		want      error
		says      string
	}{
		{"unknown", "01ARZ3NDEKTSV4RRFFQ69G5FAV", iris.ErrNotFound, ""},
		{"paused", paused, iris.ErrCannotResume, "Neo4j or Stardog?"},
		{"done", done, iris.ErrCannotResume, "done"},
		{"held and pending", held.Runs[0], iris.ErrCannotResume, "pending"},
	}
	for _, tt := range tests {
		if _, err := h.Resume(t.Context(), tt.run); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %v with %q", tt.name, err, tt.want, tt.says)
		}
	}
	if _, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: held.Approvals[0], Decision: iris.Reject, By: iris.Principal{ID: "u1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Resume(t.Context(), held.Runs[0]); !errors.Is(err, iris.ErrCannotResume) {
		t.Errorf("rejected: %v", err)
	}
	if run, err := h.InspectRun(t.Context(), held.Runs[0]); err != nil || run.Run.State != checkpoint.Ended || run.Run.Reason != checkpoint.Rejected {
		t.Errorf("the rejected run is %+v (%v)", run.Run, err)
	}
	if deleted.Load() != 0 {
		t.Errorf("deleted %d times", deleted.Load())
	}
}

func TestTwoSurfacesAtOnce(t *testing.T) {
	t.Parallel()
	for _, verdicts := range [][2]approval.Verdict{{iris.Approve, iris.Approve}, {iris.Approve, iris.Reject}} {
		t.Run(fmt.Sprint(verdicts), func(t *testing.T) {
			t.Parallel()
			var deleted atomic.Int64
			m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("Gone.")
			h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
			id := h.Say("remove A").Approvals[0]
			var decided, late atomic.Int64
			var all sync.WaitGroup
			for i, v := range verdicts {
				all.Go(func() {
					_, err := h.Approvals().Respond(context.Background(), iris.Answer{ApprovalID: id, Decision: v, By: iris.Principal{ID: fmt.Sprint("u", i)}})
					if err == nil {
						decided.Add(1)
					} else if errors.Is(err, approval.ErrDecided) {
						late.Add(1)
					} else {
						t.Errorf("respond: %v", err)
					}
				})
			}
			all.Wait()
			r, err := h.Approvals().Get(t.Context(), id)
			if err != nil || decided.Load() != 1 || late.Load() != 1 || auditOf(t, h, "decided") != 1 {
				t.Errorf("decided %d, late %d, %d audit rows (%v)", decided.Load(), late.Load(), auditOf(t, h, "decided"), err)
			}
			if want := int64(0); r.Status == approval.Approved {
				if deleted.Load() != 1 {
					t.Errorf("approved, and deleted %d times", deleted.Load())
				}
			} else if deleted.Load() != want {
				t.Errorf("rejected, and deleted %d times", deleted.Load())
			}
		})
	}
}

func TestItemsAndEdits(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var removed []string
	rm := iris.NewTool(iris.ToolSpec{Name: "rm", Description: "removes", Effect: iris.Destructive}, func(_ context.Context, in struct {
		Path string `json:"path"`
	}) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		removed = append(removed, in.Path)
		return "removed", nil
	})
	m := iristest.Model().Reply(llm.Message{Calls: []llm.Call{
		iristest.ToolCall("", "rm", `{"path":"a"}`), iristest.ToolCall("", "rm", `{"path":"b"}`), iristest.ToolCall("", "rm", `{"path":"c"}`),
	}}).Answer("Done.")
	h := iristest.New(t, m, iristest.Tools(rm))
	id := h.Say("remove a, b and c").Approvals[0]
	answer := func(items ...approval.ItemAnswer) error {
		_, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Reject, Items: items, By: iris.Principal{ID: "u1"}})
		return err
	}
	bad := []approval.ItemAnswer{
		{Position: 4, Approve: true}, {Position: 0}, {Position: 1, Approve: true, Args: json.RawMessage(`{"path":7}`)},
		{Position: 1, Approve: true, Args: json.RawMessage(`{"path":"x","path":"y"}`)},
	}
	for _, b := range bad {
		if err := answer(b); !errors.Is(err, approval.ErrInvalid) {
			t.Errorf("item %+v: %v, want ErrInvalid", b, err)
		}
	}
	if err := answer(approval.ItemAnswer{Position: 1, Approve: true}, approval.ItemAnswer{Position: 2, Approve: true, Args: json.RawMessage(`{ "path": "b2" }`)}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(removed, []string{"a", "b2"}) {
		t.Errorf("removed %v, want a and the edited b2, and not c", removed)
	}
	msgs := m.Requests()[1].Messages
	if got := msgs[len(msgs)-1].Text; !strings.Contains(got, "rejected") {
		t.Errorf("the third call's result is %q", got)
	}
}

func TestRejectionReportedToTheModel(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("Then I leave it.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Approvals.OnReject = iris.ReportToModel
	}))
	id := h.Say("remove A").Approvals[0]
	o, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Reject, Reason: "keep it", By: iris.Principal{ID: "u1"}})
	if err != nil || !o.Resumed || o.Answer != "Then I leave it." || deleted.Load() != 0 {
		t.Errorf("outcome %+v (%v), deleted %d", o, err, deleted.Load())
	}
	if got := m.Prompt(1); got != "rejected: keep it" {
		t.Errorf("the model read %q", got)
	}
}

func TestAwait(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("Gone.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	id := h.Say("remove A").Approvals[0]
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Approvals().Gate().Await(gone, id); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	if _, err := h.Approvals().Gate().Await(t.Context(), "nothing"); !errors.Is(err, approval.ErrNotFound) {
		t.Errorf("an unknown id: %v", err)
	}
	got := make(chan approval.Status, 1)
	go func() {
		r, err := h.Approvals().Gate().Await(context.Background(), id)
		if err != nil {
			t.Errorf("await: %v", err)
		}
		got <- r.Status
	}()
	if _, err := h.Approvals().Respond(t.Context(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: iris.Principal{ID: "u1"}}); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != approval.Approved {
		t.Errorf("woke with %v", s)
	}
}

func TestDeliveries(t *testing.T) {
	t.Parallel()
	var sent, hung atomic.Int64
	fail := atomic.Bool{}
	fail.Store(true)
	pager := approval.NewTextChannel("pager", func(context.Context, approval.TextMessage) error {
		if fail.Load() {
			return errors.New("no signal")
		}
		sent.Add(1)
		return nil
	})
	broken := approval.NewTextChannel("broken", func(context.Context, approval.TextMessage) error { hung.Add(1); panic("broken") })
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`).Call("rm", `{"text":"B"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Channels = []iris.Channel{pager, broken}
	}))
	h.MustTurn(iris.TurnRequest{SessionID: "s1", Channel: "pager", Message: "remove A"})
	h.MustTurn(iris.TurnRequest{SessionID: "s2", Channel: "broken", Message: "remove B"})
	if sent.Load() != 0 || hung.Load() != 1 {
		t.Fatalf("sent %d, broken tried %d", sent.Load(), hung.Load())
	}
	fail.Store(false)
	for range 3 { // the outbox has it, and sends it once
		h.Clock.Advance(time.Minute)
		if err := h.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if sent.Load() != 1 || hung.Load() < 2 {
		t.Errorf("sent %d times, the broken channel was tried %d times; want 1, and more than one", sent.Load(), hung.Load())
	}
}

func TestTypedCommands(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`).Answer("Gone.")
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)))
	id := h.Say("remove A").Approvals[0]
	c := h.Approvals().Commands()
	say := func(text string, pressed bool) string {
		reply, handled := c.Handle(t.Context(), iris.Principal{ID: "u1"}, "pager", text, pressed)
		if !handled {
			return "(chat)"
		}
		return reply
	}
	if got := say("please /approve "+id, false); got != "(chat)" {
		t.Errorf("a sentence: %q", got)
	}
	if got := say("/approve", false); !strings.Contains(got, "Which one?") {
		t.Errorf("without an id: %q", got)
	}
	if got := say("/approve "+id, false); !strings.Contains(got, "again") || deleted.Load() != 0 {
		t.Errorf("the first time: %q, deleted %d", got, deleted.Load())
	}
	h.Clock.Advance(3 * time.Minute)
	if got := say("/approve "+id, false); !strings.Contains(got, "again") {
		t.Errorf("long after the first time: %q", got)
	}
	if got := say("/approve "+strings.ToLower(id), false); !strings.Contains(got, "resumed") || deleted.Load() != 1 {
		t.Errorf("the second time: %q, deleted %d", got, deleted.Load())
	}
	if got := say("/reject "+id+" too late", true); !strings.Contains(got, "already decided") {
		t.Errorf("decided: %q", got)
	}
}

func TestPluginsAskAsThemselves(t *testing.T) {
	t.Parallel()
	var s plugin.Services
	own := iris.Plugin{Name: "own", Register: func(r *plugin.Registrar, services plugin.Services) error {
		s = services
		r.Intercept(iris.Intercept{Name: "mine", Confirmation: intercept.Resolves, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
			if m.Text != "propose" {
				return nil, nil
			}
			if err := services.Continuations.Ask(ctx, ask("assistant", "Another's name?")); !errors.Is(err, plugin.ErrNotYours) {
				t.Errorf("as another owner: %v", err)
			}
			if err := services.Continuations.Ask(ctx, ask("mine", "Shall I?")); err != nil {
				t.Errorf("as itself: %v", err)
			}
			return &intercept.Reply{Text: "Proposed. Shall I?"}, nil
		}})
		return nil
	}}
	h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) { c.Plugins = []iris.Plugin{own} }))
	if err := s.Continuations.Ask(t.Context(), ask("mine", "Outside of a turn?")); err == nil {
		t.Error("asked outside of a turn")
	}
	if r := h.Say("propose"); r.Asked == nil || r.Asked.Owner != "mine" {
		t.Errorf("reply %+v", r)
	}
}

func TestChatWordsThatDecideNothing(t *testing.T) {
	t.Parallel()
	var deleted atomic.Int64
	m := iristest.Model().Call("rm", `{"text":"A"}`)
	h := iristest.New(t, m, iristest.Tools(countingTool("rm", iris.Destructive, &deleted)), iristest.With(func(c *iris.Config) {
		c.Authorizer = denyAll{}
	}))
	id := h.Say("remove A").Approvals[0]
	r := h.Say("yes, go ahead")
	if !strings.Contains(r.Text, "only the on-call may") || r.Asked == nil || deleted.Load() != 0 {
		t.Errorf("reply %+v, deleted %d; want the reason, and the question still open", r, deleted.Load())
	}
	if got, err := h.Approvals().Get(t.Context(), id); err != nil || got.Status != approval.Pending {
		t.Errorf("the request is %v (%v)", got.Status, err)
	}
}

type denyAll struct{}

func (denyAll) Authorize(context.Context, approval.Principal, approval.Request) error {
	return errors.New("only the on-call may")
}
