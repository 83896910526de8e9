package gate

import (
	"context"
	"sync/atomic"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// ahead is how many chunks a model may be ahead of its consumer. At least two: see abandon.
const ahead = 4

// stream is one reply on its way from the model's goroutine to the consumer's.
// One that was given up is left to the model's goroutine.
type stream struct {
	m       *sealedModel
	ctx     context.Context
	req     *llm.Request
	err     error       // the producer's, until the last item
	stopped atomic.Bool // the consumer wants no more

	start func() // st.run, bound once
	items chan item
	chunk llm.Chunk // the consumer's, what sink is given
}

// item is a chunk. The model may use the Chunk again once it has yielded it, so it is copied; not what it refers to.
type item struct {
	chunk llm.Chunk
	last  bool // there is no chunk, and the producer is done with the stream
}

func (m *sealedModel) stream() *stream {
	if st, ok := m.idle.Get().(*stream); ok {
		return st
	}
	st := &stream{m: m, items: make(chan item, ahead)}
	st.start = st.run
	return st
}

// finish takes the outcome of a stream whose last item has come, and lets it be used again.
// What a model says to being stopped does not matter.
func (m *sealedModel) finish(st *stream) error {
	err := st.err
	if st.stopped.Load() {
		err = nil
	}
	st.ctx, st.req, st.err, st.chunk = nil, nil, nil, llm.Chunk{}
	st.stopped.Store(false)
	m.idle.Put(st)
	return err
}

// next returns the next item, or a *CutOffError.
func (st *stream) next(ctx context.Context) (item, error) {
	select {
	case it := <-st.items:
		return it, nil
	default:
	}
	select {
	case it := <-st.items:
		return it, nil
	case <-ctx.Done():
		return item{}, newCutOffError(ctx, governance.ModelName)
	}
}

// abandon lets the producer go, where the consumer leaves before the end (it panicked, or was cut off).
// The producer may be about to put one more chunk, and puts its last item: there is room for both.
func (st *stream) abandon() {
	st.stopped.Store(true)
	for {
		select {
		case <-st.items:
		default:
			return
		}
	}
}

// run is the model's goroutine.
func (st *stream) run() {
	returned := false
	defer func() {
		if v := recover(); v != nil || !returned {
			st.err = newPanicError(governance.ModelName, v)
		}
		st.put(item{last: true})
	}()
	for chunk, err := range st.m.raw.Generate(st.ctx, st.req) {
		if err != nil {
			st.err = err
			break
		}
		if chunk != nil && !st.put(item{chunk: *chunk}) {
			break
		}
	}
	returned = true
}

// put hands an item to the consumer. It returns false where nobody wants more.
func (st *stream) put(it item) bool {
	if st.stopped.Load() && !it.last {
		return false
	}
	select {
	case st.items <- it:
		return true
	default:
	}
	select {
	case st.items <- it:
		return true
	case <-st.ctx.Done():
		return false
	}
}
