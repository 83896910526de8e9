package governance_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

func TestPermitIsTakenOnce(t *testing.T) {
	t.Parallel()
	k, other := newKernel(t, &book{}), newKernel(t, &book{})
	p, err := k.Permit(t.Context(), subject(governance.PreTool))
	if err != nil {
		t.Fatal(err)
	}
	twin := p
	for _, tt := range []struct {
		name   string
		permit governance.Permit
		kernel *governance.Kernel
		at     governance.Point
		target string
		want   error
	}{
		{"zero permit", governance.Permit{}, k, governance.PreTool, "tool", governance.ErrNoPermit},
		{"another kernel's", p, other, governance.PreTool, "tool", governance.ErrPermitForeign},
		{"another point's", p, k, governance.PreLLM, "tool", governance.ErrPermitForeign},
		{"another tool's", p, k, governance.PreTool, "other", governance.ErrPermitForeign},
		{"an executor's", p, k, governance.PreTool, governance.ExecutorName("tool"), governance.ErrPermitForeign},
		{"its own", p, k, governance.PreTool, "tool", nil},
		{"again", p, k, governance.PreTool, "tool", governance.ErrPermitUsed},
		{"a copy", twin, k, governance.PreTool, "tool", governance.ErrPermitUsed},
	} {
		s, err := tt.permit.Take(tt.kernel, tt.at, tt.target)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if (s.Name == "tool") != (tt.want == nil) {
			t.Errorf("%s: subject %q", tt.name, s.Name)
		}
	}
}

func TestWrongPoint(t *testing.T) {
	t.Parallel()
	b := &book{}
	k := newKernel(t, b)
	for _, at := range points {
		s := subject(at)
		_, permit := k.Permit(t.Context(), s)
		rule := k.Rule(t.Context(), []governance.Subject{s})[0].Err()
		_, review := k.Review(t.Context(), s)
		calls := at == governance.PreLLM || at == governance.PreTool
		if errors.Is(permit, governance.ErrPoint) == calls || errors.Is(rule, governance.ErrPoint) == calls || errors.Is(review, governance.ErrPoint) != calls {
			t.Errorf("%s: Permit %v, Rule %v, Review %v", at, permit, rule, review)
		}
	}
	if _, err := k.Permit(t.Context(), governance.Subject{Point: "lunch"}); !errors.Is(err, governance.ErrPoint) {
		t.Error(err)
	}
}

// A transform is seen by the hooks after it, and by what is executed.
func TestTransform(t *testing.T) {
	t.Parallel()
	request := &llm.Request{Messages: []llm.Message{{Text: "changed"}}}
	for _, tt := range []struct {
		at     governance.Point
		failed *governance.ToolError
		d      governance.Decision
		read   func(governance.Subject) string
		want   string
	}{
		{at: governance.PreTurn, d: governance.TransformText("changed", "why"), read: func(s governance.Subject) string { return s.Text }, want: "changed"},
		{at: governance.PreResponse, d: governance.TransformText("changed", "why"), read: func(s governance.Subject) string { return s.Text }, want: "changed"},
		{at: governance.PreLLM, d: governance.TransformRequest(request, "why"), read: func(s governance.Subject) string { return s.Request().Messages[0].Text }, want: "changed"},
		{at: governance.PreTool, d: governance.TransformArgs(json.RawMessage(`{"b":2, "a":1}`), "why"), read: func(s governance.Subject) string { return string(s.Call.Args) }, want: `{"a":1,"b":2}`},
		{at: governance.PostTool, d: governance.TransformResult(json.RawMessage(`"changed"`), "why"), read: func(s governance.Subject) string { return string(s.Result) }, want: `"changed"`},
		{at: governance.PostTool, failed: &governance.ToolError{Kind: "failed", Message: "secret"}, d: governance.TransformText("changed", "why"),
			read: func(s governance.Subject) string { return s.ToolErr.Error() }, want: "failed: changed"},
	} {
		var seen string
		b := &book{}
		k := newKernel(t, b, says("change", tt.at, 0, tt.d), governance.Hook{Name: "look", At: tt.at, Priority: 1,
			Decide: readingHook(func(s governance.Subject) { seen = tt.read(s) })})
		given := subject(tt.at)
		given.ToolErr, request.Messages[0].Text = tt.failed, "changed"
		before := given.Digest()
		got, err := decide(t.Context(), k, given)
		if err != nil {
			t.Errorf("%s: %v", tt.at, err)
			continue
		}
		request.Messages[0].Text = "changed later"
		if seen != tt.want || tt.read(got) != tt.want {
			t.Errorf("%s: later hook saw %q, executed %q", tt.at, seen, tt.read(got))
		}
		if e := b.recorded[0]; e.Verdict != "transform" || e.By != "change" || e.Reason != "why" || e.Digest != before {
			t.Errorf("%s: recorded %+v", tt.at, e)
		}
		if tt.failed != nil && tt.failed.Message != "secret" {
			t.Errorf("%s: the caller's error was changed", tt.at)
		}
	}
}

// Every decision is on the record: what stops, changes or acts before it does; the rest with what the caller writes next.
func TestRecord(t *testing.T) {
	t.Parallel()
	allow, deny := governance.Allow(), governance.Deny(strings.Repeat("é", 200))
	for _, tt := range []struct {
		name     string
		at       governance.Point
		effect   governance.Effect
		d        governance.Decision
		recorded []string
		deferred int
	}{
		{"model", governance.PreLLM, 0, allow, nil, 1},
		{"read-only tool", governance.PreTool, governance.ReadOnly, allow, nil, 1},
		{"effect", governance.PreTool, governance.Write, allow, []string{"pre_tool allow h"}, 0},
		{"destructive effect", governance.PreTool, governance.Destructive, allow, []string{"pre_tool allow h"}, 0},
		{"result", governance.PostTool, governance.Write, allow, nil, 1},
		{"step", governance.PostStep, 0, allow, nil, 1},
		{"denied read-only tool", governance.PreTool, governance.ReadOnly, deny, []string{"pre_tool deny h"}, 0},
		{"denied answer", governance.PreResponse, 0, deny, []string{"pre_response deny h"}, 0},
		{"held step", governance.PostStep, 0, governance.Decision{Verdict: governance.VerdictRequireApproval, Signal: "goal_drift"}, []string{"post_step require_approval h/goal_drift"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := &book{}
			s := subject(tt.at)
			s.Effect = tt.effect
			_, err := decide(t.Context(), newKernel(t, b, says("h", tt.at, 0, tt.d)), s)
			if (err == nil) != (tt.d.Verdict == governance.VerdictAllow) {
				t.Error(err)
			}
			if diff := cmp.Diff(tt.recorded, b.lines()); diff != "" {
				t.Error(diff)
			}
			if len(b.deferred) != tt.deferred {
				t.Errorf("deferred %v", b.deferred)
			}
			for _, e := range b.recorded {
				want := audit.Entry{SessionID: "s", RunID: "r", TurnID: "t", StepID: 3, At: time.Unix(1, 2000).UTC(), Kind: audit.KindDecision, Point: string(tt.at),
					Subject: s.Name, Verdict: tt.d.Verdict.String(), By: e.By, Reason: strings.Repeat("é", len([]rune(e.Reason))), Digest: s.Digest()}
				if diff := cmp.Diff(want, e); diff != "" || len(e.Reason) > 300 {
					t.Error(diff)
				}
			}
		})
	}
}

// No record, no permit: whatever the decision, where it cannot be written down nothing may happen.
func TestNoRecordNoPermit(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	for _, d := range []governance.Decision{governance.Allow(), governance.Deny("no"), governance.RequireApproval("?"), governance.TransformArgs(json.RawMessage(`{}`), "")} {
		k := newKernel(t, &book{err: broken}, says("h", governance.PreTool, 0, d))
		s := subject(governance.PreTool)
		p, err := k.Permit(t.Context(), s)
		var re *governance.RecordError
		if !errors.As(err, &re) || re.Point != governance.PreTool || !errors.Is(err, broken) || p != (governance.Permit{}) {
			t.Errorf("%s: %v", d.Verdict, err)
		}
		r := k.Rule(t.Context(), []governance.Subject{s})[0]
		if _, err := k.Mint(t.Context(), r); !errors.As(err, &re) {
			t.Errorf("%s: Mint: %v", d.Verdict, err)
		}
		if r.Verdict() == governance.VerdictRequireApproval {
			t.Error("an unrecorded hold is a hold")
		}
	}
	for _, at := range points {
		k := newKernel(t, &book{err: broken}, says("h", at, 0, governance.Deny("no")))
		var re *governance.RecordError
		if _, err := decide(t.Context(), k, subject(at)); !errors.As(err, &re) || errors.Is(err, governance.ErrDenied) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// Where nothing can hold, an approval is denied, and the reason says so.
func TestNothingToHoldIt(t *testing.T) {
	t.Parallel()
	b := &book{}
	alone, err := governance.NewKernel(governance.Config{Recorder: b, Hooks: []governance.Hook{says("h", governance.PreTool, 0, governance.RequireApproval("why"))}})
	if err != nil {
		t.Fatal(err)
	}
	unheld := subject(governance.PreTool)
	unheld.Holdable = false
	for name, err := range map[string]error{
		"no approvals": second(alone.Permit(t.Context(), subject(governance.PreTool))),
		"not holdable": second(newKernel(t, b, says("h", governance.PreTool, 0, governance.RequireApproval("why"))).Permit(t.Context(), unheld)),
	} {
		if !errors.Is(err, governance.ErrDenied) || !strings.Contains(err.Error(), "needs an approval (why), and nothing here can hold it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	approved := subject(governance.PreTool)
	approved.ApprovalID = "a"
	if _, err := alone.Permit(t.Context(), approved); !errors.Is(err, governance.ErrNoApprovals) {
		t.Error(err)
	}
	for _, at := range points {
		want := at == governance.PreLLM || at == governance.PreTool || at == governance.PostStep
		if alone.CanHold(at) || newKernel(t, b).CanHold(at) != want {
			t.Errorf("CanHold(%s)", at)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestDigest(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, at := range points {
		s := subject(at)
		d := s.Digest()
		if len(d) != 64 || d != subject(at).Digest() {
			t.Errorf("%s: %q", at, d)
		}
		if at != governance.PreResponse { // its text is PreTurn's
			if other, ok := seen[d]; ok {
				t.Errorf("%s and %s have one digest", at, other)
			}
		}
		seen[d] = string(at)
	}
	if (governance.Subject{Point: governance.PostStep}).Digest()+(governance.Subject{Point: governance.PreLLM}).Digest() != "" {
		t.Error("digest of nothing")
	}
	failed := governance.Subject{Point: governance.PostTool, ToolErr: &governance.ToolError{Kind: "a"}}
	if failed.Digest() == (governance.Subject{Point: governance.PostTool}).Digest() {
		t.Error("an error has no digest")
	}
	if reflect.TypeFor[governance.Permit]().Size() > 8 {
		t.Error("a permit is a pointer")
	}
}
