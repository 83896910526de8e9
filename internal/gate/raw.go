package gate

import (
	"context"
	"encoding/json"

	"github.com/iris-harness/iris/governance"
)

// Raw holds a function that nobody can take out again: only a sealed [Func] calls it.
type Raw struct{ run rawFunc }

// Wrap puts run into a Raw.
func Wrap(run func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)) Raw {
	return Raw{run}
}

// SealRaw is [SealTool] for a wrapped function.
func SealRaw(k *governance.Kernel, name string, r Raw) Func { return SealTool(k, name, r.run) }
