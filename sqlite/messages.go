package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/iris-harness/iris/session"
)

type sessions struct{ *Store }

var _ session.Store = sessions{}

const (
	messageColumns = `session_id, id, turn_id, role, agent, sender, channel, text, attachments, at`

	insertMessage = `INSERT INTO messages (` + messageColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

func (s sessions) Append(ctx context.Context, m session.Message) error {
	attachments, err := list(m.Attachments)
	if err != nil {
		return err
	}
	return s.write(ctx, func(db *conn) error {
		return db.exec(insertMessage, m.SessionID, m.ID, m.TurnID, string(m.Role), m.Agent, m.Sender, m.Channel, m.Text,
			attachments, micros(m.At))
	})
}

func (s sessions) Messages(ctx context.Context, sessionID, before string, limit int) (out []session.Message, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		sel := newQuery(messageColumns, "messages")
		sel.and("session_id = ?", sessionID)
		sel.below("id", before)
		return sel.run(db, "id DESC", limit, func(r *row) error {
			m, err := scanMessage(r)
			out = append(out, m)
			return err
		})
	})
	slices.Reverse(out)
	return out, err
}

func scanMessage(r *row) (session.Message, error) {
	m := session.Message{
		SessionID: r.text(), ID: r.text(), TurnID: r.text(), Role: session.Role(r.text()), Agent: r.text(), Sender: r.text(),
		Channel: r.text(), Text: r.text(),
	}
	if err := r.json(&m.Attachments); err != nil {
		return m, fmt.Errorf("sqlite: message %s: its attachments: %w: %w", m.ID, ErrCorrupt, err)
	}
	m.At = r.time()
	return m, nil
}
