package storetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/storetest"
)

// questions is a continuation store with some methods replaced.
type questions struct {
	continuation.Store
	open    func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error)
	pending func(ctx context.Context, sessionID string, now time.Time) (*continuation.Continuation, error)
	get     func(ctx context.Context, id string, now time.Time) (*continuation.Continuation, error)
	claim   func(ctx context.Context, by continuation.Claimant) (*continuation.Continuation, error)
	move    func(ctx context.Context, m continuation.Move) (*continuation.Continuation, error)
	list    func(ctx context.Context, q continuation.Query) ([]continuation.Continuation, error)
	sweep   func(ctx context.Context, now, keep time.Time, limit int) (int, error)
}

func (q *questions) Open(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
	if q.open != nil {
		return q.open(ctx, c)
	}
	return q.Store.Open(ctx, c)
}

func (q *questions) Pending(ctx context.Context, sessionID string, now time.Time) (*continuation.Continuation, error) {
	if q.pending != nil {
		return q.pending(ctx, sessionID, now)
	}
	return q.Store.Pending(ctx, sessionID, now)
}

func (q *questions) Get(ctx context.Context, id string, now time.Time) (*continuation.Continuation, error) {
	if q.get != nil {
		return q.get(ctx, id, now)
	}
	return q.Store.Get(ctx, id, now)
}

func (q *questions) Claim(ctx context.Context, by continuation.Claimant) (*continuation.Continuation, error) {
	if q.claim != nil {
		return q.claim(ctx, by)
	}
	return q.Store.Claim(ctx, by)
}

func (q *questions) Move(ctx context.Context, m continuation.Move) (*continuation.Continuation, error) {
	if q.move != nil {
		return q.move(ctx, m)
	}
	return q.Store.Move(ctx, m)
}

func (q *questions) List(ctx context.Context, query continuation.Query) ([]continuation.Continuation, error) {
	if q.list != nil {
		return q.list(ctx, query)
	}
	return q.Store.List(ctx, query)
}

func (q *questions) Sweep(ctx context.Context, now, keep time.Time, limit int) (int, error) {
	if q.sweep != nil {
		return q.sweep(ctx, now, keep, limit)
	}
	return q.Store.Sweep(ctx, now, keep, limit)
}

// withQuestions breaks a store's continuations.
func withQuestions(change func(q *questions)) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		q := &questions{Store: s.Continuations()}
		change(q)
		return parts{Store: s, c: q}
	}
}

func continuationMutants() []mutant {
	return []mutant{
		{"claim without compare-and-set", withQuestions(func(q *questions) {
			q.claim = func(ctx context.Context, by continuation.Claimant) (*continuation.Continuation, error) {
				c, err := q.Store.Claim(ctx, by)
				var closed *continuation.ClosedError
				if errors.As(err, &closed) && closed.Row.Status == continuation.Claimed {
					closed.Row.ClaimedBy = by.TurnID
					return &closed.Row, nil
				}
				return c, err
			}
		}), []string{"claim/one winner", "claim/one winner across handles", "claim/says what became of the row", "model/continuations, one caller", "model/continuations, several callers", "move/one winner"}},
		{"claim from any session", withQuestions(func(q *questions) {
			q.claim = func(ctx context.Context, by continuation.Claimant) (*continuation.Continuation, error) {
				if c, err := q.Store.Get(ctx, by.ID, by.At); err == nil {
					by.SessionID = c.SessionID
				}
				return q.Store.Claim(ctx, by)
			}
		}), []string{"claim/another session's row is not found"}},
		{"claim does not say who", withQuestions(func(q *questions) {
			q.claim = func(ctx context.Context, by continuation.Claimant) (*continuation.Continuation, error) {
				by.Sender = ""
				return q.Store.Claim(ctx, by)
			}
		}), []string{"claim/takes the row"}},
		{"claim ignores the time", withQuestions(func(q *questions) {
			q.claim = func(ctx context.Context, by continuation.Claimant) (*continuation.Continuation, error) {
				by.At = time.Time{}
				return q.Store.Claim(ctx, by)
			}
		}), []string{"continuation/time is up at the deadline"}},
		{"pending ignores the time", withQuestions(func(q *questions) {
			q.pending = func(ctx context.Context, sessionID string, _ time.Time) (*continuation.Continuation, error) {
				return q.Store.Pending(ctx, sessionID, time.Time{})
			}
		}), []string{"continuation/time is up at the deadline", "continuation/time does not depend on zones", "reopen/under another zone"}},
		{"open leaves what waits", withQuestions(func(q *questions) {
			q.list = func(ctx context.Context, query continuation.Query) ([]continuation.Continuation, error) {
				rows, err := q.Store.List(ctx, query)
				for i := range rows {
					if rows[i].Status == continuation.Superseded {
						rows[i].Status = continuation.Pending
					}
				}
				return rows, err
			}
			q.open = func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
				_, err := q.Store.Open(ctx, c)
				return nil, err
			}
		}), []string{"continuation/open closes what waits", "continuation/open past its time closes as expired", "claim/one question is left when many are asked at once"}},
		{"open closes before it knows", withQuestions(func(q *questions) {
			q.open = func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
				if p, err := q.Store.Pending(ctx, c.SessionID, c.CreatedAt); err == nil && p != nil {
					_, _ = q.Store.Move(ctx, continuation.Move{ID: p.ID, From: continuation.Pending, To: continuation.Superseded, At: c.CreatedAt})
				}
				return q.Store.Open(ctx, c)
			}
		}), []string{"continuation/a refused open changes nothing", "atomically/a refused operation is undone alone"}},
		{"numbers go through a float", withQuestions(func(q *questions) {
			q.open = func(ctx context.Context, c continuation.Continuation) (*continuation.Continuation, error) {
				var v any
				if json.Unmarshal(c.Payload, &v) == nil {
					c.Payload, _ = json.Marshal(v)
				}
				return q.Store.Open(ctx, c)
			}
		}), []string{"continuation/keeps every field"}},
		{"rows are shared", withQuestions(func(q *questions) {
			var kept sync.Map
			q.pending = func(ctx context.Context, sessionID string, now time.Time) (*continuation.Continuation, error) {
				c, err := q.Store.Pending(ctx, sessionID, now)
				if c != nil {
					shared, _ := kept.LoadOrStore(c.ID, c)
					return shared.(*continuation.Continuation), err
				}
				return c, err
			}
		}), []string{"continuation/rows belong to the caller"}},
		{"list ignores the cursor", withQuestions(func(q *questions) {
			q.list = func(ctx context.Context, query continuation.Query) ([]continuation.Continuation, error) {
				query.Before = ""
				return q.Store.List(ctx, query)
			}
		}), []string{"continuation/list"}},
		{"sweep does nothing", withQuestions(func(q *questions) {
			q.sweep = func(context.Context, time.Time, time.Time, int) (int, error) { return 0, nil }
		}), []string{"continuation/sweep marks", "continuation/sweep deletes"}},
		{"move from anywhere", withQuestions(func(q *questions) {
			q.move = func(ctx context.Context, m continuation.Move) (*continuation.Continuation, error) {
				if c, err := q.Store.Get(ctx, m.ID, m.At); err == nil {
					m.From = c.Status
				}
				return q.Store.Move(ctx, m)
			}
		}), []string{"move/the machine"}},
		{"everybody withdraws", withQuestions(func(q *questions) {
			q.move = func(ctx context.Context, m continuation.Move) (*continuation.Continuation, error) {
				c, err := q.Store.Move(ctx, m)
				var closed *continuation.ClosedError
				if errors.As(err, &closed) && closed.Row.Status == m.To {
					return &closed.Row, nil
				}
				return c, err
			}
		}), []string{"move/one winner", "move/the machine"}},
		{"move does not say why", withQuestions(func(q *questions) {
			q.move = func(ctx context.Context, m continuation.Move) (*continuation.Continuation, error) {
				m.Why, m.By = "", ""
				return q.Store.Move(ctx, m)
			}
		}), []string{"move/what is written"}},
		{"a claim given back stays taken", withQuestions(func(q *questions) {
			q.move = func(ctx context.Context, m continuation.Move) (*continuation.Continuation, error) {
				if m.To == continuation.Pending {
					return q.Store.Get(ctx, m.ID, m.At)
				}
				return q.Store.Move(ctx, m)
			}
		}), []string{"move/a claim given back", "move/a claim given back lands elsewhere"}},
	}
}
