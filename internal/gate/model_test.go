package gate_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
)

// counting yields n chunks, and notes how far it got and that it has ended.
type counting struct {
	n       int
	yielded atomic.Int32
	ended   atomic.Bool
}

func (c *counting) model() llm.Model {
	return seq(func(_ context.Context, _ *llm.Request, yield func(*llm.Chunk, error) bool) {
		defer c.ended.Store(true)
		chunk := &llm.Chunk{} // used again for each: the gate copies it
		for i := range c.n {
			chunk.Text = string(rune('a' + i%26))
			if c.yielded.Add(1); !yield(chunk, nil) {
				return
			}
		}
	})
}

func TestChunksComeInOrder(t *testing.T) {
	t.Parallel()
	k := newKernel(t)
	for _, n := range []int{0, 1, 5, 26} {
		got, err := collect(t.Context(), gate.SealModel(k, (&counting{n: n}).model()), modelPermit(t, k, ""))
		if want := "abcdefghijklmnopqrstuvwxyz"[:n]; got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

func TestBrokenStream(t *testing.T) {
	t.Parallel()
	k := newKernel(t)
	broken := llm.Transient(errors.New("dropped"))
	model := gate.SealModel(k, seq(func(_ context.Context, _ *llm.Request, yield func(*llm.Chunk, error) bool) {
		_ = yield(&llm.Chunk{Text: "ha"}, nil) && yield(nil, nil) && yield(&llm.Chunk{Text: "lf"}, nil) && yield(nil, broken) && yield(&llm.Chunk{Text: "no"}, nil)
	}))
	got, err := collect(t.Context(), model, modelPermit(t, k, ""))
	if got != "half" || !llm.IsTransient(err) {
		t.Errorf("%q, %v", got, err)
	}
}

// A sink that wants no more stops the model, which is not an error, whatever the model says to that.
func TestSinkStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t)
		c := &counting{n: 1000}
		var got []string
		model := gate.SealModel(k, c.model())
		err := model.Generate(t.Context(), modelPermit(t, k, ""), func(c *llm.Chunk) bool {
			got = append(got, c.Text)
			return len(got) < 3
		})
		if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if !c.ended.Load() || c.yielded.Load() > 10 {
			t.Errorf("the model went on: %d chunks, ended %v", c.yielded.Load(), c.ended.Load())
		}
		c.n = 2
		for range 3 {
			if got, err := collect(t.Context(), model, modelPermit(t, k, "")); got != "ab" || err != nil {
				t.Errorf("the next call: %q, %v", got, err)
			}
		}
		stubborn := gate.SealModel(k, seq(func(_ context.Context, _ *llm.Request, yield func(*llm.Chunk, error) bool) {
			for range 100 {
				yield(&llm.Chunk{}, nil)
			}
		}))
		if err := stubborn.Generate(t.Context(), modelPermit(t, k, ""), func(*llm.Chunk) bool { return false }); err != nil {
			t.Errorf("a model that goes on: %v", err)
		}
	})
}

// A panic of the consumer's own code is the consumer's, and the model's goroutine ends all the same.
func TestSinkPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t)
		c := &counting{n: 1000}
		model := gate.SealModel(k, c.model())
		func() {
			defer func() {
				if v := recover(); v != "mine" {
					t.Errorf("recovered %v", v)
				}
			}()
			_ = model.Generate(t.Context(), modelPermit(t, k, ""), func(*llm.Chunk) bool { synctest.Wait(); panic("mine") })
		}()
		synctest.Wait()
		if !c.ended.Load() {
			t.Error("the model is left waiting")
		}
		c.n = 2
		if got, err := collect(t.Context(), model, modelPermit(t, k, "")); got != "ab" || err != nil {
			t.Errorf("the next call: %q, %v", got, err)
		}
	})
}

// A slow consumer holds the model back.
func TestBackpressure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKernel(t)
		c := &counting{n: 1000}
		first := true
		err := gate.SealModel(k, c.model()).Generate(t.Context(), modelPermit(t, k, ""), func(*llm.Chunk) bool {
			if first {
				synctest.Wait()
				if n := c.yielded.Load(); n > 10 {
					t.Errorf("%d chunks ahead of the consumer", n)
				}
			}
			first = false
			return true
		})
		if err != nil || c.yielded.Load() != 1000 {
			t.Errorf("%d chunks, %v", c.yielded.Load(), err)
		}
	})
}
