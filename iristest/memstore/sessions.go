package memstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/iris-harness/iris/session"
)

type sessions struct{ *Store }

var _ session.Store = sessions{}

func (s sessions) Append(ctx context.Context, m session.Message) error {
	m.Attachments, m.At = slices.Clone(m.Attachments), stamp(m.At)
	return s.update(ctx, func(st *state) error {
		key := join(m.SessionID, m.ID)
		if _, taken := st.messages.get(key); taken || m.ID == "" {
			return fmt.Errorf("message %q: %w", m.ID, ErrTaken)
		}
		st.messages.set(key, m)
		return nil
	})
}

func (s sessions) Messages(ctx context.Context, sessionID, before string, limit int) (out []session.Message, err error) {
	err = s.view(ctx, func(st *state) error {
		for key, m := range st.messages.descend(end(sessionID, before)) {
			if len(out) == orHundred(limit) || !owned(key, sessionID) {
				break
			}
			m.Attachments = slices.Clone(m.Attachments)
			out = append(out, m)
		}
		return nil
	})
	slices.Reverse(out)
	return out, err
}

func (s sessions) OpenTurn(ctx context.Context, t session.Turn) (prior *session.Turn, err error) {
	t.State, t.Reply, t.Error, t.StartedAt, t.EndedAt = session.Open, nil, "", stamp(t.StartedAt), time.Time{}
	err = s.update(ctx, func(st *state) error {
		if t.MessageID != "" {
			if p := st.turnOf(t.SessionID, t.MessageID); p != nil {
				prior = p
				return nil
			}
			st.replies.set(join(t.SessionID, t.MessageID), t.ID)
		}
		key := join(t.SessionID, t.ID)
		if _, taken := st.turns.get(key); taken || t.ID == "" {
			return fmt.Errorf("turn %q: %w", t.ID, ErrTaken)
		}
		st.turns.set(key, t)
		return nil
	})
	return prior, err
}

// turnOf returns the turn that has a message id, unless it is void; nil where there is none.
func (st *state) turnOf(sessionID, messageID string) *session.Turn {
	id, ok := st.replies.get(join(sessionID, messageID))
	if !ok {
		return nil
	}
	t, ok := st.turns.get(join(sessionID, id))
	if !ok || t.State == session.Void {
		return nil
	}
	t.Reply = bytes.Clone(t.Reply)
	return &t
}

func (s sessions) CloseTurn(ctx context.Context, t session.Turn) error {
	if t.State != session.Answered && t.State != session.Failed && t.State != session.Void {
		return fmt.Errorf("memstore: a turn does not end as %q", t.State)
	}
	return s.update(ctx, func(st *state) error {
		key := join(t.SessionID, t.ID)
		there, ok := st.turns.get(key)
		if !ok || there.State != session.Open {
			return session.ErrNotFound
		}
		there.State, there.Reply, there.Error, there.EndedAt = t.State, bytes.Clone(t.Reply), t.Error, stamp(t.EndedAt)
		st.turns.set(key, there)
		return nil
	})
}

func (s sessions) Turn(ctx context.Context, sessionID, messageID string) (out *session.Turn, err error) {
	err = s.view(ctx, func(st *state) error {
		if out = st.turnOf(sessionID, messageID); out == nil {
			return session.ErrNotFound
		}
		return nil
	})
	return out, err
}

func (s sessions) CountTurns(ctx context.Context, sessionID, after string) (n int, err error) {
	err = s.view(ctx, func(st *state) error {
		for key, t := range st.turns.ascend(join(sessionID, after)) {
			if !owned(key, sessionID) {
				break
			}
			if t.ID > after && !t.System && t.State != session.Void {
				n++
			}
		}
		return nil
	})
	return n, err
}

func (s sessions) OpenTurns(ctx context.Context, sessionID string, limit int) (out []session.Turn, err error) {
	err = s.view(ctx, func(st *state) error {
		for _, t := range st.turns.ascend("") {
			if t.State == session.Open && (sessionID == "" || sessionID == t.SessionID) {
				t.Reply = bytes.Clone(t.Reply)
				out = append(out, t)
			}
		}
		return nil
	})
	slices.SortFunc(out, func(a, b session.Turn) int { return cmpID(a.ID, b.ID, a.SessionID, b.SessionID) })
	return out[:min(len(out), orHundred(limit))], err
}
