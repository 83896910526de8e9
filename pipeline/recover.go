package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/session"
)

// Recovered is what became of one turn whose process died.
type Recovered struct {
	SessionID string   `json:"session_id"`
	TurnID    string   `json:"turn_id"`
	Happened  bool     `json:"happened"`            // something had been done
	Released  []string `json:"released,omitempty"`  // questions that the person can simply answer again
	Unknown   []string `json:"unknown,omitempty"`   // answers that were being acted on, and nobody knows how far
	Failed    []string `json:"failed,omitempty"`    // runs that were cut off; each can be resumed
	Waiting   []string `json:"waiting,omitempty"`   // runs that wait again as before
	Reopened  string   `json:"reopened,omitempty"`  // the question of a pause whose turn died, put now
	Ambiguous []string `json:"ambiguous,omitempty"` // effects that somebody has to settle
}

// Recover settles what dead turns left behind: every open turn whose lease has lapsed. alone says that no other process
// uses the store, so that every open turn that is not this process's own is dead, whatever its lease says.
func (p *Pipeline) Recover(ctx context.Context, alone bool) ([]Recovered, error) {
	turns, err := p.c.Stores.Sessions().OpenTurns(ctx, "", 1000)
	if err != nil {
		return nil, fmt.Errorf("iris: recover: %w", err)
	}
	var out []Recovered
	var errs []error
	for i := range turns {
		if p.c.Recorder.turn(turns[i].ID) != nil {
			continue
		}
		if alone {
			if err := p.c.Stores.Sessions().TakeOver(ctx, turns[i].SessionID); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		r, err := p.takeOver(ctx, &turns[i])
		var busy *session.BusyError
		switch {
		case errors.As(err, &busy):
		case err != nil:
			errs = append(errs, fmt.Errorf("iris: recover turn %s: %w", turns[i].ID, err))
		default:
			out = append(out, *r)
		}
	}
	return out, errors.Join(errs...)
}

// recoverTurn settles one dead turn whose lease is free.
func (p *Pipeline) recoverTurn(ctx context.Context, dead *session.Turn) error {
	_, err := p.takeOver(ctx, dead)
	var busy *session.BusyError
	if errors.As(err, &busy) {
		return nil // somebody else is at it: the caller looks again
	}
	return err
}

func (p *Pipeline) takeOver(ctx context.Context, dead *session.Turn) (*Recovered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	now := p.now()
	lease, err := p.c.Stores.Sessions().Acquire(ctx, dead.SessionID, p.newID(), now, now.Add(p.c.LeaseTTL))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := p.c.Stores.Sessions().Release(ctx, lease); err != nil {
			p.c.Logger.WarnContext(ctx, "lease not released", "session", dead.SessionID, "err", err)
		}
	}()
	return p.settleDead(ctx, dead, lease)
}

// settleDead settles a dead turn under lease, in one transaction.
func (p *Pipeline) settleDead(ctx context.Context, dead *session.Turn, lease session.Lease) (r *Recovered, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	err = p.c.Stores.Atomically(ctx, func(ctx context.Context) error {
		if _, err := p.c.Stores.Sessions().Hold(ctx, lease, lease.Until); err != nil {
			return err
		}
		s := &salvage{p: p, dead: dead, out: Recovered{SessionID: dead.SessionID, TurnID: dead.ID}}
		if err := s.settle(ctx); err != nil {
			return err
		}
		r = &s.out
		return nil
	})
	if errors.Is(err, session.ErrNotFound) { // another process settled it
		return &Recovered{SessionID: dead.SessionID, TurnID: dead.ID}, nil
	}
	return r, err
}

// salvage is the settling of one dead turn.
type salvage struct {
	p    *Pipeline
	dead *session.Turn
	back map[string]bool // runs that wait again as before
	out  Recovered
}

func (s *salvage) settle(ctx context.Context) error {
	if err := s.settleRuns(ctx); err != nil {
		return err
	}
	claims, err := s.p.c.Continuations.Claims(ctx, s.dead.SessionID, s.dead.ID)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if err := s.settleClaim(ctx, c); err != nil {
			return err
		}
	}
	if err := s.reopen(ctx); err != nil {
		return err
	}
	if err := s.tell(ctx); err != nil {
		return err
	}
	end := session.Turn{ID: s.dead.ID, SessionID: s.dead.SessionID, State: session.Void, Error: "its process ended", EndedAt: s.p.now()}
	if s.out.Happened {
		end.State = session.Failed
	}
	if err := s.p.c.Stores.Sessions().CloseTurn(ctx, end); err != nil {
		return err
	}
	return s.p.c.Stores.Audit().Append(ctx, audit.Entry{
		SessionID: s.dead.SessionID, At: s.p.now(), Kind: audit.KindRecovered, TurnID: s.dead.ID, Verdict: string(end.State),
	})
}

// settleRuns stops the runs that the turn was executing.
func (s *salvage) settleRuns(ctx context.Context) error {
	s.back = map[string]bool{}
	runs, err := s.p.c.Stores.Checkpoints().List(ctx, checkpoint.Query{SessionID: s.dead.SessionID, TurnID: s.dead.ID, Now: s.p.now()})
	if err != nil {
		return err
	}
	for i := range runs {
		run := &runs[i]
		if run.State != checkpoint.Running {
			s.out.Happened = true
			continue
		}
		if err := s.settleRun(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

func (s *salvage) settleRun(ctx context.Context, run *checkpoint.Run) error {
	m := checkpoint.Move{
		RunID: run.ID, From: []checkpoint.State{checkpoint.Running}, Epoch: run.Epoch, To: checkpoint.Failed,
		Reason: checkpoint.Interrupted, Detail: "its process ended", At: s.p.now(),
	}
	waits, err := s.waitsStill(ctx, run)
	if err != nil {
		return err
	}
	if waits {
		m.To, m.Reason, m.Detail, m.Asked, m.ApprovalID = checkpoint.Paused, checkpoint.AwaitingUserInput, "", run.Asked, run.ApprovalID
		if run.ApprovalID != "" {
			m.To, m.Reason = checkpoint.Held, checkpoint.AwaitingApproval
		}
		s.back[run.ID] = true
		s.out.Waiting = append(s.out.Waiting, run.ID)
	} else {
		s.out.Happened = true
		s.out.Failed = append(s.out.Failed, run.ID)
	}
	if err := s.noteAmbiguous(ctx, run.ID); err != nil {
		return err
	}
	_, err = s.p.c.Stores.Checkpoints().Move(ctx, m)
	return err
}

// waitsStill reports whether a run that was taken up had not gone on: the step that waits is open, or its approval unused.
func (s *salvage) waitsStill(ctx context.Context, run *checkpoint.Run) (bool, error) {
	if run.Asked == nil && run.ApprovalID == "" {
		return false, nil
	}
	steps, err := s.p.c.Stores.Checkpoints().Steps(ctx, run.ID, 0)
	if err != nil {
		return false, err
	}
	if n := len(steps); n > 0 && steps[n-1].State == checkpoint.OpenStep {
		return true, nil
	}
	if run.ApprovalID == "" {
		return false, nil
	}
	req, err := s.p.c.Stores.Approvals().Get(ctx, run.ApprovalID)
	if err != nil {
		return false, err
	}
	return req.Point != "pre_tool" && req.ConsumedAt.IsZero(), nil
}

func (s *salvage) noteAmbiguous(ctx context.Context, runID string) error {
	effects, err := s.p.c.Stores.Ledger().Effects(ctx, runID)
	if err != nil {
		return err
	}
	for i := range effects {
		if effects[i].Ambiguous() {
			s.out.Happened = true
			s.out.Ambiguous = append(s.out.Ambiguous, effects[i].Key)
		}
	}
	return nil
}

// settleClaim gives a question back, or says that its answer was being acted on.
func (s *salvage) settleClaim(ctx context.Context, c *continuation.Claim) error {
	row := c.Row()
	outcome := continuation.OutcomeUnknown
	begun := s.out.Happened
	switch {
	case row.Owner == ApprovalOwner:
		if req, err := s.p.c.Stores.Approvals().Get(ctx, row.Intent); err == nil && req.Status != approval.Pending {
			s.out.Happened = true
			return c.Settle(ctx, string(req.Status)) // decided, and its run is taken up by itself
		}
	case row.Executable():
		e, err := s.p.c.Stores.Ledger().Effect(ctx, intercept.EffectKey(row.ID))
		begun = err == nil
		if err != nil && !errors.Is(err, checkpoint.ErrNotFound) {
			return err
		}
		if begun && e.State == checkpoint.Finished {
			outcome = "done"
		} else if begun {
			s.out.Ambiguous = append(s.out.Ambiguous, e.Key)
		}
	case row.Resumable():
		begun = !s.back[row.RunID]
		if run, err := s.p.c.Stores.Checkpoints().Get(ctx, row.RunID, s.p.now()); err == nil && run.State == checkpoint.Paused {
			begun = false // the process died before the run was taken up
		}
	}
	if !begun {
		s.out.Released = append(s.out.Released, row.ID)
		return c.Release(ctx)
	}
	s.out.Happened = true
	s.out.Unknown = append(s.out.Unknown, row.ID)
	return c.Settle(ctx, outcome)
}

// reopen puts the question of a pause whose turn died, where nothing waits.
func (s *salvage) reopen(ctx context.Context) error {
	pending, err := s.p.c.Continuations.Pending(ctx, s.dead.SessionID)
	if err != nil || pending != nil {
		return err
	}
	queued, err := s.p.queued(ctx, s.dead.SessionID)
	if err != nil || len(queued) == 0 {
		return err
	}
	t := &Turn{p: s.p, ID: s.dead.ID, Req: Request{SessionID: s.dead.SessionID, Channel: s.dead.Channel}}
	asked, _, err := s.p.c.Continuations.Ask(ctx, t.pauseAsk(&queued[0]))
	if err != nil {
		return err
	}
	s.out.Reopened = asked.ID
	return s.p.notify(ctx, s.dead.SessionID, queued[0].Channel, askedText(queued[0].Asked))
}

// tell says in the conversation what was cut off.
func (s *salvage) tell(ctx context.Context) error {
	if len(s.out.Unknown) == 0 && len(s.out.Failed) == 0 && len(s.out.Ambiguous) == 0 {
		return nil
	}
	text := "I was interrupted while I worked on your last message."
	if len(s.out.Ambiguous) > 0 {
		text += " I do not know whether what I was doing happened. Please check before you ask for it again."
	}
	return s.p.notify(ctx, s.dead.SessionID, s.dead.Channel, text)
}

// notify files a notice in the session's log and puts it in the outbox for the surface it came from, in the caller's transaction.
func (p *Pipeline) notify(ctx context.Context, sessionID, channel, text string) error {
	now := p.now()
	m := session.Message{ID: id.New(now), SessionID: sessionID, Role: session.Notice, Channel: channel, Text: text, At: now}
	if err := p.c.Stores.Sessions().Append(ctx, m); err != nil {
		return err
	}
	return p.c.Stores.Outbox().Put(ctx, textDelivery(&m))
}

// textDelivery brings a log entry to its session's surface.
func textDelivery(m *session.Message) approval.Delivery {
	return approval.Delivery{
		Key: "text/" + m.ID, Kind: approval.DeliverText, Channel: m.Channel, SessionID: m.SessionID, Text: m.Text, NextAt: m.At, CreatedAt: m.At,
	}
}
