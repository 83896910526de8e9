package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/llm"
)

func TestFuncYieldsOneChunk(t *testing.T) {
	t.Parallel()
	m := llm.Func(func(context.Context, *llm.Request) (llm.Message, error) {
		return llm.Message{Text: "hello", Calls: []llm.Call{{ID: "1", Name: "look"}}, ProviderData: []byte{0, 255}}, nil
	})
	var got []llm.Chunk
	for c, err := range m.Generate(t.Context(), &llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, *c)
	}
	want := []llm.Chunk{{Text: "hello", Calls: []llm.Call{{ID: "1", Name: "look"}}, ProviderData: []byte{0, 255}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

func TestFuncYieldsItsError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	n := 0
	for c, err := range llm.Func(func(context.Context, *llm.Request) (llm.Message, error) { return llm.Message{Text: "half"}, broken }).Generate(t.Context(), nil) {
		n++
		if c != nil || !errors.Is(err, broken) {
			t.Errorf("got %v, %v", c, err)
		}
	}
	if n != 1 {
		t.Errorf("%d values, want the error alone", n)
	}
}

type ownTransient bool

func (ownTransient) Error() string     { return "own" }
func (o ownTransient) Transient() bool { return bool(o) }

func TestTransient(t *testing.T) {
	t.Parallel()
	base := errors.New("rate limit")
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"nil stays nil", llm.Transient(nil), false},
		{"plain", base, false},
		{"marked", llm.Transient(base), true},
		{"wrapped", fmt.Errorf("call: %w", llm.Transient(base)), true},
		{"its own method", ownTransient(true), true},
		{"its own method says no", ownTransient(false), false},
	} {
		if got := llm.IsTransient(tt.err); got != tt.want {
			t.Errorf("%s: IsTransient = %v, want %v", tt.name, got, tt.want)
		}
	}
	if !errors.Is(llm.Transient(base), base) {
		t.Error("a transient error lost what it wraps")
	}
}

func TestUsageAdd(t *testing.T) {
	t.Parallel()
	got := llm.Usage{Input: 1, Output: 2, Cost: 3}.Add(llm.Usage{Input: 10, Output: 20, Cost: 30})
	if want := (llm.Usage{Input: 11, Output: 22, Cost: 33}); got != want {
		t.Errorf("Add = %+v, want %+v", got, want)
	}
}
