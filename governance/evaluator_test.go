package governance_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// vectors is an Embedder: each text has its vector.
type vectors map[string][]float32

func (v vectors) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		e, ok := v[t]
		if !ok {
			return nil, errors.New("no vector for " + t)
		}
		out = append(out, e)
	}
	return out, nil
}

func TestEvaluator(t *testing.T) {
	t.Parallel()
	space := vectors{"do it": {1, 0}, "near\nx {}": {0.9, 0.1}, "far\nx {}": {0, 1}, "yes, north": {0, 2}, "zero\nx {}": {0, 0}, "long\nx {}": {1, 0, 0}}
	step := func(said string, run governance.RunView) governance.StepView {
		run.Task = "do it"
		return governance.StepView{Reply: llm.Message{Text: strings.TrimSuffix(said, "\nx {}"), Calls: []llm.Call{{Name: "x", Args: json.RawMessage(`{}`)}}}, Run: run}
	}
	drift := governance.EvaluatorConfig{Embedder: space}
	used := governance.RunView{Usage: llm.Usage{Input: 60, Output: 40, Cost: 7}}
	own := func(name string, d governance.Decision) governance.Signal {
		return governance.Signal{Name: name, Judge: func(context.Context, governance.Subject) governance.Decision { return d }}
	}
	for _, tt := range []struct {
		name    string
		config  governance.EvaluatorConfig
		step    governance.StepView
		verdict governance.Verdict
		signal  string
	}{
		{"nothing wrong", governance.EvaluatorConfig{}, step("", governance.RunView{Repeats: 2, Failures: 2}), governance.VerdictAllow, ""},
		{"repeated", governance.EvaluatorConfig{}, step("", governance.RunView{Repeats: 3, Repeated: "x"}), governance.VerdictDeny, "repeated_action"},
		{"repeated, configured", governance.EvaluatorConfig{Repeats: 5}, step("", governance.RunView{Repeats: 4}), governance.VerdictAllow, ""},
		{"repeated, off", governance.EvaluatorConfig{Repeats: -1}, step("", governance.RunView{Repeats: 99}), governance.VerdictAllow, ""},
		{"failures", governance.EvaluatorConfig{}, step("", governance.RunView{Failures: 3}), governance.VerdictDeny, "failure_streak"},
		{"failures, off", governance.EvaluatorConfig{Failures: -1}, step("", governance.RunView{Failures: 3}), governance.VerdictAllow, ""},
		{"budget off", governance.EvaluatorConfig{}, step("", used), governance.VerdictAllow, ""},
		{"tokens left", governance.EvaluatorConfig{Budget: governance.Budget{Tokens: 101}}, step("", used), governance.VerdictAllow, ""},
		{"tokens used", governance.EvaluatorConfig{Budget: governance.Budget{Tokens: 100}}, step("", used), governance.VerdictDeny, "budget"},
		{"money spent", governance.EvaluatorConfig{Budget: governance.Budget{Tokens: 101, Cost: 7}}, step("", used), governance.VerdictDeny, "budget"},
		{"steps", governance.EvaluatorConfig{Steps: 4}, step("", governance.RunView{Steps: 4}), governance.VerdictDeny, "step_cap"},
		{"the run ends anyway", governance.EvaluatorConfig{}, governance.StepView{Run: governance.RunView{Failures: 3}}, governance.VerdictAllow, ""},
		{"near", drift, step("near\nx {}", governance.RunView{Steps: 2}), governance.VerdictAllow, ""},
		{"far", drift, step("far\nx {}", governance.RunView{Steps: 2}), governance.VerdictRequireApproval, "goal_drift"},
		{"far, first step", drift, step("far\nx {}", governance.RunView{Steps: 1}), governance.VerdictAllow, ""},
		{"far from the task, near the reply", drift, step("far\nx {}", governance.RunView{Steps: 2, Reply: "yes, north"}), governance.VerdictAllow, ""},
		{"near the task, far from the reply", drift, step("near\nx {}", governance.RunView{Steps: 2, Reply: "yes, north"}), governance.VerdictAllow, ""},
		{"threshold", governance.EvaluatorConfig{Embedder: space, DriftThreshold: 0.999}, step("near\nx {}", governance.RunView{Steps: 2}), governance.VerdictRequireApproval, "goal_drift"},
		{"no number for a threshold", governance.EvaluatorConfig{Embedder: space, DriftThreshold: math.NaN()}, step("near\nx {}", governance.RunView{Steps: 2}), governance.VerdictRequireApproval, "goal_drift"},
		{"embedder fails", drift, step("unknown\nx {}", governance.RunView{Steps: 2}), governance.VerdictDeny, "goal_drift"},
		{"no direction", drift, step("zero\nx {}", governance.RunView{Steps: 2}), governance.VerdictDeny, "goal_drift"},
		{"another length", drift, step("long\nx {}", governance.RunView{Steps: 2}), governance.VerdictDeny, "goal_drift"},
		{"worst wins", governance.EvaluatorConfig{Embedder: space, Signals: []governance.Signal{own("late", governance.Deny("no"))}},
			step("far\nx {}", governance.RunView{Steps: 2}), governance.VerdictDeny, "late"},
		{"first of equals", governance.EvaluatorConfig{Signals: []governance.Signal{own("late", governance.Deny("no"))}},
			step("", governance.RunView{Failures: 3}), governance.VerdictDeny, "failure_streak"},
		{"own approval", governance.EvaluatorConfig{Signals: []governance.Signal{own("a", governance.Allow()), own("b", governance.RequireApproval("?"))}},
			step("", governance.RunView{}), governance.VerdictRequireApproval, "b"},
		{"own transform", governance.EvaluatorConfig{Signals: []governance.Signal{own("a", governance.TransformText("", ""))}},
			step("", governance.RunView{}), governance.VerdictDeny, "a"},
		{"own without a function", governance.EvaluatorConfig{Signals: []governance.Signal{{Name: "a"}}}, step("", governance.RunView{}), governance.VerdictDeny, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newKernel(t, &book{}, governance.Evaluator(tt.config))
			s := subject(governance.PostStep)
			s.Step = &tt.step
			_, err := k.Review(t.Context(), s)
			verdict, signal := outcome(err)
			if verdict != tt.verdict || signal != tt.signal {
				t.Errorf("%s by %q (%v), want %s by %q", verdict, signal, err, tt.verdict, tt.signal)
			}
		})
	}
}

// outcome reads a decision back from its error.
func outcome(err error) (governance.Verdict, string) {
	var d *governance.Denied
	var h *governance.Held
	switch {
	case errors.As(err, &d):
		return governance.VerdictDeny, d.Signal
	case errors.As(err, &h):
		return governance.VerdictRequireApproval, h.Signal
	default:
		return governance.VerdictAllow, ""
	}
}

func TestEvaluatorWithoutAStep(t *testing.T) {
	t.Parallel()
	s := subject(governance.PostStep)
	s.Step = nil
	if _, err := newKernel(t, &book{}, governance.Evaluator(governance.EvaluatorConfig{})).Review(t.Context(), s); !errors.Is(err, governance.ErrDenied) {
		t.Error(err)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	failed := &governance.ToolError{Kind: governance.ToolFailed}
	type call struct {
		name, args string
		failed     *governance.ToolError
	}
	var w governance.Window
	for i, step := range []struct {
		calls []call
		want  governance.RunView
	}{
		{[]call{{"a", `{}`, nil}, {"b", `{}`, failed}}, governance.RunView{Steps: 1, Repeats: 1, Repeated: "a", Failures: 1}},
		{[]call{{"a", `{"x":1}`, failed}, {"b", `{}`, failed}}, governance.RunView{Steps: 2, Repeats: 2, Repeated: "b", Failures: 3}},
		{[]call{{"c", strings.Repeat(" ", 600) + `{}`, nil}}, governance.RunView{Steps: 3, Repeats: 1, Repeated: "c"}},
		{[]call{{"b", `{}`, failed}, {"a", `{}`, nil}}, governance.RunView{Steps: 4, Repeats: 3, Repeated: "b"}},
		{nil, governance.RunView{Steps: 5}},
		{[]call{{"ab", `{}`, nil}, {"a", `b{}`, nil}}, governance.RunView{Steps: 6, Repeats: 1, Repeated: "ab"}},
	} {
		w.Begin()
		for _, c := range step.calls {
			w.Observe(c.name, json.RawMessage(c.args), c.failed)
		}
		step.want.Task = "kept"
		if diff := cmp.Diff(step.want, w.View(governance.RunView{Task: "kept"})); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
	}
}

func TestDefaultPolicy(t *testing.T) {
	t.Parallel()
	k := newKernel(t, &book{}, governance.DefaultPolicy())
	for effect, want := range map[governance.Effect]error{
		governance.ReadOnly: nil, governance.Write: nil, governance.Destructive: governance.ErrHeld,
	} {
		if _, err := k.Permit(t.Context(), tool("x", effect)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", effect, err, want)
		}
	}
	var zero governance.Effect
	if zero.String() != "write" || governance.ReadOnly.String() != "read_only" || governance.Destructive.String() != "destructive" {
		t.Error("names of effects")
	}
}
