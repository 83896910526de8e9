package storetest_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/iris-harness/iris/session"
	"github.com/iris-harness/iris/storetest"
)

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
