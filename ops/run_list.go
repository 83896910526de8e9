package ops

import (
	"context"
	"flag"
	"io"
)

func runList() command {
	return command{
		name: "run list", args: "[--session S] [--before ID] [--limit N]", summary: "runs, newest first",
		setup: func(fs *flag.FlagSet) runFunc {
			session := fs.String("session", "", "only runs of this session")
			before := fs.String("before", "", "only runs older than this one")
			limit := fs.Int("limit", 20, "at most so many")
			return func(ctx context.Context, c *call) error { return c.listRuns(ctx, *session, *before, *limit) }
		},
	}
}

func (c *call) listRuns(ctx context.Context, session, before string, limit int) error {
	runs, err := c.h.Runs(ctx, session, before, limit)
	if err != nil {
		return err
	}
	views := make([]runView, len(runs))
	for i := range runs {
		views[i] = viewRun(&runs[i])
	}
	c.show(map[string]any{"runs": views}, func(w io.Writer) {
		var rows [][]string
		for i := range views {
			v := &views[i]
			rows = append(rows, []string{v.ID, v.State, v.Reason, v.SessionID, v.Agent, relative(v.UpdatedAt.Sub(c.now)), line(v.Task)})
		}
		table(w, "no runs", rows)
	})
	return nil
}
