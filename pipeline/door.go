package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/loop"
)

// resumption is a run that is taken up without a message.
type resumption struct {
	run      checkpoint.Run
	approval *approval.Request // what releases a held run; nil for a failed one
	rejected bool              // the rejection is reported to the model
}

// resumable is an agent whose runs can be taken up where they stopped.
type resumable interface {
	loop.Agent
	Ready(ctx context.Context, runID string, j loop.Journal) error
}

// cannot builds the error of a run that cannot be taken up.
func cannot(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrCannotResume, fmt.Errorf(format, args...))
}

// takeUp is the one door to a stopped run: it checks every reason not to, then moves the run to running, compare-and-set. An error that is
// [loop.ErrCannotResume] or checkpoint.ErrNotFound means that there is nothing to take up; any other that it may not be now.
func (t *Turn) takeUp(ctx context.Context, runID string, from checkpoint.State) (*loop.Seed, error) {
	s := t.p.c.Stores
	run, err := s.Checkpoints().Get(ctx, runID, t.p.now())
	if err != nil {
		return nil, err
	}
	if run.SessionID != t.Req.SessionID {
		return nil, checkpoint.ErrNotFound
	}
	switch {
	case run.State == from:
	case from == checkpoint.Paused && run.State != checkpoint.Running: // its question outlived it: the reply is its own turn
		return nil, fmt.Errorf("%w: it is %s", loop.ErrCannotResume, run.State)
	default:
		return nil, cannot("it is %s", run.State)
	}
	agent, ok := t.p.agents[run.Agent].(resumable)
	if !ok {
		return nil, fmt.Errorf("%w: no agent %q takes runs up", loop.ErrCannotResume, run.Agent)
	}
	seed, err := t.p.seedOf(ctx, run)
	if err != nil {
		return nil, err
	}
	if err := agent.Ready(ctx, runID, t.journal); err != nil {
		return nil, err
	}
	moved, err := t.startAgain(ctx, run)
	if err != nil {
		return nil, err
	}
	before := seed.Run
	seed.Run = *moved
	seed.Run.State, seed.Run.Asked, seed.Run.ApprovalID = before.State, before.Asked, before.ApprovalID
	t.journal.adopt(*moved, before, seed.Open)
	return seed, nil
}

// startAgain moves a run to running. What it waited for stays on its row, so that it can go back to it.
func (t *Turn) startAgain(ctx context.Context, run *checkpoint.Run) (moved *checkpoint.Run, err error) {
	err = t.write(ctx, func(ctx context.Context) (err error) {
		if err := t.stillClaims(ctx); err != nil {
			return err
		}
		moved, err = t.p.c.Stores.Checkpoints().Move(ctx, checkpoint.Move{
			RunID: run.ID, From: []checkpoint.State{run.State}, Epoch: run.Epoch, To: checkpoint.Running, Reason: run.Reason,
			Asked: run.Asked, ApprovalID: run.ApprovalID, TurnID: t.ID, At: t.p.now(),
		})
		return err
	})
	var moving *checkpoint.StateError
	if errors.As(err, &moving) {
		return nil, cannot("%w", err)
	}
	return moved, err
}

// seedReply makes task the resume of the run that asked. Where the run cannot be taken up, the reply is its own task, restating the question;
// where it may not be taken up now, the question is given back and the person is told why.
func (t *Turn) seedReply(ctx context.Context, task *loop.Task) error {
	c := t.claim.Row()
	seed, err := t.takeUp(ctx, c.RunID, checkpoint.Paused)
	switch {
	case err == nil:
		reply := t.text
		if p := t.steer.answer.pick; p != nil && p.Text != "" && p.Text != reply {
			reply = fmt.Sprintf("%s (the option %q)", reply, p.Text)
		}
		seed.Reply = continuation.ResumeObservation(c.Question, reply)
		task.Seed, task.Text, task.Agent = seed, reply, seed.Run.Agent
		return nil
	case errors.Is(err, loop.ErrCannotResume) || errors.Is(err, checkpoint.ErrNotFound):
		return t.degrade(ctx, c.RunID, err)
	}
	return err
}

// degrade ends a run that nothing can take up. The reply goes on as its own turn, re-grounded by the question.
func (t *Turn) degrade(ctx context.Context, runID string, cause error) error {
	t.p.c.Logger.WarnContext(ctx, "run not resumed", "run", runID, "session", t.Req.SessionID, "err", cause)
	run, err := t.p.c.Stores.Checkpoints().Get(ctx, runID, t.p.now())
	if errors.Is(err, checkpoint.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if run.State != checkpoint.Paused {
		return nil
	}
	err = t.write(ctx, func(ctx context.Context) error {
		_, err := t.p.c.Stores.Checkpoints().Move(ctx, checkpoint.Move{
			RunID: run.ID, From: []checkpoint.State{checkpoint.Paused}, Epoch: run.Epoch, To: checkpoint.Ended,
			Reason: checkpoint.SupersededRun, Detail: cause.Error(), At: t.p.now(),
		})
		return err
	})
	var moving *checkpoint.StateError
	if errors.As(err, &moving) {
		return nil
	}
	return err
}

// Resume takes up a held run whose approval was approved, or a failed one, through [ResumeStages]: curate, guard and record apply as
// to any turn. The error wraps [ErrCannotResume] where the run waits for something, has ended, or was taken up by another;
// *loop.AmbiguousEffectError where nobody knows whether one of its effects happened; [ErrNotFound] where there is no such run.
func (p *Pipeline) Resume(ctx context.Context, runID string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if s, inside := ScopeOf(ctx); inside {
			yield(nil, fmt.Errorf("%w: session %s", ErrReentrant, s.SessionID))
			return
		}
		r, err := p.resumption(ctx, runID)
		if err != nil {
			yield(nil, err)
			return
		}
		p.serve(ctx, &Turn{
			p: p, ID: p.newID(), Req: Request{SessionID: r.run.SessionID, Channel: r.run.Channel, Sender: r.run.AskedOf},
			yield: yield, resume: r,
		}, ResumeStages)
	}
}

// resumption checks that a run may be taken up without a message.
func (p *Pipeline) resumption(ctx context.Context, runID string) (*resumption, error) {
	run, err := p.c.Stores.Checkpoints().Get(ctx, runID, p.now())
	if errors.Is(err, checkpoint.ErrNotFound) {
		return nil, fmt.Errorf("%w: run %s", ErrNotFound, runID)
	}
	if err != nil {
		return nil, err
	}
	if run.SessionID == "" {
		return nil, cannot("it belongs to no session")
	}
	r := &resumption{run: *run}
	switch run.State {
	case checkpoint.Failed:
		return r, nil
	case checkpoint.Paused:
		return nil, cannot("it waits for an answer in its conversation: %s", run.Asked.Question)
	case checkpoint.Held:
		return r, p.releasedBy(ctx, r)
	}
	return nil, cannot("it is %s", run.State)
}

// releasedBy reads the approval of a held run.
func (p *Pipeline) releasedBy(ctx context.Context, r *resumption) error {
	req, err := p.c.Stores.Approvals().Get(ctx, r.run.ApprovalID)
	if err != nil {
		return cannot("approval %s: %w", r.run.ApprovalID, err)
	}
	r.approval = req
	switch {
	case req.Status == approval.Approved:
		return nil
	case req.Status == approval.Rejected && p.c.ReportRejected:
		r.rejected = true
		return nil
	case req.Overdue(p.now()):
		return cannot("its approval %s is overdue", req.ID)
	}
	return cannot("its approval %s is %s", req.ID, req.Status)
}

// planResume makes the one task of a run that is taken up without a message.
func (t *Turn) planResume(ctx context.Context) error {
	r := t.resume
	seed, err := t.takeUp(ctx, r.run.ID, r.run.State)
	if errors.Is(err, loop.ErrCannotResume) {
		return cannot("%w", err)
	}
	if err != nil {
		return err
	}
	if r.approval != nil {
		seed.Approval = approvalOf(r.approval, r.rejected)
		if r.approval.Point == string(governance.PostStep) && !r.rejected {
			t.journal.under(r.run.ID, r.approval.ID)
		}
	}
	t.intent = Intent{Agent: r.run.Agent, Name: r.run.Intent}
	task, err := t.task(ctx, r.run.Agent, r.run.Task, 0)
	if err != nil {
		return err
	}
	task.Seed, task.Attachments = seed, nil
	t.waves = [][]loop.Task{{task}}
	return nil
}

func approvalOf(r *approval.Request, rejected bool) *loop.Approval {
	a := &loop.Approval{ID: r.ID, Point: r.Point, Items: map[string]loop.ItemApproval{}}
	if rejected {
		reason := r.Reason
		if reason == "" {
			reason = "no reason was given"
		}
		a.Rejected = &reason
	}
	for _, it := range r.Items {
		d := r.DecisionOn(it.Position)
		item := loop.ItemApproval{Approved: d.Approved, Position: it.Position, Args: it.Args}
		if d.Args != nil {
			item.Args, item.Edited = d.Args, true
		}
		a.Items[it.CallID] = item
	}
	return a
}
