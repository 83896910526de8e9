package gate_test

import (
	"testing"

	"github.com/iris-harness/iris/governance/nobypass/nobypasstest"
	"github.com/iris-harness/iris/internal/gate/reviewed"
)

// TestNoBypassGate holds that the gate reaches a raw function through a permit that it took, and that the rules see it
// when it does not.
func TestNoBypassGate(t *testing.T) {
	t.Parallel()
	pkg, err := nobypasstest.Load(".", ".")
	if err != nil {
		t.Fatal(err)
	}
	const header = "package gate\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\n\t\"github.com/iris-harness/iris/governance\"\n)\n\nvar _ context.Context\nvar _ json.RawMessage\nvar _ governance.Permit\n\n"
	const take = "	s, err := p.Take(f.f.kernel, governance.PreTool, f.f.name)\n	if err != nil {\n		return nil, err\n	}\n"
	added := func(source string) nobypasstest.Edit {
		return nobypasstest.Edit{File: "added.go", New: header + source}
	}
	for _, tt := range []struct {
		name string
		edit []nobypasstest.Edit
		want string
	}{
		{name: "as it is"},
		{"permit not taken", []nobypasstest.Edit{{File: "gate.go", Old: take, New: "	s := governance.Subject{}\n"}}, "permit"},
		{"error of take ignored", []nobypasstest.Edit{{File: "gate.go", Old: take,
			New: "	s, _ := p.Take(f.f.kernel, governance.PreTool, f.f.name)\n"}}, "unchecked"},
		{"a subject of its own", []nobypasstest.Edit{{File: "gate.go", Old: "	return f.f.invoke(ctx, s)\n",
			New: "	s = governance.Subject{Call: s.Call}\n	return f.f.invoke(ctx, s)\n"}}, "permit"},
		{"raw function called", []nobypasstest.Edit{added("func (f Func) Quick(ctx context.Context) { _, _ = f.f.raw(ctx, nil) }\n")}, "field"},
		{"raw function given back", []nobypasstest.Edit{added("func (f Func) Raw() any { return f.f.raw }\n")}, "field"},
		{"wrapped function given back", []nobypasstest.Edit{added("func (r Raw) Run() any { return r.run }\n")}, "field"},
		{"raw model called", []nobypasstest.Edit{added("func (m Model) Quick(ctx context.Context) { _ = m.m.raw.Generate(ctx, nil) }\n")}, "field restricted"},
		{"goroutine of a call started by another", []nobypasstest.Edit{added("func (f Func) Quick(ctx context.Context) { i := f.f.invocation(); i.start() }\n")}, "field restricted"},
		{"goroutine of a call run by another", []nobypasstest.Edit{added("func (i *invocation) again() { i.run() }\n")}, "restricted"},
		{"second way to invoke", []nobypasstest.Edit{added("func (f Func) Quick(ctx context.Context) { _, _ = f.f.invoke(ctx, governance.Subject{}) }\n")}, "permit unreviewed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := pkg.Check(reviewed.GateRules(), tt.edit...)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Log(f)
			}
			if got := nobypasstest.Checks(found); got != tt.want {
				t.Errorf("caught by %q, want %q", got, tt.want)
			}
		})
	}
}
