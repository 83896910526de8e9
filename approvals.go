package iris

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/pipeline"
)

// The approval queue's names.
type (
	// ApprovalService decides requests, and takes their runs up.
	ApprovalService = approval.Service
	// Answer is a person's answer to a request.
	Answer = approval.Answer
	// Principal is who answers, as the surface authenticated them.
	Principal = approval.Principal
	// RunResumer takes up a run that an approval released.
	RunResumer = approval.RunResumer
)

// What a person can say to a request.
const (
	Approve = approval.Approve
	Reject  = approval.Reject
)

// ApprovalConfig configures the approval queue.
type ApprovalConfig struct {
	Timeout     time.Duration // how long a request waits; 10 minutes where zero
	Destructive time.Duration // the same for destructive calls; 60 minutes where zero
	// OnReject says what a rejection does: EndRun (default) or ReportToModel.
	OnReject OnReject
	// NoChat keeps the conversation itself from deciding the approvals of its own runs.
	NoChat bool
	// NotRequester separates duties: who a request was raised for may not decide it.
	NotRequester bool
	// OffBox is the push channel for requests whose turn came from no channel; a line on Stderr where empty.
	OffBox string
	// CopyTo is the channel that gets a copy of what is raised from the web.
	CopyTo string
	// Terminal uses the channel of that name for requests whose turn came from no channel. Only for a process that a person watches.
	Terminal string
	// Stderr is where a request goes that no channel takes; os.Stderr where nil.
	Stderr io.Writer
}

// OnReject says what a rejection does to the run.
type OnReject uint8

// What a rejection can do.
const (
	EndRun        OnReject = iota // the run ends, and the person is told so
	ReportToModel                 // the step is closed as rejected, and the run goes on without it
)

// Approvals returns the service that decides requests. Its Respond is the one capability behind every surface.
func (h *Harness) Approvals() *ApprovalService { return h.approvals }

// approvalQueue puts the queue together: router, deliverer, service.
func (b *builder) approvalQueue() {
	a := &b.c.Approvals
	if a.Stderr == nil {
		a.Stderr = os.Stderr
	}
	router, err := approval.NewRouter(approval.RouterConfig{
		Channels: append(append([]Channel{}, b.c.Channels...), b.parts.Channels...),
		Terminal: a.Terminal, OffBox: a.OffBox, CopyTo: a.CopyTo, Stderr: a.Stderr,
	})
	b.check(err)
	h := b.h
	h.router = router
	h.deliverer = approval.NewDeliverer(approval.DelivererConfig{
		Outbox: b.c.Store.Outbox(), Store: b.c.Store.Approvals(), Router: router, Text: h.deliverText, Resume: b.resume(), Clock: b.c.Clock, Logger: b.c.Logger,
	})
	h.approvals = approval.NewService(approval.Config{
		Store: b.c.Store.Approvals(), Log: b.c.Store.Audit(), Atomically: b.c.Store.Atomically,
		Authorizer: b.c.Authorizer, NotRequester: a.NotRequester, Validate: h.validateArgs,
		Inside:  h.inside,
		Decided: func(ctx context.Context, r approval.Request) error { return h.pipeline.Decided(ctx, r) },
		Lapsed:  func(ctx context.Context, r approval.Request) error { return h.pipeline.Lapsed(ctx, r) },
		Resumer: b.resumer(), ResumeRejected: a.OnReject == ReportToModel, Clock: b.c.Clock, Logger: b.c.Logger,
	})
}

// resumer is what takes runs up in this process; nil in an operator's.
func (b *builder) resumer() RunResumer {
	if b.c.operator {
		return nil
	}
	return (*resumer)(b.h)
}

func (b *builder) resume() func(ctx context.Context, runID string) error {
	if b.c.operator {
		return nil
	}
	return func(ctx context.Context, runID string) error {
		_, err := (*resumer)(b.h).ResumeRun(ctx, runID)
		return err
	}
}

// deliverText brings a text to the application's surface.
func (h *Harness) deliverText(ctx context.Context, d approval.Delivery) error {
	if h.c.Deliver == nil {
		return nil
	}
	return h.c.Deliver.Deliver(pipeline.Marked(ctx), Delivery{SessionID: d.SessionID, Channel: d.Channel, Text: d.Text, Key: d.Key})
}

// deliverNow tries what a turn has just committed. A terminal is left to Tick: nothing inside a turn waits for a person at the keyboard.
func (h *Harness) deliverNow(ctx context.Context, all ...approval.Delivery) {
	var now []approval.Delivery
	for _, d := range all {
		if d.Channel != h.c.Approvals.Terminal || d.Channel == "" {
			now = append(now, d)
		}
	}
	h.deliverer.Now(ctx, now...)
}

// validateArgs checks the edited arguments of a pinned call.
func (h *Harness) validateArgs(tool string, args json.RawMessage) error {
	t, ok := h.tools[tool]
	if !ok {
		return fmt.Errorf("there is no tool %q any more", tool)
	}
	return t.Validate(args)
}

// decideInChat decides a request in the name of who spoke in its conversation.
func (h *Harness) decideInChat(ctx context.Context, d pipeline.ChatDecision) error {
	a := Answer{ApprovalID: d.ApprovalID, Decision: Reject, Reason: d.Reason, Surface: pipeline.ChatSurface, By: Principal{ID: d.Sender}}
	if d.Approve {
		a.Decision = Approve
	}
	if a.By.ID == "" {
		a.By.ID = "session:" + d.SessionID
	}
	if len(a.Reason) > approval.MaxReason {
		a.Reason = strings.ToValidUTF8(a.Reason[:approval.MaxReason], "")
	}
	_, err := h.approvals.Decide(ctx, a)
	return err
}

// where says where a request can be answered.
func (h *Harness) where(r approval.Request, here bool) string {
	text := "Answer with `iris approvals approve " + r.ID + "` or reject"
	if here && r.Destructive {
		text += ", or say \"yes, go ahead\" here"
	} else if here {
		text += ", or say yes or no here"
	}
	return text + "."
}

// resumer takes up runs for the approval service.
type resumer Harness

var _ RunResumer = (*resumer)(nil)

// ResumeRun implements [RunResumer].
func (r *resumer) ResumeRun(ctx context.Context, runID string) (string, error) {
	reply, err := (*Harness)(r).Resume(ctx, runID)
	if err == nil {
		return reply.Text, nil
	}
	return "", &approval.NotResumedError{Reason: notResumed(err), Err: err}
}

func notResumed(err error) approval.NotResumed {
	switch {
	case errors.Is(err, ErrClosed):
		return approval.NotResumedNoRuntime
	case errors.Is(err, ErrAmbiguousEffect):
		return approval.NotResumedAmbiguous
	case errors.Is(err, ErrBusy), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return approval.NotResumedBusy
	case errors.Is(err, ErrNotFound), errors.Is(err, checkpoint.ErrNotFound), errors.Is(err, loop.ErrCannotResume):
		return approval.NotResumedExpired
	case errors.Is(err, ErrCannotResume):
		return approval.NotResumedState
	}
	return approval.NotResumedFailed
}
