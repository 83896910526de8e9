package storetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
	"github.com/iris-harness/iris/storetest"
)

// mutant is a store that breaks one rule, and the checks that must notice.
type mutant struct {
	name   string
	break_ func(s storetest.Store) storetest.Store
	fails  []string
}

// parts replaces parts of a store.
type parts struct {
	storetest.Store
	c       continuation.Store
	r       checkpoint.Store
	l       checkpoint.Ledger
	a       approval.Store
	o       approval.Outbox
	s       session.Store
	log     audit.Log
	atomic  func(ctx context.Context, fn func(ctx context.Context) error) error
	noClose bool
}

func (p parts) Continuations() continuation.Store { return or(p.c, p.Store.Continuations()) }
func (p parts) Checkpoints() checkpoint.Store     { return or(p.r, p.Store.Checkpoints()) }
func (p parts) Ledger() checkpoint.Ledger         { return or(p.l, p.Store.Ledger()) }
func (p parts) Approvals() approval.Store         { return or(p.a, p.Store.Approvals()) }
func (p parts) Outbox() approval.Outbox           { return or(p.o, p.Store.Outbox()) }
func (p parts) Sessions() session.Store           { return or(p.s, p.Store.Sessions()) }
func (p parts) Audit() audit.Log                  { return or(p.log, p.Store.Audit()) }

func (p parts) Atomically(ctx context.Context, fn func(ctx context.Context) error) error {
	if p.atomic != nil {
		return p.atomic(ctx, fn)
	}
	return p.Store.Atomically(ctx, fn)
}

func (p parts) Close() error {
	if p.noClose {
		return nil
	}
	return p.Store.Close()
}

func or[I comparable](broken, sound I) I {
	var none I
	if broken != none {
		return broken
	}
	return sound
}

func mutants() []mutant {
	return slices.Concat(continuationMutants(), runMutants(), approvalMutants(), sessionMutants(), storeMutants())
}

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

// runStore is a store of runs with some methods replaced.
type runStore struct {
	checkpoint.Store
	put   func(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error
	move  func(ctx context.Context, m checkpoint.Move) (*checkpoint.Run, error)
	get   func(ctx context.Context, runID string, now time.Time) (*checkpoint.Run, error)
	steps func(ctx context.Context, runID string) ([]checkpoint.Checkpoint, error)
	list  func(ctx context.Context, q checkpoint.Query) ([]checkpoint.Run, error)
	sweep func(ctx context.Context, now time.Time, limit int) (int, error)
}

func (r *runStore) Put(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
	if r.put != nil {
		return r.put(ctx, epoch, c)
	}
	return r.Store.Put(ctx, epoch, c)
}

func (r *runStore) Move(ctx context.Context, m checkpoint.Move) (*checkpoint.Run, error) {
	if r.move != nil {
		return r.move(ctx, m)
	}
	return r.Store.Move(ctx, m)
}

func (r *runStore) Get(ctx context.Context, runID string, now time.Time) (*checkpoint.Run, error) {
	if r.get != nil {
		return r.get(ctx, runID, now)
	}
	return r.Store.Get(ctx, runID, now)
}

func (r *runStore) Steps(ctx context.Context, runID string) ([]checkpoint.Checkpoint, error) {
	if r.steps != nil {
		return r.steps(ctx, runID)
	}
	return r.Store.Steps(ctx, runID)
}

func (r *runStore) List(ctx context.Context, q checkpoint.Query) ([]checkpoint.Run, error) {
	if r.list != nil {
		return r.list(ctx, q)
	}
	return r.Store.List(ctx, q)
}

func (r *runStore) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	if r.sweep != nil {
		return r.sweep(ctx, now, limit)
	}
	return r.Store.Sweep(ctx, now, limit)
}

func withRuns(change func(r *runStore)) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		r := &runStore{Store: s.Checkpoints()}
		change(r)
		return parts{Store: s, r: r}
	}
}

// ledger is a ledger with some methods replaced.
type ledger struct {
	checkpoint.Ledger
	start     func(ctx context.Context, e checkpoint.Effect) error
	finish    func(ctx context.Context, key string, result []byte, failed bool, at time.Time) error
	ambiguous func(ctx context.Context, sessionID, after string, limit int) ([]checkpoint.Effect, error)
}

func (l *ledger) Start(ctx context.Context, e checkpoint.Effect) error {
	if l.start != nil {
		return l.start(ctx, e)
	}
	return l.Ledger.Start(ctx, e)
}

func (l *ledger) Finish(ctx context.Context, key string, result []byte, failed bool, at time.Time) error {
	if l.finish != nil {
		return l.finish(ctx, key, result, failed, at)
	}
	return l.Ledger.Finish(ctx, key, result, failed, at)
}

func (l *ledger) Ambiguous(ctx context.Context, sessionID, after string, limit int) ([]checkpoint.Effect, error) {
	if l.ambiguous != nil {
		return l.ambiguous(ctx, sessionID, after, limit)
	}
	return l.Ledger.Ambiguous(ctx, sessionID, after, limit)
}

func withLedger(change func(l *ledger)) func(s storetest.Store) storetest.Store {
	return func(s storetest.Store) storetest.Store {
		l := &ledger{Ledger: s.Ledger()}
		change(l)
		return parts{Store: s, l: l}
	}
}

// taken makes err nil where it says that an effect is there.
func taken(err error) error {
	var there *checkpoint.EffectError
	if errors.As(err, &there) {
		return nil
	}
	return err
}

func runMutants() []mutant {
	return []mutant{
		{"a run moves at any epoch", withRuns(func(r *runStore) {
			r.move = func(ctx context.Context, m checkpoint.Move) (*checkpoint.Run, error) {
				if there, err := r.Store.Get(ctx, m.RunID, m.At); err == nil {
					m.Epoch, m.From = there.Epoch, []checkpoint.State{there.State}
				}
				out, err := r.Store.Move(ctx, m)
				var stands *checkpoint.StateError
				if errors.As(err, &stands) {
					return &stands.Run, nil
				}
				return out, err
			}
		}), []string{"run/the machine", "run/what a move writes", "run/one winner", "model/runs, one caller", "model/runs, several callers"}},
		{"a run's time does not end", withRuns(func(r *runStore) {
			r.get = func(ctx context.Context, runID string, _ time.Time) (*checkpoint.Run, error) {
				return r.Store.Get(ctx, runID, time.Time{})
			}
		}), []string{"run/time is up at the deadline"}},
		{"a run loses its task", withRuns(func(r *runStore) {
			r.get = func(ctx context.Context, runID string, now time.Time) (*checkpoint.Run, error) {
				out, err := r.Store.Get(ctx, runID, now)
				if out != nil {
					out.Task = ""
				}
				return out, err
			}
		}), []string{"run/keeps every field"}},
		{"a sweep of runs spares nobody", withRuns(func(r *runStore) {
			r.sweep = func(ctx context.Context, now time.Time, limit int) (int, error) {
				runs, _ := r.Store.List(ctx, checkpoint.Query{Now: now})
				for _, run := range runs {
					_ = r.Store.Pin(ctx, run.ID, false, now)
					_, _ = r.Store.Move(ctx, checkpoint.Move{RunID: run.ID, From: []checkpoint.State{run.State}, Epoch: run.Epoch, To: checkpoint.Failed, At: now})
				}
				return r.Store.Sweep(ctx, now, limit)
			}
		}), []string{"run/pinned and running runs stay"}},
		{"a sweep of runs has no limit", withRuns(func(r *runStore) {
			r.sweep = func(ctx context.Context, now time.Time, _ int) (int, error) { return r.Store.Sweep(ctx, now, 1000) }
		}), []string{"run/sweep"}},
		{"runs are listed whole", withRuns(func(r *runStore) {
			r.list = func(ctx context.Context, q checkpoint.Query) ([]checkpoint.Run, error) {
				q.State = nil
				return r.Store.List(ctx, q)
			}
		}), []string{"run/list"}},
		{"a step by anybody", withRuns(func(r *runStore) {
			r.put = func(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
				if there, err := r.Store.Get(ctx, c.RunID, time.Time{}); err == nil {
					epoch = there.Epoch
				}
				return r.Store.Put(ctx, epoch, c)
			}
		}), []string{"step/only by who has the run"}},
		{"a closed step is written again", withRuns(func(r *runStore) {
			r.put = func(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
				if err := r.Store.Put(ctx, epoch, c); !errors.Is(err, checkpoint.ErrClosedStep) {
					return err
				}
				return nil
			}
		}), []string{"step/an open step is replaced, a closed one never", "step/closed once"}},
		{"a step of any size", withRuns(func(r *runStore) {
			r.put = func(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
				c.Payload = c.Payload[:min(len(c.Payload), checkpoint.MaxStep)]
				return r.Store.Put(ctx, epoch, c)
			}
		}), []string{"step/size"}},
		{"a step's bytes are made tidy", withRuns(func(r *runStore) {
			r.put = func(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
				if !json.Valid(c.Payload) {
					c.Payload = []byte("{}")
				}
				return r.Store.Put(ctx, epoch, c)
			}
		}), []string{"step/any bytes come back"}},
		{"a step's bytes are shared", withRuns(func(r *runStore) {
			var kept sync.Map
			r.steps = func(ctx context.Context, runID string) ([]checkpoint.Checkpoint, error) {
				out, err := r.Store.Steps(ctx, runID)
				shared, _ := kept.LoadOrStore(runID, out)
				return shared.([]checkpoint.Checkpoint), err
			}
		}), []string{"step/bytes belong to the caller"}},
		{"steps in reverse", withRuns(func(r *runStore) {
			r.steps = func(ctx context.Context, runID string) ([]checkpoint.Checkpoint, error) {
				out, err := r.Store.Steps(ctx, runID)
				slices.Reverse(out)
				return out, err
			}
		}), []string{"step/in order"}},
		{"an effect starts twice", withLedger(func(l *ledger) {
			l.start = func(ctx context.Context, e checkpoint.Effect) error { return taken(l.Ledger.Start(ctx, e)) }
		}), []string{"ledger/starts once", "ledger/one starts it", "ledger/an item of an approval is used once"}},
		{"an effect ends twice", withLedger(func(l *ledger) {
			l.finish = func(ctx context.Context, key string, result []byte, failed bool, at time.Time) error {
				return taken(l.Ledger.Finish(ctx, key, result, failed, at))
			}
		}), []string{"ledger/starts, and ends once"}},
		{"an effect's failure is forgotten", withLedger(func(l *ledger) {
			l.finish = func(ctx context.Context, key string, result []byte, _ bool, at time.Time) error {
				return l.Ledger.Finish(ctx, key, result, false, at)
			}
		}), []string{"ledger/keeps every field"}},
		{"ambiguous effects of anybody", withLedger(func(l *ledger) {
			l.ambiguous = func(ctx context.Context, _, after string, limit int) ([]checkpoint.Effect, error) {
				return l.Ledger.Ambiguous(ctx, "", after, limit)
			}
		}), []string{"ledger/lists"}},
	}
}
