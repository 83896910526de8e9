package nobypass_test

import (
	"strings"
	"testing"

	"github.com/iris-harness/iris/governance/nobypass"
	"github.com/iris-harness/iris/governance/nobypass/nobypasstest"
	"github.com/iris-harness/iris/internal/gate/reviewed"
)

const (
	file      = "agent.go"
	generate  = "	return a.model.Generate(ctx, p, sink)\n"
	call      = "	return a.tools[r.Subject().Name].Call(ctx, p)\n"
	permit    = "	p, err := a.kernel.Permit(ctx, s)\n	if err != nil {\n		return err\n	}\n"
	mint      = "	p, err := a.kernel.Mint(ctx, r)\n	if err != nil {\n		return nil, err\n	}\n"
	inTheLoop = "		results, err := a.step(ctx, reply.Calls)\n"
	header    = "package agent\n\nimport (\n\t\"context\"\n\n\t\"github.com/iris-harness/iris/governance\"\n\t\"github.com/iris-harness/iris/internal/gate\"\n\t\"github.com/iris-harness/iris/llm\"\n)\n\nvar _ context.Context\nvar _ governance.Permit\nvar _ gate.Model\nvar _ llm.Model\n\n"
)

// mutation is one change that opens a way around governance, and the checks that see it.
type mutation struct {
	name  string
	edits []nobypasstest.Edit
	want  string // the checks, sorted, without repetition
}

func edit(before, after string) []nobypasstest.Edit {
	return []nobypasstest.Edit{one(before, after)}
}

func one(before, after string) nobypasstest.Edit {
	return nobypasstest.Edit{File: file, Old: before, New: after}
}

func add(source string) []nobypasstest.Edit {
	return []nobypasstest.Edit{{File: "added.go", New: header + source}}
}

var mutations = []mutation{
	{"call added in the middle of the loop", edit(inTheLoop,
		"		_ = a.model.Generate(ctx, governance.Permit{}, func(*llm.Chunk) bool { return true })\n"+inTheLoop), "permit unreviewed"},
	{"governed call added in the middle of the loop", edit(inTheLoop,
		"		if p, err := a.kernel.Permit(ctx, governance.Subject{}); err == nil {\n			_ = a.model.Generate(ctx, p, nil)\n		}\n"+inTheLoop), "unreviewed"},
	{"decision moved into a branch", edit(permit,
		"	var p governance.Permit\n	var err error\n	if s.System {\n		p, err = a.kernel.Permit(ctx, s)\n	}\n	if err != nil {\n		return err\n	}\n"), "permit"},
	{"decision's error ignored", edit(permit, "	p, _ := a.kernel.Permit(ctx, s)\n"), "unchecked"},
	{"decision after the call", edit(permit+generate,
		"	var p governance.Permit\n	if err := a.model.Generate(ctx, p, sink); err != nil {\n		return err\n	}\n	_, err := a.kernel.Permit(ctx, s)\n	return err\n"), "permit"},
	{"early return removed", edit(mint, "	p, err := a.kernel.Mint(ctx, r)\n	if err != nil {\n		_ = err.Error()\n	}\n"), "unchecked"},
	{"check with an empty body", edit(mint, "	p, err := a.kernel.Mint(ctx, r)\n	if err != nil {\n	}\n"), "unchecked"},
	{"error returned on one path only", edit(permit,
		"	p, err := a.kernel.Permit(ctx, s)\n	if err != nil {\n		if s.System {\n			return err\n		}\n	}\n"), "unchecked"},
	{"error swallowed", edit(mint, "	p, err := a.kernel.Mint(ctx, r)\n	err = nil\n	if err != nil {\n		return nil, err\n	}\n"), "unchecked"},
	{"comparison inverted", edit(permit, "	p, err := a.kernel.Permit(ctx, s)\n	if err == nil {\n		return err\n	}\n"), "unchecked"},
	{"check weakened by an or", edit(permit+generate,
		"	p, err := a.kernel.Permit(ctx, s)\n	if err == nil || s.System {\n		return a.model.Generate(ctx, p, sink)\n	}\n	return err\n"), "unchecked"},
	{"another error checked", edit(permit,
		"	p, err := a.kernel.Permit(ctx, s)\n	_ = err\n	if err := ctx.Err(); err != nil {\n		return err\n	}\n"), "unchecked"},
	{"permit of another decision", edit(permit,
		"	p, _ := a.kernel.Permit(ctx, s)\n	_, err := a.kernel.Permit(ctx, s)\n	if err != nil {\n		return err\n	}\n"), "unchecked"},
	{"function aliased", edit(generate, "	f := a.model.Generate\n	return f(ctx, p, sink)\n"), "value"},
	{"function aliased and called through a variable of its type", edit(call,
		"	var f func(context.Context, governance.Permit) (json.RawMessage, error) = a.tools[r.Subject().Name].Call\n	return f(ctx, p)\n"), "value"},
	{"method expression stored", add("var generate = gate.Model.Generate\n"), "value"},
	{"method value stored in a struct, called elsewhere", add(
		"type kept struct{ call func(context.Context, governance.Permit, func(*llm.Chunk) bool) error }\n\nfunc (a *agent) keep() kept { return kept{a.model.Generate} }\n\nfunc (k kept) run(ctx context.Context) error { return k.call(ctx, governance.Permit{}, nil) }\n"), "value"},
	{"closure", edit(generate, "	return func() error { return a.model.Generate(ctx, p, sink) }()\n"), "closure count permit"},
	{"goroutine", edit(generate, "	go a.model.Generate(ctx, p, sink)\n	return nil\n"), "go"},
	{"goroutine with a closure", edit(generate, "	go func() { _ = a.model.Generate(ctx, p, sink) }()\n	return nil\n"), "closure count permit"},
	{"defer", edit(permit+generate, "	p, err := a.kernel.Permit(ctx, s)\n	defer a.model.Generate(ctx, p, sink)\n	if err != nil {\n		return err\n	}\n	return nil\n"), "defer unchecked"},
	{"range body", edit(generate,
		"	for range func(yield func() bool) { yield() } {\n		return a.model.Generate(ctx, p, sink)\n	}\n	return nil\n"), "closure count permit"},
	{"second call in a reviewed function", edit(generate,
		"	if err := a.model.Generate(ctx, p, sink); err != nil {\n		return err\n	}\n	return a.model.Generate(ctx, p, sink)\n"), "count"},
	{"second call of another kind in a reviewed function", edit(generate,
		"	if _, err := a.tools[s.Name].Call(ctx, p); err != nil {\n		return err\n	}\n"+generate), "count"},
	{"permit minted elsewhere and passed in", []nobypasstest.Edit{
		one("func (a *agent) callTool(ctx context.Context, r governance.Ruling) (json.RawMessage, error) {\n"+mint, "func (a *agent) callTool(ctx context.Context, r governance.Ruling, p governance.Permit) (json.RawMessage, error) {\n"),
		one("		result, err := a.callTool(ctx, r)\n", "		p, err := a.kernel.Mint(ctx, r)\n		if err != nil {\n			return nil, err\n		}\n		result, err := a.callTool(ctx, r, p)\n")}, "permit"},
	{"permit from a field", []nobypasstest.Edit{
		one("	tools  map[string]gate.Func\n", "	tools  map[string]gate.Func\n	last   governance.Permit\n"),
		one(permit, "	if err := ctx.Err(); err != nil {\n		return err\n	}\n	p := a.last\n")}, "permit"},
	{"permit minted by a helper", append(add("func (a *agent) ok(ctx context.Context, s governance.Subject) (governance.Permit, error) {\n	return a.kernel.Permit(ctx, s)\n}\n"),
		one("a.kernel.Permit(ctx, s)", "a.ok(ctx, s)")), "permit"},
	{"zero permit", edit(call, "	p = governance.Permit{}\n"+call), "permit"},
	{"retry without governing", edit(generate,
		"	for {\n		if err := a.model.Generate(ctx, p, sink); !llm.IsTransient(err) {\n			return err\n		}\n	}\n"), "loop"},
	{"retry by goto", edit(generate,
		"again:\n	if err := a.model.Generate(ctx, p, sink); llm.IsTransient(err) {\n		goto again\n	}\n	return nil\n"), "loop"},
	{"called from another function", add("func (a *agent) quick(ctx context.Context, s governance.Subject) error {\n	p, err := a.kernel.Permit(ctx, s)\n	if err != nil {\n		return err\n	}\n	return a.model.Generate(ctx, p, nil)\n}\n"), "unreviewed"},
	{"called to initialize a variable", add("var a0 agent\n\nvar _ = a0.model.Generate(context.Background(), governance.Permit{}, nil)\n"), "permit unreviewed"},
	{"called in init", add("func init() {\n	_ = new(agent).model.Generate(context.Background(), governance.Permit{}, nil)\n}\n"), "permit unreviewed"},
	{"reviewed function renamed", []nobypasstest.Edit{
		one("func (a *agent) callModel(", "func (a *agent) callModel2("), one("a.callModel(ctx, s,", "a.callModel2(ctx, s,")}, "stale unreviewed"},
	{"converted to an interface", add("type generator interface {\n	Generate(context.Context, governance.Permit, func(*llm.Chunk) bool) error\n}\n\nfunc (a *agent) loose() generator { return a.model }\n"), "interface"},
	{"embedded, then converted to an interface", add("type wrapped struct{ gate.Model }\n\nfunc (a *agent) loose() any { return wrapped{a.model} }\n"), "interface"},
	{"embedded, then called", add("type wrapped struct{ gate.Model }\n\nfunc (a *agent) loose(ctx context.Context) error { return wrapped{a.model}.Generate(ctx, governance.Permit{}, nil) }\n"), "permit unreviewed"},
	{"argument of a constrained generic", add("func loose[G interface {\n	Generate(context.Context, governance.Permit, func(*llm.Chunk) bool) error\n}](g G) error {\n	return g.Generate(context.Background(), governance.Permit{}, nil)\n}\n\nfunc (a *agent) use() error { return loose(a.model) }\n"), "interface"},
	{"kernel built outside the root", add("func own(r governance.Recorder) (*governance.Kernel, error) {\n	return governance.NewKernel(governance.Config{Recorder: r})\n}\n"), "restricted"},
	{"kernel's constructor aliased", add("var build = governance.NewKernel\n"), "restricted"},
	{"sealed outside the root", add("func own(k *governance.Kernel, m llm.Model) gate.Model { return gate.SealModel(k, m) }\n"), "restricted"},
	{"raw model called", add("func raw(ctx context.Context, m llm.Model) {\n	for range m.Generate(ctx, nil) {\n	}\n}\n"), "restricted"},
	{"permit taken outside the gate", add("func (a *agent) take(p governance.Permit) {\n	_, _ = p.Take(a.kernel, governance.PreLLM, governance.ModelName)\n}\n"), "restricted"},
}

func TestNoBypassMutations(t *testing.T) {
	t.Parallel()
	pkg := load(t)
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			found, err := pkg.Check(rules(), m.edits...)
			if err != nil {
				t.Fatal(err)
			}
			got := nobypasstest.Checks(found)
			for _, f := range found {
				t.Log(f)
			}
			if got != m.want {
				t.Errorf("caught by %q, want %q", got, m.want)
			}
		})
	}
	if n := len(mutations); n < 18 {
		t.Errorf("%d mutations", n)
	}
}

// What is not a way around governance is not reported.
func TestNoBypassLeavesAlone(t *testing.T) {
	t.Parallel()
	pkg := load(t)
	for _, m := range []mutation{
		{name: "as it is"},
		{name: "something done between", edits: edit(generate, "	ctx, cancel := context.WithCancel(ctx)\n	defer cancel()\n"+generate)},
		{name: "checked in a switch", edits: edit(permit, "	p, err := a.kernel.Permit(ctx, s)\n	switch {\n	case err != nil:\n		return err\n	}\n")},
		{name: "the good branch inside", edits: edit(permit+generate,
			"	p, err := a.kernel.Permit(ctx, s)\n	if err == nil {\n		err = a.model.Generate(ctx, p, sink)\n	}\n	return err\n")},
		{name: "retry that decides again", edits: edit(permit+generate,
			"	for {\n		p, err := a.kernel.Permit(ctx, s)\n		if err != nil {\n			return err\n		}\n		if err := a.model.Generate(ctx, p, sink); !llm.IsTransient(err) {\n			return err\n		}\n	}\n")},
		{name: "an approved call", edits: edit("a.kernel.Mint(ctx, r)", `a.kernel.Redeem(ctx, "id", r)`)},
		{name: "a sealed value passed on", edits: add("func (a *agent) give() (gate.Model, []gate.Func) { return a.model, []gate.Func{a.tools[\"\"]} }\n")},
	} {
		t.Run(m.name, func(t *testing.T) {
			found, err := pkg.Check(rules(), m.edits...)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}

// A mutation that cannot be made is an error: a table that no longer fits its source does not pass.
func TestNoBypassEditsMustApply(t *testing.T) {
	t.Parallel()
	pkg := load(t)
	for name, e := range map[string]nobypasstest.Edit{
		"not there":        one("no such text", "x"),
		"more than once":   one("a.kernel", "x"),
		"does not parse":   one(generate, "}{"),
		"does not compile": one(generate, "	return 1\n"),
	} {
		if _, err := pkg.Check(rules(), e); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func load(t *testing.T) *nobypasstest.Package {
	t.Helper()
	pkg, err := nobypasstest.Load(".", "./testdata/agent")
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// rules are the module's, with the fixture's own sites.
func rules() nobypass.Config {
	c := reviewed.Rules()
	agent := "(*github.com/iris-harness/iris/governance/nobypass/testdata/agent.agent)"
	c.Sites = map[string]int{agent + ".callModel": 1, agent + ".callTool": 1}
	return c
}

func TestNoBypassLoad(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"./no/such/package", "./..."} {
		if _, err := nobypasstest.Load("..", pattern); err == nil || !strings.Contains(err.Error(), "nobypasstest: ") {
			t.Errorf("Load(%q): %v", pattern, err)
		}
	}
}
