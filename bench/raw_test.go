//go:build cgo

package bench_test

import (
	"database/sql/driver"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/mattn/go-sqlite3"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/sqlite"
)

// raw is the driver alone, with prepared statements.
type raw struct {
	b                                    testing.TB
	conn                                 driver.Conn
	begin, commit, close_, insert, waits driver.Stmt
	claim                                driver.Stmt
}

func openRaw(b testing.TB, level sqlite.Synchronous) *raw {
	path := filepath.Join(b.TempDir(), "iris.db")
	s, err := sqlite.OpenWith(b.Context(), path, sqlite.Options{Synchronous: level})
	if err != nil {
		b.Fatal(err)
	}
	s.Close()
	return rawOn(b, path, level)
}

// rawOn opens a file that is there.
func rawOn(b testing.TB, path string, level sqlite.Synchronous) *raw {
	c, err := (&sqlite3.SQLiteDriver{}).Open("file:" + path + "?_mutex=no&_foreign_keys=1&_synchronous=" + string(level))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	prepare := func(text string) driver.Stmt {
		stmt, err := c.Prepare(text)
		if err != nil {
			b.Fatal(err)
		}
		return stmt
	}
	//lint:ignore SA1019 the driver's plainest call is the floor
	if _, err := prepare("PRAGMA wal_autocheckpoint = 10000").Query(nil); err != nil {
		b.Fatal(err)
	}
	const columns = `id, session_id, turn_id, owner, asker, kind, origin, question, options, intent, channel, asked_of,
	run_id, step_id, executor_kind, payload, created_at, expires_at`
	const all = columns + `, status, claimed_by, answered_by, claimed_at, closed_at, why, closed_by, outcome`
	return &raw{
		b: b, conn: c, begin: prepare("BEGIN IMMEDIATE"), commit: prepare("COMMIT"),
		close_: prepare(`UPDATE continuations SET status = 'superseded', closed_at = ? WHERE session_id = ? AND status = 'pending'`),
		insert: prepare(`INSERT INTO continuations (` + columns + `, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`),
		waits:  prepare(`SELECT ` + all + ` FROM continuations WHERE session_id = ? AND status = 'pending' AND expires_at > ?`),
		claim: prepare(`UPDATE continuations SET status = 'claimed', claimed_by = ?, answered_by = ?, claimed_at = ?
			WHERE id = ? AND session_id = ? AND status = 'pending' AND expires_at > ? RETURNING ` + all),
	}
}

func (r *raw) exec(s driver.Stmt, args ...driver.Value) {
	//lint:ignore SA1019 the driver's plainest call is the floor
	if _, err := s.Exec(args); err != nil {
		r.b.Fatal(err)
	}
}

func (r *raw) query(s driver.Stmt, args ...driver.Value) {
	//lint:ignore SA1019 the driver's plainest call is the floor
	rows, err := s.Query(args)
	if err != nil {
		r.b.Fatal(err)
	}
	var out [26]driver.Value
	if err := rows.Next(out[:len(rows.Columns())]); err != nil && err != io.EOF {
		r.b.Fatal(err)
	}
	rows.Close()
}

func (r *raw) ask(sessionID string) continuation.Continuation {
	c := asked(sessionID)
	r.exec(r.close_, start.UnixMicro(), sessionID)
	r.exec(r.insert, c.ID, c.SessionID, c.TurnID, c.Owner, "", string(c.Kind), string(c.Origin), c.Question, nil, "", c.Channel, "", "",
		int64(0), "", nil, c.CreatedAt.UnixMicro(), c.ExpiresAt.UnixMicro())
	return c
}

func (r *raw) take(c continuation.Continuation) {
	r.query(r.claim, "t", "", start.UnixMicro(), c.ID, c.SessionID, start.UnixMicro())
}

func (r *raw) cycle(sessionID string) {
	r.exec(r.begin)
	c := r.ask(sessionID)
	r.exec(r.commit)
	r.query(r.waits, sessionID, start.UnixMicro())
	r.exec(r.begin)
	r.take(c)
	r.exec(r.commit)
}

// cycles does n cycles with two commits.
func (r *raw) cycles(n int) {
	all := make([]continuation.Continuation, n)
	r.exec(r.begin)
	for i := range n {
		all[i] = r.ask(fmt.Sprintf("s%d", i))
	}
	r.exec(r.commit)
	for i := range n {
		r.query(r.waits, all[i].SessionID, start.UnixMicro())
	}
	r.exec(r.begin)
	for i := range n {
		r.take(all[i])
	}
	r.exec(r.commit)
}
