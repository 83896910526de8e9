package storetest_test

import (
	"context"
	"errors"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/storetest"
)

// requests is a store of requests with some methods replaced.
type requests struct {
	approval.Store
	create  func(ctx context.Context, r approval.Request) error
	get     func(ctx context.Context, id string) (*approval.Request, error)
	decide  func(ctx context.Context, d approval.Decision) (*approval.Request, error)
	lapse   func(ctx context.Context, now time.Time, limit int) ([]approval.Request, error)
	consume func(ctx context.Context, id string, at time.Time) error
	notice  func(ctx context.Context, id string, at time.Time) (bool, error)
	list    func(ctx context.Context, q approval.Query) ([]approval.Request, error)
	sweep   func(ctx context.Context, keep time.Time, limit int) (int, error)
}

func (r *requests) Create(ctx context.Context, q approval.Request) error {
	if r.create != nil {
		return r.create(ctx, q)
	}
	return r.Store.Create(ctx, q)
}

func (r *requests) Get(ctx context.Context, id string) (*approval.Request, error) {
	if r.get != nil {
		return r.get(ctx, id)
	}
	return r.Store.Get(ctx, id)
}

func (r *requests) Decide(ctx context.Context, d approval.Decision) (*approval.Request, error) {
	if r.decide != nil {
		return r.decide(ctx, d)
	}
	return r.Store.Decide(ctx, d)
}

func (r *requests) Lapse(ctx context.Context, now time.Time, limit int) ([]approval.Request, error) {
	if r.lapse != nil {
		return r.lapse(ctx, now, limit)
	}
	return r.Store.Lapse(ctx, now, limit)
}

func (r *requests) Consume(ctx context.Context, id string, at time.Time) error {
	if r.consume != nil {
		return r.consume(ctx, id, at)
	}
	return r.Store.Consume(ctx, id, at)
}

func (r *requests) Notice(ctx context.Context, id string, at time.Time) (bool, error) {
	if r.notice != nil {
		return r.notice(ctx, id, at)
	}
	return r.Store.Notice(ctx, id, at)
}

func (r *requests) List(ctx context.Context, q approval.Query) ([]approval.Request, error) {
	if r.list != nil {
		return r.list(ctx, q)
	}
	return r.Store.List(ctx, q)
}

func (r *requests) Sweep(ctx context.Context, keep time.Time, limit int) (int, error) {
	if r.sweep != nil {
		return r.sweep(ctx, keep, limit)
	}
	return r.Store.Sweep(ctx, keep, limit)
}

func withRequests(change func(r *requests)) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		r := &requests{Store: s.Approvals()}
		change(r)
		return parts{Store: s, a: r}
	}
}

// outbox is an outbox with some methods replaced.
type outbox struct {
	approval.Outbox
	put   func(ctx context.Context, d approval.Delivery) error
	due   func(ctx context.Context, now, until time.Time, limit int) ([]approval.Delivery, error)
	retry func(ctx context.Context, key string, next time.Time, problem string) error
}

func (o *outbox) Put(ctx context.Context, d approval.Delivery) error {
	if o.put != nil {
		return o.put(ctx, d)
	}
	return o.Outbox.Put(ctx, d)
}

func (o *outbox) Due(ctx context.Context, now, until time.Time, limit int) ([]approval.Delivery, error) {
	if o.due != nil {
		return o.due(ctx, now, until, limit)
	}
	return o.Outbox.Due(ctx, now, until, limit)
}

func (o *outbox) Retry(ctx context.Context, key string, next time.Time, problem string) error {
	if o.retry != nil {
		return o.retry(ctx, key, next, problem)
	}
	return o.Outbox.Retry(ctx, key, next, problem)
}

func withOutbox(change func(o *outbox)) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		o := &outbox{Outbox: s.Outbox()}
		change(o)
		return parts{Store: s, o: o}
	}
}

func approvalMutants() []mutant {
	return []mutant{
		{"a decision after the deadline", withRequests(func(r *requests) {
			r.decide = func(ctx context.Context, d approval.Decision) (*approval.Request, error) {
				if there, err := r.Store.Get(ctx, d.ID); err == nil && !d.At.Before(there.TimeoutAt) {
					d.At = there.RequestedAt
				}
				return r.Store.Decide(ctx, d)
			}
		}), []string{"approval/overdue at the deadline", "approval/immutability", "model/approvals, one caller", "model/approvals, several callers"}},
		{"a second decision", withRequests(func(r *requests) {
			r.decide = func(ctx context.Context, d approval.Decision) (*approval.Request, error) {
				out, err := r.Store.Decide(ctx, d)
				var there *approval.DecidedError
				if errors.As(err, &there) && !errors.Is(err, approval.ErrOverdue) {
					return &there.Request, nil
				}
				return out, err
			}
		}), []string{"approval/decided once", "approval/one winner", "model/approvals, one caller"}},
		{"a decision goes to the oldest", withRequests(func(r *requests) {
			r.decide = func(ctx context.Context, d approval.Decision) (*approval.Request, error) {
				rows, err := r.Store.List(ctx, approval.Query{Status: []approval.Status{approval.Pending}})
				if err == nil && len(rows) > 0 {
					d.ID = rows[len(rows)-1].ID
				}
				return r.Store.Decide(ctx, d)
			}
		}), []string{"approval/answers go to their own request"}},
		{"a decision after the lapse", withRequests(func(r *requests) {
			r.decide = func(ctx context.Context, d approval.Decision) (*approval.Request, error) {
				out, err := r.Store.Decide(ctx, d)
				if errors.Is(err, approval.ErrOverdue) {
					return r.Store.Get(ctx, d.ID)
				}
				return out, err
			}
		}), []string{"approval/a lapse or a decision, not both"}},
		{"a lapse is told twice", withRequests(func(r *requests) {
			r.lapse = func(ctx context.Context, now time.Time, limit int) ([]approval.Request, error) {
				rows, err := r.Store.Lapse(ctx, now, limit)
				if err != nil || len(rows) > 0 {
					return rows, err
				}
				return r.Store.List(ctx, approval.Query{Status: []approval.Status{approval.TimedOut}, Limit: limit})
			}
		}), []string{"approval/a lapse is told once"}},
		{"an approval is used twice", withRequests(func(r *requests) {
			r.consume = func(ctx context.Context, id string, at time.Time) error {
				if err := r.Store.Consume(ctx, id, at); !errors.Is(err, approval.ErrConsumed) {
					return err
				}
				return nil
			}
		}), []string{"approval/used once"}},
		{"everybody is first", withRequests(func(r *requests) {
			r.notice = func(ctx context.Context, id string, at time.Time) (bool, error) {
				_, err := r.Store.Notice(ctx, id, at)
				return true, err
			}
		}), []string{"approval/taken up once"}},
		{"any policy", withRequests(func(r *requests) {
			r.create = func(ctx context.Context, q approval.Request) error {
				q.Policy = approval.FailClosed
				return r.Store.Create(ctx, q)
			}
		}), []string{"approval/what may not be asked"}},
		{"a request loses its card", withRequests(func(r *requests) {
			r.create = func(ctx context.Context, q approval.Request) error {
				q.Card = ""
				return r.Store.Create(ctx, q)
			}
		}), []string{"approval/keeps every field"}},
		{"the notice writes over who decided", withRequests(func(r *requests) {
			r.get = func(ctx context.Context, id string) (*approval.Request, error) {
				out, err := r.Store.Get(ctx, id)
				if out != nil && !out.NoticedAt.IsZero() {
					out.Principal = "eve"
				}
				return out, err
			}
		}), []string{"approval/immutability"}},
		{"requests are listed whole", withRequests(func(r *requests) {
			r.list = func(ctx context.Context, q approval.Query) ([]approval.Request, error) {
				q.Untaken = false
				return r.Store.List(ctx, q)
			}
		}), []string{"approval/list"}},
		{"a sweep of requests takes too many", withRequests(func(r *requests) {
			r.sweep = func(ctx context.Context, keep time.Time, limit int) (int, error) {
				return r.Store.Sweep(ctx, keep.Add(time.Hour), limit)
			}
		}), []string{"approval/sweep"}},
		{"a delivery is written over", withOutbox(func(o *outbox) {
			o.put = func(ctx context.Context, d approval.Delivery) error {
				return errors.Join(o.Outbox.Done(ctx, d.Key), o.Outbox.Put(ctx, d))
			}
		}), []string{"outbox/keeps every field, once"}},
		{"what is due stays due", withOutbox(func(o *outbox) {
			o.due = func(ctx context.Context, now, _ time.Time, limit int) ([]approval.Delivery, error) {
				return o.Outbox.Due(ctx, now, now, limit)
			}
		}), []string{"outbox/what is due is hidden from others", "outbox/each goes to one"}},
		{"a retry is at once", withOutbox(func(o *outbox) {
			o.retry = func(ctx context.Context, key string, _ time.Time, problem string) error {
				return o.Outbox.Retry(ctx, key, time.Time{}, problem)
			}
		}), []string{"outbox/done and retried"}},
	}
}
