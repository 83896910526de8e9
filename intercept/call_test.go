package intercept_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
)

// TestFaultsOfAHandler: whatever a handler does costs its own contribution; the next one answers.
func TestFaultsOfAHandler(t *testing.T) {
	t.Parallel()
	hang := func(context.Context, intercept.Message) (*intercept.Reply, error) { select {} }
	for _, tt := range []struct {
		name    string
		handler intercept.Handler
		want    error
	}{
		{"an error", func(context.Context, intercept.Message) (*intercept.Reply, error) { return nil, errors.ErrUnsupported }, errors.ErrUnsupported},
		{"a panic", func(context.Context, intercept.Message) (*intercept.Reply, error) { panic("boom") }, nil},
		{"the end of its goroutine", func(context.Context, intercept.Message) (*intercept.Reply, error) { runtime.Goexit(); return nil, nil }, nil},
		{"an empty reply", func(context.Context, intercept.Message) (*intercept.Reply, error) {
			return &intercept.Reply{Text: " \n"}, nil
		}, intercept.ErrEmpty},
		{"one that hangs", hang, intercept.ErrCutOff},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			faults := map[string]error{}
			d := &desk{}
			specs := []intercept.Spec{{Name: "bad", Plugin: "p", Confirmation: intercept.Never, Handler: tt.handler, Limit: 20 * time.Millisecond}, d.spec("good", intercept.Never, true)}
			c, err := intercept.NewChain(nil, specs, intercept.Config{Fault: func(plugin, name string, err error) { faults[plugin+"/"+name] = err }})
			if err != nil {
				t.Fatal(err)
			}
			h := c.Dispatch(t.Context(), intercept.Message{}, nil, true, d)
			if h.By != "good" || h.Err != nil {
				t.Errorf("handled: %+v", h)
			}
			if got := faults["p/bad"]; got == nil || tt.want != nil && !errors.Is(got, tt.want) {
				t.Errorf("fault %v, want %v", got, tt.want)
			}
		})
	}
}

// TestCutOffAfterItsClaim: the turn is the handler's, and nothing claims later.
func TestCutOffAfterItsClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := make(chan error, 1)
		pending := &continuation.Continuation{ID: "c1", Owner: "slow", Kind: continuation.YesNo}
		d := &desk{}
		slow := intercept.Spec{Name: "slow", Confirmation: intercept.Resolves, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
			if err := m.Claim(ctx); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Hour)
			late <- m.Claim(context.WithoutCancel(ctx))
			return &intercept.Reply{Text: "too late"}, nil
		}}
		h := chain(t, slow).Dispatch(t.Context(), intercept.Message{}, pending, true, d)
		if h.By != "slow" || !h.Claimed || !errors.Is(h.Err, intercept.ErrCutOff) {
			t.Errorf("handled: %+v", h)
		}
		if err := <-late; !errors.Is(err, intercept.ErrCutOff) {
			t.Errorf("a claim after the end: %v", err)
		}
		if len(d.claimed) != 1 {
			t.Errorf("claimed %d times", len(d.claimed))
		}
	})
}

// TestStoppedTurnIsNobodysFault: a person who stops the turn does not degrade the plugin.
func TestStoppedTurnIsNobodysFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	waits := func(ctx context.Context, _ intercept.Message) (*intercept.Reply, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	c, err := intercept.NewChain(nil, []intercept.Spec{{Name: "x", Plugin: "p", Confirmation: intercept.Never, Handler: waits}},
		intercept.Config{Fault: func(plugin, _ string, err error) { t.Errorf("fault of %s: %v", plugin, err) }})
	if err != nil {
		t.Fatal(err)
	}
	if h := c.Dispatch(ctx, intercept.Message{}, nil, true, &desk{}); h.By != "" {
		t.Errorf("handled: %+v", h)
	}
}

// TestTheViewIsACopy: a handler that writes over what it sees changes nothing that runs later.
func TestTheViewIsACopy(t *testing.T) {
	t.Parallel()
	pending := &continuation.Continuation{
		Owner: intercept.ConfirmationName, Payload: json.RawMessage(`{"a":1}`),
		Options: []continuation.Option{{Text: "one", Ref: json.RawMessage(`"r"`)}},
	}
	scribble := intercept.Spec{Name: "x", Confirmation: intercept.Never, Handler: func(_ context.Context, m intercept.Message) (*intercept.Reply, error) {
		copy(m.Pending.Payload, "changed")
		m.Pending.Options[0].Text = "two"
		copy(m.Pending.Options[0].Ref, "YYY")
		return nil, nil
	}}
	chain(t, scribble).Dispatch(t.Context(), intercept.Message{}, pending, true, &desk{})
	if string(pending.Payload) != `{"a":1}` || pending.Options[0].Text != "one" || string(pending.Options[0].Ref) != `"r"` {
		t.Errorf("the row was changed: %+v", pending)
	}
}
