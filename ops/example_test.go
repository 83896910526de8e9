package ops_test

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/ops"
)

// An application mounts the commands on its own harness: who operates is who it authenticated, and an approved run goes on at once.
func ExampleCommands_Run() {
	ctx, clock := context.Background(), iristest.NewClock(iristest.T0)
	restart := iris.NewTool(iris.ToolSpec{Name: "restart", Description: "restart a service", Effect: iris.Destructive},
		func(_ context.Context, in struct{ Service string }) (string, error) {
			return in.Service + " is starting", nil
		})
	h, err := iris.New(iris.Config{
		Store: memstore.New(), Tools: []iris.Tool{restart}, Clock: clock.Now, Approvals: iris.ApprovalConfig{Stderr: io.Discard},
		LLM: iristest.Model().Call("restart", `{"Service":"db-1"}`).Answer("db-1 is up again."),
	})
	if err != nil {
		panic(err)
	}
	asked, err := h.Turn(ctx, iris.TurnRequest{SessionID: "s1", Message: "restart the database"})
	if err != nil {
		panic(err)
	}
	commands := ops.Commands{
		Name: "myapp", By: iris.Principal{ID: "ann"}, Clock: clock.Now,
		Open: func(context.Context) (*iris.Harness, io.Closer, error) { return h, nil, nil },
	}
	commands.Run(ctx, strings.Fields("approvals approve "+asked.Approvals[0]), os.Stdout, os.Stderr)
	commands.Run(ctx, strings.Fields("approvals list"), os.Stdout, os.Stderr)
	// Output:
	// approved by ann; resumed
	// db-1 is up again.
	// no approvals
}
