package iristest

import (
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
)

// flow is one way that the question of a plugin is answered. Some hold for every question, some only for an executable one: what else an intercept of the
// plugin makes of a yes is its own.
type flow struct {
	name       string
	want       int // how often the action runs
	after      func(h *Harness)
	executable bool
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
		{name: "yes", want: 1, after: says("yes")},
		{name: "no", after: says("no", "yes")},
		{name: "yes, twice", want: 1, after: says("yes", "yes")},
		{name: "yes in another session", after: func(h *Harness) { h.Session = "s2"; h.Say("yes") }},
		{name: "yes from nobody", after: func(h *Harness) {
			h.MustTurn(iris.TurnRequest{SessionID: h.Session, System: true, Message: "yes"})
		}},
		{name: "yes after a restart", want: 1, after: func(h *Harness) { h.Restart(nil); h.Say("yes") }},
		{name: "yes after eight days", after: func(h *Harness) { h.Clock.Advance(8 * 24 * time.Hour); h.Say("yes"); h.Say("yes") }},
		{name: "yes, and more", after: says("yes, but only the first one"), executable: true},
		{name: "yes after two hours", after: func(h *Harness) { h.Clock.Advance(2 * time.Hour); h.Say("yes") }, executable: true},
		{name: "yes after two hours, and again", want: 1, after: func(h *Harness) { h.Clock.Advance(2 * time.Hour); h.Say("yes"); h.Say("yes") }, executable: true},
	}
}

func (f flow) check(t testing.TB, p iris.Plugin, s PluginScript) {
	t.Helper()
	h := pluginHarness(t, p)
	before := s.Acted()
	h.Say(s.Ask)
	q := h.Pending()
	if q == nil || q.Kind != string(continuation.YesNo) {
		t.Errorf("plugin %s: %q asked no question that takes a yes", p.Name, s.Ask)
		return
	}
	if f.executable && q.Owner != intercept.ConfirmationName {
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
