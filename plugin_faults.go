package iris

import (
	"context"
	"math"

	"github.com/iris-harness/iris/governance"
)

// pluginFaults notes a plugin's tool that panicked or was cut off on its plugin. It decides nothing. What a tool returns as an error is its answer,
// and no fault.
func (b *builder) pluginFaults() []Hook {
	if len(b.parts.Tools) == 0 {
		return nil
	}
	host := b.h.host
	return []Hook{{Name: "plugin_faults", At: governance.PostTool, Priority: math.MinInt, Decide: func(_ context.Context, s Subject) Decision {
		if e := s.ToolErr; e != nil {
			switch e.Kind {
			case governance.ToolPanic, governance.ToolTimeout, governance.UnknownOutcome:
				what := "tool " + s.Name
				host.Fault(host.Owner(what), what, e)
			}
		}
		return governance.Allow()
	}}}
}
