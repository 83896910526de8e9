package ops

import (
	"context"
	"io"
)

func approvalsShow() command {
	return command{
		name: "approvals show", args: "ID", summary: "one approval in full: what would run, for whom, until when", least: 1, most: 1,
		setup: noFlags(func(ctx context.Context, c *call) error {
			r, err := c.h.Approvals().Get(ctx, c.args[0])
			if err != nil {
				return err
			}
			v := c.viewApproval(r)
			c.show(v, func(w io.Writer) { c.writeApproval(w, &v) })
			return nil
		}),
	}
}
