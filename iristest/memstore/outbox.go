package memstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/iris-harness/iris/approval"
)

type outbox struct{ *Store }

var _ approval.Outbox = outbox{}

func (s outbox) Put(ctx context.Context, d approval.Delivery) error {
	if d.Key == "" {
		return fmt.Errorf("%w: a delivery without a key", approval.ErrInvalid)
	}
	d.NextAt, d.CreatedAt = stamp(d.NextAt), stamp(d.CreatedAt)
	return s.update(ctx, func(st *state) error {
		if _, there := st.outbox.get(d.Key); !there {
			st.outbox.set(d.Key, d)
		}
		return nil
	})
}

func (s outbox) Due(ctx context.Context, now, until time.Time, limit int) (out []approval.Delivery, err error) {
	err = s.update(ctx, func(st *state) error {
		for _, d := range st.outbox.ascend("") {
			if !d.NextAt.After(now) {
				out = append(out, d)
			}
		}
		slices.SortStableFunc(out, func(a, b approval.Delivery) int { return a.NextAt.Compare(b.NextAt) })
		out = out[:min(len(out), orHundred(limit))]
		for i := range out {
			out[i].NextAt = stamp(until)
			st.outbox.set(out[i].Key, out[i])
		}
		return nil
	})
	return out, err
}

func (s outbox) Done(ctx context.Context, key string) error {
	return s.update(ctx, func(st *state) error {
		st.outbox.delete(key)
		return nil
	})
}

func (s outbox) Retry(ctx context.Context, key string, next time.Time, problem string) error {
	return s.update(ctx, func(st *state) error {
		d, ok := st.outbox.get(key)
		if !ok {
			return approval.ErrNotFound
		}
		d.Attempts++
		d.NextAt, d.Problem = stamp(next), problem
		st.outbox.set(key, d)
		return nil
	})
}
