package loop_test

import (
	"testing"

	"github.com/iris-harness/iris/governance/nobypass/nobypasstest"
	"github.com/iris-harness/iris/internal/gate/reviewed"
)

// What the mutations of the two governed calls hold on to.
const (
	modelCall = "	return r.core.c.Model.Generate(ctx, permit, sink)\n"
	asked     = "	r.heard.asked = true\n"
	permit    = "	permit, err := r.core.c.Kernel.Permit(ctx, s)\n	if err != nil {\n		return err\n	}\n"
	mint      = "	permit, err := r.core.c.Kernel.Mint(ctx, c.ruling)\n	if err != nil {\n		return nil, err\n	}\n"
	toolCall  = "	return c.tool.Func.Call("
	runTool   = "	raw, err := r.callTool(ctx, c)\n"
	askModel  = "	return r.callModel(ctx, s, r.heard.sink)\n"
	header    = "package loop\n\nimport (\n\t\"context\"\n\n\t\"github.com/iris-harness/iris/governance\"\n\t\"github.com/iris-harness/iris/internal/gate\"\n\t\"github.com/iris-harness/iris/llm\"\n)\n\n" +
		"var _ context.Context\nvar _ governance.Permit\nvar _ gate.Model\nvar _ llm.Model\n\n"
)

func inModel(before, after string) nobypasstest.Edit {
	return nobypasstest.Edit{File: "model.go", Old: before, New: after}
}

func inCalls(before, after string) nobypasstest.Edit {
	return nobypasstest.Edit{File: "run_calls.go", Old: before, New: after}
}

func added(source string) nobypasstest.Edit {
	return nobypasstest.Edit{File: "added.go", New: header + source}
}

// TestNoBypassMutations holds that the loop makes no call around governance, and that the proof fails for each way
// around it: the log says which check caught it. The analyzer's own table is in governance/nobypass.
func TestNoBypassMutations(t *testing.T) {
	t.Parallel()
	pkg, err := nobypasstest.Load(".", ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		name string
		edit nobypasstest.Edit
		want string
	}{
		{name: "the loop as it is"},
		{"call added in the middle of the loop", inModel(askModel,
			"	_ = r.core.c.Model.Generate(ctx, governance.Permit{}, func(*llm.Chunk) bool { return true })\n"+askModel), "permit unreviewed"},
		{"governed call added in the middle of the loop", inModel(askModel,
			"	if p, err := r.core.c.Kernel.Permit(ctx, s); err == nil {\n		_ = r.core.c.Model.Generate(ctx, p, nil)\n	}\n"+askModel), "unreviewed"},
		{"tool called beside callTool", inCalls(runTool, "	_, _ = c.tool.Func.Call(ctx, governance.Permit{})\n"+runTool), "permit unreviewed"},
		{"decision moved into a branch", inModel(permit,
			"	var permit governance.Permit\n	var err error\n	if s.System {\n		permit, err = r.core.c.Kernel.Permit(ctx, s)\n	}\n	if err != nil {\n		return err\n	}\n"), "permit"},
		{"decision's error ignored", inModel(permit, "	permit, _ := r.core.c.Kernel.Permit(ctx, s)\n"), "unchecked"},
		{"ruling's error ignored", inCalls(mint, "	permit, _ := r.core.c.Kernel.Mint(ctx, c.ruling)\n"), "unchecked"},
		{"decision after the call", inModel(permit+asked+modelCall,
			"	var permit governance.Permit\n	if err := r.core.c.Model.Generate(ctx, permit, sink); err != nil {\n		return err\n	}\n	_, err := r.core.c.Kernel.Permit(ctx, s)\n	return err\n"), "permit"},
		{"early return removed", inCalls(mint, "	permit, err := r.core.c.Kernel.Mint(ctx, c.ruling)\n	if err != nil {\n		_ = err.Error()\n	}\n"), "unchecked"},
		{"error returned on one path only", inModel(permit,
			"	permit, err := r.core.c.Kernel.Permit(ctx, s)\n	if err != nil {\n		if s.System {\n			return err\n		}\n	}\n"), "unchecked"},
		{"error swallowed", inCalls(mint, "	permit, err := r.core.c.Kernel.Mint(ctx, c.ruling)\n	err = nil\n	if err != nil {\n		return nil, err\n	}\n"), "unchecked"},
		{"comparison inverted", inModel(permit, "	permit, err := r.core.c.Kernel.Permit(ctx, s)\n	if err == nil {\n		return err\n	}\n"), "unchecked"},
		{"permit of another decision", inModel(permit,
			"	permit, _ := r.core.c.Kernel.Permit(ctx, s)\n	_, err := r.core.c.Kernel.Permit(ctx, s)\n	if err != nil {\n		return err\n	}\n"), "unchecked"},
		{"function aliased", inModel(modelCall, "	f := r.core.c.Model.Generate\n	return f(ctx, permit, sink)\n"), "value"},
		{"tool's function aliased", inCalls(toolCall, "	f := c.tool.Func.Call\n	return f("), "value"},
		{"method value stored in a struct", added("type kept struct {\n	call func(context.Context, governance.Permit, func(*llm.Chunk) bool) error\n}\n\nfunc (r *execution) keep() kept { return kept{r.core.c.Model.Generate} }\n"), "value"},
		{"closure", inModel(modelCall, "	return func() error { return r.core.c.Model.Generate(ctx, permit, sink) }()\n"), "closure count permit"},
		{"goroutine", inModel(modelCall, "	go r.core.c.Model.Generate(ctx, permit, sink)\n	return nil\n"), "go"},
		{"defer", inModel(permit+asked+modelCall, "	permit, err := r.core.c.Kernel.Permit(ctx, s)\n	defer r.core.c.Model.Generate(ctx, permit, sink)\n	return err\n"), "defer unchecked"},
		{"range body", inModel(modelCall,
			"	for range func(yield func() bool) { yield() } {\n		return r.core.c.Model.Generate(ctx, permit, sink)\n	}\n	return nil\n"), "closure count permit"},
		{"second call in a reviewed function", inModel(modelCall,
			"	if err := r.core.c.Model.Generate(ctx, permit, sink); err != nil {\n		return err\n	}\n"+modelCall), "count"},
		{"retry without governing", inModel(modelCall,
			"	for {\n		if err := r.core.c.Model.Generate(ctx, permit, sink); !llm.IsTransient(err) {\n			return err\n		}\n	}\n"), "loop"},
		{"zero permit", inCalls(toolCall, "	permit = governance.Permit{}\n"+toolCall), "permit"},
		{"permit minted elsewhere", inModel(permit, "	permit, err := r.elsewhere(ctx, s)\n	if err != nil {\n		return err\n	}\n"), "permit"},
		{"called from another function", added("func (r *execution) quick(ctx context.Context, s governance.Subject) error {\n	p, err := r.core.c.Kernel.Permit(ctx, s)\n	if err != nil {\n		return err\n	}\n	return r.core.c.Model.Generate(ctx, p, nil)\n}\n"), "unreviewed"},
		{"converted to an interface", added("func (r *execution) loose() any { return r.core.c.Model }\n"), "interface"},
		{"kernel built by the loop", added("var build = governance.NewKernel\n"), "restricted"},
		{"sealed by the loop", added("func seal(k *governance.Kernel, m llm.Model) gate.Model { return gate.SealModel(k, m) }\n"), "restricted"},
		{"tool sealed by the loop", added("func (t Tool) seal(k *governance.Kernel) gate.Func { return gate.SealRaw(k, t.Name(), t.raw) }\n"), "restricted"},
		{"raw model called", added("func raw(ctx context.Context, m llm.Model) {\n	for range m.Generate(ctx, nil) {\n	}\n}\n"), "restricted"},
	} {
		t.Run(m.name, func(t *testing.T) {
			var edits []nobypasstest.Edit
			if m.edit.File != "" {
				edits = append(edits, m.edit)
			}
			if m.name == "permit minted elsewhere" {
				edits = append(edits, added("func (r *execution) elsewhere(ctx context.Context, s governance.Subject) (governance.Permit, error) {\n	return r.core.c.Kernel.Permit(ctx, s)\n}\n"))
			}
			found, err := pkg.Check(reviewed.Rules(), edits...)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Log(f)
			}
			if got := nobypasstest.Checks(found); got != m.want {
				t.Errorf("caught by %q, want %q", got, m.want)
			}
		})
	}
}
