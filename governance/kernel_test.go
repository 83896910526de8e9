package governance_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/governance"
)

func TestNewKernelReportsAllFaults(t *testing.T) {
	t.Parallel()
	decide := says("x", governance.PreLLM, 0, governance.Allow()).Decide
	replaced := governance.DefaultPolicy()
	replaced.Decide = decide
	_, err := governance.NewKernel(governance.Config{
		HookTimeout: -1,
		Hooks: []governance.Hook{
			{At: governance.PreLLM, Decide: decide},
			{Name: "nowhere", At: "lunch", Decide: decide},
			{Name: "nil", At: governance.PreLLM},
			{Name: "twice", At: governance.PreTool, Decide: decide},
			{Name: "twice", At: governance.PreTool, Decide: decide},
			{Name: "twice", At: governance.PostTool, Decide: decide},
			{Name: "slow", At: governance.PreTool, Timeout: -1, Decide: decide},
			replaced,
		},
	})
	want := []string{
		`governance: Config.Recorder is required`,
		`governance: Config.HookTimeout is negative`,
		`governance: hook 0 (""): has no name`,
		`governance: hook 1 ("nowhere"): no such point: "lunch"`,
		`governance: hook 2 ("nil"): Decide is nil`,
		`governance: hook 4: the name "twice" is taken at pre_tool`,
		`governance: hook 6 ("slow"): Timeout is negative`,
		`governance: hook 7 ("default_policy"): the Decide of a built-in hook cannot be replaced`,
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// A sealed kernel has no way in: no exported field, no method beyond the reviewed ones, nothing that takes a hook, and
// no tie to the slice that it was built from.
func TestKernelIsSealed(t *testing.T) {
	t.Parallel()
	methods := []string{"CanHold", "Mint", "Permit", "Redeem", "Review", "Rule"}
	if got := waysIn(reflect.TypeFor[*governance.Kernel](), methods); got != nil {
		t.Errorf("ways into a kernel: %v", got)
	}
	for _, sealed := range []reflect.Type{reflect.TypeFor[governance.Permit](), reflect.TypeFor[governance.Ruling]()} {
		if got := waysIn(sealed, []string{"Take", "Subject", "Verdict", "Err"}); got != nil {
			t.Errorf("ways into a %s: %v", sealed, got)
		}
	}
	if waysIn(reflect.TypeFor[*leaky](), nil) == nil {
		t.Error("the test cannot fail")
	}

	hooks := []governance.Hook{says("deny", governance.PreTool, 0, governance.Deny("no"))}
	k := newKernel(t, &book{}, hooks...)
	hooks[0].Decide = says("", "", 0, governance.Allow()).Decide
	if _, err := k.Permit(t.Context(), subject(governance.PreTool)); !errors.Is(err, governance.ErrDenied) {
		t.Errorf("changed through the slice it was built from: %v", err)
	}
	v := reflect.ValueOf(k).Elem()
	for i := range v.NumField() {
		if v.Field(i).CanSet() {
			t.Errorf("field %s can be set", v.Type().Field(i).Name)
		}
	}
}

type leaky struct{ Hooks []governance.Hook }

func (*leaky) Add(governance.Hook) {}

// waysIn lists the exported fields of t, its methods that were not reviewed, and those that take a hook or a function.
func waysIn(t reflect.Type, reviewed []string) []string {
	var found []string
	for i := range t.NumMethod() {
		m := t.Method(i)
		if !slices.Contains(reviewed, m.Name) {
			found = append(found, m.Name)
		}
		for j := 1; j < m.Type.NumIn(); j++ {
			if in := m.Type.In(j); in == reflect.TypeFor[governance.Hook]() || in.Kind() == reflect.Func {
				found = append(found, m.Name+" takes "+in.String())
			}
		}
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			found = append(found, t.Field(i).Name)
		}
	}
	return found
}
