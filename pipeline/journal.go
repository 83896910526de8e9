package pipeline

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

// journal makes the runs of one turn durable. It shares the turn's lock: the turn's writes come one after another.
type journal struct {
	t     *Turn
	books map[string]*book // by run id; "" is for actions without a run
}

var _ loop.Journal = (*journal)(nil)

// book is what a turn knows of one run.
type book struct {
	row     checkpoint.Run  // as it is stored, or as it will begin
	before  *checkpoint.Run // what a run that was taken up goes back to while nothing of the resume was written
	begun   bool            // the run's row is stored
	wrote   bool            // this turn wrote something of it
	open    bool            // the step that it waited at is not closed yet
	stopped bool
	staged  []checkpoint.Checkpoint
	done    []doneEffect
	consume string // the approval that the next write uses up
}

type doneEffect struct {
	key    string
	result []byte
	failed bool
}

func newJournal(t *Turn) *journal {
	return &journal{t: t, books: map[string]*book{"": {begun: true}}}
}

// touched reports whether the turn wrote anything of a run or let an effect begin.
func (j *journal) touched() bool {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	for _, b := range j.books {
		if b.wrote {
			return true
		}
	}
	return false
}

// Open implements [loop.Journal].
func (j *journal) Open(r checkpoint.Run) {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	j.books[r.ID] = &book{row: r}
}

// adopt takes note of a run that was taken up: row is how it stands now, before how it stood, open whether a step of it waits.
func (j *journal) adopt(row, before checkpoint.Run, open bool) {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	j.books[row.ID] = &book{row: row, before: &before, begun: true, open: open}
}

// under names the approval that the run's next write uses up.
func (j *journal) under(runID, approvalID string) {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	j.books[runID].consume = approvalID
}

// Stage implements [loop.Journal].
func (j *journal) Stage(c checkpoint.Checkpoint) {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	b := j.books[c.RunID]
	b.staged = append(b.staged, c)
}

// Done implements [loop.Journal].
func (j *journal) Done(key string, result []byte, failed bool) {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	runID, _, found := strings.Cut(key, "/")
	b := j.books[runID]
	if !found || b == nil {
		b = j.books[""]
	}
	b.done = append(b.done, doneEffect{key, result, failed})
}

// write runs fn in one transaction with all that waits to be written of the run.
func (j *journal) write(ctx context.Context, runID string, fn func(ctx context.Context) error) error {
	return j.writeThen(ctx, runID, func(ctx context.Context, _ *book) error { return fn(ctx) }, func(*book) {})
}

// writeThen is write, with the run's book; then notes in it what was written, before anybody else sees it.
func (j *journal) writeThen(ctx context.Context, runID string, fn func(ctx context.Context, b *book) error, then func(b *book)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	b := j.books[runID]
	if b == nil {
		return checkpoint.ErrNotFound
	}
	if err := j.t.writeLocked(ctx, func(ctx context.Context) error {
		if err := j.flush(ctx, b); err != nil {
			return err
		}
		return fn(ctx, b)
	}); err != nil {
		return err
	}
	if len(b.staged) > 0 {
		b.open = false
	}
	b.begun, b.staged, b.done, b.consume = true, nil, nil, ""
	b.wrote = b.wrote || runID != ""
	then(b)
	return nil
}

// flush writes what waits: the run's beginning, the step that a resume closed, results of effects, the use of an approval.
func (j *journal) flush(ctx context.Context, b *book) error {
	s := j.t.p.c.Stores
	if !b.begun {
		if err := s.Checkpoints().Begin(ctx, b.row); err != nil {
			return err
		}
	}
	for _, c := range b.staged {
		if err := s.Checkpoints().Put(ctx, b.row.Epoch, c); err != nil {
			return err
		}
	}
	now := j.t.p.now()
	for _, d := range b.done {
		if err := s.Ledger().Finish(ctx, d.key, d.result, d.failed, now); err != nil {
			return err
		}
	}
	if b.consume == "" {
		return nil
	}
	if err := s.Approvals().Consume(ctx, b.consume, now); err != nil {
		return err
	}
	return s.Audit().Append(ctx, audit.Entry{
		SessionID: b.row.SessionID, At: now, Kind: audit.KindConsumed, RunID: b.row.ID, TurnID: j.t.ID, Subject: b.consume,
	})
}

// Step implements [loop.Journal].
func (j *journal) Step(ctx context.Context, r checkpoint.Run, c checkpoint.Checkpoint) error {
	return j.writeThen(ctx, r.ID, func(ctx context.Context, b *book) error {
		return j.t.p.c.Stores.Checkpoints().Put(ctx, b.row.Epoch, c)
	}, func(b *book) { b.open = false })
}

// Stop implements [loop.Journal].
func (j *journal) Stop(ctx context.Context, r checkpoint.Run, c *checkpoint.Checkpoint) (back bool, err error) {
	switch {
	case r.State == checkpoint.Failed && j.goesBack(r.ID, c):
		return true, j.putBack(ctx, r.ID)
	case r.State == checkpoint.Failed && c == nil && j.unbegun(r.ID):
		return false, nil // no step and no effect: there is nothing to keep, and nothing to take up
	}
	return false, j.halt(ctx, r, c, nil)
}

// goesBack reports whether a failed resume can wait again as it did: nothing of it was written, or its step is still open.
func (j *journal) goesBack(runID string, c *checkpoint.Checkpoint) bool {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	b := j.books[runID]
	return c == nil && b != nil && b.waitsStill()
}

func (b *book) waitsStill() bool {
	return b.before != nil && (b.open || !b.wrote && len(b.done) == 0)
}

// unbegun reports whether nothing of a run was written.
func (j *journal) unbegun(runID string) bool {
	j.t.mu.Lock()
	defer j.t.mu.Unlock()
	b := j.books[runID]
	return b != nil && !b.begun
}

// putBack moves a run that was taken up back to what it waited for. Going back is no writing of the run: the same message may come again.
func (j *journal) putBack(ctx context.Context, runID string) error {
	j.t.mu.Lock()
	b := j.books[runID]
	wrote := b.wrote
	b.staged, b.consume = nil, ""
	j.t.mu.Unlock()
	return j.writeThen(ctx, runID, func(ctx context.Context, b *book) error {
		_, err := j.t.p.c.Stores.Checkpoints().Move(ctx, moveBack(&b.row, b.before, j.t.p.now()))
		return err
	}, func(b *book) { b.stopped, b.wrote = true, wrote })
}

func moveBack(row, before *checkpoint.Run, now time.Time) checkpoint.Move {
	return checkpoint.Move{
		RunID: row.ID, From: []checkpoint.State{checkpoint.Running}, Epoch: row.Epoch, To: before.State, Reason: before.Reason,
		Detail: before.Detail, Asked: before.Asked, ApprovalID: before.ApprovalID, At: now,
	}
}

// halt writes where a run stops, with its last step and what else belongs to it.
func (j *journal) halt(ctx context.Context, r checkpoint.Run, c *checkpoint.Checkpoint, more func(ctx context.Context) error) error {
	return j.writeThen(ctx, r.ID, func(ctx context.Context, b *book) error {
		if c != nil {
			if err := j.t.p.c.Stores.Checkpoints().Put(ctx, b.row.Epoch, *c); err != nil {
				return err
			}
		}
		if _, err := j.t.p.c.Stores.Checkpoints().Move(ctx, checkpoint.Move{
			RunID: r.ID, From: []checkpoint.State{checkpoint.Running}, Epoch: b.row.Epoch, To: r.State, Reason: r.Reason,
			Detail: r.Detail, Asked: r.Asked, ApprovalID: r.ApprovalID, At: j.t.p.now(),
		}); err != nil {
			return err
		}
		if more != nil {
			return more(ctx)
		}
		return nil
	}, func(b *book) { b.stopped = true })
}

// Pause implements [loop.Halter].
func (j *journal) Pause(ctx context.Context, r checkpoint.Run, c checkpoint.Checkpoint) error {
	return j.halt(ctx, r, &c, nil)
}

// Hold implements [loop.Halter]: step, run and approval in one transaction; what delivers the approval is part of it.
func (j *journal) Hold(ctx context.Context, r checkpoint.Run, c checkpoint.Checkpoint, h *governance.Held) (string, error) {
	req, err := j.request(r, c, h)
	if err != nil {
		return "", err
	}
	r.ApprovalID = req.ID
	err = j.halt(ctx, r, &c, func(ctx context.Context) error {
		s := j.t.p.c.Stores
		if err := s.Approvals().Create(ctx, req); err != nil {
			return err
		}
		if err := j.t.p.putDeliveries(ctx, approval.DeliverRequest, &req); err != nil {
			return err
		}
		return s.Audit().Append(ctx, audit.Entry{
			SessionID: req.SessionID, At: req.RequestedAt, Kind: audit.KindRequested, RunID: req.RunID, StepID: req.StepID, TurnID: req.TurnID,
			Point: req.Point, Subject: req.ID, By: h.Hook, Digest: req.Digest,
		})
	})
	if err != nil {
		return "", err
	}
	j.t.mu.Lock()
	j.t.held = append(j.t.held, req)
	j.t.mu.Unlock()
	return req.ID, nil
}

// firstDelivery is how long the turn has to deliver an approval itself before the outbox is taken up.
const firstDelivery = 10 * time.Second

// deliveries are the rows of one request; the outbox takes them up when the turn did not.
func (p *Pipeline) deliveries(kind approval.DeliveryKind, r *approval.Request, now time.Time) []approval.Delivery {
	if p.c.Deliveries == nil {
		return nil
	}
	next := now
	if kind == approval.DeliverRequest {
		next = now.Add(firstDelivery)
	}
	return p.c.Deliveries(kind, r, now, next)
}

func (p *Pipeline) putDeliveries(ctx context.Context, kind approval.DeliveryKind, r *approval.Request) error {
	for _, d := range p.deliveries(kind, r, p.now()) {
		if err := p.c.Stores.Outbox().Put(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// request composes the approval of a hold.
func (j *journal) request(r checkpoint.Run, c checkpoint.Checkpoint, h *governance.Held) (approval.Request, error) {
	now := j.t.p.now()
	req := approval.Request{
		ID: id.New(now), SessionID: r.SessionID, RunID: r.ID, StepID: c.StepID, TurnID: j.t.ID, Agent: r.Agent,
		Point: string(h.Point), Signal: h.Signal, Summary: h.Reason, Channel: r.Channel, AskedOf: r.AskedOf,
		Policy: approval.FailClosed, RequestedAt: now, Status: approval.Pending,
	}
	if h.Point == governance.PreLLM && len(h.Pins) > 0 {
		req.Digest = h.Pins[0].Digest
	} else {
		var cards []string
		for i, pin := range h.Pins {
			item := itemOf(i+1, pin)
			req.Items = append(req.Items, item)
			cards = append(cards, item.Card)
			req.Destructive = req.Destructive || pin.Subject.Effect == governance.Destructive
		}
		req.Card = strings.Join(cards, "\n")
		b, err := json.Marshal(req.Items)
		if err != nil {
			return req, err
		}
		req.Digest = llm.Digest(b)
	}
	wait := j.t.p.c.Timeouts.Approval
	if req.Destructive {
		wait = j.t.p.c.Timeouts.Destructive
	}
	req.TimeoutAt = now.Add(wait)
	return req, nil
}

func itemOf(position int, pin governance.Pin) approval.Item {
	s := pin.Subject
	item := approval.Item{
		Position: position, CallID: s.Call.ID, Tool: s.Name, Args: s.Call.Args, Digest: pin.Digest,
		Card: s.Card, Effect: s.Effect.String(), Allowed: pin.Allowed,
	}
	if item.Card == "" {
		item.Card = s.Name + " " + string(s.Call.Args)
	}
	return item
}

// Effects implements [loop.Journal].
func (j *journal) Effects(ctx context.Context, runID string) ([]checkpoint.Effect, error) {
	return j.t.p.c.Stores.Ledger().Effects(ctx, runID)
}

// Settle implements [loop.Journal].
func (j *journal) Settle(ctx context.Context, key string, happened bool, by string) error {
	return j.t.write(ctx, func(ctx context.Context) error {
		return settleEffect(ctx, j.t.p.c.Stores, key, happened, by, j.t.p.now())
	})
}

func settleEffect(ctx context.Context, s Stores, key string, happened bool, by string, now time.Time) error {
	e, err := s.Ledger().Effect(ctx, key)
	if err != nil {
		return err
	}
	if err := s.Ledger().Settle(ctx, key, happened, by, now); err != nil {
		return err
	}
	verdict := "did not happen"
	if happened {
		verdict = "happened"
	}
	return s.Audit().Append(ctx, audit.Entry{
		SessionID: e.SessionID, At: now, Kind: audit.KindSettled, RunID: e.RunID, StepID: e.StepID, Subject: key, Verdict: verdict, By: by, Digest: e.Digest,
	})
}
