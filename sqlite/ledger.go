package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/iris-harness/iris/checkpoint"
)

type ledger struct{ *Store }

var _ checkpoint.Ledger = ledger{}

const effectColumns = `key, session_id, run_id, step_id, call_id, tool, args, digest, idempotent, approval_id, item, state, failed, result,
	happened, settled_by, started_at, ended_at`

func scanEffect(r *row) checkpoint.Effect {
	return checkpoint.Effect{
		Key: r.text(), SessionID: r.text(), RunID: r.text(), StepID: r.int(), CallID: r.text(), Tool: r.text(), Args: r.bytes(), Digest: r.text(),
		Idempotent: r.bool(), ApprovalID: r.text(), Item: r.int(), State: checkpoint.EffectState(r.text()), Failed: r.bool(),
		Result: r.bytes(), Happened: r.bool(), SettledBy: r.text(), StartedAt: r.time(), EndedAt: r.time(),
	}
}

// effects runs a statement that gives rows of the ledger.
func (c *conn) effects(text string, args ...driver.Value) (out []checkpoint.Effect, err error) {
	err = c.each(text, func(r *row) (bool, error) {
		out = append(out, scanEffect(r))
		return true, nil
	}, args...)
	return out, err
}

const (
	selectTaken = `SELECT ` + effectColumns + ` FROM effects WHERE key = ?1
	UNION ALL SELECT ` + effectColumns + ` FROM effects WHERE ?2 <> '' AND approval_id <> '' AND approval_id = ?2 AND item = ?3 LIMIT 1`

	insertEffect = `INSERT INTO effects (key, session_id, run_id, step_id, call_id, tool, args, digest, idempotent, approval_id, item, state,
	started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'started', ?)`
)

func (s ledger) Start(ctx context.Context, e checkpoint.Effect) error {
	return s.write(ctx, func(db *conn) error {
		taken, err := db.effects(selectTaken, e.Key, e.ApprovalID, int64(e.Item))
		if err != nil {
			return err
		}
		if len(taken) > 0 {
			there := taken[0]
			if there.Key == e.Key && there.State == checkpoint.Started && there.Idempotent && e.Idempotent {
				return nil // it may start again
			}
			return &checkpoint.EffectError{Effect: there}
		}
		return db.exec(insertEffect, e.Key, e.SessionID, e.RunID, int64(e.StepID), e.CallID, e.Tool, blob(e.Args), e.Digest, flag(e.Idempotent),
			e.ApprovalID, int64(e.Item), micros(e.StartedAt))
	})
}

const (
	finishEffect = `UPDATE effects SET state = 'finished', result = ?, failed = ?, ended_at = ? WHERE key = ? AND state = 'started' RETURNING 1`

	settleEffect = `UPDATE effects SET state = 'settled', happened = ?, settled_by = ?, ended_at = ? WHERE key = ? AND state = 'started' RETURNING 1`
)

func (s ledger) Finish(ctx context.Context, key string, result []byte, failed bool, at time.Time) error {
	return s.end(ctx, key, finishEffect, blob(result), flag(failed), micros(at), key)
}

func (s ledger) Settle(ctx context.Context, key string, happened bool, by string, at time.Time) error {
	return s.end(ctx, key, settleEffect, flag(happened), by, micros(at), key)
}

// end moves a started effect to where it ends.
func (s ledger) end(ctx context.Context, key, text string, args ...driver.Value) error {
	return s.write(ctx, func(db *conn) error {
		r, err := db.first(text, args...)
		if err != nil || r != nil {
			return err
		}
		there, err := db.effects(selectEffect, key)
		switch {
		case err != nil:
			return err
		case len(there) == 0:
			return checkpoint.ErrNotFound
		}
		return &checkpoint.EffectError{Effect: there[0]}
	})
}

const (
	selectEffect = `SELECT ` + effectColumns + ` FROM effects WHERE key = ?`

	selectEffects = `SELECT ` + effectColumns + ` FROM effects WHERE run_id = ? ORDER BY n`
)

func (s ledger) Effect(ctx context.Context, key string) (*checkpoint.Effect, error) {
	out, err := s.effects(ctx, selectEffect, key)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, checkpoint.ErrNotFound
	}
	return &out[0], nil
}

func (s ledger) Effects(ctx context.Context, runID string) ([]checkpoint.Effect, error) {
	return s.effects(ctx, selectEffects, runID)
}

func (s ledger) effects(ctx context.Context, text string, args ...driver.Value) (out []checkpoint.Effect, err error) {
	err = s.read(ctx, func(db *conn) error {
		out, err = db.effects(text, args...)
		return err
	})
	return out, err
}

func (s ledger) Ambiguous(ctx context.Context, sessionID, after string, limit int) (out []checkpoint.Effect, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		sel := newQuery(effectColumns, "effects INDEXED BY effects_started")
		sel.and("state = 'started' AND NOT idempotent")
		sel.is("session_id", sessionID)
		if after != "" {
			sel.and("n > (SELECT n FROM effects WHERE key = ?)", after)
		}
		return sel.run(db, "n", limit, func(r *row) error {
			out = append(out, scanEffect(r))
			return nil
		})
	})
	return out, err
}
