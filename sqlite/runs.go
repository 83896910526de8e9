package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
)

type runs struct{ *Store }

var _ checkpoint.Store = runs{}

const runColumns = `id, session_id, turn_id, agent, intent, channel, asked_of, task, place, state, reason, detail, epoch, asked,
	approval_id, pinned, created_at, updated_at, expires_at`

func scanRun(r *row) (*checkpoint.Run, error) {
	out := &checkpoint.Run{
		ID: r.text(), SessionID: r.text(), TurnID: r.text(), Agent: r.text(), Intent: r.text(), Channel: r.text(), AskedOf: r.text(),
		Task: r.text(), Order: r.int(), State: checkpoint.State(r.text()), Reason: checkpoint.Reason(r.text()), Detail: r.text(),
		Epoch: r.int64(),
	}
	if err := r.json(&out.Asked); err != nil {
		return nil, fmt.Errorf("sqlite: run %s: its question: %w: %w", out.ID, ErrCorrupt, err)
	}
	out.ApprovalID, out.Pinned = r.text(), r.bool()
	out.CreatedAt, out.UpdatedAt, out.ExpiresAt = r.time(), r.time(), r.time()
	return out, nil
}

// run runs a statement that gives one row of runs or none.
func (c *conn) run(text string, args ...driver.Value) (*checkpoint.Run, error) {
	r, err := c.first(text, args...)
	if err != nil || r == nil {
		return nil, err
	}
	return scanRun(r)
}

// asked is a run's question as it is stored.
func asked(a *checkpoint.Asked) (driver.Value, error) {
	if a == nil {
		return nil, nil
	}
	b, err := continuation.Exact(a)
	if err != nil {
		return nil, fmt.Errorf("sqlite: a run's question: %w", err)
	}
	return []byte(b), nil
}

const insertRun = `INSERT INTO runs (` + runColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (s runs) Begin(ctx context.Context, r checkpoint.Run) error {
	question, err := asked(r.Asked)
	if err != nil {
		return err
	}
	return s.write(ctx, func(db *conn) error {
		err := db.exec(insertRun, r.ID, r.SessionID, r.TurnID, r.Agent, r.Intent, r.Channel, r.AskedOf, r.Task, int64(r.Order),
			string(r.Reason), r.Detail, r.Epoch, question, r.ApprovalID, flag(r.Pinned),
			micros(r.CreatedAt), micros(r.UpdatedAt), micros(r.ExpiresAt))
		if err == nil {
			return nil
		}
		if there, ferr := db.run(selectRun, r.ID); ferr == nil && there != nil {
			return &checkpoint.StateError{Run: *there}
		}
		return err
	})
}

const (
	selectRun = `SELECT ` + runColumns + ` FROM runs WHERE id = ?`

	// A run that is running is there until it has been taken over, whatever its time.
	alive = `(state = 'running' OR pinned OR expires_at > ?)`

	moveRun = `UPDATE runs SET state = ?1, reason = ?2, detail = ?3, asked = ?4, approval_id = ?5, epoch = epoch + ?6, updated_at = ?7,
	turn_id = CASE ?8 WHEN '' THEN turn_id ELSE ?8 END, expires_at = CASE ?9 WHEN 0 THEN expires_at ELSE ?9 END
	WHERE id = ?10 AND epoch = ?11 AND (state = ?12 OR state = ?13 OR state = ?14 OR state = ?15) AND (state = 'running' OR pinned OR expires_at > ?7)
	RETURNING ` + runColumns
)

func (s runs) Move(ctx context.Context, m checkpoint.Move) (out *checkpoint.Run, err error) {
	question, err := asked(m.Asked)
	if err != nil {
		return nil, err
	}
	from := origins(m)
	err = s.write(ctx, func(db *conn) error {
		if from != [4]string{} {
			out, err = db.run(moveRun, string(m.To), string(m.Reason), m.Detail, question, m.ApprovalID, flag(m.To == checkpoint.Running),
				micros(m.At), m.TurnID, micros(m.ExpiresAt), m.RunID, m.Epoch, from[0], from[1], from[2], from[3])
			if err != nil || out != nil {
				return err
			}
		}
		there, err := db.run(selectRun, m.RunID)
		switch {
		case err != nil:
			return err
		case there == nil || gone(there, m.At):
			return checkpoint.ErrNotFound
		}
		return &checkpoint.StateError{Run: *there}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// origins returns the states of m.From that a run's machine leads from to m.To; "" for none.
func origins(m checkpoint.Move) (out [4]string) {
	legal := []checkpoint.State{checkpoint.Running}
	switch m.To {
	case checkpoint.Running:
		legal = []checkpoint.State{checkpoint.Paused, checkpoint.Held, checkpoint.Failed}
	case checkpoint.Ended:
		legal = []checkpoint.State{checkpoint.Running, checkpoint.Paused, checkpoint.Held, checkpoint.Failed}
	}
	n := 0
	for _, state := range legal {
		if slices.Contains(m.From, state) {
			out[n] = string(state)
			n++
		}
	}
	return out
}

// gone reports whether r reads as not found at now.
func gone(r *checkpoint.Run, now time.Time) bool {
	return !r.Pinned && r.State != checkpoint.Running && micros(now) >= micros(r.ExpiresAt)
}

func (s runs) Get(ctx context.Context, runID string, now time.Time) (out *checkpoint.Run, err error) {
	err = s.read(ctx, func(db *conn) error {
		out, err = db.run(selectRun, runID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if out == nil || gone(out, now) {
		return nil, checkpoint.ErrNotFound
	}
	return out, nil
}

func (s runs) List(ctx context.Context, q checkpoint.Query) (out []checkpoint.Run, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		sel := newQuery(runColumns, "runs")
		sel.is("session_id", q.SessionID)
		sel.is("turn_id", q.TurnID)
		if len(q.State) > 0 && !slices.Contains(q.State, checkpoint.Done) && !slices.Contains(q.State, checkpoint.Ended) {
			sel.and("state NOT IN ('done', 'ended')") // as the index has it
		}
		among(sel, "state", nil, q.State)
		sel.and(alive, micros(q.Now))
		sel.below("id", q.Before)
		return sel.run(db, "id DESC", q.Limit, func(r *row) error {
			run, err := scanRun(r)
			if err == nil {
				out = append(out, *run)
			}
			return err
		})
	})
	return out, err
}

const pinRun = `UPDATE runs SET pinned = ?1, expires_at = iif(?1, expires_at, ?2) WHERE id = ?3`

func (s runs) Pin(ctx context.Context, runID string, pinned bool, until time.Time) error {
	return s.write(ctx, func(db *conn) error {
		n, err := db.changed(pinRun, flag(pinned), micros(until), runID)
		if err == nil && n == 0 {
			err = checkpoint.ErrNotFound
		}
		return err
	})
}

const (
	selectDeadRuns = `SELECT n FROM runs WHERE expires_at <= ? AND NOT pinned AND state <> 'running' ORDER BY n LIMIT ?`

	deleteRuns = `DELETE FROM runs WHERE n IN (SELECT value FROM json_each(?2)) AND expires_at <= ?1 AND NOT pinned AND state <> 'running'`
)

func (s runs) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	var dead []int64
	err := s.read(ctx, func(db *conn) (err error) {
		dead, err = db.numbers(selectDeadRuns, micros(now), orHundred(limit))
		return err
	})
	if err != nil {
		return 0, err
	}
	return s.inChunks(ctx, deleteRuns, micros(now), dead)
}
