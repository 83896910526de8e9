package approval

import (
	"context"
	"errors"
	"fmt"
)

// NotResumed says why an answered request's run was not taken up.
type NotResumed string

// The reasons.
const (
	NotResumedLater     NotResumed = "later"            // Answer.Later: Run takes it up
	NotResumedRejected  NotResumed = "rejected"         // the run ended
	NotResumedNoRuntime NotResumed = "no_runtime"       // no harness in this process: another's Run takes it up
	NotResumedBusy      NotResumed = "busy"             // the caller stopped waiting: Run takes it up
	NotResumedExpired   NotResumed = "expired"          // the run is gone
	NotResumedAmbiguous NotResumed = "ambiguous_effect" // somebody has to say first whether an effect happened
	NotResumedFailed    NotResumed = "run_failed"       // it was taken up, and failed
	NotResumedState     NotResumed = "not_waiting"      // it does not wait any more
)

// later reports whether another attempt is to be made by itself: nothing was tried.
func (r NotResumed) later() bool { return r == NotResumedBusy || r == NotResumedNoRuntime }

// NotResumedError is returned by a [RunResumer] for a run that was not taken up.
type NotResumedError struct {
	Reason NotResumed
	Err    error
}

func (e *NotResumedError) Error() string {
	return fmt.Sprintf("approval: not resumed: %s: %v", e.Reason, e.Err)
}

// Unwrap returns the cause.
func (e *NotResumedError) Unwrap() error { return e.Err }

// Outcome is what an answer came to. The decision stands, whatever became of the run.
type Outcome struct {
	Request Request
	// Resumed says that the run was taken up; Answer is what it came to.
	Resumed bool
	Answer  string
	// Reason says why it was not, and Err is the cause, where there is one.
	Reason NotResumed
	Err    error
}

// String says the outcome in words.
func (o Outcome) String() string {
	if o.Resumed {
		return fmt.Sprintf("%s by %s; resumed", o.Request.Status, o.Request.Principal)
	}
	s := fmt.Sprintf("%s by %s; answered, not resumed: %s", o.Request.Status, o.Request.Principal, o.Reason)
	err, n := o.Err, (*NotResumedError)(nil)
	if errors.As(err, &n) { // the reason is said already
		err = n.Err
	}
	if err != nil {
		s += ": " + err.Error()
	}
	return s
}

// Respond decides, and then takes the run up. Errors are [Service.Decide]'s; everything after the decision degrades to an outcome that
// says why (ADR-0108 §4).
func (s *Service) Respond(ctx context.Context, a Answer) (Outcome, error) {
	r, err := s.Decide(ctx, a)
	if err != nil {
		return Outcome{}, err
	}
	if a.Later {
		return Outcome{Request: *r, Reason: NotResumedLater}, nil
	}
	return s.resume(ctx, r), nil
}

// resume takes up the run of a decided request and marks the request as taken up, unless another attempt is to be made by itself.
func (s *Service) resume(ctx context.Context, r *Request) Outcome {
	o := Outcome{Request: *r}
	switch {
	case r.Status == Rejected && !s.c.ResumeRejected:
		o.Reason = NotResumedRejected
	case s.c.Resumer == nil:
		o.Reason = NotResumedNoRuntime
		return o
	default:
		o.Answer, o.Err = s.c.Resumer.ResumeRun(ctx, r.RunID)
		o.Resumed = o.Err == nil
		o.Reason = reasonOf(o.Err)
	}
	if o.Reason.later() {
		return o
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decideLimit)
	defer cancel()
	if _, err := s.c.Store.Notice(ctx, r.ID, s.now()); err != nil {
		s.c.Logger.WarnContext(ctx, "approval not marked as taken up", "approval", r.ID, "err", err)
	}
	return o
}

func reasonOf(err error) NotResumed {
	var n *NotResumedError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &n):
		return n.Reason
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return NotResumedBusy
	}
	return NotResumedFailed
}

// TakeUp resumes the runs of decided requests that nobody took up: answered elsewhere, or with Later. It returns how many it resumed.
func (s *Service) TakeUp(ctx context.Context) (int, error) {
	if s.c.Resumer == nil {
		return 0, nil
	}
	rows, err := s.c.Store.List(ctx, Query{Status: []Status{Approved, Rejected}, Untaken: true})
	if err != nil {
		return 0, fmt.Errorf("approval: take up: %w", err)
	}
	n := 0
	for i := len(rows) - 1; i >= 0; i-- {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if o := s.resume(ctx, &rows[i]); o.Resumed {
			n++
		} else if o.Reason != NotResumedRejected {
			s.c.Logger.WarnContext(ctx, "approval not resumed", "approval", o.Request.ID, "reason", o.Reason, "err", o.Err)
		}
	}
	return n, nil
}
