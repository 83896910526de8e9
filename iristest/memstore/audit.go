package memstore

import (
	"context"
	"fmt"
	"iter"

	"github.com/iris-harness/iris/audit"
)

type auditLog struct{ *Store }

var _ audit.Log = auditLog{}

func (s auditLog) Append(ctx context.Context, e audit.Entry) error {
	e.At = stamp(e.At)
	return s.update(ctx, func(st *state) error {
		st.seq++
		e.Seq = st.seq
		e.Prev, _ = st.heads.get(e.SessionID)
		e.Hash = e.Sum(e.Prev)
		st.entries.set(seqKey(e.Seq), e)
		st.heads.set(e.SessionID, e.Hash)
		return nil
	})
}

func seqKey(seq int64) string { return fmt.Sprintf("%020d", seq) }

func (s auditLog) Entries(ctx context.Context, after int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		var all tree[audit.Entry]
		err := s.view(ctx, func(st *state) error {
			all = st.entries // a snapshot: the consumer's own code runs outside of the transaction's turn
			return nil
		})
		if err != nil {
			yield(audit.Entry{}, err)
			return
		}
		for _, e := range all.ascend(seqKey(max(after, 0) + 1)) {
			if !yield(e, nil) {
				return
			}
		}
	}
}
