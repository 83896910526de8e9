package sqlite

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/checkpoint"
)

const (
	// One statement: it writes only for a run that is running at the epoch, and only over a step that is open.
	putStep = `INSERT INTO steps (run_id, step_id, session_id, state, payload, created_at)
	SELECT ?1, ?2, ?3, ?4, ?5, ?6 FROM runs WHERE id = ?1 AND state = 'running' AND epoch = ?7
	ON CONFLICT (run_id, step_id) DO UPDATE
	SET session_id = excluded.session_id, state = excluded.state, payload = excluded.payload, created_at = excluded.created_at
	RETURNING 1`

	selectStepState = `SELECT state FROM steps WHERE run_id = ? AND step_id = ?`

	selectSteps = `SELECT run_id, step_id, session_id, state, payload, created_at FROM steps WHERE run_id = ? AND step_id >= ?
	ORDER BY step_id`
)

func (s runs) Put(ctx context.Context, epoch int64, c checkpoint.Checkpoint) error {
	if len(c.Payload) > checkpoint.MaxStep {
		return fmt.Errorf("%w: %d bytes, at most %d", checkpoint.ErrTooLarge, len(c.Payload), checkpoint.MaxStep)
	}
	payload := c.Payload
	if payload == nil {
		payload = []byte{}
	}
	return s.write(ctx, func(db *conn) error {
		r, err := db.first(putStep, c.RunID, int64(c.StepID), c.SessionID, string(c.State), payload, micros(c.CreatedAt), epoch)
		switch {
		case err != nil:
			return db.stepRefused(err, c)
		case r == nil:
			return checkpoint.ErrFenced
		}
		return nil
	})
}

// stepRefused says why the database refused a step.
func (c *conn) stepRefused(err error, step checkpoint.Checkpoint) error {
	r, serr := c.first(selectStepState, step.RunID, int64(step.StepID))
	if serr == nil && r != nil && r.text() == string(checkpoint.ClosedStep) {
		return checkpoint.ErrClosedStep
	}
	return err
}

func (s runs) Steps(ctx context.Context, runID string, from int) (out []checkpoint.Checkpoint, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		return db.each(selectSteps, func(r *row) (bool, error) {
			out = append(out, checkpoint.Checkpoint{
				RunID: r.text(), StepID: r.int(), SessionID: r.text(), State: checkpoint.StepState(r.text()),
				Payload: r.bytes(), CreatedAt: r.time(),
			})
			return true, nil
		}, runID, int64(from))
	})
	return out, err
}
