package ops

import (
	"context"
	"fmt"
	"io"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/pipeline"
)

func sessionShow() command {
	return command{
		name: "session show", args: "SESSION", summary: "what a conversation waits on: asked by whom, since when, until when, how to answer; and its history", least: 1, most: 1,
		setup: noFlags(func(ctx context.Context, c *call) error {
			v, err := c.h.Session(ctx, c.args[0])
			if err != nil {
				return err
			}
			c.show(v, func(w io.Writer) { c.writeSession(w, v) })
			return nil
		}),
	}
}

func (c *call) writeSession(w io.Writer, v *iris.SessionView) {
	if v.Waiting == nil {
		fmt.Fprintf(w, "session %s: nothing waits\n", v.SessionID)
	} else {
		fmt.Fprintf(w, "session %s waits for an answer (%s)\n%s\n", v.SessionID, v.Waiting.Kind, indent(v.Waiting.Question))
		c.writeWaiting(w, v.Waiting)
		field(w, "answer", v.HowToAnswer)
	}
	for _, r := range v.Queued {
		fmt.Fprintf(w, "queued:    run %s of %s asks next: %s\n", r.ID, r.Agent, line(r.Question))
	}
	for _, r := range v.Held {
		fmt.Fprintf(w, "held:      run %s of %s: %s\n", r.ID, r.Agent, r.Reason)
	}
	for _, a := range v.Approvals {
		fmt.Fprintf(w, "approval:  %s: %s%s\n", a.ID, a.Summary, overdue(a.Overdue))
	}
	for _, e := range v.Ambiguous {
		fmt.Fprintf(w, "ambiguous: %s: nobody knows whether %s happened\n", e.Key, e.Tool)
	}
	for i := range v.History {
		q := &v.History[i]
		fmt.Fprintf(w, "before:    %s: %s asked %q: %s\n", c.when(q.CreatedAt), asker(&q.OpenQuestion), line(q.Question), closedHow(q))
	}
}

func (c *call) writeWaiting(w io.Writer, q *iris.OpenQuestion) {
	for _, o := range q.Options {
		fmt.Fprintf(w, "  [%s] %s\n", o.Value, o.Text)
	}
	field(w, "asked by", asker(q))
	field(w, "of", q.AskedOf)
	field(w, "run", q.RunID)
	field(w, "since", c.when(q.CreatedAt))
	field(w, "until", c.when(q.ExpiresAt))
}

// asker is who raised a question; its owner where nobody else did.
func asker(q *iris.OpenQuestion) string {
	if q.Asker == "" || q.Asker == q.Owner {
		return q.Owner
	}
	return q.Asker + " (answered by " + q.Owner + ")"
}

func overdue(is bool) string {
	if is {
		return " (overdue)"
	}
	return ""
}

// closedHow says what became of a question, why, by which id, and with what outcome.
func closedHow(q *pipeline.ClosedView) string {
	s := q.Status
	if q.Why != "" {
		s += ", " + q.Why
	}
	if q.ClosedBy != "" {
		s += " by " + q.ClosedBy
	}
	if q.Outcome != "" {
		s += ", " + q.Outcome
	}
	return s
}
