package loop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

var errBusy = llm.Transient(errors.New("rate limit"))

// TestRetry holds that only what the client marks transient is tried again, after a wait, each time with a new decision.
func TestRetry(t *testing.T) {
	t.Parallel()
	broken := errors.New("bad request")
	for _, tt := range []struct {
		name   string
		model  *iristest.ScriptedModel
		limits loop.Limits
		took   time.Duration
		calls  int
		end    end
	}{
		{"once", iristest.Model().Fail(errBusy).Answer("done"), loop.Limits{}, 200 * time.Millisecond, 2, end{State: checkpoint.Done}},
		{"twice", iristest.Model().Fail(errBusy).Fail(errBusy).Answer("done"), loop.Limits{}, 600 * time.Millisecond, 3, end{State: checkpoint.Done}},
		{"too often", iristest.Model().Fail(errBusy).Fail(errBusy).Fail(errBusy).Answer("never"), loop.Limits{}, 600 * time.Millisecond, 3, end{checkpoint.Failed, checkpoint.ModelError, errBusy}},
		{"not transient", iristest.Model().Fail(broken).Answer("never"), loop.Limits{}, 0, 1, end{checkpoint.Failed, checkpoint.ModelError, broken}},
		{"none allowed", iristest.Model().Fail(errBusy).Answer("never"), loop.Limits{Retries: -1}, 0, 1, end{checkpoint.Failed, checkpoint.ModelError, errBusy}},
		{"its own wait", iristest.Model().Fail(errBusy).Fail(errBusy).Answer("done"), loop.Limits{Backoff: time.Second}, 3 * time.Second, 3, end{State: checkpoint.Done}},
		{"the clock runs out while it waits", iristest.Model().Fail(errBusy).Answer("never"), loop.Limits{Backoff: time.Hour, WallClock: time.Minute}, time.Minute, 1, end{checkpoint.Failed, checkpoint.Limit, loop.ErrLimit}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				a := newAgent(t, tt.model, limits(tt.limits), hook(governance.PreLLM, func(s governance.Subject) governance.Decision {
					if n := len(s.Request().Messages); n != 1 {
						t.Errorf("attempt %d is decided on a request of %d messages", asked, n)
					}
					asked++
					r := s.Request()
					r.Messages = append(r.Messages, llm.Message{Role: llm.User, Text: "p.s."})
					return governance.TransformRequest(r, "p.s.")
				}))
				began := time.Now()
				tt.end.check(t, a.do(a.task()))
				if took := time.Since(began); took != tt.took {
					t.Errorf("it took %s, want %s", took, tt.took)
				}
				if a.model.Calls() != tt.calls || asked != tt.calls {
					t.Errorf("%d calls, %d decisions, want %d", a.model.Calls(), asked, tt.calls)
				}
				for _, r := range a.model.Requests() {
					if len(r.Messages) != 2 {
						t.Errorf("a request of %d messages: the retry began from the hooks' work", len(r.Messages))
					}
				}
			})
		})
	}
}

// TestARetryCanBeDenied holds that a decision is for one attempt.
func TestARetryCanBeDenied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		a := newAgent(t, iristest.Model().Fail(errBusy).Answer("never"), hook(governance.PreLLM, func(governance.Subject) governance.Decision {
			if n++; n == 2 {
				return governance.Deny("no more")
			}
			return governance.Allow()
		}))
		end{checkpoint.Ended, checkpoint.Denied, governance.ErrDenied}.check(t, a.do(a.task()))
		if a.model.Calls() != 1 {
			t.Errorf("%d calls", a.model.Calls())
		}
	})
}

// breaking is a stream that gives half a reply and breaks.
func breaking(m *iristest.ScriptedModel, err error) *iristest.ScriptedModel {
	return m.Break(err, &llm.Chunk{Text: "half a "}, &llm.Chunk{Calls: []llm.Call{tcall("write", "half")}, ProviderData: []byte("half"), Usage: &llm.Usage{Input: 5}})
}

func TestAStreamThatBreaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, breaking(iristest.Model(), errBusy).Stream(&llm.Chunk{Text: "who"}, &llm.Chunk{Text: "le"}, &llm.Chunk{Usage: &llm.Usage{Input: 1}}))
		fin := a.do(a.task())
		if fin.Text != "whole" || fin.Usage.Input != 6 {
			t.Errorf("%q for %d tokens", fin.Text, fin.Usage.Input)
		}
		if p := a.payload(0); len(p.Reply.Calls) != 0 || p.Reply.ProviderData != nil || len(a.ran.list()) != 0 {
			t.Errorf("something of the half reply is used: %+v, %v ran", p.Reply, a.ran.list())
		}

		a = newAgent(t, breaking(iristest.Model(), errDisk))
		end{checkpoint.Failed, checkpoint.ModelError, errDisk}.check(t, a.do(a.task()))
		if len(a.tape.steps) != 0 || len(a.ran.list()) != 0 {
			t.Errorf("%d rows, %v ran", len(a.tape.steps), a.ran.list())
		}
	})
}

func TestMalformedReplies(t *testing.T) {
	t.Parallel()
	empty := llm.Message{Text: " \n\u200b"}
	a := newAgent(t, iristest.Model().Reply(empty).Reply(empty).Answer("done"))
	end{State: checkpoint.Done}.check(t, a.do(a.task()))
	for i, m := range a.model.Requests()[2].Messages {
		if m.Role == llm.Assistant {
			t.Errorf("message %d: an empty reply is given back to the model", i)
		}
	}
	if !strings.HasPrefix(a.prompt(2), "Your last reply was empty.") {
		t.Errorf("the model is told %q", a.prompt(2))
	}

	a = newAgent(t, iristest.Model().Reply(empty).Reply(empty).Reply(empty).Answer("done"))
	end{checkpoint.Failed, checkpoint.ModelError, loop.ErrMalformed}.check(t, a.do(a.task()))
	end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))

	a = newAgent(t, iristest.Model().Reply(empty).Answer("never"), limits(loop.Limits{Malformed: -1}))
	end{checkpoint.Failed, checkpoint.ModelError, loop.ErrMalformed}.check(t, a.do(a.task()))

	a = newAgent(t, iristest.Model().Stream().Answer("done")) // no chunk at all
	end{State: checkpoint.Done}.check(t, a.do(a.task()))
}

func TestEveryCallHasAnIDOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ given, want []string }{
		"as given":                     {[]string{"a", "b"}, []string{"a", "b"}},
		"empty":                        {[]string{"", ""}, []string{"call_0_0", "call_0_1"}},
		"repeated":                     {[]string{"a", "a", "a"}, []string{"a", "call_0_1", "call_0_2"}},
		"one that looks like ours":     {[]string{"call_0_1", ""}, []string{"call_0_1", "call_0_2"}},
		"later one that looks so, too": {[]string{"", "call_0_0"}, []string{"call_0_0", "call_0_1"}},
		"not UTF-8":                    {[]string{"\xff", "\xfe"}, []string{"\uFFFD", "call_0_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reply llm.Message
			for i, id := range tt.given {
				c := tcall("look", fmt.Sprint(i))
				c.ID = id
				reply.Calls = append(reply.Calls, c)
			}
			a := newAgent(t, iristest.Model().Reply(reply).Answer("done"))
			a.do(a.task())
			var got []string
			for _, r := range a.payload(0).Results {
				got = append(got, r.CallID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			for i, m := range a.model.Requests()[1].Messages[2:] {
				if m.CallID != tt.want[i] {
					t.Errorf("result %d answers %q", i, m.CallID)
				}
			}
		})
	}
}

func TestModelThatHangsIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		a := newAgent(t, iristest.Model().Func(func(context.Context, *llm.Request) (llm.Message, error) {
			<-release // deaf to its context
			return llm.Message{Text: "too late"}, nil
		}), limits(loop.Limits{WallClock: time.Minute}))
		began := time.Now()
		end{checkpoint.Failed, checkpoint.Limit, loop.ErrLimit}.check(t, a.do(a.task()))
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %s", took)
		}
		close(release)
	})
}

func TestModelThatPanics(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("write", nil).Panic("boom").Answer("done"))
	fin := a.do(a.task())
	if fin.Run.State != checkpoint.Failed || fin.Run.Reason != checkpoint.ModelError || !strings.Contains(fin.Err.Error(), "boom") {
		t.Errorf("%s (%s): %v", fin.Run.State, fin.Run.Reason, fin.Err)
	}
	end{State: checkpoint.Done}.check(t, a.do(a.seed(func(*loop.Seed) {})))
}

// TestADecisionIsNotRetried holds that only the model's own failures are tried again, whatever a store says of its error.
func TestADecisionIsNotRetried(t *testing.T) {
	t.Parallel()
	asked := 0
	a := newAgent(t, iristest.Model().Answer("never"), hook(governance.PreLLM, func(governance.Subject) governance.Decision {
		asked++
		return governance.Deny("no")
	}))
	a.tape.fail["record pre_llm"] = llm.Transient(errDisk)
	if _, err := a.stream(t.Context(), a.task()); !errors.Is(err, errDisk) || asked != 1 {
		t.Errorf("%v after %d decisions", err, asked)
	}
}
