package plugin_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/plugin"
)

// reach is all that a plugin can get at through what it is handed. A line more is a door more: think before it is added here. None of them is a
// hook, a judge, the store, a harness, or a way to answer an approval.
var reach = []string{
	"Action.Command string", "Action.ID string", "Action.Kind string", "Action.Overdue bool", "Action.Session string", "Action.Suppressible bool", "Action.Title string",
	"Continuations.Ask(context.Context, continuation.Ask) error",
	"Continuations.AskIn(context.Context, plugin.SessionRef, continuation.Ask) error",
	"Continuations.Confirm(context.Context, string, string, interface {}, string) error",
	"Continuations.ConfirmIn(context.Context, plugin.SessionRef, string, string, interface {}, string) error",
	"Continuations.Pending(context.Context) *continuation.Continuation error",
	"Continuations.Withdraw(context.Context) error",
	"Heartbeat.Every time.Duration", "Heartbeat.Name string", "Heartbeat.Plugin string", "Heartbeat.Run func(context.Context) error",
	"Registrar.Agent(loop.Agent)",
	"Registrar.Channel(approval.Channel)",
	"Registrar.Executor(intercept.ConfirmationExecutor)",
	"Registrar.Heartbeat(plugin.Heartbeat)",
	"Registrar.Intercept(intercept.Spec)",
	"Registrar.Tool(loop.Tool)",
	"Services.Continuations *plugin.Continuations",
	"Services.CurrentQuery(context.Context) string",
	"Services.CurrentSession(context.Context) plugin.SessionRef bool",
	"Services.Log *slog.Logger",
	"Services.PendingActions(context.Context) []plugin.Action error",
}

func TestReach(t *testing.T) {
	t.Parallel()
	got := reachable(reflect.TypeFor[*plugin.Registrar](), reflect.TypeFor[plugin.Services]())
	if diff := cmp.Diff(reach, got); diff != "" {
		t.Errorf("what a plugin can reach has changed (-agreed +found):\n%s", diff)
	}
}

// TestReachSeesADoor shows the enumeration a type with a door more, at the end of a chain of fields and results.
func TestReachSeesADoor(t *testing.T) {
	t.Parallel()
	want := []string{"door.Inner *plugin_test.inner", "inner.Store string", "inner.Two() *plugin_test.leaf", "leaf.Deep int"}
	if diff := cmp.Diff(want, reachable(reflect.TypeFor[door]())); diff != "" {
		t.Error(diff)
	}
}

type (
	door  struct{ Inner *inner }
	inner struct {
		Store  string
		hidden int
	}
	leaf struct{ Deep int }
)

func (i *inner) Two() *leaf { return &leaf{i.hidden} }

// reachable lists the exported fields and methods of types, and of the types of this package and of this test that they lead to.
func reachable(types ...reflect.Type) []string {
	var out []string
	seen := map[reflect.Type]bool{}
	for len(types) > 0 {
		t := types[0]
		types = types[1:]
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if seen[t] || t.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), "github.com/iris-harness/iris/plugin") {
			continue
		}
		seen[t] = true
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				out, types = append(out, fmt.Sprintf("%s.%s %s", t.Name(), f.Name, f.Type)), append(types, f.Type)
			}
		}
		p := reflect.PointerTo(t)
		for i := range p.NumMethod() {
			line, next := method(t, p.Method(i))
			out, types = append(out, line), append(types, next...)
		}
	}
	slices.Sort(out)
	return out
}

func method(t reflect.Type, m reflect.Method) (line string, next []reflect.Type) {
	var in, res []string
	for i := 1; i < m.Type.NumIn(); i++ {
		in, next = append(in, m.Type.In(i).String()), append(next, m.Type.In(i))
	}
	for i := range m.Type.NumOut() {
		res, next = append(res, m.Type.Out(i).String()), append(next, m.Type.Out(i))
	}
	return strings.TrimSpace(fmt.Sprintf("%s.%s(%s) %s", t.Name(), m.Name, strings.Join(in, ", "), strings.Join(res, " "))), next
}
