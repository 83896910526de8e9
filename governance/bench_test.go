package governance_test

import (
	"context"
	"testing"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/governance"
)

// nowhere records nothing: the benchmarks are without a store.
type nowhere struct{}

func (nowhere) Record(context.Context, governance.Subject, audit.Entry) error { return nil }
func (nowhere) Defer(governance.Subject, audit.Entry)                         {}

// BenchmarkPermit is one decision and its permit: with the built-in policy, which is asked on the spot, and with an
// application's hook, which has a goroutine and a deadline of its own.
func BenchmarkPermit(b *testing.B) {
	for _, bc := range []struct {
		name   string
		hooks  []governance.Hook
		effect governance.Effect
	}{
		{"no hook", nil, governance.ReadOnly},
		{"builtin", []governance.Hook{governance.DefaultPolicy()}, governance.ReadOnly},
		{"builtin, an effect", []governance.Hook{governance.DefaultPolicy()}, governance.Write},
		{"one own", []governance.Hook{says("own", governance.PreTool, 0, governance.Allow())}, governance.ReadOnly},
	} {
		b.Run(bc.name, func(b *testing.B) {
			k, err := governance.NewKernel(governance.Config{Hooks: bc.hooks, Recorder: nowhere{}})
			if err != nil {
				b.Fatal(err)
			}
			s := tool("x", bc.effect)
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := k.Permit(ctx, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
