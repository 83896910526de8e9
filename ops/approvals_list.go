package ops

import (
	"context"
	"flag"
	"io"

	"github.com/iris-harness/iris/approval"
)

func approvalsList() command {
	return command{
		name: "approvals list", args: "[--overdue] [--all] [--session S] [--before ID] [--limit N]", summary: "approvals that wait, newest first",
		setup: func(fs *flag.FlagSet) runFunc {
			late := fs.Bool("overdue", false, "only those that are overdue")
			all := fs.Bool("all", false, "decided ones, too")
			session := fs.String("session", "", "only approvals of this session")
			before := fs.String("before", "", "only approvals older than this one")
			limit := fs.Int("limit", 50, "at most so many")
			return func(ctx context.Context, c *call) error {
				q := approval.Query{SessionID: *session, Before: *before, Limit: *limit}
				if !*all {
					q.Status = []approval.Status{approval.Pending}
				}
				return c.listApprovals(ctx, q, *late)
			}
		},
	}
}

func (c *call) listApprovals(ctx context.Context, q approval.Query, late bool) error {
	reqs, err := c.h.Approvals().List(ctx, q)
	if err != nil {
		return err
	}
	views := []approvalView{}
	for i := range reqs {
		if !late || reqs[i].Overdue(c.now) {
			views = append(views, c.viewApproval(&reqs[i]))
		}
	}
	c.show(map[string]any{"approvals": views}, func(w io.Writer) {
		var rows [][]string
		for i := range views {
			v := &views[i]
			rows = append(rows, []string{v.ID, v.stands(), v.SessionID, v.Agent, relative(v.TimeoutAt.Sub(c.now)), about(v)})
		}
		table(w, "no approvals", rows)
	})
	return nil
}

// about is what a request is about, in a line: its first call, else why it was raised.
func about(v *approvalView) string {
	if len(v.Items) > 0 {
		return line(v.Items[0].Card)
	}
	return line(v.Summary)
}
