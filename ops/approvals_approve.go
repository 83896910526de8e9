package ops

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
)

func approvalsApprove() command {
	return command{
		name: "approvals approve", args: "ID [--reason R] [--items 1,3] [--later]", summary: "approve, and let the run go on", least: 1, most: 1,
		setup: func(fs *flag.FlagSet) runFunc {
			reason := fs.String("reason", "", "why; it travels with the decision")
			items := fs.String("items", "", "approve only these calls, by number; the others are rejected")
			later := fs.Bool("later", false, "record the decision and leave the run to the application's Run")
			return func(ctx context.Context, c *call) error {
				a := iris.Answer{ApprovalID: c.args[0], Decision: iris.Approve, Reason: *reason, By: c.by, Surface: Surface, Later: *later}
				if err := only(&a, *items); err != nil {
					return err
				}
				return c.respond(ctx, a)
			}
		},
	}
}

// only narrows an answer to some of the calls.
func only(a *iris.Answer, items string) error {
	if items == "" {
		return nil
	}
	a.Decision = iris.Reject
	for field := range strings.SplitSeq(items, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return badUsage("--items: %q is not a number", field)
		}
		a.Items = append(a.Items, approval.ItemAnswer{Position: n, Approve: true})
	}
	return nil
}

// outcomeView is what a decision came to. The decision stands, whatever became of the run.
type outcomeView struct {
	Approval approvalView `json:"approval"`
	Resumed  bool         `json:"resumed"`
	Answer   string       `json:"answer,omitempty"`
	Reason   string       `json:"not_resumed,omitempty"` // why the run was not taken up here
	Err      string       `json:"error,omitempty"`
}

func (c *call) respond(ctx context.Context, a iris.Answer) error {
	o, err := c.h.Approvals().Respond(ctx, a)
	if err != nil {
		return err
	}
	v := outcomeView{Approval: c.viewApproval(&o.Request), Resumed: o.Resumed, Answer: o.Answer, Reason: string(o.Reason)}
	if o.Err != nil {
		v.Err = o.Err.Error()
	}
	c.show(v, func(w io.Writer) {
		fmt.Fprintln(w, o)
		if o.Answer != "" {
			fmt.Fprintln(w, o.Answer)
		}
	})
	if stranded(o) {
		return errShown
	}
	return nil
}

// stranded reports whether the run of a decided request does not go on by itself: somebody has to look.
func stranded(o approval.Outcome) bool {
	switch o.Reason {
	case approval.NotResumedExpired, approval.NotResumedAmbiguous, approval.NotResumedFailed, approval.NotResumedState:
		return true
	}
	return false
}
