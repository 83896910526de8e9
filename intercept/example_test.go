package intercept_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/iris-harness/iris/intercept"
)

// Handlers are code; their order, and which are on, is configuration.
func ExampleArrange() {
	answer := func(text string) intercept.Handler {
		return func(context.Context, intercept.Message) (*intercept.Reply, error) {
			return &intercept.Reply{Text: text}, nil
		}
	}
	rows, err := intercept.LoadRows(strings.NewReader(`[
		{"name": "weather", "resolves_confirmation": false, "order": 1},
		{"name": "calendar", "resolves_confirmation": true, "order": 2, "disabled": true}
	]`))
	if err != nil {
		panic(err)
	}
	chain, err := intercept.NewChain(intercept.Arrange(rows,
		intercept.Spec{Name: "calendar", Handler: answer("You are free."), Confirmation: intercept.Resolves},
		intercept.Spec{Name: "weather", Handler: answer("Sunny."), Confirmation: intercept.Never},
	), nil, intercept.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(chain.Names())
	// Output:
	// [weather]
}
