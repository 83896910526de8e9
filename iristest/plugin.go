package iristest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/plugin"
)

// PluginScript says how a plugin is brought to ask before it acts, and how often it acted.
type PluginScript struct {
	Ask   string     // Required: the message of a person that makes it ask a question that takes a yes
	Acted func() int // Required: how often its action has run so far
}

// CheckPlugin checks what every plugin has to hold, in harnesses of its own: it registers, with a harness and without one; odd messages, heartbeats and
// payloads that make no sense cost nothing. With a script, its question is answered in every way: yes, no, twice, from another session, after a
// restart, too late. The action runs for real: give the plugin something that may be changed.
//
// It does not check that a plugin keeps away from the network or from files.
func CheckPlugin(t testing.TB, p iris.Plugin, scripts ...PluginScript) {
	t.Helper()
	checkRegistration(t, p)
	checkOddMessages(t, p)
	checkHeartbeats(t, p)
	checkExecutors(t, p)
	for _, s := range scripts {
		for _, f := range flows() {
			f.check(t, p, s)
		}
	}
}

// checkRegistration builds the plugin twice, because it is a value, and once with nothing behind its services.
func checkRegistration(t testing.TB, p iris.Plugin) {
	t.Helper()
	for range 2 {
		if st := pluginHarness(t, p).Plugins()[0]; st.State != plugin.Loaded {
			t.Errorf("plugin %s: after its registration it is %s: %s", p.Name, st.State, st.Last)
		}
	}
	bare, err := plugin.NewHost([]iris.Plugin{p}, plugin.Seams{})
	if err != nil {
		t.Errorf("plugin %s: without a harness: %v", p.Name, err)
	} else if st := bare.Status()[0]; st.State != plugin.Loaded {
		t.Errorf("plugin %s: without a harness it is %s: %s", p.Name, st.State, st.Last)
	}
}

// pluginHarness has one agent besides the plugin's, which gives ordinary answers.
func pluginHarness(t testing.TB, p iris.Plugin) *Harness {
	t.Helper()
	ordinary := llm.Func(func(context.Context, *llm.Request) (llm.Message, error) {
		return llm.Message{Text: "An ordinary answer."}, nil
	})
	return New(t, ordinary, With(func(c *iris.Config) { c.Plugins = []iris.Plugin{p} }))
}

// faults reports what the plugin did wrong since the harness was built.
func (h *Harness) faults(t testing.TB, after string) {
	t.Helper()
	if st := h.Plugins()[0]; st.Faults > 0 {
		t.Errorf("plugin %s: %d faults after %s: %s", st.Name, st.Faults, after, st.Last)
	}
}

func checkOddMessages(t testing.TB, p iris.Plugin) {
	t.Helper()
	h := pluginHarness(t, p)
	for _, text := range []string{
		"yes", "no", "1", "the second one", "\x00a\x01", "\xff\xfea", "…", "🙂", "```", "{\"a\":1}", "/approve x", strings.Repeat("word ", 10_000),
	} {
		if _, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "odd", Message: text}); err != nil {
			t.Errorf("plugin %s: a turn that says %.20q: %v", p.Name, text, err)
		}
	}
	if _, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "odd", System: true, Message: "yes"}); err != nil {
		t.Errorf("plugin %s: a turn of nobody: %v", p.Name, err)
	}
	h.faults(t, "odd messages")
}

func checkHeartbeats(t testing.TB, p iris.Plugin) {
	t.Helper()
	h := pluginHarness(t, p)
	for range 3 {
		if err := h.Tick(context.Background()); err != nil {
			t.Errorf("plugin %s: tick: %v", p.Name, err)
		}
		h.Clock.Advance(31 * 24 * time.Hour)
	}
	h.faults(t, "its heartbeats")
}

// checkExecutors hands each executor payloads that nobody asked it about: it says so, and does nothing.
func checkExecutors(t testing.TB, p iris.Plugin) {
	t.Helper()
	host, err := plugin.NewHost([]iris.Plugin{p}, plugin.Seams{})
	if err != nil {
		return // reported by the registration
	}
	for _, e := range host.Contributions().Executors {
		for _, payload := range []string{`"garbage"`, `["garbage"]`, `42`, `{"garbage":`, ``} {
			if outcome, err := execute(e, payload); err == nil {
				t.Errorf("plugin %s: executor %s took the payload %s, and says %q", p.Name, e.Kind(), payload, outcome)
			} else if strings.HasPrefix(err.Error(), "panic: ") {
				t.Errorf("plugin %s: executor %s with the payload %s: %v", p.Name, e.Kind(), payload, err)
			}
		}
	}
}

func execute(e intercept.ConfirmationExecutor, payload string) (outcome string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return e.Execute(context.Background(), json.RawMessage(payload))
}
