package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
)

// Recorder writes governance's decisions down, in the turn they belong to, and turns approvals into the right to act. A kernel and the pipeline
// over it share one.
type Recorder struct {
	stores Stores
	clock  func() time.Time
	turns  sync.Map // turn id -> *Turn, while it lasts
}

var (
	_ governance.Recorder  = (*Recorder)(nil)
	_ governance.Approvals = (*Recorder)(nil)
)

// NewRecorder returns a recorder over stores; clock is time.Now where nil.
func NewRecorder(stores Stores, clock func() time.Time) *Recorder {
	if clock == nil {
		clock = time.Now
	}
	return &Recorder{stores: stores, clock: clock}
}

func (r *Recorder) attach(t *Turn) { r.turns.Store(t.ID, t) }
func (r *Recorder) detach(t *Turn) { r.turns.Delete(t.ID) }

func (r *Recorder) turn(id string) *Turn {
	t, _ := r.turns.Load(id)
	turn, _ := t.(*Turn)
	return turn
}

// Record implements [governance.Recorder]: e is durable when it returns, with the ledger row of an effect that may now run.
func (r *Recorder) Record(ctx context.Context, s governance.Subject, e audit.Entry) error {
	t := r.turn(s.TurnID)
	start := s.IsEffect() && e.Verdict == governance.VerdictAllow.String()
	write := func(ctx context.Context) error {
		if start {
			if err := t.stillClaims(ctx); err != nil {
				return err
			}
			if err := r.stores.Ledger().Start(ctx, effectOf(s, r.now(), "", 0)); err != nil {
				return err
			}
		}
		return r.stores.Audit().Append(ctx, e)
	}
	switch {
	case t == nil:
		return r.stores.Atomically(ctx, write)
	case start:
		return t.journal.write(ctx, s.RunID, write)
	default:
		return t.write(ctx, write)
	}
}

// Defer implements [governance.Recorder]: the row rides with the turn's next write, one for each step.
func (r *Recorder) Defer(s governance.Subject, e audit.Entry) {
	if t := r.turn(s.TurnID); t != nil {
		t.deferAllowed(e)
	}
}

// maxAllowed bounds the names that one row of allowed decisions lists.
const maxAllowed = 300

// deferAllowed adds e to the row of its step.
func (t *Turn) deferAllowed(e audit.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := len(t.deferred) - 1; i >= 0; i-- {
		d := &t.deferred[i]
		if e.RunID != "" && d.RunID == e.RunID && d.StepID == e.StepID && d.Verdict == e.Verdict && d.Kind == e.Kind {
			if e.Subject != "" && len(d.Subject) < maxAllowed && d.Subject != e.Subject && !strings.HasSuffix(d.Subject, ","+e.Subject) {
				d.Subject += "," + e.Subject
			}
			return
		}
	}
	t.deferred = append(t.deferred, e)
}

func (r *Recorder) now() time.Time { return r.clock().UTC().Truncate(time.Microsecond) }

func effectOf(s governance.Subject, at time.Time, approvalID string, item int) checkpoint.Effect {
	return checkpoint.Effect{
		Key: s.CallKey, SessionID: s.SessionID, RunID: s.RunID, StepID: s.StepID, CallID: s.Call.ID, Tool: s.Name,
		Args: s.Call.Args, Digest: s.Digest(), Idempotent: s.Idempotent, ApprovalID: approvalID, Item: item,
		State: checkpoint.Started, StartedAt: at,
	}
}

// Consume implements [governance.Approvals]: it uses an approval for the one call that s is. For a call, the approval is marked
// in the transaction that writes the effect's ledger row; for a model request, with the next step (ADR-0108 §8: single use).
func (r *Recorder) Consume(ctx context.Context, approvalID string, s governance.Subject) error {
	t := r.turn(s.TurnID)
	if t == nil {
		return fmt.Errorf("%w: no turn in progress", approval.ErrNotApproved)
	}
	req, err := r.stores.Approvals().Get(ctx, approvalID)
	if err != nil {
		return err
	}
	item, err := released(req, s)
	if err != nil {
		return err
	}
	if s.Point == governance.PreLLM {
		if !req.ConsumedAt.IsZero() {
			return approval.ErrConsumed
		}
		t.journal.under(s.RunID, approvalID)
		return nil
	}
	return t.journal.write(ctx, s.RunID, func(ctx context.Context) error {
		now := r.now()
		if err := r.stores.Approvals().Consume(ctx, approvalID, now); err != nil && !errors.Is(err, approval.ErrConsumed) {
			return err
		}
		if s.IsEffect() {
			if err := r.stores.Ledger().Start(ctx, effectOf(s, now, approvalID, item)); err != nil {
				return err
			}
		}
		return r.stores.Audit().Append(ctx, audit.Entry{
			SessionID: s.SessionID, At: now, Kind: audit.KindConsumed, RunID: s.RunID, StepID: s.StepID, TurnID: s.TurnID,
			Point: string(s.Point), Subject: approvalID, Verdict: governance.VerdictAllow.String(), By: req.Principal, Digest: s.Digest(),
		})
	})
}

// released checks that req lets s happen, exactly as it is, and returns the item's position.
func released(req *approval.Request, s governance.Subject) (int, error) {
	if req.Status != approval.Approved {
		return 0, approval.ErrNotApproved
	}
	if req.RunID != s.RunID || req.StepID != s.StepID || req.Point != string(s.Point) {
		return 0, fmt.Errorf("%w: it is for another step", approval.ErrNotApproved)
	}
	if s.Point == governance.PreLLM {
		if req.Digest != s.Digest() {
			return 0, fmt.Errorf("%w: the request has changed", approval.ErrNotApproved)
		}
		return 0, nil
	}
	item := req.Item(s.Call.ID)
	if item == nil {
		return 0, fmt.Errorf("%w: the call is not in it", approval.ErrNotApproved)
	}
	d := req.DecisionOn(item.Position)
	want := item.Digest
	if d.Digest != "" {
		want = d.Digest
	}
	if !d.Approved || item.Tool != s.Name || want != s.Digest() {
		return 0, fmt.Errorf("%w: not this call as it is", approval.ErrNotApproved)
	}
	return item.Position, nil
}
