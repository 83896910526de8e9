package iristest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/plugin"
)

// notebook is a plugin that asks before it writes something down. spoil makes it a bad one.
type notebook struct {
	mu    sync.Mutex
	notes []string
	spoil func(r *plugin.Registrar, s plugin.Services) error
	loose bool // it takes any payload
	hasty bool // it acts before it is answered
}

func (n *notebook) acted() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.notes)
}

func (n *notebook) Kind() string { return "note" }

func (n *notebook) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	var note struct{ Text string }
	if err := json.Unmarshal(payload, &note); err != nil && !n.loose {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = append(n.notes, note.Text)
	return "Noted.", nil
}

func (n *notebook) plugin() iris.Plugin {
	return iris.Plugin{Name: "notebook", Register: func(r *plugin.Registrar, s plugin.Services) error {
		r.Executor(n)
		r.Intercept(intercept.Spec{Name: "note", Confirmation: intercept.Never, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
			text, ok := strings.CutPrefix(m.Text, "note ")
			if !ok {
				return nil, nil
			}
			if n.hasty {
				n.notes = append(n.notes, text)
			}
			return &intercept.Reply{Text: "Shall I note it?"}, s.Continuations.Confirm(ctx, "note", "note", map[string]string{"Text": text}, "Shall I note it?")
		}})
		if n.spoil == nil {
			return nil
		}
		return n.spoil(r, s)
	}}
}

func (n *notebook) script() iristest.PluginScript {
	return iristest.PluginScript{Ask: "note milk", Acted: n.acted}
}

func TestCheckPlugin(t *testing.T) {
	t.Parallel()
	n := &notebook{}
	iristest.CheckPlugin(t, n.plugin(), n.script())
}

// failing is a test that is allowed to fail.
type failing struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// Fatalf ends the check, as a test's does.
func (f *failing) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(f)
}

// TestCheckPluginBites shows the kit a bad plugin of every sort.
func TestCheckPluginBites(t *testing.T) {
	t.Parallel()
	odd := func(h intercept.Handler) func(r *plugin.Registrar, _ plugin.Services) error {
		return func(r *plugin.Registrar, _ plugin.Services) error {
			r.Intercept(intercept.Spec{Name: "odd", Confirmation: intercept.Never, Handler: h})
			return nil
		}
	}
	for _, tt := range []struct {
		name string
		n    *notebook
		want string
	}{
		{"it does not register", &notebook{spoil: func(*plugin.Registrar, plugin.Services) error { return errors.New("no key") }}, "it is failed: register: no key"},
		{"a flag is missing", &notebook{spoil: func(r *plugin.Registrar, _ plugin.Services) error {
			r.Intercept(intercept.Spec{Name: "x", Handler: func(context.Context, intercept.Message) (*intercept.Reply, error) { return nil, nil }})
			return nil
		}}, "does not say whether it resolves confirmations"},
		{"it needs a harness to register", &notebook{spoil: func(_ *plugin.Registrar, s plugin.Services) error {
			return s.Continuations.Withdraw(context.Background())
		}}, "it is failed"},
		{"a handler panics", &notebook{spoil: odd(func(context.Context, intercept.Message) (*intercept.Reply, error) { panic("boom") })}, "faults after odd messages"},
		{"a heartbeat fails", &notebook{spoil: func(r *plugin.Registrar, _ plugin.Services) error {
			r.Heartbeat(plugin.Heartbeat{Name: "b", Every: time.Hour, Run: func(context.Context) error { return errors.New("no network") }})
			return nil
		}}, "faults after its heartbeats"},
		{"an executor that takes anything", &notebook{loose: true}, `executor note took the payload "garbage"`},
		{"it acts before it is answered", &notebook{hasty: true}, "it acted 1 times before anybody answered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &failing{TB: t}
			func() {
				defer func() {
					if v := recover(); v != nil && v != any(f) {
						panic(v)
					}
				}()
				iristest.CheckPlugin(f, tt.n.plugin(), tt.n.script())
			}()
			if said := strings.Join(f.said, "\n"); len(f.said) == 0 || !strings.Contains(said, tt.want) {
				t.Errorf("it does not say %q:\n%s", tt.want, said)
			}
		})
	}
}

// TestCheckPluginWithItsOwnIntercept has a plugin that reads the yes itself, with an intercept that resolves confirmations.
func TestCheckPluginWithItsOwnIntercept(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	rang := 0
	var s plugin.Services
	ring := func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
		switch {
		case m.Pending != nil && m.Pending.Owner == "bell" && continuation.ReadDecision(m.Pending.Question, m.Text).Verdict == continuation.Yes:
			if err := m.Claim(ctx); err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			rang++
			return &intercept.Reply{Text: "Ding.", Outcome: "rang"}, nil
		case m.Text == "ring the bell":
			return &intercept.Reply{Text: "Shall I?"}, s.Continuations.Ask(ctx, continuation.Ask{Owner: "bell", Kind: continuation.YesNo, Question: "Shall I ring the bell?"})
		}
		return nil, nil
	}
	p := iris.Plugin{Name: "bell", Register: func(r *plugin.Registrar, services plugin.Services) error {
		s = services
		r.Intercept(intercept.Spec{Name: "bell", Confirmation: intercept.Resolves, Handler: ring})
		return nil
	}}
	iristest.CheckPlugin(t, p, iristest.PluginScript{Ask: "ring the bell", Acted: func() int {
		mu.Lock()
		defer mu.Unlock()
		return rang
	}})
}
