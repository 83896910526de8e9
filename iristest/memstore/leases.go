package memstore

import (
	"context"
	"strings"
	"time"

	"github.com/iris-harness/iris/session"
)

func (s sessions) Acquire(ctx context.Context, sessionID, holder string, now, until time.Time) (out session.Lease, err error) {
	now, until = stamp(now), stamp(until)
	err = s.update(ctx, func(st *state) error {
		l, ok := st.leases.get(sessionID)
		if l.Holder != "" && l.Holder != holder && now.Before(l.Until) {
			return &session.BusyError{SessionID: sessionID, Until: l.Until}
		}
		epoch := l.Epoch
		if !ok {
			epoch = st.fence
		}
		out = session.Lease{SessionID: sessionID, Holder: holder, Epoch: epoch + 1, Until: until}
		st.leases.set(sessionID, out)
		return nil
	})
	return out, err
}

func (s sessions) Hold(ctx context.Context, l session.Lease, until time.Time) (out session.Lease, err error) {
	if !until.After(l.Until) {
		err = s.view(ctx, func(st *state) error {
			out, err = st.held(l)
			return err
		})
		return out, err
	}
	err = s.update(ctx, func(st *state) error {
		if out, err = st.held(l); err != nil {
			return err
		}
		if until = stamp(until); until.After(out.Until) {
			out.Until = until
			st.leases.set(l.SessionID, out)
		}
		return nil
	})
	return out, err
}

// held returns the session's lease, if it is still l.
func (st *state) held(l session.Lease) (session.Lease, error) {
	there, ok := st.leases.get(l.SessionID)
	if !ok || there.Epoch != l.Epoch || there.Holder != l.Holder {
		return session.Lease{}, session.ErrFenced
	}
	return there, nil
}

func (s sessions) Release(ctx context.Context, l session.Lease) error {
	return s.update(ctx, func(st *state) error {
		if there, ok := st.leases.get(l.SessionID); ok && there.Epoch == l.Epoch && there.Holder == l.Holder {
			there.Holder, there.Until = "", time.Time{}
			st.leases.set(l.SessionID, there)
		}
		return nil
	})
}

func (s sessions) TakeOver(ctx context.Context, sessionID string) error {
	return s.update(ctx, func(st *state) error {
		if there, ok := st.leases.get(sessionID); ok {
			there.Holder, there.Until = "", time.Time{}
			st.leases.set(sessionID, there)
		}
		return nil
	})
}

func (s sessions) Forget(ctx context.Context, sessionID string) error {
	return s.update(ctx, func(st *state) error {
		st.forgetRuns(sessionID)
		for id, c := range st.continuations.ascend("") {
			if c.SessionID == sessionID {
				st.continuations.delete(id)
				st.bySession.delete(join(sessionID, id))
			}
		}
		st.pending.delete(sessionID)
		for key, d := range st.outbox.ascend("") {
			if d.SessionID == sessionID {
				st.outbox.delete(key)
			}
		}
		forgetOwned(&st.messages, sessionID)
		forgetOwned(&st.turns, sessionID)
		forgetOwned(&st.replies, sessionID)
		if l, ok := st.leases.get(sessionID); ok {
			st.fence = max(st.fence, l.Epoch)
			st.leases.delete(sessionID)
		}
		return nil
	})
}

// forgetRuns deletes the session's runs, their steps, effects and approvals.
func (st *state) forgetRuns(sessionID string) {
	for order, key := range st.effectOrder.ascend("") {
		e, _ := st.effects.get(key)
		if r, ok := st.runs.get(e.RunID); e.SessionID == sessionID || ok && r.SessionID == sessionID {
			st.effects.delete(key)
			st.effectOrder.delete(order)
			st.effectItems.delete(itemKey(&e))
		}
	}
	for id, a := range st.approvals.ascend("") {
		if r, ok := st.runs.get(a.RunID); a.SessionID == sessionID || ok && r.SessionID == sessionID {
			st.approvals.delete(id)
		}
	}
	for id, r := range st.runs.ascend("") {
		if r.SessionID == sessionID {
			st.deleteRun(id)
		}
	}
}

// forgetOwned deletes the rows of an owner.
func forgetOwned[V any](t *tree[V], owner string) {
	for key := range t.ascend(join(owner, "")) {
		if !owned(key, owner) {
			return
		}
		t.delete(key)
	}
}

// cmpID orders rows by id, and rows of one id by session.
func cmpID(a, b, sa, sb string) int {
	if c := strings.Compare(a, b); c != 0 {
		return c
	}
	return strings.Compare(sa, sb)
}
