package governance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/llm"
)

// rule decides on a call. The result is in c: its subject, verdict and error.
func (k *Kernel) rule(ctx context.Context, c *sealed) {
	if !calls(c.subject.Point) {
		c.err = fmt.Errorf("%w: %s", ErrPoint, c.subject.Point)
		return
	}
	k.decide(ctx, c)
	if c.err == nil && c.changed && c.subject.ApprovalID != "" {
		k.stop(ctx, c, "kernel", Deny("the arguments are not those that were approved"))
	}
}

// decide asks the hooks from c.next on. It is the only place where hooks are asked.
func (k *Kernel) decide(ctx context.Context, c *sealed) {
	chain := k.hooks[c.subject.Point]
	for c.next < len(chain) {
		h := &chain[c.next]
		c.next++
		c.by = h.Name
		d, err := k.ask(ctx, h, &c.subject)
		if err != nil {
			c.err = err
			return
		}
		d = k.admit(&c.subject, d)
		switch {
		case d.Verdict == VerdictAllow, d.Verdict == VerdictRequireApproval && c.subject.redeems():
		case d.Verdict == VerdictTransform:
			if c.err = k.transform(ctx, c, d); c.err != nil {
				return
			}
		default:
			k.stop(ctx, c, h.Name, d)
			return
		}
	}
	if ctx.Err() != nil {
		c.err = cancelled(ctx)
		return
	}
	c.verdict = VerdictAllow
}

// redeems reports whether an approval is to be consumed for s, so that it meets a RequireApproval.
// Where nothing is called there is nothing to consume.
func (s *Subject) redeems() bool { return s.ApprovalID != "" && calls(s.Point) }

// admit turns what a decision cannot be into a Deny.
func (k *Kernel) admit(s *Subject, d Decision) Decision {
	switch d.Verdict {
	case VerdictDeny, VerdictAllow:
		return d
	case VerdictRequireApproval:
		if s.redeems() {
			return d
		}
		if !holds(s.Point) {
			return Deny(fmt.Sprintf("it needs an approval (%s), and nothing can wait at %s", d.Reason, s.Point))
		}
		if !s.Holdable || k.approvals == nil {
			return Deny(fmt.Sprintf("it needs an approval (%s), and nothing here can hold it", d.Reason))
		}
		return d
	case VerdictTransform:
		return admitTransform(s, d)
	default:
		return Deny(fmt.Sprintf("unknown verdict %d", d.Verdict))
	}
}

// admitTransform checks that d changes exactly what s.Point lets it change, and makes it canonical and its own.
func admitTransform(s *Subject, d Decision) Decision {
	given := 0
	for _, set := range []bool{d.Request != nil, d.Args != nil, d.Result != nil, d.Text != nil} {
		if set {
			given++
		}
	}
	if given != 1 || !fits(s, d) {
		return Deny("its transform does not fit " + string(s.Point))
	}
	d.Request = cloneRequest(d.Request)
	if d.Args != nil {
		canonical, err := llm.Canonical(d.Args)
		if err != nil || canonical[0] != '{' {
			return Deny("its transform is not a JSON object")
		}
		d.Args = canonical
	}
	if d.Result != nil && !json.Valid(d.Result) {
		return Deny("its transform is not a JSON value")
	}
	d.Result = bytes.Clone(d.Result)
	return d
}

func fits(s *Subject, d Decision) bool {
	switch s.Point {
	case PreLLM:
		return d.Request != nil
	case PreTool:
		return d.Args != nil
	case PostTool:
		return d.Result != nil && s.ToolErr == nil || d.Text != nil && s.ToolErr != nil
	case PreTurn, PreResponse:
		return d.Text != nil
	default:
		return false
	}
}

// transform records an admitted transform and applies it.
func (k *Kernel) transform(ctx context.Context, c *sealed, d Decision) error {
	s := &c.subject
	if err := k.record(ctx, s, k.entry(s, VerdictTransform, c.by, d.Reason)); err != nil {
		return err
	}
	switch {
	case d.Request != nil:
		s.request = d.Request
	case d.Args != nil:
		c.changed = c.changed || !bytes.Equal(d.Args, s.Call.Args)
		s.Call.Args = d.Args
	case d.Result != nil:
		s.Result = d.Result
	case s.Point == PostTool:
		s.ToolErr = &ToolError{Kind: s.ToolErr.Kind, Message: *d.Text}
	default:
		s.Text = *d.Text
	}
	return nil
}

// stop ends c with an admitted Deny or RequireApproval of a hook, once that is on the record.
func (k *Kernel) stop(ctx context.Context, c *sealed, hook string, d Decision) {
	s := &c.subject
	by := hook
	if d.Signal != "" {
		by += "/" + d.Signal
	}
	c.verdict = d.Verdict
	if c.err = k.record(ctx, s, k.entry(s, d.Verdict, by, d.Reason)); c.err != nil {
		c.verdict = VerdictDeny
		return
	}
	if d.Verdict == VerdictDeny {
		c.err = &Denied{Point: s.Point, Name: s.Name, Hook: hook, Reason: d.Reason, Signal: d.Signal}
		return
	}
	held := &Held{Point: s.Point, Hook: hook, Reason: d.Reason, Signal: d.Signal}
	if calls(s.Point) {
		held.Pins = []Pin{c.pin()}
		held.Pins[0].Hook, held.Pins[0].Reason = hook, d.Reason
	}
	c.err = held
}

// mint records an allowed call, or consumes its approval, and returns its permit.
func (k *Kernel) mint(ctx context.Context, c *sealed) (Permit, error) {
	if c.err != nil {
		return Permit{}, c.err
	}
	if !c.minted.CompareAndSwap(false, true) {
		return Permit{}, ErrPermitUsed
	}
	if err := k.allow(ctx, c); err != nil {
		return Permit{}, err
	}
	return Permit{c}, nil
}

// allow puts an allowed call on the record.
func (k *Kernel) allow(ctx context.Context, c *sealed) error {
	s := &c.subject
	if s.ApprovalID != "" {
		return k.consume(ctx, c)
	}
	e := k.entry(s, VerdictAllow, c.by, "")
	if s.IsEffect() {
		return k.record(ctx, s, e)
	}
	k.recorder.Defer(*s, e)
	return nil
}

func (k *Kernel) consume(ctx context.Context, c *sealed) error {
	if k.approvals == nil {
		return ErrNoApprovals
	}
	if err := k.approvals.Consume(ctx, c.subject.ApprovalID, c.pin().Subject); err != nil {
		return fmt.Errorf("governance: redeem approval %s: %w", c.subject.ApprovalID, err)
	}
	return nil
}

// pin returns c as an approval pins it: a call as it would be made, a request as it was before the hooks
// (it is built again for the resume, and decided on again).
func (c *sealed) pin() Pin {
	s := c.subject
	if s.Point == PreLLM {
		s.request = c.given
	}
	return Pin{Subject: s, Digest: s.Digest()}
}

// entry describes a decision on s. An Allow that is deferred has no digest: the caller's row has its own.
func (k *Kernel) entry(s *Subject, v Verdict, by, reason string) audit.Entry {
	e := audit.Entry{
		SessionID: s.SessionID, At: stamp(k.clock()), Kind: audit.KindDecision,
		RunID: s.RunID, StepID: s.StepID, TurnID: s.TurnID,
		Point: string(s.Point), Subject: s.Name, Verdict: v.String(), By: by, Reason: short(reason),
	}
	if v != VerdictAllow || s.IsEffect() {
		e.Digest = s.Digest()
	}
	return e
}

func (k *Kernel) record(ctx context.Context, s *Subject, e audit.Entry) error {
	if err := k.recorder.Record(ctx, *s, e); err != nil {
		return &RecordError{Point: s.Point, Err: err}
	}
	return nil
}

// cancelled is the error of a decision that was given up: nothing was decided, and nothing is recorded.
func cancelled(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("governance: given up: %w: %w", ctx.Err(), cause)
	}
	return fmt.Errorf("governance: given up: %w", ctx.Err())
}
