package governance_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// readingHook allows, after read has seen the subject.
func readingHook(read func(governance.Subject)) func(context.Context, governance.Subject) governance.Decision {
	return func(_ context.Context, s governance.Subject) governance.Decision {
		read(s)
		return governance.Allow()
	}
}

// byName is a hook that answers by the tool's name, and allows the others.
func byName(name string, priority int, answers map[string]governance.Decision) governance.Hook {
	return governance.Hook{Name: name, At: governance.PreTool, Priority: priority, Decide: func(_ context.Context, s governance.Subject) governance.Decision {
		if d, ok := answers[s.Name]; ok {
			return d
		}
		return governance.Allow()
	}}
}

func tool(name string, effect governance.Effect) governance.Subject {
	s := subject(governance.PreTool)
	s.Name, s.Effect = name, effect
	return s
}

// All calls of a step are decided, each hook asked once for each, before any is minted; Hold pins what waits.
func TestRule(t *testing.T) {
	t.Parallel()
	b := &book{}
	var asked []string
	k := newKernel(t, b,
		byName("rules", 1, map[string]governance.Decision{
			"bad": governance.Deny("never"), "fix": governance.TransformArgs(json.RawMessage(`{"fixed":true}`), "")}),
		governance.Hook{Name: "look", At: governance.PreTool, Decide: readingHook(func(s governance.Subject) { asked = append(asked, s.Name) })},
		governance.DefaultPolicy())
	step := k.Rule(t.Context(), []governance.Subject{
		tool("read", governance.ReadOnly), tool("write", governance.Write), tool("bad", governance.Write),
		tool("drop", governance.Destructive), tool("fix", governance.Destructive), tool("write2", governance.Write),
	})
	if diff := cmp.Diff([]string{"read", "write", "bad", "drop", "fix", "write2"}, asked); diff != "" {
		t.Error(diff)
	}
	wantRecord := []string{"pre_tool deny rules", "pre_tool require_approval default_policy", "pre_tool transform rules", "pre_tool require_approval default_policy"}
	if diff := cmp.Diff(wantRecord, b.lines()); diff != "" {
		t.Error(diff)
	}
	if b.deferred != nil {
		t.Errorf("an Allow was recorded before it was minted: %v", b.deferred)
	}
	held := governance.Hold(step)
	if !errors.Is(held, governance.ErrHeld) || held.Hook != "default_policy" || held.Point != governance.PreTool {
		t.Fatalf("held: %v", held)
	}
	type pin struct {
		name, args string
		allowed    bool
	}
	var pins []pin
	for _, p := range held.Pins {
		pins = append(pins, pin{p.Subject.Name, string(p.Subject.Call.Args), p.Allowed})
		if p.Digest != llm.Digest(p.Subject.Call.Args) || (p.Hook == "") != p.Allowed {
			t.Errorf("pin %+v", p)
		}
	}
	want := []pin{{"write", `{"a":1}`, true}, {"drop", `{"a":1}`, false}, {"fix", `{"fixed":true}`, false}, {"write2", `{"a":1}`, true}}
	if diff := cmp.Diff(want, pins, cmp.AllowUnexported(pin{})); diff != "" {
		t.Error(diff)
	}
	for i, want := range []error{nil, nil, governance.ErrDenied, governance.ErrHeld, governance.ErrHeld, nil} {
		if _, err := k.Mint(t.Context(), step[i]); !errors.Is(err, want) {
			t.Errorf("mint %d: %v, want %v", i, err, want)
		}
	}
	if _, err := k.Mint(t.Context(), step[1]); !errors.Is(err, governance.ErrPermitUsed) {
		t.Errorf("minted twice: %v", err)
	}
	if diff := cmp.Diff(append(wantRecord, "pre_tool allow default_policy", "pre_tool allow default_policy"), b.lines()); diff != "" {
		t.Error(diff)
	}
	if governance.Hold(step[:3]) != nil {
		t.Error("a step without a held call is held")
	}
}

func TestForeignRulings(t *testing.T) {
	t.Parallel()
	k, other := newKernel(t, &book{}), newKernel(t, &book{})
	r := other.Rule(t.Context(), []governance.Subject{subject(governance.PreTool)})[0]
	for name, mint := range map[string]func(governance.Ruling) (governance.Permit, error){
		"mint":   func(r governance.Ruling) (governance.Permit, error) { return k.Mint(t.Context(), r) },
		"redeem": func(r governance.Ruling) (governance.Permit, error) { return k.Redeem(t.Context(), "a", r) },
	} {
		if _, err := mint(r); !errors.Is(err, governance.ErrPermitForeign) {
			t.Errorf("%s another kernel's: %v", name, err)
		}
		if _, err := mint(governance.Ruling{}); !errors.Is(err, governance.ErrNoPermit) {
			t.Errorf("%s the zero ruling: %v", name, err)
		}
	}
	zero := governance.Ruling{}
	if zero.Verdict() != governance.VerdictDeny || zero.Err() == nil || zero.Subject().Name != "" {
		t.Error("the zero ruling allows")
	}
}

// An approval meets a RequireApproval, and nothing else: both with a fresh ruling and with the approval's id on the subject.
func TestRedeem(t *testing.T) {
	t.Parallel()
	hold := func(name string, priority int) governance.Hook {
		return says(name, governance.PreTool, priority, governance.RequireApproval("?"))
	}
	same, changed := json.RawMessage(`{"a": 1}`), json.RawMessage(`{"a":2}`)
	for _, tt := range []struct {
		name     string
		hooks    []governance.Hook
		consume  error
		want     error // nil: a permit
		consumed int
	}{
		{"held once", []governance.Hook{hold("h", 0)}, nil, nil, 1},
		{"held by two hooks", []governance.Hook{hold("h", 0), hold("i", 1)}, nil, nil, 1},
		{"no longer held", nil, nil, nil, 1},
		{"denied by a hook after", []governance.Hook{hold("h", 0), says("d", governance.PreTool, 1, governance.Deny("no"))}, nil, governance.ErrDenied, 0},
		{"denied by a hook before", []governance.Hook{says("d", governance.PreTool, -1, governance.Deny("no")), hold("h", 0)}, nil, governance.ErrDenied, 0},
		{"changed before", []governance.Hook{says("t", governance.PreTool, -1, governance.TransformArgs(changed, "")), hold("h", 0)}, nil, governance.ErrDenied, 0},
		{"changed after", []governance.Hook{hold("h", 0), says("t", governance.PreTool, 1, governance.TransformArgs(changed, ""))}, nil, governance.ErrDenied, 0},
		{"changed, and allowed", []governance.Hook{says("t", governance.PreTool, 1, governance.TransformArgs(changed, ""))}, nil, governance.ErrDenied, 0},
		{"transformed into the same", []governance.Hook{says("t", governance.PreTool, -1, governance.TransformArgs(same, "")), hold("h", 0)}, nil, nil, 1},
		{"used before", []governance.Hook{hold("h", 0)}, errConsumed, errConsumed, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, way := range []string{"redeem", "mint", "permit"} {
				b := &book{}
				k := newKernel(t, b, tt.hooks...)
				p, err := redeem(t.Context(), k, b, way, tt.consume)
				if !errors.Is(err, tt.want) || (p != governance.Permit{}) != (tt.want == nil) {
					t.Errorf("%s: %v, want %v", way, err, tt.want)
				}
				if len(b.consumed) != tt.consumed || tt.consumed == 1 && b.consumed[0] != "a1 tool "+llm.Digest(same) {
					t.Errorf("%s: consumed %v", way, b.consumed)
				}
				for _, l := range b.lines() {
					if l == "pre_tool allow h" {
						t.Errorf("%s: a ledger row beside the approval's: %v", way, b.lines())
					}
				}
			}
		})
	}
}

var errConsumed = errors.New("consumed")

// redeem asks for the permit of an approved call in one of three ways. fail is Consume's error.
func redeem(ctx context.Context, k *governance.Kernel, b *book, way string, fail error) (governance.Permit, error) {
	s := subject(governance.PreTool)
	if way != "redeem" {
		s.ApprovalID = "a1"
	}
	if way == "permit" {
		b.err = fail
		return k.Permit(ctx, s)
	}
	r := k.Rule(ctx, []governance.Subject{s})[0]
	b.err = fail
	if way == "mint" {
		return k.Mint(ctx, r)
	}
	return k.Redeem(ctx, "a1", r)
}

// A chain that an approval lets go on, goes on: no hook is asked twice.
func TestRedeemAsksTheRest(t *testing.T) {
	t.Parallel()
	var asked []string
	note := func(name string, priority int) governance.Hook {
		return governance.Hook{Name: name, At: governance.PreTool, Priority: priority, Decide: readingHook(func(governance.Subject) { asked = append(asked, name) })}
	}
	b := &book{}
	k := newKernel(t, b, note("before", -1), says("h", governance.PreTool, 0, governance.RequireApproval("?")), note("after", 1))
	if _, err := redeem(t.Context(), k, b, "redeem", nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"before", "after"}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestRedeemRules(t *testing.T) {
	t.Parallel()
	b := &book{}
	k := newKernel(t, b, says("h", governance.PreTool, 0, governance.RequireApproval("?")))
	s := subject(governance.PreTool)
	r := k.Rule(t.Context(), []governance.Subject{s})[0]
	if _, err := k.Redeem(t.Context(), "", r); !errors.Is(err, governance.ErrHeld) {
		t.Errorf("redeemed without an approval: %v", err)
	}
	if _, err := k.Redeem(t.Context(), "a1", r); err != nil {
		t.Error(err)
	}
	if _, err := k.Redeem(t.Context(), "a2", r); !errors.Is(err, governance.ErrPermitUsed) {
		t.Errorf("redeemed twice: %v", err)
	}
	s.ApprovalID = "a1"
	r = k.Rule(t.Context(), []governance.Subject{s})[0]
	if _, err := k.Redeem(t.Context(), "a2", r); !errors.Is(err, governance.ErrPermitForeign) {
		t.Errorf("redeemed with another approval: %v", err)
	}
	if diff := cmp.Diff([]string{"a1 tool " + s.Digest()}, b.consumed); diff != "" {
		t.Error(diff)
	}
}

// An approval meets nothing where nothing is called: there it would never be consumed.
func TestNothingToRedeem(t *testing.T) {
	t.Parallel()
	for _, at := range points {
		if at == governance.PreLLM || at == governance.PreTool {
			continue
		}
		b := &book{}
		s := subject(at)
		s.ApprovalID = "a1"
		_, err := newKernel(t, b, says("h", at, 0, governance.RequireApproval("?"))).Review(t.Context(), s)
		want := governance.ErrDenied
		if at == governance.PostStep {
			want = governance.ErrHeld
		}
		if !errors.Is(err, want) || b.consumed != nil {
			t.Errorf("%s: %v, consumed %v", at, err, b.consumed)
		}
	}
}

// A request that waits is pinned as it was before the hooks, and approved as that; what is sent has their transforms.
func TestRedeemModel(t *testing.T) {
	t.Parallel()
	b := &book{}
	sent := &llm.Request{Messages: []llm.Message{{Text: "redacted"}}}
	k := newKernel(t, b, says("redact", governance.PreLLM, 0, governance.TransformRequest(sent, "")), says("h", governance.PreLLM, 1, governance.RequireApproval("?")))
	s := subject(governance.PreLLM)
	_, err := k.Permit(t.Context(), s)
	var held *governance.Held
	if !errors.As(err, &held) || len(held.Pins) != 1 || held.Pins[0].Digest != s.Digest() {
		t.Fatalf("held: %v", err)
	}
	s.ApprovalID = "a1"
	p, err := k.Permit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Take(k, governance.PreLLM, governance.ModelName)
	if err != nil || got.Request().Messages[0].Text != "redacted" {
		t.Errorf("%+v, %v", got.Request(), err)
	}
	if diff := cmp.Diff([]string{"a1 model " + held.Pins[0].Digest}, b.consumed); diff != "" {
		t.Error(diff)
	}
}
