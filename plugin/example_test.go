package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/plugin"
)

// notes keeps notes, and asks first.
type notes struct{ kept []string }

func (n *notes) Kind() string { return "note" }

func (n *notes) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	var text string
	if err := json.Unmarshal(payload, &text); err != nil {
		return "", err
	}
	n.kept = append(n.kept, text)
	return "Kept.", nil
}

// A plugin is a value: here an intercept that asks, and the executor that a yes runs.
func Example() {
	n := &notes{}
	p := iris.Plugin{Name: "notes", Register: func(r *plugin.Registrar, s plugin.Services) error {
		r.Executor(n)
		r.Intercept(intercept.Spec{Name: "note", Confirmation: intercept.Never, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
			text, ok := strings.CutPrefix(m.Text, "note ")
			if !ok {
				return nil, nil
			}
			question := fmt.Sprintf("Shall I keep %q?", text)
			return &intercept.Reply{Text: question}, s.Continuations.Confirm(ctx, "note", "note", text, question)
		}})
		return nil
	}}
	h, err := iris.New(iris.Config{Store: memstore.New(), LLM: iristest.Model(), Plugins: []iris.Plugin{p}})
	if err != nil {
		panic(err)
	}
	for _, say := range []string{"note milk and bread", "yes, please"} {
		r, err := h.Turn(context.Background(), iris.TurnRequest{SessionID: "s1", Message: say})
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Text)
	}
	fmt.Println(n.kept, h.Plugins()[0].State)
	// Output:
	// Shall I keep "milk and bread"?
	// You said yes to: Shall I keep "milk and bread"?
	// Kept.
	// [milk and bread] loaded
}
