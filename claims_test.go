package iris_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
)

// TestClaimTable is the claim table: what a message means for the question that waits, who gets it, and what becomes of the question.
func TestClaimTable(t *testing.T) {
	t.Parallel()
	list := []continuation.Option{{Text: "Rates rise"}, {Text: "Storm ahead"}, {Text: "Bridge reopens"}}
	question := continuation.Ask{Owner: "owner", Question: "How long should it run?"}
	yesno := continuation.Ask{Owner: "owner", Kind: continuation.YesNo, Question: "Shall I go ahead with the plan?"}
	choice := continuation.Ask{Owner: "owner", Kind: continuation.Choice, Question: "Which one?", Options: list}
	lettered := continuation.Ask{Owner: "owner", Kind: continuation.YesNo, Question: "Shall I implement it?", Options: list}
	action := continuation.Ask{
		Owner: intercept.ConfirmationName, Asker: "owner", Kind: continuation.YesNo, Question: "Shall I pay?", ExecutorKind: "pay", Payload: json.RawMessage(`{}`),
	}
	tests := []struct {
		name    string
		ask     *continuation.Ask
		message string
		agent   string   // who answers
		task    []string // what the agent's task holds
		ran     int
		status  continuation.Status
	}{
		{"nothing waits", nil, "yes", "other", []string{"yes"}, 0, ""},
		{"a choice is picked", &choice, "the 3rd one", "owner", []string{"Which one?", "Bridge reopens", "the 3rd one"}, 0, continuation.Answered},
		{"a choice gets a plain yes", &choice, "yes", "owner", []string{"Which one?", "yes"}, 0, continuation.Pending},
		{"a choice gets anything else", &choice, "what's the weather?", "other", []string{"what's the weather?"}, 0, continuation.Superseded},
		{"an option of a yes/no", &lettered, "option 2", "owner", []string{"Shall I implement it?", "Storm ahead"}, 0, continuation.Answered},
		{"a yes", &yesno, "yes", "owner", []string{"Shall I go ahead with the plan?", "They decided: yes"}, 0, continuation.Answered},
		{"a no", &yesno, "no", "owner", []string{"Shall I go ahead with the plan?", "They decided: no"}, 0, continuation.Answered},
		{"a yes with more", &yesno, "yes, but on Tuesday", "owner", []string{"yes, but on Tuesday"}, 0, continuation.Answered},
		{"a no with more", &yesno, "no, what's the weather?", "other", []string{"no, what's the weather?"}, 0, continuation.Answered},
		{"neither", &yesno, "what's the weather?", "other", []string{"what's the weather?"}, 0, continuation.Pending},
		{"free text", &question, "5 minutes", "owner", []string{"How long should it run?", "5 minutes", "does not answer"}, 0, continuation.Answered},
		{"free text that is no answer", &question, "what's the weather?", "owner", []string{"How long should it run?"}, 0, continuation.Answered},
		{"a yes to an action", &action, "yes", intercept.ConfirmationName, nil, 1, continuation.Answered},
		{"a no to an action", &action, "no", intercept.ConfirmationName, nil, 0, continuation.Answered},
		{"a yes with more to an action", &action, "yes, but make it 12", "owner", []string{"Shall I pay?", "yes, but make it 12"}, 0, continuation.Answered},
		{"a no with more to an action", &action, "no, what's the weather?", "other", []string{"no, what's the weather?"}, 0, continuation.Answered},
		{"neither to an action", &action, "what's the weather?", "other", nil, 0, continuation.Pending},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := &counter{kind: "pay"}
			owner, other := iristest.Model().Answer("From the owner."), iristest.Model().Answer("From the other.")
			h := iristest.New(t, nil, executors(x), iristest.With(func(c *iris.Config) {
				c.Agents = []iris.Agent{{Name: "other", LLM: other}, {Name: "owner", LLM: owner}}
			}))
			var asked *continuation.Continuation
			if tt.ask != nil {
				ask := *tt.ask
				ask.SessionID = "s1"
				var err error
				if asked, _, err = h.Continuations().Ask(t.Context(), ask); err != nil {
					t.Fatal(err)
				}
			}
			r := h.Say(tt.message)
			if r.Agent != tt.agent || x.count() != tt.ran {
				t.Errorf("answered by %q, ran %d times; want %q, %d", r.Agent, x.count(), tt.agent, tt.ran)
			}
			for _, want := range tt.task {
				if got := owner.Prompt(0) + other.Prompt(0); !strings.Contains(got, want) {
					t.Errorf("the task %q does not hold %q", got, want)
				}
			}
			if asked == nil {
				return
			}
			row, err := h.Continuations().Get(t.Context(), "s1", asked.ID)
			if err != nil || row.Status != tt.status {
				t.Errorf("the question is %v (%v), want %v", row.Status, err, tt.status)
			}
		})
	}
}

func TestOwnerThatIsGoneFallsBackToTheClassifiedAgent(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Answer("Taken over.")
	h := iristest.New(t, m)
	if _, _, err := h.Continuations().Ask(t.Context(), continuation.Ask{SessionID: "s1", Owner: "retired", Asker: "also gone", Question: "How long?"}); err != nil {
		t.Fatal(err)
	}
	if r := h.Say("5 minutes"); r.Text != "Taken over." || !strings.Contains(m.Prompt(0), "How long?") {
		t.Errorf("reply %q to %q", r.Text, m.Prompt(0))
	}
}

func TestAReplyIsNeverPlanned(t *testing.T) {
	t.Parallel()
	planned := 0
	m := iristest.Model().Answer("How long should it run?").Answer("Started.")
	h := iristest.New(t, m, iristest.With(func(c *iris.Config) { c.Planner = plannerFunc(func() { planned++ }) }))
	h.Say("set a timer")
	h.Say("5 minutes and then 10 more, and buy milk")
	if planned != 1 || m.Calls() != 2 {
		t.Errorf("planned %d times, %d model calls; want 1 and 2", planned, m.Calls())
	}
}

// plannerFunc makes one task, and says so.
type plannerFunc func()

func (f plannerFunc) Plan(_ context.Context, m iris.Inbound, in iris.Intent) ([][]iris.PlannedTask, error) {
	f()
	return [][]iris.PlannedTask{{{Agent: in.Agent, Text: m.Text}}}, nil
}

func TestExplicitBeatsInferred(t *testing.T) {
	t.Parallel()
	shortlist := iris.NewTool(iris.ToolSpec{Name: "list", Description: "lists", Effect: iris.ReadOnly}, func(ctx context.Context, _ struct{}) (string, error) {
		return "ok", iris.Ask(ctx, iris.Question{Text: "Which one should I read?", Options: []iris.Option{{Ref: []byte(`17`)}, {Ref: []byte(`23`)}}})
	})
	m := iristest.Model().Call("list", nil).Answer("Two match. Would you like me to read one?")
	h := iristest.New(t, m, iristest.Tools(shortlist))
	h.Say("read the mail")
	q := h.Pending()
	if q == nil || q.Kind != "choice" || len(q.Options) != 2 || string(q.Options[1].Ref) != "23" {
		t.Errorf("waits: %+v, want the tool's own shortlist", q)
	}
}

func TestOneTurnOnEveryPath(t *testing.T) {
	t.Parallel()
	answer := "fixed"
	fixed := iris.Intercept{Name: "fixed", Confirmation: intercept.Never, Handler: func(_ context.Context, m intercept.Message) (*intercept.Reply, error) {
		if m.Text != "fixed please" {
			return nil, nil
		}
		return &intercept.Reply{Text: answer}, nil
	}}
	screenOut := iris.Hook{Name: "screen", At: iris.PreTurn, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
		if s.Text == "screen me" {
			return iris.Deny("not here")
		}
		return iris.Allow()
	}}
	lists := map[string]struct {
		ask  continuation.Ask
		left bool // an explicit question, a yes/no and a paused run stay
	}{
		"choice":            {continuation.Ask{Owner: "assistant", Question: "Which?", Options: []continuation.Option{{Text: "a"}, {Text: "b"}}}, false},
		"inferred question": {continuation.Ask{Owner: "assistant", Question: "How?", Origin: continuation.Inferred}, false},
		"inferred yes/no":   {continuation.Ask{Owner: "assistant", Question: "Shall I?", Kind: continuation.YesNo, Origin: continuation.Inferred}, true},
		"explicit question": {continuation.Ask{Owner: "assistant", Question: "How?"}, true},
	}
	paths := map[string]string{"handled": "fixed please", "screened": "screen me"}
	for kind, list := range lists {
		for path, message := range paths {
			t.Run(kind+" "+path, func(t *testing.T) {
				t.Parallel()
				h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) {
					c.Intercepts, c.Hooks = []iris.Intercept{fixed}, []iris.Hook{screenOut}
				}))
				ask := list.ask
				ask.SessionID = "s1"
				if _, _, err := h.Continuations().Ask(t.Context(), ask); err != nil {
					t.Fatal(err)
				}
				h.Say(message)
				if got := h.Pending() != nil; got != list.left {
					t.Errorf("still waits: %t, want %t", got, list.left)
				}
			})
		}
	}
	t.Run("choice failed", func(t *testing.T) {
		t.Parallel()
		h := iristest.New(t, iristest.Model().Fail(errors.New("down")))
		ask := lists["choice"].ask
		ask.SessionID = "s1"
		if _, _, err := h.Continuations().Ask(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "what's the weather?"}); err == nil {
			t.Fatal("the turn did not fail")
		}
		if h.Pending() != nil {
			t.Error("the choice still waits")
		}
		rows, err := h.Continuations().History(t.Context(), "s1", "", 1)
		if err != nil || rows[0].Why != continuation.Failed {
			t.Errorf("closed because %v (%v), want failed", rows[0].Why, err)
		}
	})
}

func TestTwoRunsOfOneTurnAskOneAfterTheOther(t *testing.T) {
	t.Parallel()
	a, b := iristest.Model().AskUser("Red or blue?").Answer("Red, then."), iristest.Model().AskUser("Large or small?").Answer("Large, then.")
	h := iristest.New(t, nil, iristest.With(func(c *iris.Config) {
		c.Agents = []iris.Agent{{Name: "a", LLM: a}, {Name: "b", LLM: b}}
		c.Planner = twoTasks{}
	}))
	first := h.Say("paint and size")
	if !strings.Contains(first.Text, "Red or blue?") || strings.Contains(first.Text, "Large or small?") {
		t.Errorf("the first answer is %q, want the first question alone", first.Text)
	}
	second := h.Say("red")
	if !strings.Contains(second.Text, "Red, then.") || !strings.Contains(second.Text, "Large or small?") {
		t.Errorf("the second answer is %q, want the outcome and the next question", second.Text)
	}
	if third := h.Say("large"); third.Text != "Large, then." || h.Pending() != nil {
		t.Errorf("the third answer is %q; still waits: %v", third.Text, h.Pending())
	}
}

// twoTasks gives a task to each of two agents, at the same time.
type twoTasks struct{}

func (twoTasks) Plan(_ context.Context, m iris.Inbound, _ iris.Intent) ([][]iris.PlannedTask, error) {
	return [][]iris.PlannedTask{{{Agent: "a", Text: m.Text}, {Agent: "b", Text: m.Text}}}, nil
}

func TestPresses(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	m := iristest.Model().Call("propose", nil).Answer("An invoice.")
	h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?")))
	asked := h.Say("pay").Asked
	press := func(session, id, option string) error {
		_, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: session, Press: &iris.Press{ContinuationID: id, Option: option}})
		return err
	}
	var closed *continuation.ClosedError
	if err := press("s2", asked.ID, "approve"); !errors.Is(err, iris.ErrUnknownQuestion) {
		t.Errorf("another session's: %v", err)
	}
	if err := press("s1", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "approve"); !errors.Is(err, iris.ErrUnknownQuestion) {
		t.Errorf("unknown: %v", err)
	}
	if err := press("s1", asked.ID, "3"); !errors.Is(err, iris.ErrNoSuchOption) {
		t.Errorf("an option that there is not: %v", err)
	}
	if err := press("s1", asked.ID, "approve"); err != nil || x.count() != 1 {
		t.Errorf("approve: %v, ran %d", err, x.count())
	}
	if err := press("s1", asked.ID, "approve"); !errors.As(err, &closed) || !errors.Is(err, iris.ErrAnswered) || closed.Row.ClaimedAt.IsZero() {
		t.Errorf("repeated: %v", err)
	}
	if x.count() != 1 {
		t.Errorf("ran %d times", x.count())
	}
}

func TestAnswerTo(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	m := iristest.Model().Call("propose", nil).Answer("An invoice.")
	h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?")))
	asked := h.Say("pay").Asked
	to := func(id, text string) error {
		_, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "s1", Message: text, AnswerTo: id})
		return err
	}
	if err := to(asked.ID, "what's the weather?"); !errors.Is(err, iris.ErrNotAnAnswer) {
		t.Errorf("words that are no answer: %v", err)
	}
	if err := to("01ARZ3NDEKTSV4RRFFQ69G5FAV", "yes"); !errors.Is(err, iris.ErrUnknownQuestion) {
		t.Errorf("unknown: %v", err)
	}
	if h.Pending() == nil || x.count() != 0 || m.Calls() != 2 {
		t.Fatalf("something happened: waits %v, ran %d, model calls %d", h.Pending(), x.count(), m.Calls())
	}
	if err := to(asked.ID, "yes"); err != nil || x.count() != 1 {
		t.Errorf("yes: %v, ran %d", err, x.count())
	}
	if err := to(asked.ID, "yes"); !errors.Is(err, iris.ErrAnswered) || x.count() != 1 {
		t.Errorf("late: %v, ran %d", err, x.count())
	}
}

func TestWithheldAnswersAskNothing(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Answer("The password is swordfish. Shall I send it?")
	h := iristest.New(t, m, iristest.With(func(c *iris.Config) {
		c.Hooks = []iris.Hook{{Name: "secrets", At: iris.PreResponse, Decide: func(_ context.Context, s iris.Subject) iris.Decision {
			if strings.Contains(s.Text, "swordfish") {
				return iris.Deny("a secret")
			}
			return iris.Allow()
		}}}
	}))
	r := h.Say("what is the password?")
	if strings.Contains(r.Text, "swordfish") || r.Asked != nil || h.Pending() != nil {
		t.Errorf("reply %+v", r)
	}
}

func TestInterceptsAnswersAreJudged(t *testing.T) {
	t.Parallel()
	fixed := iris.Intercept{Name: "fixed", Confirmation: intercept.Never, Handler: handler(func() *string { s := "swordfish"; return &s })}
	judged := 0
	h := iristest.New(t, iristest.Model(), iristest.With(func(c *iris.Config) {
		c.Intercepts = []iris.Intercept{fixed}
		c.Judges = []iris.Judge{judgeFunc(func(d iris.Draft) bool { judged++; return !strings.Contains(d.Text, "swordfish") })}
	}))
	if r := h.Say("hello"); judged != 1 || strings.Contains(r.Text, "swordfish") {
		t.Errorf("judged %d times, reply %q", judged, r.Text)
	}
}

type judgeFunc func(d iris.Draft) bool

func (f judgeFunc) Judge(_ context.Context, d iris.Draft) (iris.Judgement, error) {
	return iris.Judgement{Pass: f(d)}, nil
}

func TestHistoryIsWhole(t *testing.T) {
	t.Parallel()
	m := iristest.Model().Call("look", nil).Answer("one").Answer("two").Answer("three")
	var n = new(counterInt)
	h := iristest.New(t, m, iristest.Tools(countingTool("look", iris.ReadOnly, &n.v)), iristest.With(func(c *iris.Config) { c.History = 3 }))
	for _, text := range []string{"first", "second", "third"} {
		h.Say(text)
	}
	var got []string
	for _, msg := range m.Requests()[3].Messages {
		if len(msg.Calls) > 0 || msg.Role == llm.Tool {
			t.Errorf("a call is in the history: %+v", msg)
		}
		got = append(got, msg.Text)
	}
	if diff := cmp.Diff([]string{"one", "second", "two", "third"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDistanceInTurns(t *testing.T) {
	t.Parallel()
	x := &counter{kind: "pay"}
	m := iristest.Model().Call("propose", nil).Answer("An invoice.").Answer("Sunny.").Answer("Noon.").Answer("Fine.")
	h := iristest.New(t, m, executors(x), iristest.Tools(confirmTool("pay", map[string]int{"n": 1}, "Shall I pay?")))
	h.Say("pay")
	for _, other := range []string{"what's the weather?", "what time is it?", "how are you?"} {
		h.Clock.Advance(time.Second)
		h.Say(other)
	}
	if r := h.Say("yes"); x.count() != 0 || r.Asked == nil || !strings.Contains(r.Text, "Earlier I asked") {
		t.Errorf("ran %d times; reply %q", x.count(), r.Text)
	}
	if h.Say("yes"); x.count() != 1 {
		t.Errorf("ran %d times, want 1", x.count())
	}
}

func TestAWithheldPauseIsNeverPut(t *testing.T) {
	t.Parallel()
	m := iristest.Model().AskUser("Is the password still swordfish?").Answer("Hello.")
	h := iristest.New(t, m, iristest.With(func(c *iris.Config) {
		c.Judges = []iris.Judge{judgeFunc(func(d iris.Draft) bool { return !strings.Contains(d.Text, "swordfish") })}
	}))
	if r := h.Say("check my account"); strings.Contains(r.Text, "swordfish") || r.Asked != nil {
		t.Errorf("reply %+v", r)
	}
	if r := h.Say("hello"); r.Text != "Hello." || h.Pending() != nil {
		t.Errorf("the next reply %+v, waits %+v", r, h.Pending())
	}
	runs, err := h.Runs(t.Context(), "s1", "", 10)
	if err != nil || runs[1].State != "ended" || runs[1].Reason != "denied" {
		t.Errorf("the run whose question was withheld: %+v (%v)", runs[1], err)
	}
}

func TestAnAmbiguousEffectIsSaidAndSettled(t *testing.T) {
	t.Parallel()
	var again counterInt
	cut := iris.NewTool(iris.ToolSpec{Name: "send", Description: "cut off"}, func(context.Context, struct{}) (string, error) {
		again.v.Add(1)
		return "", iris.ErrOutcomeUnknown
	})
	m := iristest.Model().Call("send", nil).AskUser("It was cut off. Go on?").Answer("Sent, then.")
	h := iristest.New(t, m, iristest.Tools(cut))
	h.Say("send it")
	_, err := h.Turn(t.Context(), iris.TurnRequest{SessionID: "s1", Message: "go on"})
	var te *iris.TurnError
	if !errors.As(err, &te) || !errors.Is(err, iris.ErrAmbiguousEffect) || !strings.Contains(te.Text, "send") || h.Pending() == nil {
		t.Fatalf("turn: %v, waits %+v; want the ambiguous effect by name, and the question back", err, h.Pending())
	}
	effects, err := h.Ambiguous(t.Context(), "s1", "", 10)
	if err != nil || len(effects) != 1 {
		t.Fatalf("ambiguous: %+v (%v)", effects, err)
	}
	if err := h.Settle(t.Context(), effects[0].Key, true, iris.Principal{ID: "u1"}); err != nil {
		t.Fatal(err)
	}
	if r := h.Say("go on"); r.Text != "Sent, then." || again.v.Load() != 1 {
		t.Errorf("reply %q, sent %d times", r.Text, again.v.Load())
	}
	if n := auditOf(t, h, "settled"); n != 1 {
		t.Errorf("%d audit rows of the settling, want 1", n)
	}
}
