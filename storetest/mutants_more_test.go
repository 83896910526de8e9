package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest/memstore"
	"github.com/iris-harness/iris/session"
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

// conversations is a store of sessions with some methods replaced.
type conversations struct {
	session.Store
	append_   func(ctx context.Context, m session.Message) error
	openTurn  func(ctx context.Context, t session.Turn) (*session.Turn, error)
	closeTurn func(ctx context.Context, t session.Turn) error
	count     func(ctx context.Context, sessionID, after string) (int, error)
	turns     func(ctx context.Context, sessionID string, limit int) ([]session.Turn, error)
	acquire   func(ctx context.Context, sessionID, holder string, now, until time.Time) (session.Lease, error)
	hold      func(ctx context.Context, l session.Lease, until time.Time) (session.Lease, error)
	release   func(ctx context.Context, l session.Lease) error
	takeOver  func(ctx context.Context, sessionID string) error
	forget    func(ctx context.Context, sessionID string) error
}

func (c *conversations) Append(ctx context.Context, m session.Message) error {
	if c.append_ != nil {
		return c.append_(ctx, m)
	}
	return c.Store.Append(ctx, m)
}

func (c *conversations) OpenTurn(ctx context.Context, t session.Turn) (*session.Turn, error) {
	if c.openTurn != nil {
		return c.openTurn(ctx, t)
	}
	return c.Store.OpenTurn(ctx, t)
}

func (c *conversations) CloseTurn(ctx context.Context, t session.Turn) error {
	if c.closeTurn != nil {
		return c.closeTurn(ctx, t)
	}
	return c.Store.CloseTurn(ctx, t)
}

func (c *conversations) CountTurns(ctx context.Context, sessionID, after string) (int, error) {
	if c.count != nil {
		return c.count(ctx, sessionID, after)
	}
	return c.Store.CountTurns(ctx, sessionID, after)
}

func (c *conversations) OpenTurns(ctx context.Context, sessionID string, limit int) ([]session.Turn, error) {
	if c.turns != nil {
		return c.turns(ctx, sessionID, limit)
	}
	return c.Store.OpenTurns(ctx, sessionID, limit)
}

func (c *conversations) Acquire(ctx context.Context, sessionID, holder string, now, until time.Time) (session.Lease, error) {
	if c.acquire != nil {
		return c.acquire(ctx, sessionID, holder, now, until)
	}
	return c.Store.Acquire(ctx, sessionID, holder, now, until)
}

func (c *conversations) Hold(ctx context.Context, l session.Lease, until time.Time) (session.Lease, error) {
	if c.hold != nil {
		return c.hold(ctx, l, until)
	}
	return c.Store.Hold(ctx, l, until)
}

func (c *conversations) Release(ctx context.Context, l session.Lease) error {
	if c.release != nil {
		return c.release(ctx, l)
	}
	return c.Store.Release(ctx, l)
}

func (c *conversations) TakeOver(ctx context.Context, sessionID string) error {
	if c.takeOver != nil {
		return c.takeOver(ctx, sessionID)
	}
	return c.Store.TakeOver(ctx, sessionID)
}

func (c *conversations) Forget(ctx context.Context, sessionID string) error {
	if c.forget != nil {
		return c.forget(ctx, sessionID)
	}
	return c.Store.Forget(ctx, sessionID)
}

func withSessions(change func(c *conversations)) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		c := &conversations{Store: s.Sessions()}
		change(c)
		return parts{Store: s, s: c}
	}
}

func sessionMutants() []mutant {
	return []mutant{
		{"messages lose their attachments", withSessions(func(c *conversations) {
			c.append_ = func(ctx context.Context, m session.Message) error {
				m.Attachments = nil
				return c.Store.Append(ctx, m)
			}
		}), []string{"session/the log"}},
		{"a message is processed each time", withSessions(func(c *conversations) {
			c.openTurn = func(ctx context.Context, t session.Turn) (*session.Turn, error) {
				_, err := c.Store.OpenTurn(ctx, t)
				return nil, err
			}
		}), []string{"session/a message is processed once", "session/one turn for a message"}},
		{"a turn ends twice", withSessions(func(c *conversations) {
			c.closeTurn = func(ctx context.Context, t session.Turn) error {
				if err := c.Store.CloseTurn(ctx, t); !errors.Is(err, session.ErrNotFound) {
					return err
				}
				return nil
			}
		}), []string{"session/a turn ends once"}},
		{"a void turn keeps its message", withSessions(func(c *conversations) {
			c.closeTurn = func(ctx context.Context, t session.Turn) error {
				if t.State == session.Void {
					t.State = session.Failed
				}
				return c.Store.CloseTurn(ctx, t)
			}
		}), []string{"session/a void turn gives its message back"}},
		{"turns are counted from the first", withSessions(func(c *conversations) {
			c.count = func(ctx context.Context, sessionID, _ string) (int, error) {
				return c.Store.CountTurns(ctx, sessionID, "")
			}
		}), []string{"session/counts the turns of persons"}},
		{"open turns of anybody", withSessions(func(c *conversations) {
			c.turns = func(ctx context.Context, _ string, limit int) ([]session.Turn, error) {
				return c.Store.OpenTurns(ctx, "", limit)
			}
		}), []string{"session/open turns"}},
		{"a lease that two hold", withSessions(func(c *conversations) {
			c.acquire = func(ctx context.Context, sessionID, holder string, now, until time.Time) (session.Lease, error) {
				_ = c.Store.TakeOver(ctx, sessionID)
				return c.Store.Acquire(ctx, sessionID, holder, now, until)
			}
		}), []string{"lease/one holder", "lease/passes on at its time", "lease/one of many"}},
		{"a lease is held for ever", withSessions(func(c *conversations) {
			c.hold = func(ctx context.Context, l session.Lease, until time.Time) (session.Lease, error) {
				out, err := c.Store.Hold(ctx, l, until)
				if errors.Is(err, session.ErrFenced) {
					return l, nil
				}
				return out, err
			}
		}), []string{"lease/held and renewed", "lease/given back", "lease/taken over", "lease/passes on at its time"}},
		{"nothing is forgotten", withSessions(func(c *conversations) {
			c.forget = func(context.Context, string) error { return nil }
		}), []string{"forget/everything of one session"}},
		{"epochs begin again", withSessions(func(c *conversations) {
			var mu sync.Mutex
			last, base := map[string]int64{}, map[string]int64{}
			c.forget = func(ctx context.Context, sessionID string) error {
				mu.Lock()
				defer mu.Unlock()
				base[sessionID] = last[sessionID]
				return c.Store.Forget(ctx, sessionID)
			}
			c.acquire = func(ctx context.Context, sessionID, holder string, now, until time.Time) (session.Lease, error) {
				mu.Lock()
				defer mu.Unlock()
				l, err := c.Store.Acquire(ctx, sessionID, holder, now, until)
				last[sessionID] = l.Epoch
				l.Epoch -= base[sessionID]
				return l, err
			}
		}), []string{"forget/its lease's epoch still rises"}},
	}
}

// log is an audit log with its entries changed on the way out.
type log struct {
	audit.Log
	append_ func(ctx context.Context, e audit.Entry) error
	change  func(e audit.Entry) audit.Entry
	most    int
}

func (l *log) Append(ctx context.Context, e audit.Entry) error {
	if l.append_ != nil {
		return l.append_(ctx, e)
	}
	return l.Log.Append(ctx, e)
}

func (l *log) Entries(ctx context.Context, after int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		n := 0
		for e, err := range l.Log.Entries(ctx, after) {
			if l.change != nil {
				e = l.change(e)
			}
			if n++; l.most > 0 && n > l.most || !yield(e, err) {
				return
			}
		}
	}
}

func withLog(l log) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		l := l
		l.Log = s.Audit()
		return parts{Store: s, log: &l}
	}
}

// withAtomically breaks a store's transactions.
func withAtomically(atomic func(s storetest.Store, ctx context.Context, fn func(ctx context.Context) error) error) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		return parts{Store: s, atomic: func(ctx context.Context, fn func(ctx context.Context) error) error { return atomic(s, ctx, fn) }}
	}
}

// inside marks a context as inside of a broken transaction.
type inside struct{}

func storeMutants() []mutant {
	type function = func(ctx context.Context) error
	return []mutant{
		{"audit without a chain", withLog(log{change: func(e audit.Entry) audit.Entry {
			e.Prev = ""
			return e
		}}), []string{"audit/one chain for each session", "audit/chains hold when many write", "audit/a row goes with its transaction"}},
		{"audit rows lose their reason", withLog(log{change: func(e audit.Entry) audit.Entry {
			e.Reason = ""
			return e
		}}), []string{"audit/keeps every field"}},
		{"audit reads one page", withLog(log{most: 256}), []string{"audit/pages"}},
		{"a transaction without rollback", withAtomically(func(_ storetest.Store, ctx context.Context, fn function) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return fn(ctx)
		}), []string{"atomically/nothing of it", "atomically/nested joins", "atomically/nested is undone alone", "atomically/many at once",
			"atomically/sees what it wrote, and nobody else does", "audit/a row goes with its transaction", "trap/a panic", "trap/a goroutine that ends",
			"trap/the context of a transaction that has ended", "trap/the outer context waits for itself"}},
		{"a transaction that is always undone", withAtomically(func(s storetest.Store, ctx context.Context, fn function) error {
			undone := errors.New("undone")
			err := s.Atomically(ctx, func(ctx context.Context) error {
				if err := fn(ctx); err != nil {
					return err
				}
				return undone
			})
			if err == undone {
				return nil
			}
			return err
		}), []string{"atomically/all of it", "atomically/several goroutines"}},
		{"a panic is swallowed", withAtomically(func(s storetest.Store, ctx context.Context, fn function) (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			return s.Atomically(ctx, fn)
		}), []string{"trap/a panic"}},
		{"a nested transaction is none", withAtomically(func(s storetest.Store, ctx context.Context, fn function) error {
			if ctx.Value(inside{}) != nil {
				return fn(ctx)
			}
			return s.Atomically(context.WithValue(ctx, inside{}, true), fn)
		}), []string{"atomically/nested is undone alone"}},
		{"a context from elsewhere is taken for its own", withQuestions(func(q *questions) {
			q.open = func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
				if c.ID == "c1" && c.SessionID == "s" {
					return nil, memstore.ErrDeadlock
				}
				return q.Store.Open(ctx, c)
			}
		}), []string{"trap/another store's transaction"}},
		{"who gave up is served", func(s storetest.Store) storetest.Store {
			q := &questions{Store: s.Continuations()}
			q.open = func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
				return q.Store.Open(context.WithoutCancel(ctx), c)
			}
			return parts{Store: s, c: q}
		}, []string{"trap/given up before it begins"}},
		{"who gives up is undone", withAtomically(func(s storetest.Store, ctx context.Context, fn function) error {
			return s.Atomically(ctx, func(inner context.Context) error { return errors.Join(fn(inner), ctx.Err()) })
		}), []string{"trap/given up after it began"}},
		{"closed and still there", func(s storetest.Store) storetest.Store { return parts{Store: s, noClose: true} }, []string{"trap/closed"}},
		{"writes are lost", withQuestions(func(q *questions) {
			q.open = func(context.Context, continuation.Continuation) (*continuation.Continuation, error) { return nil, nil }
		}), []string{"handles/both see what either wrote", "reopen/everything is there"}},
	}
}
