package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/iris-harness/iris/approval"
)

type approvals struct{ *Store }

var _ approval.Store = approvals{}

func (s approvals) Create(ctx context.Context, r approval.Request) error {
	r = cloneRequest(r)
	r.RequestedAt, r.TimeoutAt = stamp(r.RequestedAt), stamp(r.TimeoutAt)
	switch {
	case r.ID == "":
		return fmt.Errorf("%w: a request without an id", approval.ErrInvalid)
	case r.Policy != approval.FailClosed:
		return fmt.Errorf("%w: policy %q, the only one is %q", approval.ErrInvalid, r.Policy, approval.FailClosed)
	case !r.RequestedAt.Before(r.TimeoutAt):
		return fmt.Errorf("%w: its time is up when it is asked", approval.ErrInvalid)
	}
	r.Status, r.Decisions, r.Reason, r.Principal, r.Surface = approval.Pending, nil, "", "", ""
	r.DecidedAt, r.ConsumedAt, r.NoticedAt = time.Time{}, time.Time{}, time.Time{}
	return s.update(ctx, func(st *state) error {
		if _, taken := st.approvals.get(r.ID); taken {
			return fmt.Errorf("%w: request %s: %w", approval.ErrInvalid, r.ID, ErrTaken)
		}
		st.approvals.set(r.ID, r)
		return nil
	})
}

func (s approvals) Get(ctx context.Context, id string) (out *approval.Request, err error) {
	err = s.view(ctx, func(st *state) error {
		r, ok := st.approvals.get(id)
		if !ok {
			return approval.ErrNotFound
		}
		r = cloneRequest(r)
		out = &r
		return nil
	})
	return out, err
}

func (s approvals) Decide(ctx context.Context, d approval.Decision) (out *approval.Request, err error) {
	if d.Status != approval.Approved && d.Status != approval.Rejected {
		return nil, fmt.Errorf("%w: a decision of %q", approval.ErrInvalid, d.Status)
	}
	d.At = stamp(d.At)
	err = s.change(ctx, d.ID, func(r *approval.Request) error {
		switch {
		case r.Status == approval.TimedOut:
			return fmt.Errorf("%w: %w", approval.ErrOverdue, &approval.DecidedError{Request: cloneRequest(*r)})
		case r.Status != approval.Pending:
			return &approval.DecidedError{Request: cloneRequest(*r)}
		case r.Overdue(d.At):
			return approval.ErrOverdue
		}
		r.Status, r.Decisions, r.Reason, r.Principal, r.Surface, r.DecidedAt = d.Status, d.Items, d.Reason, d.Principal, d.Surface, d.At
		*r = cloneRequest(*r)
		c := cloneRequest(*r)
		out = &c
		return nil
	})
	return out, err
}

// change applies f to one row.
func (s approvals) change(ctx context.Context, id string, f func(r *approval.Request) error) error {
	return s.update(ctx, func(st *state) error {
		r, ok := st.approvals.get(id)
		if !ok {
			return approval.ErrNotFound
		}
		if err := f(&r); err != nil {
			return err
		}
		st.approvals.set(id, r)
		return nil
	})
}

func (s approvals) Lapse(ctx context.Context, now time.Time, limit int) (out []approval.Request, err error) {
	now = stamp(now)
	err = s.update(ctx, func(st *state) error {
		for id, r := range st.approvals.ascend("") {
			if len(out) == orHundred(limit) {
				break
			}
			if !r.Overdue(now) {
				continue
			}
			r.Status, r.DecidedAt = approval.TimedOut, now
			st.approvals.set(id, r)
			out = append(out, cloneRequest(r))
		}
		return nil
	})
	return out, err
}

func (s approvals) Consume(ctx context.Context, id string, at time.Time) error {
	return s.change(ctx, id, func(r *approval.Request) error {
		switch {
		case r.Status != approval.Approved:
			return approval.ErrNotApproved
		case !r.ConsumedAt.IsZero():
			return approval.ErrConsumed
		}
		r.ConsumedAt = stamp(at)
		return nil
	})
}

func (s approvals) Notice(ctx context.Context, id string, at time.Time) (first bool, err error) {
	err = s.change(ctx, id, func(r *approval.Request) error {
		if first = r.Status != approval.Pending && r.NoticedAt.IsZero(); first {
			r.NoticedAt = stamp(at)
		}
		return nil
	})
	return first, err
}

func (s approvals) List(ctx context.Context, q approval.Query) (out []approval.Request, err error) {
	err = s.view(ctx, func(st *state) error {
		for _, r := range st.approvals.descend(q.Before) {
			if len(out) == orHundred(q.Limit) {
				break
			}
			if q.SessionID != "" && q.SessionID != r.SessionID || q.RunID != "" && q.RunID != r.RunID ||
				len(q.Status) > 0 && !slices.Contains(q.Status, r.Status) ||
				q.Untaken && (r.Status == approval.Pending || !r.NoticedAt.IsZero()) {
				continue
			}
			out = append(out, cloneRequest(r))
		}
		return nil
	})
	return out, err
}

func (s approvals) Sweep(ctx context.Context, keep time.Time, limit int) (n int, err error) {
	err = s.update(ctx, func(st *state) error {
		for id, r := range st.approvals.ascend("") {
			if n == orHundred(limit) {
				break
			}
			if r.Status != approval.Pending && r.DecidedAt.Before(keep) {
				st.approvals.delete(id)
				n++
			}
		}
		return nil
	})
	return n, err
}

// cloneRequest returns r with slices of its own.
func cloneRequest(r approval.Request) approval.Request {
	r.Items = slices.Clone(r.Items)
	for i := range r.Items {
		r.Items[i].Args = bytes.Clone(r.Items[i].Args)
	}
	r.Decisions = slices.Clone(r.Decisions)
	for i := range r.Decisions {
		r.Decisions[i].Args = bytes.Clone(r.Decisions[i].Args)
	}
	return r
}
