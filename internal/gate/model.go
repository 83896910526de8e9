package gate

import (
	"context"
	"runtime"
	"sync"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// Model is a model that is called with a permit. The zero Model calls nothing: [ErrUnsealed].
type Model struct{ m *sealedModel }

type sealedModel struct {
	kernel *governance.Kernel
	raw    llm.Model
	idle   sync.Pool // of *stream
}

// SealModel binds m to k. Its permits are for PreLLM and [governance.ModelName].
func SealModel(k *governance.Kernel, m llm.Model) Model {
	return Model{&sealedModel{kernel: k, raw: m}}
}

// Generate makes the call that p permits, with the permit's request, and gives each chunk to sink on the caller's
// goroutine, until it returns false, which is not an error. sink must not keep the Chunk. The model may run a few
// chunks ahead of it. Where nothing was called the error is [ErrUnsealed], one of Permit.Take's, or ctx's, which leaves the permit
// unused. Else it is the model's own, a *[PanicError], or a *[CutOffError] where ctx ended first.
// A panic of sink passes through.
func (m Model) Generate(ctx context.Context, p governance.Permit, sink func(*llm.Chunk) bool) error {
	if m.m == nil || m.m.raw == nil {
		return ErrUnsealed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := p.Take(m.m.kernel, governance.PreLLM, governance.ModelName)
	if err != nil {
		return err
	}
	return m.m.pump(ctx, s, sink)
}

// pump ranges over the model on a goroutine of its own, and gives sink what it yields. Only Generate may call it.
func (m *sealedModel) pump(ctx context.Context, s governance.Subject, sink func(*llm.Chunk) bool) error {
	st := m.stream()
	st.ctx, st.req = ctx, s.Request()
	go st.start()
	runtime.Gosched() // a reply that is at hand is here by then, and nobody has to be woken
	ended := false
	defer func() {
		if !ended {
			st.abandon()
		}
	}()
	for {
		it, err := st.next(ctx)
		switch {
		case err != nil && st.stopped.Load():
			return nil
		case err != nil:
			return err
		case it.last:
			ended = true
			return m.finish(st)
		case !st.stopped.Load():
			st.chunk = it.chunk
			st.stopped.Store(!sink(&st.chunk))
		}
	}
}
