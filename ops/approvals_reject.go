package ops

import (
	"context"
	"flag"

	"github.com/iris-harness/iris"
)

func approvalsReject() command {
	return command{
		name: "approvals reject", args: "ID [--reason R] [--later]", summary: "reject: nothing of it runs", least: 1, most: 1,
		setup: func(fs *flag.FlagSet) runFunc {
			reason := fs.String("reason", "", "why; the person, or the model, is told")
			later := fs.Bool("later", false, "record the decision and leave the run to the application's Run")
			return func(ctx context.Context, c *call) error {
				return c.respond(ctx, iris.Answer{ApprovalID: c.args[0], Decision: iris.Reject, Reason: *reason, By: c.by, Surface: Surface, Later: *later})
			}
		},
	}
}
