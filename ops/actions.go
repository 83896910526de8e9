package ops

import (
	"context"
	"fmt"
	"io"

	"github.com/iris-harness/iris"
)

func actions() command {
	return command{
		name: "actions", summary: "everything that waits for a person: approvals first, then effects and questions",
		setup: noFlags(func(ctx context.Context, c *call) error {
			all, err := c.h.PendingActions(ctx)
			v := struct {
				Actions []iris.Action `json:"actions"`
				Problem string        `json:"problem,omitempty"` // what could not be looked at; the others are here
			}{Actions: append([]iris.Action{}, all...)}
			if err != nil {
				v.Problem = err.Error()
			}
			c.show(v, func(w io.Writer) { writeActions(w, v.Actions, v.Problem) })
			if err != nil {
				return errShown
			}
			return nil
		}),
	}
}

func writeActions(w io.Writer, all []iris.Action, problem string) {
	if len(all) == 0 && problem == "" {
		fmt.Fprintln(w, "nothing waits")
	}
	for _, a := range all {
		fmt.Fprintf(w, "%s %s of session %s%s: %s\n", a.Kind, a.ID, or(a.Session, "-"), overdue(a.Overdue), line(a.Title))
		if a.Command != "" {
			fmt.Fprintf(w, "  %s\n", a.Command)
		}
	}
	if problem != "" {
		fmt.Fprintf(w, "not all could be looked at: %s\n", problem)
	}
}
