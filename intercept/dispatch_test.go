package intercept_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
)

// desk is a chain whose handlers note that they were called.
type desk struct {
	called  []string
	claimed []string
	claims  error
}

func (d *desk) spec(name string, c intercept.Confirmation, answers bool) intercept.Spec {
	return intercept.Spec{Name: name, Confirmation: c, Handler: func(context.Context, intercept.Message) (*intercept.Reply, error) {
		d.called = append(d.called, name)
		if !answers {
			return nil, nil
		}
		return &intercept.Reply{Text: "from " + name}, nil
	}}
}

func (d *desk) ClaimFor(_ context.Context, _ *continuation.Continuation, owner string) error {
	d.claimed = append(d.claimed, owner)
	return d.claims
}

func chain(t *testing.T, specs ...intercept.Spec) *intercept.Chain {
	t.Helper()
	c, err := intercept.NewChain(specs, nil, intercept.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestShield(t *testing.T) {
	t.Parallel()
	kinds := []continuation.Kind{continuation.Question, continuation.YesNo, continuation.Choice}
	for _, kind := range kinds {
		for _, tt := range []struct {
			name    string
			pending *continuation.Continuation
			may     bool
			want    []string
		}{
			{"nothing waits", nil, true, []string{"organize", "calendar", "weather"}},
			{"another owner waits", &continuation.Continuation{Owner: "planner", Kind: kind}, true, []string{"weather"}},
			{"one of them owns it", &continuation.Continuation{Owner: "calendar", Kind: kind}, true, []string{"calendar", "weather"}},
			{"somebody who may not answer", &continuation.Continuation{Owner: "calendar", Kind: kind}, false, []string{"weather"}},
			{"nobody speaks, and nothing waits", nil, false, []string{"weather"}},
		} {
			t.Run(string(kind)+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				d := &desk{}
				c := chain(t, d.spec("organize", intercept.Resolves, false), d.spec("calendar", intercept.Resolves, false), d.spec("weather", intercept.Never, false))
				c.Dispatch(t.Context(), intercept.Message{}, tt.pending, tt.may, d)
				if diff := cmp.Diff(tt.want, d.called); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestFirstReplyWins(t *testing.T) {
	t.Parallel()
	d := &desk{}
	c := chain(t, d.spec("a", intercept.Never, false), d.spec("b", intercept.Never, true), d.spec("c", intercept.Never, true))
	h := c.Dispatch(t.Context(), intercept.Message{}, nil, true, d)
	if h.By != "b" || h.Reply.Text != "from b" || !slices.Equal(d.called, []string{"a", "b"}) {
		t.Errorf("handled by %q %q, called %v", h.By, h.Reply.Text, d.called)
	}
}

func TestFaultsAreDeclines(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]intercept.Handler{
		"error": func(context.Context, intercept.Message) (*intercept.Reply, error) { return nil, errors.New("broken") },
		"panic": func(context.Context, intercept.Message) (*intercept.Reply, error) { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &desk{}
			var faults []string
			c, err := intercept.NewChain(nil, []intercept.Spec{
				{Name: "bad", Plugin: "p", Confirmation: intercept.Never, Handler: handler}, d.spec("good", intercept.Never, true),
			}, intercept.Config{Fault: func(plugin, name string, err error) { faults = append(faults, plugin+"/"+name) }})
			if err != nil {
				t.Fatal(err)
			}
			if h := c.Dispatch(t.Context(), intercept.Message{}, nil, true, d); h.By != "good" {
				t.Errorf("handled by %q", h.By)
			}
			if !slices.Equal(faults, []string{"p/bad"}) {
				t.Errorf("faults %v", faults)
			}
		})
	}
}

func TestAFaultAfterTheClaimKeepsTheTurn(t *testing.T) {
	t.Parallel()
	d := &desk{}
	own := &continuation.Continuation{Owner: "mine", Kind: continuation.YesNo}
	c := chain(t, intercept.Spec{Name: "mine", Confirmation: intercept.Resolves, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
		if err := m.Claim(ctx); err != nil {
			return nil, err
		}
		panic("after the claim")
	}}, d.spec("next", intercept.Never, true))
	h := c.Dispatch(t.Context(), intercept.Message{}, own, true, d)
	if h.By != "mine" || h.Err == nil || !h.Claimed || len(d.called) != 0 {
		t.Errorf("handled %+v, called %v", h, d.called)
	}
}

func TestOnlyTheOwnerClaims(t *testing.T) {
	t.Parallel()
	d := &desk{}
	var got error
	c := chain(t, intercept.Spec{Name: "thief", Confirmation: intercept.Never, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
		m.Pending.Owner = "thief" // a copy: it changes nothing
		got = m.Claim(ctx)
		return nil, nil
	}})
	pending := &continuation.Continuation{Owner: "planner", Kind: continuation.YesNo}
	c.Dispatch(t.Context(), intercept.Message{}, pending, true, d)
	if !errors.Is(got, intercept.ErrNotOwner) || len(d.claimed) != 0 || pending.Owner != "planner" {
		t.Errorf("claim: %v, claimed %v, owner %q", got, d.claimed, pending.Owner)
	}
}

func TestChainMerges(t *testing.T) {
	t.Parallel()
	d := &desk{}
	c, err := intercept.NewChain(
		[]intercept.Spec{d.spec("a", intercept.Resolves, true), d.spec("b", intercept.Never, false)},
		[]intercept.Spec{d.spec("new", intercept.Never, false), d.spec("a", intercept.Never, false)}, intercept.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "new"}, c.Names()); diff != "" {
		t.Error(diff)
	}
	// The plugin's handler took the row's place, and could not take the shield off.
	c.Dispatch(t.Context(), intercept.Message{}, &continuation.Continuation{Owner: "planner"}, true, d)
	if diff := cmp.Diff([]string{"b", "new"}, d.called); diff != "" {
		t.Error(diff)
	}
}

func TestChainRefuses(t *testing.T) {
	t.Parallel()
	d := &desk{}
	ok := d.spec("ok", intercept.Never, false)
	undeclared := ok
	undeclared.Confirmation = intercept.Undeclared
	nameless := ok
	nameless.Name = ""
	empty := ok
	empty.Handler = nil
	for name, tt := range map[string]struct{ rows, plugins []intercept.Spec }{
		"undeclared":        {[]intercept.Spec{undeclared}, nil},
		"nameless":          {[]intercept.Spec{nameless}, nil},
		"no handler":        {[]intercept.Spec{empty}, nil},
		"two rows":          {[]intercept.Spec{ok, ok}, nil},
		"two plugins":       {nil, []intercept.Spec{ok, ok}},
		"undeclared plugin": {[]intercept.Spec{ok}, []intercept.Spec{undeclared}},
	} {
		if _, err := intercept.NewChain(tt.rows, tt.plugins, intercept.Config{}); !errors.Is(err, intercept.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}
