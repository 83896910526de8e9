package sqlite

import (
	"context"
	"iter"
	"time"

	"github.com/iris-harness/iris/audit"
)

type auditLog struct{ *Store }

var _ audit.Log = auditLog{}

const (
	auditColumns = `session_id, at, kind, run_id, step_id, turn_id, point, subject, verdict, actor, reason, digest, prev, hash`

	selectHead = `SELECT hash FROM audit WHERE session_id = ? ORDER BY seq DESC LIMIT 1`

	insertEntry = `INSERT INTO audit (` + auditColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectEntries = `SELECT seq, ` + auditColumns + ` FROM audit WHERE seq > ? ORDER BY seq LIMIT 256`
)

func (s auditLog) Append(ctx context.Context, e audit.Entry) error {
	if !e.At.IsZero() {
		e.At = time.UnixMicro(e.At.UnixMicro()).UTC()
	}
	return s.write(ctx, func(db *conn) error {
		r, err := db.first(selectHead, e.SessionID)
		if err != nil {
			return err
		}
		prev := ""
		if r != nil {
			prev = r.text()
		}
		return db.exec(insertEntry, e.SessionID, micros(e.At), string(e.Kind), e.RunID, int64(e.StepID), e.TurnID, e.Point, e.Subject,
			e.Verdict, e.By, e.Reason, e.Digest, prev, e.Sum(prev))
	})
}

// Entries reads a page at a time: what the consumer does between two rows holds nothing open.
func (s auditLog) Entries(ctx context.Context, after int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for {
			page, err := s.page(ctx, after)
			if err != nil {
				yield(audit.Entry{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			if len(page) == 0 {
				return
			}
		}
	}
}

func (s auditLog) page(ctx context.Context, after int64) (out []audit.Entry, err error) {
	err = s.read(ctx, func(db *conn) error {
		out = nil
		return db.each(selectEntries, func(r *row) (bool, error) {
			out = append(out, audit.Entry{
				Seq: r.int64(), SessionID: r.text(), At: r.time(), Kind: audit.Kind(r.text()), RunID: r.text(), StepID: r.int(),
				TurnID: r.text(), Point: r.text(), Subject: r.text(), Verdict: r.text(), By: r.text(), Reason: r.text(),
				Digest: r.text(), Prev: r.text(), Hash: r.text(),
			})
			return true, nil
		}, after)
	})
	return out, err
}
