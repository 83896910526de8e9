package ops

import (
	"context"
	"fmt"
	"io"

	"github.com/iris-harness/iris"
)

func runInspect() command {
	return command{
		name: "run inspect", args: "ID", summary: "all that is known of a run: steps, effects, approvals, audit", least: 1, most: 1,
		setup: noFlags(func(ctx context.Context, c *call) error {
			found, err := c.h.InspectRun(ctx, c.args[0])
			if err != nil {
				return err
			}
			v := c.inspection(found)
			c.show(v, func(w io.Writer) { c.writeInspection(w, &v) })
			return nil
		}),
	}
}

func (c *call) writeInspection(w io.Writer, v *inspection) {
	c.writeRun(w, &v.Run)
	for i := range v.Steps {
		writeStep(w, &v.Steps[i])
	}
	for i := range v.Effects {
		e := &v.Effects[i]
		fmt.Fprintf(w, "effect %s of step %d: %s %s\n", e.Key, e.StepID, e.Tool, e.Args)
		fmt.Fprintf(w, "  %s, %s\n", e.stands(), c.when(e.StartedAt))
	}
	for i := range v.Approvals {
		a := &v.Approvals[i]
		fmt.Fprintf(w, "approval %s: %s: %s\n", a.ID, a.stands(), a.Summary)
	}
	for i := range v.Audit {
		e := &v.Audit[i]
		fmt.Fprintf(w, "audit %d: %s %s %s %s by %s\n", e.Seq, e.Kind, or(e.Point, "-"), or(e.Subject, "-"), or(e.Verdict, "-"), or(e.By, "-"))
	}
}

func (c *call) writeRun(w io.Writer, r *runView) {
	fmt.Fprintf(w, "run %s: %s\n", r.ID, r.State)
	field(w, "why", r.Reason)
	field(w, "detail", r.Detail)
	field(w, "session", r.SessionID)
	field(w, "agent", r.Agent)
	field(w, "task", line(r.Task))
	field(w, "asks", r.Question)
	field(w, "approval", r.ApprovalID)
	field(w, "began", c.when(r.CreatedAt))
	field(w, "changed", c.when(r.UpdatedAt))
	switch {
	case r.Pinned:
		field(w, "kept", "until it is unpinned")
	case r.ExpiresAt != nil:
		field(w, "kept", "until "+c.when(*r.ExpiresAt))
	}
}

func writeStep(w io.Writer, s *iris.StepInspection) {
	fmt.Fprintf(w, "step %d: %s, %d bytes\n", s.StepID, s.State, s.Bytes)
	if s.Problem != "" {
		fmt.Fprintf(w, "  cannot be read: %s\n", s.Problem)
	}
	if s.Text != "" {
		fmt.Fprintln(w, indent(line(s.Text)))
	}
	for i := range s.Calls {
		fmt.Fprintf(w, "  %s: %s: %s\n", s.Calls[i].Tool, s.Calls[i].State, line(s.Calls[i].Text))
	}
}

func or(s, byDefault string) string {
	if s == "" {
		return byDefault
	}
	return s
}
