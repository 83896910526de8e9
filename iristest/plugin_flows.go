package iristest

import (
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/intercept"
)

// flow is one way that the question of a plugin is answered.
type flow struct {
	name  string
	want  int // how often the action runs
	after func(h *Harness)
}

func says(texts ...string) func(h *Harness) {
	return func(h *Harness) {
		for _, text := range texts {
			h.Say(text)
		}
	}
}

func flows() []flow {
	return []flow{
		{"yes", 1, says("yes")},
		{"no", 0, says("no", "yes")},
		{"yes, twice", 1, says("yes", "yes")},
		{"yes, and more", 0, says("yes, but only the first one")},
		{"yes in another session", 0, func(h *Harness) { h.Session = "s2"; h.Say("yes") }},
		{"yes from nobody", 0, func(h *Harness) { h.MustTurn(iris.TurnRequest{SessionID: h.Session, System: true, Message: "yes"}) }},
		{"yes after a restart", 1, func(h *Harness) { h.Restart(nil); h.Say("yes") }},
		{"yes after two hours", 0, func(h *Harness) { h.Clock.Advance(2 * time.Hour); h.Say("yes") }},
		{"yes after two hours, and again", 1, func(h *Harness) { h.Clock.Advance(2 * time.Hour); h.Say("yes"); h.Say("yes") }},
		{"yes after eight days", 0, func(h *Harness) { h.Clock.Advance(8 * 24 * time.Hour); h.Say("yes"); h.Say("yes") }},
	}
}

func (f flow) check(t testing.TB, p iris.Plugin, s PluginScript) {
	t.Helper()
	h := pluginHarness(t, p)
	before := s.Acted()
	h.Say(s.Ask)
	q := h.Pending()
	if q == nil || q.Owner != intercept.ConfirmationName {
		t.Errorf("plugin %s: %q asked no executable question", p.Name, s.Ask)
		return
	}
	if n := s.Acted() - before; n != 0 {
		t.Errorf("plugin %s: it acted %d times before anybody answered", p.Name, n)
	}
	f.after(h)
	if n := s.Acted() - before; n != f.want {
		t.Errorf("plugin %s: %s: it acted %d times, want %d", p.Name, f.name, n, f.want)
	}
	h.faults(t, f.name)
}
