package storetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/storetest"
)

// runStore is a store of runs with some methods replaced.
type runStore struct {
	checkpoint.Store
	put   func(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error
	move  func(ctx context.Context, m checkpoint.Move) (*checkpoint.Run, error)
	get   func(ctx context.Context, runID string, now time.Time) (*checkpoint.Run, error)
	steps func(ctx context.Context, runID string, from int) ([]checkpoint.Checkpoint, error)
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

func (r *runStore) Steps(ctx context.Context, runID string, from int) ([]checkpoint.Checkpoint, error) {
	if r.steps != nil {
		return r.steps(ctx, runID, from)
	}
	return r.Store.Steps(ctx, runID, from)
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
			r.steps = func(ctx context.Context, runID string, from int) ([]checkpoint.Checkpoint, error) {
				out, err := r.Store.Steps(ctx, runID, from)
				shared, _ := kept.LoadOrStore(runID, out)
				return shared.([]checkpoint.Checkpoint), err
			}
		}), []string{"step/bytes belong to the caller"}},
		{"steps from one too late on", withRuns(func(r *runStore) {
			r.steps = func(ctx context.Context, runID string, from int) ([]checkpoint.Checkpoint, error) {
				return r.Store.Steps(ctx, runID, from+min(from, 1))
			}
		}), []string{"step/in order"}},
		{"steps in reverse", withRuns(func(r *runStore) {
			r.steps = func(ctx context.Context, runID string, from int) ([]checkpoint.Checkpoint, error) {
				out, err := r.Store.Steps(ctx, runID, from)
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
