package loop

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/iris-harness/iris/checkpoint"
)

// Ready reports whether a stopped run may be taken up: nil, or an *[AmbiguousEffectError] that names the effects that nobody
// knows the outcome of. A tool's Probe is asked first, and what it finds is recorded.
func (a *AgenticCore) Ready(ctx context.Context, runID string, j Journal) error {
	effects, err := j.Effects(ctx, runID)
	if err != nil {
		return fmt.Errorf("loop: effects of run %s: %w", runID, err)
	}
	return ambiguous(runID, slices.DeleteFunc(effects, func(e checkpoint.Effect) bool {
		return e.Ambiguous() && a.probe(ctx, &e, j)
	}))
}

// probe asks the effect's tool whether it happened, and records the answer. It reports whether the effect is settled.
func (a *AgenticCore) probe(ctx context.Context, e *checkpoint.Effect, j Journal) (settled bool) {
	t := a.tools[e.Tool]
	if t == nil || t.spec.Probe == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, t.timeout())
	defer cancel()
	happened, err := guardProbe(ctx, t, e)
	if err == nil {
		err = j.Settle(ctx, e.Key, happened, "probe")
	}
	if err != nil {
		a.c.Logger.WarnContext(ctx, "probe", "tool", e.Tool, "effect", e.Key, "err", err)
	}
	return err == nil
}

// guardProbe runs a probe on a goroutine of its own: one that panics or hangs settles nothing.
func guardProbe(ctx context.Context, t *BoundTool, e *checkpoint.Effect) (happened bool, err error) {
	type answer struct {
		happened bool
		err      error
	}
	done := make(chan answer, 1)
	go func() {
		a := answer{err: fmt.Errorf("loop: the probe of %s did not return", e.Tool)}
		defer func() {
			if v := recover(); v != nil {
				a = answer{err: fmt.Errorf("loop: the probe of %s panicked: %v", e.Tool, v)}
			}
			done <- a
		}()
		happened, err := t.spec.Probe(ctx, attemptOf(e.Key), bytes.Clone(e.Args))
		a = answer{happened, err}
	}()
	select {
	case a := <-done:
		return a.happened, a.err
	case <-ctx.Done():
		return false, fmt.Errorf("loop: the probe of %s: %w", e.Tool, ctx.Err())
	}
}

// ambiguous returns an *[AmbiguousEffectError] where one of the effects is.
func ambiguous(runID string, effects []checkpoint.Effect) error {
	refused := &AmbiguousEffectError{RunID: runID}
	for i := range effects {
		if e := &effects[i]; e.Ambiguous() {
			refused.Keys = append(refused.Keys, e.Key)
			refused.Tools = append(refused.Tools, e.Tool)
		}
	}
	if len(refused.Keys) > 0 {
		return refused
	}
	return nil
}
