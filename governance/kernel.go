package governance

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Config is what a kernel is built from.
type Config struct {
	Hooks       []Hook           // none: everything is allowed, and recorded. See DefaultPolicy and Evaluator
	Recorder    Recorder         // required
	Approvals   Approvals        // nil: nothing can hold, RequireApproval is a Deny
	HookTimeout time.Duration    // 0: DefaultHookTimeout
	Clock       func() time.Time // nil: time.Now. Stamps the records
	Logger      *slog.Logger     // nil: discards. Told of hooks that panic or hang
}

// Kernel decides. It is safe for concurrent use, and sealed: it has no field and no method that changes it.
type Kernel struct{}

// NewKernel checks c, copies it and seals the result. It returns all faults at once, joined.
func NewKernel(c Config) (*Kernel, error) { return nil, errors.New("governance: not yet") }

// CanHold reports whether a RequireApproval at a point can be met, for a Holdable subject.
func (k *Kernel) CanHold(at Point) bool { return false }

// Permit decides on one call at PreLLM or PreTool, records the decision and mints the permit.
// The error is a *Denied, a *Held, a *RecordError, or wraps ctx's cause or [ErrPoint]; with an s.ApprovalID also as [Kernel.Redeem].
func (k *Kernel) Permit(ctx context.Context, s Subject) (Permit, error) { return Permit{}, ErrNoPermit }

// Rule decides on calls at PreLLM or PreTool, in order, before any of them is made. Each hook is asked once for each
// call. Denials, holds and transforms are recorded; an Allow is when it is minted.
func (k *Kernel) Rule(ctx context.Context, calls []Subject) []Ruling { return nil }

// Mint records an allowed ruling and returns its permit, once. For any other ruling it returns its error.
// A ruling on a subject with an ApprovalID is redeemed.
func (k *Kernel) Mint(ctx context.Context, r Ruling) (Permit, error) { return Permit{}, ErrNoPermit }

// Redeem mints the permit of a call that a person approved. r is a fresh ruling: a Deny still denies, by any hook of
// the chain; a transform that changed the arguments is a Deny; a RequireApproval is met by the approval, which is
// consumed. An empty approvalID is Mint.
func (k *Kernel) Redeem(ctx context.Context, approvalID string, r Ruling) (Permit, error) {
	return Permit{}, ErrNoPermit
}

// Review decides at a point where nothing is called: PreTurn, PostTool, PostStep, PreResponse.
// It returns the subject with its transforms. The error is as Permit's; a *Held only at PostStep.
func (k *Kernel) Review(ctx context.Context, s Subject) (Subject, error) { return s, ErrNoPermit }
