package iris_test

import (
	"context"
	"sync/atomic"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/plugin"
)

// handler makes an intercept's handler of a function that answers, or declines with nil.
func handler(answer func() *string) intercept.Handler {
	return func(context.Context, intercept.Message) (*intercept.Reply, error) {
		text := answer()
		if text == nil {
			return nil, nil
		}
		return &intercept.Reply{Text: *text}, nil
	}
}

// pluginOf makes a plugin of intercepts.
func pluginOf(name string, specs ...iris.Intercept) iris.Plugin {
	return iris.Plugin{Name: name, Register: func(r *plugin.Registrar, _ plugin.Services) error {
		for _, s := range specs {
			r.Intercept(s)
		}
		return nil
	}}
}

// counterInt is a count that tools add to.
type counterInt struct{ v atomic.Int64 }

// ask is a yes/no of owner.
func ask(owner, question string) continuation.Ask {
	return continuation.Ask{Owner: owner, Kind: continuation.YesNo, Question: question}
}
