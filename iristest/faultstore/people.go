package faultstore

import (
	"context"
	"iter"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/session"
)

type approvals struct {
	s     *Store
	inner approval.Store
}

var _ approval.Store = approvals{}

func (w approvals) Create(ctx context.Context, r approval.Request) error {
	return w.s.write(ctx, func() error { return w.inner.Create(ctx, r) })
}

func (w approvals) Get(ctx context.Context, id string) (*approval.Request, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Get(ctx, id)
}

func (w approvals) Decide(ctx context.Context, d approval.Decision) (out *approval.Request, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Decide(ctx, d); return err })
	return out, err
}

func (w approvals) Lapse(ctx context.Context, now time.Time, limit int) (out []approval.Request, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Lapse(ctx, now, limit); return err })
	return out, err
}

func (w approvals) Consume(ctx context.Context, id string, at time.Time) error {
	return w.s.write(ctx, func() error { return w.inner.Consume(ctx, id, at) })
}

func (w approvals) Notice(ctx context.Context, id string, at time.Time) (out bool, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Notice(ctx, id, at); return err })
	return out, err
}

func (w approvals) List(ctx context.Context, q approval.Query) ([]approval.Request, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.List(ctx, q)
}

func (w approvals) Sweep(ctx context.Context, keep time.Time, limit int) (out int, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Sweep(ctx, keep, limit); return err })
	return out, err
}

type outbox struct {
	s     *Store
	inner approval.Outbox
}

var _ approval.Outbox = outbox{}

func (w outbox) Put(ctx context.Context, d approval.Delivery) error {
	return w.s.write(ctx, func() error { return w.inner.Put(ctx, d) })
}

func (w outbox) Due(ctx context.Context, now time.Time, until time.Time, limit int) (out []approval.Delivery, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Due(ctx, now, until, limit); return err })
	return out, err
}

func (w outbox) Done(ctx context.Context, key string) error {
	return w.s.write(ctx, func() error { return w.inner.Done(ctx, key) })
}

func (w outbox) Retry(ctx context.Context, key string, next time.Time, problem string) error {
	return w.s.write(ctx, func() error { return w.inner.Retry(ctx, key, next, problem) })
}

type sessions struct {
	s     *Store
	inner session.Store
}

var _ session.Store = sessions{}

func (w sessions) Forget(ctx context.Context, sessionID string) error {
	return w.s.write(ctx, func() error { return w.inner.Forget(ctx, sessionID) })
}

func (w sessions) Append(ctx context.Context, m session.Message) error {
	return w.s.write(ctx, func() error { return w.inner.Append(ctx, m) })
}

func (w sessions) Messages(ctx context.Context, sessionID string, before string, limit int) ([]session.Message, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Messages(ctx, sessionID, before, limit)
}

func (w sessions) OpenTurn(ctx context.Context, t session.Turn) (out *session.Turn, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.OpenTurn(ctx, t); return err })
	return out, err
}

func (w sessions) CloseTurn(ctx context.Context, t session.Turn) error {
	return w.s.write(ctx, func() error { return w.inner.CloseTurn(ctx, t) })
}

func (w sessions) Turn(ctx context.Context, sessionID string, messageID string) (*session.Turn, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.Turn(ctx, sessionID, messageID)
}

func (w sessions) CountTurns(ctx context.Context, sessionID string, after string) (int, error) {
	if err := w.s.alive(); err != nil {
		return 0, err
	}
	return w.inner.CountTurns(ctx, sessionID, after)
}

func (w sessions) OpenTurns(ctx context.Context, sessionID string, limit int) ([]session.Turn, error) {
	if err := w.s.alive(); err != nil {
		return nil, err
	}
	return w.inner.OpenTurns(ctx, sessionID, limit)
}

func (w sessions) Acquire(ctx context.Context, sessionID string, holder string, now time.Time, until time.Time) (out session.Lease, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Acquire(ctx, sessionID, holder, now, until); return err })
	return out, err
}

func (w sessions) Hold(ctx context.Context, l session.Lease, until time.Time) (out session.Lease, err error) {
	err = w.s.write(ctx, func() (err error) { out, err = w.inner.Hold(ctx, l, until); return err })
	return out, err
}

func (w sessions) Release(ctx context.Context, l session.Lease) error {
	return w.s.write(ctx, func() error { return w.inner.Release(ctx, l) })
}

func (w sessions) TakeOver(ctx context.Context, sessionID string) error {
	return w.s.write(ctx, func() error { return w.inner.TakeOver(ctx, sessionID) })
}

type log struct {
	s     *Store
	inner audit.Log
}

var _ audit.Log = log{}

func (w log) Append(ctx context.Context, e audit.Entry) error {
	return w.s.write(ctx, func() error { return w.inner.Append(ctx, e) })
}

func (w log) Entries(ctx context.Context, after int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		if err := w.s.alive(); err != nil {
			yield(audit.Entry{}, err)
			return
		}
		w.inner.Entries(ctx, after)(yield)
	}
}
