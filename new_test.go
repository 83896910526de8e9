package iris_test

import (
	"context"
	"strings"
	"testing"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
)

func TestNewReportsAllFaults(t *testing.T) {
	t.Parallel()
	_, err := iris.New(iris.Config{})
	if err == nil || !strings.Contains(err.Error(), "Store") {
		t.Errorf("without a store: %v", err)
	}
	bad := iris.NewTool(iris.ToolSpec{Name: "no good"}, func(context.Context, struct{ F func() }) (string, error) { return "", nil })
	h := iristest.New(t, iristest.Model())
	_, err = iris.New(iris.Config{
		Store: h.Store, Tools: []iris.Tool{bad}, Intercepts: []iris.Intercept{{Name: "x"}}, Hooks: []iris.Hook{{}},
		Executors: []iris.ConfirmationExecutor{nil}, Agents: []iris.Agent{{Name: "a b"}},
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"no good", "has no handler", "does not say", "no model", "executor", `"a b"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not speak of %q:\n%v", want, err)
		}
	}
}
