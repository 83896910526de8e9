package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
)

// SessionView is what a conversation waits on, and how it came to that.
type SessionView struct {
	SessionID string        `json:"session_id"`
	Waiting   *OpenQuestion `json:"waiting,omitempty"`
	// HowToAnswer says in words how the question is answered.
	HowToAnswer string `json:"how_to_answer,omitempty"`
	// Queued are runs whose questions are put one after another, as soon as nothing else waits.
	Queued    []RunView     `json:"queued,omitempty"`
	Held      []RunView     `json:"held,omitempty"`
	Ambiguous []EffectView  `json:"ambiguous,omitempty"`
	History   []ClosedView  `json:"history,omitempty"`
	Approvals []ApprovalRef `json:"approvals,omitempty"`
}

// RunView is a run in a list.
type RunView struct {
	ID       string `json:"id"`
	Agent    string `json:"agent"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	Question string `json:"question,omitempty"`
}

// EffectView is an effect that nobody knows the outcome of.
type EffectView struct {
	Key   string `json:"key"`
	Tool  string `json:"tool"`
	RunID string `json:"run_id,omitempty"`
}

// ClosedView is a question that is closed, and why.
type ClosedView struct {
	OpenQuestion
	Status   string `json:"status"`
	Why      string `json:"why,omitempty"`
	ClosedBy string `json:"closed_by,omitempty"`
	Outcome  string `json:"outcome,omitempty"`
}

// ApprovalRef is an approval that waits.
type ApprovalRef struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
	Overdue bool   `json:"overdue,omitempty"`
}

// Session returns what a conversation waits on, and up to limit closed questions, newest first.
func (p *Pipeline) Session(ctx context.Context, sessionID string, limit int) (*SessionView, error) {
	v := &SessionView{SessionID: sessionID}
	pending, err := p.c.Continuations.Pending(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	v.Waiting, v.HowToAnswer = OpenOf(pending), howToAnswer(pending)
	for _, fill := range []func() error{
		func() error { return p.fillRuns(ctx, v, pending) },
		func() error { return p.fillHistory(ctx, v, limit) },
		func() error { return p.fillApprovals(ctx, v) },
	} {
		if err := fill(); err != nil {
			return nil, fmt.Errorf("iris: session %s: %w", sessionID, err)
		}
	}
	return v, nil
}

func howToAnswer(c *continuation.Continuation) string {
	switch {
	case c == nil:
		return ""
	case c.Resumable():
		return "say anything: the next message is the answer"
	case c.Kind == continuation.Choice:
		return "name one of the options, or its number; anything else withdraws the list"
	case c.Kind == continuation.YesNo:
		return "say yes or no; anything else leaves it open"
	default:
		return "say anything: the next message is the answer"
	}
}

func (p *Pipeline) fillRuns(ctx context.Context, v *SessionView, pending *continuation.Continuation) error {
	runs, err := p.c.Stores.Checkpoints().List(ctx, checkpoint.Query{
		SessionID: v.SessionID, State: []checkpoint.State{checkpoint.Paused, checkpoint.Held}, Now: p.now(),
	})
	if err != nil {
		return err
	}
	for i := range runs {
		r := RunView{ID: runs[i].ID, Agent: runs[i].Agent, State: string(runs[i].State), Reason: string(runs[i].Reason)}
		switch {
		case runs[i].State == checkpoint.Held:
			v.Held = append(v.Held, r)
		case pending == nil || pending.RunID != r.ID:
			r.Question = runs[i].Asked.Question
			v.Queued = append(v.Queued, r)
		}
	}
	effects, err := p.c.Stores.Ledger().Ambiguous(ctx, v.SessionID, "", 100)
	for i := range effects {
		v.Ambiguous = append(v.Ambiguous, EffectView{effects[i].Key, effects[i].Tool, effects[i].RunID})
	}
	return err
}

func (p *Pipeline) fillHistory(ctx context.Context, v *SessionView, limit int) error {
	if limit <= 0 {
		return nil
	}
	rows, err := p.c.Continuations.History(ctx, v.SessionID, "", limit)
	for i := range rows {
		c := &rows[i]
		if c.Status == continuation.Pending {
			continue
		}
		v.History = append(v.History, ClosedView{*OpenOf(c), string(c.Status), string(c.Why), c.ClosedBy, c.Outcome})
	}
	return err
}

func (p *Pipeline) fillApprovals(ctx context.Context, v *SessionView) error {
	reqs, err := p.c.Stores.Approvals().List(ctx, approval.Query{SessionID: v.SessionID, Status: []approval.Status{approval.Pending}})
	for i := range reqs {
		v.Approvals = append(v.Approvals, ApprovalRef{reqs[i].ID, reqs[i].Summary, reqs[i].Overdue(p.now())})
	}
	return err
}

// endRun ends a stopped run for good.
func (p *Pipeline) endRun(ctx context.Context, runID, detail string) error {
	run, err := p.c.Stores.Checkpoints().Get(ctx, runID, p.now())
	if errors.Is(err, checkpoint.ErrNotFound) {
		return ErrNotFound
	}
	if err != nil {
		return err
	}
	_, err = p.c.Stores.Checkpoints().Move(ctx, checkpoint.Move{
		RunID: runID, From: []checkpoint.State{checkpoint.Paused, checkpoint.Held, checkpoint.Failed}, Epoch: run.Epoch,
		To: checkpoint.Ended, Reason: checkpoint.SupersededRun, Detail: detail, At: p.now(),
	})
	return err
}
