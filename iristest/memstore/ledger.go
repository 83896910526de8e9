package memstore

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/iris-harness/iris/checkpoint"
)

type ledger struct{ *Store }

var _ checkpoint.Ledger = ledger{}

func (s ledger) Start(ctx context.Context, e checkpoint.Effect) error {
	e.State, e.Failed, e.Result, e.Happened, e.SettledBy = checkpoint.Started, false, nil, false, ""
	e.StartedAt, e.EndedAt = stamp(e.StartedAt), time.Time{}
	return s.update(ctx, func(st *state) error {
		there, taken := st.effects.get(e.Key)
		if taken && there.State == checkpoint.Started && there.Idempotent && e.Idempotent {
			return nil // it may start again
		}
		if item := itemKey(&e); !taken && item != "" {
			var key string
			key, taken = st.effectItems.get(item)
			there, _ = st.effects.get(key)
		}
		if taken {
			return &checkpoint.EffectError{Effect: cloneEffect(there)}
		}
		st.started++
		st.effects.set(e.Key, cloneEffect(e))
		st.effectOrder.set(fmt.Sprintf("%020d", st.started), e.Key)
		if item := itemKey(&e); item != "" {
			st.effectItems.set(item, e.Key)
		}
		return nil
	})
}

// itemKey names the item of an approval that e ran under, "" where it ran under none.
func itemKey(e *checkpoint.Effect) string {
	if e.ApprovalID == "" {
		return ""
	}
	return join(e.ApprovalID, fmt.Sprint(e.Item))
}

func (s ledger) Finish(ctx context.Context, key string, result []byte, failed bool, at time.Time) error {
	return s.end(ctx, key, func(e *checkpoint.Effect) {
		e.State, e.Result, e.Failed, e.EndedAt = checkpoint.Finished, bytes.Clone(result), failed, stamp(at)
	})
}

func (s ledger) Settle(ctx context.Context, key string, happened bool, by string, at time.Time) error {
	return s.end(ctx, key, func(e *checkpoint.Effect) {
		e.State, e.Happened, e.SettledBy, e.EndedAt = checkpoint.Settled, happened, by, stamp(at)
	})
}

// end moves a started effect to where it ends.
func (s ledger) end(ctx context.Context, key string, move func(*checkpoint.Effect)) error {
	return s.update(ctx, func(st *state) error {
		e, ok := st.effects.get(key)
		switch {
		case !ok:
			return checkpoint.ErrNotFound
		case e.State != checkpoint.Started:
			return &checkpoint.EffectError{Effect: cloneEffect(e)}
		}
		move(&e)
		st.effects.set(key, e)
		return nil
	})
}

func (s ledger) Effect(ctx context.Context, key string) (out *checkpoint.Effect, err error) {
	err = s.view(ctx, func(st *state) error {
		e, ok := st.effects.get(key)
		if !ok {
			return checkpoint.ErrNotFound
		}
		e = cloneEffect(e)
		out = &e
		return nil
	})
	return out, err
}

func (s ledger) Effects(ctx context.Context, runID string) (out []checkpoint.Effect, err error) {
	err = s.view(ctx, func(st *state) error {
		for _, key := range st.effectOrder.ascend("") {
			if e, _ := st.effects.get(key); e.RunID == runID {
				out = append(out, cloneEffect(e))
			}
		}
		return nil
	})
	return out, err
}

func (s ledger) Ambiguous(ctx context.Context, sessionID, after string, limit int) (out []checkpoint.Effect, err error) {
	err = s.view(ctx, func(st *state) error {
		past := after == ""
		for _, key := range st.effectOrder.ascend("") {
			if len(out) == orHundred(limit) {
				break
			}
			e, _ := st.effects.get(key)
			if past && e.Ambiguous() && (sessionID == "" || sessionID == e.SessionID) {
				out = append(out, cloneEffect(e))
			}
			past = past || key == after
		}
		return nil
	})
	return out, err
}

func cloneEffect(e checkpoint.Effect) checkpoint.Effect {
	e.Args = bytes.Clone(e.Args)
	e.Result = bytes.Clone(e.Result)
	return e
}
