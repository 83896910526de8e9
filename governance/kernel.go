package governance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
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
// A kernel that asks hooks inside a testing/synctest bubble belongs to that bubble.
type Kernel struct {
	hooks     map[Point][]Hook // ascending; never changed after NewKernel
	recorder  Recorder
	approvals Approvals
	clock     func() time.Time
	logger    *slog.Logger
	askings   sync.Pool // of *asking, idle
	reviews   sync.Pool // of *sealed, idle
}

// NewKernel checks c, copies it and seals the result. It returns all faults at once, joined.
func NewKernel(c Config) (*Kernel, error) {
	if err := c.faults(); err != nil {
		return nil, err
	}
	k := &Kernel{
		hooks:     map[Point][]Hook{},
		recorder:  c.Recorder,
		approvals: c.Approvals,
		clock:     c.now(),
		logger:    c.logger(),
	}
	for _, h := range c.Hooks {
		h.Timeout = cmp.Or(h.Timeout, c.HookTimeout, DefaultHookTimeout)
		k.hooks[h.At] = append(k.hooks[h.At], h)
	}
	for _, chain := range k.hooks {
		slices.SortFunc(chain, func(a, b Hook) int {
			return cmp.Or(cmp.Compare(a.Priority, b.Priority), strings.Compare(a.Name, b.Name))
		})
	}
	return k, nil
}

func (c Config) now() func() time.Time {
	if c.Clock != nil {
		return c.Clock
	}
	return time.Now
}

func (c Config) logger() *slog.Logger {
	if c.Logger != nil {
		return c.Logger
	}
	return slog.New(slog.DiscardHandler)
}

// faults returns everything that is wrong with c.
func (c Config) faults() error {
	var errs []error
	if c.Recorder == nil {
		errs = append(errs, errors.New("governance: Config.Recorder is required"))
	}
	if c.HookTimeout < 0 {
		errs = append(errs, errors.New("governance: Config.HookTimeout is negative"))
	}
	type place struct {
		at   Point
		name string
	}
	seen := map[place]bool{}
	for i, h := range c.Hooks {
		if fault := h.fault(); fault != "" {
			errs = append(errs, fmt.Errorf("governance: hook %d (%q): %s", i, h.Name, fault))
		}
		at := place{h.At, h.Name}
		if h.Name != "" && seen[at] {
			errs = append(errs, fmt.Errorf("governance: hook %d: the name %q is taken at %s", i, h.Name, h.At))
		}
		seen[at] = true
	}
	return errors.Join(errs...)
}

// fault says what is wrong with h, or "".
func (h Hook) fault() string {
	switch {
	case h.Name == "":
		return "has no name"
	case !slices.Contains([]Point{PreTurn, PreLLM, PreTool, PostTool, PostStep, PreResponse}, h.At):
		return fmt.Sprintf("no such point: %q", h.At)
	case h.Decide == nil && h.pure == nil:
		return "Decide is nil"
	case h.Decide != nil && h.pure != nil:
		return "the Decide of a built-in hook cannot be replaced"
	case h.Timeout < 0:
		return "Timeout is negative"
	default:
		return ""
	}
}

// CanHold reports whether a RequireApproval at a point can wait for a person, for a Holdable subject.
func (k *Kernel) CanHold(at Point) bool { return k.approvals != nil && holds(at) }

// holds reports whether something can wait at a point.
func holds(at Point) bool { return calls(at) || at == PostStep }

// calls reports whether something is called after a point.
func calls(at Point) bool { return at == PreLLM || at == PreTool }

// Permit decides on one call at PreLLM or PreTool, records the decision and mints the permit.
// The error is a *Denied, a *Held or a *RecordError, or wraps ctx's cause or [ErrPoint]; with an s.ApprovalID also as [Kernel.Redeem].
func (k *Kernel) Permit(ctx context.Context, s Subject) (Permit, error) {
	c := &sealed{kernel: k, subject: s, given: s.request}
	k.rule(ctx, c)
	return k.mint(ctx, c)
}

// Rule decides on calls at PreLLM or PreTool, in order, before any of them is made. Each hook is asked once for each
// call. Denials, holds and transforms are recorded now; an Allow when it is minted.
func (k *Kernel) Rule(ctx context.Context, calls []Subject) []Ruling {
	cs := make([]sealed, len(calls))
	rulings := make([]Ruling, len(calls))
	for i := range calls {
		c := &cs[i]
		c.kernel, c.subject, c.given = k, calls[i], calls[i].request
		k.rule(ctx, c)
		rulings[i] = Ruling{c}
	}
	return rulings
}

// Mint records an allowed ruling and returns its permit, once; after an error too the ruling is spent. For any other
// ruling it returns the ruling's error. A ruling on a subject with an ApprovalID is redeemed.
func (k *Kernel) Mint(ctx context.Context, r Ruling) (Permit, error) {
	if err := k.owns(r); err != nil {
		return Permit{}, err
	}
	return k.mint(ctx, r.s)
}

// Redeem mints the permit of a call that a person approved. r is a fresh ruling on the call as it was pinned: a Deny
// still denies, by any hook of the chain; a transform that changes the arguments is a Deny; a RequireApproval is met
// by the approval, which is consumed. An empty approvalID is Mint.
// Besides Mint's errors it returns [ErrNoApprovals], or wraps the error of Approvals.Consume.
func (k *Kernel) Redeem(ctx context.Context, approvalID string, r Ruling) (Permit, error) {
	if err := k.owns(r); err != nil {
		return Permit{}, err
	}
	given := r.s.subject.ApprovalID
	switch {
	case approvalID == given:
		return k.mint(ctx, r.s)
	case given != "":
		return Permit{}, ErrPermitForeign
	case r.s.verdict == VerdictDeny:
		return Permit{}, r.s.err
	case !r.s.minted.CompareAndSwap(false, true):
		return Permit{}, ErrPermitUsed
	}
	c := &sealed{kernel: k, subject: r.s.subject, given: r.s.given, next: r.s.next, changed: r.s.changed}
	c.subject.ApprovalID = approvalID
	k.rule(ctx, c) // the hooks after the one that asked for the approval
	return k.mint(ctx, c)
}

// owns returns why r cannot be minted here, or nil.
func (k *Kernel) owns(r Ruling) error {
	switch {
	case r.s == nil:
		return ErrNoPermit
	case r.s.kernel != k:
		return ErrPermitForeign
	default:
		return nil
	}
}

// Review decides at a point where nothing is called: PreTurn, PostTool, PostStep, PreResponse.
// It returns the subject with its transforms. The error is a *Denied or a *RecordError, at PostStep also a *Held, or
// wraps ctx's cause or [ErrPoint]; then the subject is as far as the hooks got, and nothing of it may be used.
func (k *Kernel) Review(ctx context.Context, s Subject) (Subject, error) {
	if calls(s.Point) {
		return s, fmt.Errorf("%w: %s", ErrPoint, s.Point)
	}
	if len(k.hooks[s.Point]) == 0 {
		return s, nil // nobody was asked: there is no decision to record
	}
	return k.review(ctx, &s)
}

// review decides with a *sealed that goes back to the pool: nobody gets to keep it.
func (k *Kernel) review(ctx context.Context, s *Subject) (Subject, error) {
	c, ok := k.reviews.Get().(*sealed)
	if !ok {
		c = &sealed{kernel: k}
	}
	defer k.reviews.Put(c)
	c.subject, c.next, c.by, c.err = *s, 0, "", nil
	k.decide(ctx, c)
	if c.err == nil {
		k.recorder.Defer(c.subject, k.entry(&c.subject, VerdictAllow, c.by, ""))
	}
	reviewed, err := c.subject, c.err
	c.subject, c.err = Subject{}, nil
	return reviewed, err
}
