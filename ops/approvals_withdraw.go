package ops

import (
	"context"
	"flag"
	"fmt"
	"io"
)

func approvalsWithdraw() command {
	return command{
		name: "approvals withdraw", args: "ID [--reason R]", summary: "take a request back: it is rejected as withdrawn", least: 1, most: 1,
		setup: func(fs *flag.FlagSet) runFunc {
			reason := fs.String("reason", "no longer needed", "why")
			return func(ctx context.Context, c *call) error {
				r, err := c.h.Approvals().Withdraw(ctx, c.args[0], *reason, c.by)
				if err != nil {
					return err
				}
				v := c.viewApproval(r)
				c.show(v, func(w io.Writer) { fmt.Fprintf(w, "%s: %s\n", v.stands(), v.Reason) })
				return nil
			}
		},
	}
}
