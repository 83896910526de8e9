package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/iris-harness/iris/session"
)

const (
	turnColumns = `id, session_id, message_id, channel, sender, system, epoch, state, reply, error, started_at, ended_at`

	selectTurn = `SELECT ` + turnColumns + ` FROM turns WHERE session_id = ? AND message_id = ? AND message_id <> '' AND state <> 'void'`

	insertTurn = `INSERT INTO turns (id, session_id, message_id, channel, sender, system, epoch, state, started_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?)`

	closeTurn = `UPDATE turns SET state = ?, reply = ?, error = ?, ended_at = ? WHERE session_id = ? AND id = ? AND state = 'open' RETURNING 1`
)

func scanTurn(r *row) session.Turn {
	return session.Turn{
		ID: r.text(), SessionID: r.text(), MessageID: r.text(), Channel: r.text(), Sender: r.text(), System: r.bool(), Epoch: r.int64(),
		State: session.TurnState(r.text()), Reply: r.bytes(), Error: r.text(), StartedAt: r.time(), EndedAt: r.time(),
	}
}

// turns runs a statement that gives rows of turns.
func (c *conn) turns(text string, args ...driver.Value) (out []session.Turn, err error) {
	err = c.each(text, func(r *row) (bool, error) {
		out = append(out, scanTurn(r))
		return true, nil
	}, args...)
	return out, err
}

func (s sessions) OpenTurn(ctx context.Context, t session.Turn) (prior *session.Turn, err error) {
	err = s.write(ctx, func(db *conn) error {
		if t.MessageID != "" {
			there, err := db.turns(selectTurn, t.SessionID, t.MessageID)
			if err != nil {
				return err
			}
			if len(there) > 0 {
				prior = &there[0]
				return nil
			}
		}
		return db.exec(insertTurn, t.ID, t.SessionID, t.MessageID, t.Channel, t.Sender, flag(t.System), t.Epoch, micros(t.StartedAt))
	})
	if err != nil {
		return nil, err
	}
	return prior, nil
}

func (s sessions) CloseTurn(ctx context.Context, t session.Turn) error {
	if t.State != session.Answered && t.State != session.Failed && t.State != session.Void {
		return fmt.Errorf("sqlite: a turn does not end as %q", t.State)
	}
	return s.write(ctx, func(db *conn) error {
		r, err := db.first(closeTurn, string(t.State), blob(t.Reply), t.Error, micros(t.EndedAt), t.SessionID, t.ID)
		if err == nil && r == nil {
			err = session.ErrNotFound
		}
		return err
	})
}

func (s sessions) Turn(ctx context.Context, sessionID, messageID string) (*session.Turn, error) {
	var out []session.Turn
	err := s.read(ctx, func(db *conn) (err error) {
		out, err = db.turns(selectTurn, sessionID, messageID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, session.ErrNotFound
	}
	return &out[0], nil
}

func (s sessions) CountTurns(ctx context.Context, sessionID, after string) (n int, err error) {
	err = s.read(ctx, func(db *conn) error {
		r, err := db.first("SELECT count(*) FROM turns WHERE session_id = ? AND id > ? AND NOT system AND state <> 'void'", sessionID, after)
		if err == nil {
			n = r.int()
		}
		return err
	})
	return n, err
}

func (s sessions) OpenTurns(ctx context.Context, sessionID string, limit int) (out []session.Turn, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		sel := newQuery(turnColumns, "turns INDEXED BY turns_open")
		sel.and("state = 'open'")
		sel.is("session_id", sessionID)
		return sel.run(db, "id, session_id", limit, func(r *row) error {
			out = append(out, scanTurn(r))
			return nil
		})
	})
	return out, err
}
