package ops

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
)

func runResume() command {
	return command{
		name: "run resume", args: "ID [--wait]", summary: "take a stopped run up: refused while an approval waits or an effect is ambiguous", least: 1, most: 1,
		setup: func(fs *flag.FlagSet) runFunc {
			wait := fs.Bool("wait", false, "wait for the run's approval to be decided, here or elsewhere")
			return func(ctx context.Context, c *call) error { return c.resume(ctx, c.args[0], *wait) }
		},
	}
}

// resumeView is what a resume came to: "resumed" here, "requested" of a process with a runtime, or "taken_up" by another one meanwhile.
type resumeView struct {
	RunID  string `json:"run_id"`
	Result string `json:"result"`
	Answer string `json:"answer,omitempty"`
}

func (c *call) resume(ctx context.Context, runID string, wait bool) error {
	if wait {
		if err := c.await(ctx, runID); err != nil {
			return err
		}
	}
	v, err := c.takeUp(ctx, runID)
	if wait && errors.Is(err, iris.ErrCannotResume) && c.goesOn(ctx, runID) {
		v, err = resumeView{RunID: runID, Result: "taken_up"}, nil
	}
	if err != nil {
		return err
	}
	c.show(v, func(w io.Writer) {
		switch v.Result {
		case "resumed":
			fmt.Fprintf(w, "resumed: %s\n", v.Answer)
		case "taken_up":
			fmt.Fprintln(w, "another process took it up")
		default:
			fmt.Fprintln(w, "requested: the application's Run takes it up")
		}
	})
	return nil
}

func (c *call) takeUp(ctx context.Context, runID string) (resumeView, error) {
	if !c.h.HasRuntime() {
		return resumeView{RunID: runID, Result: "requested"}, c.h.RequestResume(ctx, runID)
	}
	reply, err := c.h.Resume(ctx, runID)
	return resumeView{runID, "resumed", reply.Text}, err
}

// goesOn reports whether the decision that was waited for has let the run go on elsewhere.
func (c *call) goesOn(ctx context.Context, runID string) bool {
	v, err := c.h.InspectRun(ctx, runID)
	return err == nil && (v.Run.State == checkpoint.Running || v.Run.State == checkpoint.Done)
}

// await waits for the decision on a held run. A run that is not held is left to the refusals of the resume.
func (c *call) await(ctx context.Context, runID string) error {
	v, err := c.h.InspectRun(ctx, runID)
	if err != nil {
		return err
	}
	if v.Run.State != checkpoint.Held {
		return nil
	}
	r, err := c.h.Approvals().Get(ctx, v.Run.ApprovalID)
	if err != nil {
		return err
	}
	if r.Status == approval.Pending && !r.Overdue(c.now) {
		fmt.Fprintf(c.note, "waiting for approval %s, open until %s\n", r.ID, c.when(r.TimeoutAt))
	}
	_, err = c.h.Approvals().Gate().Await(ctx, r.ID)
	return err
}
