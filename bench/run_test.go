//go:build cgo

package bench_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/sqlite"
)

// observation is what each step of a long run reads: 1 KiB.
var observation = strings.Repeat("x", 1024)

// stepper is a model that looks n times, then asks, and answers the reply.
func stepper(n int) llm.Func {
	return func(_ context.Context, req *llm.Request) (llm.Message, error) {
		if strings.Contains(req.Messages[len(req.Messages)-1].Text, "Go on?") {
			return llm.Message{Text: "Done."}, nil
		}
		looks := 0
		for i := len(req.Messages) - 1; i >= 0 && req.Messages[i].Role != llm.User; i-- {
			if req.Messages[i].Role == llm.Tool && len(req.Messages[i].Text) == len(observation) {
				looks++
			}
		}
		if looks < n {
			return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "look", fmt.Sprintf(`{"n":%d}`, looks))}}, nil
		}
		return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "ask_user", `{"question":"Go on?"}`)}}, nil
	}
}

func open(b testing.TB, level sqlite.Synchronous) *sqlite.Store {
	b.Helper()
	s, err := sqlite.OpenWith(context.Background(), filepath.Join(b.TempDir(), "iris.db"), sqlite.Options{Synchronous: level})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func harness(b testing.TB, s iris.Store, model llm.Model) *iris.Harness {
	b.Helper()
	look := iris.NewTool(iris.ToolSpec{Name: "look", Description: "looks", Effect: iris.ReadOnly},
		func(context.Context, struct {
			N int `json:"n"`
		}) (string, error) {
			return observation, nil
		})
	write := iris.NewTool(iris.ToolSpec{Name: "write", Description: "writes"}, func(context.Context, struct{}) (string, error) { return "written", nil })
	drop := iris.NewTool(iris.ToolSpec{Name: "drop", Description: "drops", Effect: iris.Destructive}, func(context.Context, struct{}) (string, error) { return "gone", nil })
	h, err := iris.New(iris.Config{
		Store: s, LLM: model, Tools: []iris.Tool{look, write, drop}, Limits: iris.Limits{Steps: 1000}, History: -1, Signals: iris.Signals{Repeats: -1},
		Approvals: iris.ApprovalConfig{Stderr: io.Discard},
	})
	if err != nil {
		b.Fatal(err)
	}
	return h
}

func turn(b testing.TB, h *iris.Harness, session, text string) iris.Reply {
	b.Helper()
	r, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: session, Message: text})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkResumeCold takes a paused run up in a process that has not seen it, against reading and decoding its steps and appending one.
func BenchmarkResumeCold(b *testing.B) {
	for _, steps := range []int{5, 50, 500} {
		b.Run(fmt.Sprintf("%d steps", steps), func(b *testing.B) {
			s := open(b, sqlite.Normal)
			n := 0
			pause := func() (session, run string) {
				n++
				session = fmt.Sprint("s", n)
				return session, turn(b, harness(b, s, stepper(steps)), session, "look").Runs[0]
			}
			fresh := harness(b, s, stepper(steps))
			var session, run string
			floor := func() {
				cps, err := s.Checkpoints().Steps(context.Background(), run, 0)
				if err != nil {
					b.Fatal(err)
				}
				r, err := s.Checkpoints().Get(context.Background(), run, time.Now())
				if err != nil {
					b.Fatal(err)
				}
				if _, err := loop.SeedOf(*r, cps); err != nil {
					b.Fatal(err)
				}
				appendStep(b, s)
			}
			var base, own []time.Duration
			for b.Loop() {
				b.StopTimer()
				session, run = pause()
				b.StartTimer()
				t0 := time.Now()
				floor()
				t1 := time.Now()
				turn(b, fresh, session, "yes")
				base, own = append(base, t1.Sub(t0)), append(own, time.Since(t1))
			}
			report(b, base, own)
		})
	}
}

// BenchmarkResumeWarm takes a paused run up in the process that has run it. Its ratio is to a run of 5 steps, measured in turn with it.
func BenchmarkResumeWarm(b *testing.B) {
	for _, steps := range []int{5, 50, 500} {
		b.Run(fmt.Sprintf("%d steps", steps), func(b *testing.B) {
			s := open(b, sqlite.Normal)
			few, many := harness(b, s, stepper(5)), harness(b, s, stepper(steps))
			n := 0
			resume := func(h *iris.Harness) time.Duration {
				n++
				session := fmt.Sprint("s", n)
				turn(b, h, session, "look")
				runtime.GC() // of what the pause left behind
				t0 := time.Now()
				turn(b, h, session, "yes")
				return time.Since(t0)
			}
			var base, own []time.Duration
			for b.Loop() {
				base, own = append(base, resume(few)), append(own, resume(many))
			}
			report(b, base, own)
		})
	}
}

func report(b *testing.B, base, own []time.Duration) {
	r, o := median(base), median(own)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(micros(r), "floor-µs")
	b.ReportMetric(micros(o), "iris-µs")
	b.ReportMetric(float64(o)/float64(r), "ratio")
}

var appended int

// appendStep appends one closed step of 1 KiB to a run of its own.
func appendStep(b testing.TB, s *sqlite.Store) {
	b.Helper()
	appended++
	now := time.Now().UTC()
	id := fmt.Sprintf("floor-%d", appended)
	err := s.Atomically(context.Background(), func(ctx context.Context) error {
		if err := s.Checkpoints().Begin(ctx, checkpoint.Run{ID: id, SessionID: id, State: checkpoint.Running, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(time.Hour)}); err != nil {
			return err
		}
		return s.Checkpoints().Put(ctx, 0, checkpoint.Checkpoint{RunID: id, SessionID: id, State: checkpoint.ClosedStep, Payload: []byte(observation), CreatedAt: now})
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAnswerToResumed is from a person's answer to the run's own: approval, resume, effect, record.
func BenchmarkAnswerToResumed(b *testing.B) {
	for _, level := range []sqlite.Synchronous{sqlite.Normal, sqlite.Full} {
		b.Run(string(level), func(b *testing.B) {
			model := llm.Func(func(_ context.Context, req *llm.Request) (llm.Message, error) {
				if req.Messages[len(req.Messages)-1].Role == llm.Tool {
					return llm.Message{Text: "Gone."}, nil
				}
				return llm.Message{Calls: []llm.Call{iristest.ToolCall("", "drop", nil)}}, nil
			})
			h := harness(b, open(b, level), model)
			var times []time.Duration
			n := 0
			for b.Loop() {
				b.StopTimer()
				n++
				id := turn(b, h, fmt.Sprint("s", n), "drop it").Approvals[0]
				b.StartTimer()
				t0 := time.Now()
				o, err := h.Approvals().Respond(context.Background(), iris.Answer{ApprovalID: id, Decision: iris.Approve, By: iris.Principal{ID: "u1"}})
				if err != nil || !o.Resumed {
					b.Fatal(o, err)
				}
				times = append(times, time.Since(t0))
			}
			m := median(times)
			b.ReportMetric(micros(m), "median-µs")
			b.ReportMetric(micros(times[len(times)*99/100]), "p99-µs")
		})
	}
}

// BenchmarkTurn is one whole turn: a message, a model's answer.
func BenchmarkTurn(b *testing.B) {
	for _, level := range []sqlite.Synchronous{sqlite.Normal, sqlite.Full} {
		b.Run(string(level), func(b *testing.B) {
			h := harness(b, open(b, level), llm.Func(func(context.Context, *llm.Request) (llm.Message, error) { return llm.Message{Text: "Hello."}, nil }))
			b.ReportAllocs()
			for b.Loop() {
				turn(b, h, "s1", "hello")
			}
		})
	}
}

// TestPauseWritesTheSame holds that what a pause writes does not grow with what the run has done: its bytes at 5 steps are its bytes at 50 and at 500.
func TestPauseWritesTheSame(t *testing.T) {
	t.Parallel()
	bytes := map[int]int{}
	for _, steps := range []int{5, 50, 500} {
		s := open(t, sqlite.Off)
		run := turn(t, harness(t, s, stepper(steps)), "s1", "look").Runs[0]
		cps, err := s.Checkpoints().Steps(t.Context(), run, 0)
		if err != nil || len(cps) != steps+1 {
			t.Fatalf("%d steps (%v)", len(cps), err)
		}
		r, err := s.Checkpoints().Get(t.Context(), run, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		bytes[steps] = len(cps[steps].Payload) + len(r.Task) + len(r.Asked.Question) + len(r.Detail)
	}
	const digits = 4 // the step's number is in the id of its call
	if bytes[500]-bytes[5] > digits || bytes[500] > 1024 {
		t.Errorf("a pause writes %v bytes after so many steps; want the same, and at most 1 KiB", bytes)
	}
}
