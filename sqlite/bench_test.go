//go:build cgo

package sqlite_test

import (
	"database/sql/driver"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/sqlite"
)

var levels = []sqlite.Synchronous{sqlite.Normal, sqlite.Full}

// BenchmarkCycle is ask, read what waits, claim: the life of one question in one session, through the store and through the
// driver alone, on the same schema with the same settings.
func BenchmarkCycle(b *testing.B) {
	for _, level := range levels {
		b.Run(string(level)+"/raw", func(b *testing.B) {
			raw := openRaw(b, level)
			b.ReportAllocs()
			for b.Loop() {
				raw.cycle("s")
			}
		})
		b.Run(string(level)+"/store", func(b *testing.B) {
			s := openBench(b, level)
			b.ReportAllocs()
			for b.Loop() {
				cycle(b, s, "s")
			}
		})
	}
}

// BenchmarkSessions is the cycle in 64 sessions at once, divided by the driver alone doing the same work 64 rows to a commit
// ("batched") and a row to a commit ("one by one").
func BenchmarkSessions(b *testing.B) {
	for _, level := range levels {
		b.Run(string(level)+"/raw batched", func(b *testing.B) {
			raw := openRaw(b, level)
			for n := 0; b.Loop(); n++ {
				if n%64 == 0 {
					raw.cycles(64)
				}
			}
		})
		b.Run(string(level)+"/raw one by one", func(b *testing.B) {
			raw := openRaw(b, level)
			for n := 0; b.Loop(); n++ {
				raw.cycle(fmt.Sprintf("s%d", n%64))
			}
		})
		b.Run(string(level)+"/store", func(b *testing.B) {
			s := openBench(b, level)
			b.ReportAllocs()
			var left atomic.Int64
			left.Store(int64(b.N))
			times := make([]time.Duration, b.N)
			var done sync.WaitGroup
			b.ResetTimer()
			for i := range 64 {
				done.Go(func() {
					for n := left.Add(-1); n >= 0; n = left.Add(-1) {
						begin := time.Now()
						cycle(b, s, fmt.Sprintf("s%d", i))
						times[n] = time.Since(begin)
					}
				})
			}
			done.Wait()
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
			stats := s.Stats()
			b.ReportMetric(float64(stats.Operations)/float64(stats.Transactions), "ops/commit")
		})
	}
}

// BenchmarkPending is reading what waits, among some pending rows. 1000000 rows take a minute to write: -rows.
func BenchmarkPending(b *testing.B) {
	for _, n := range []int{1_000, *rows} {
		path := filepath.Join(b.TempDir(), "iris.db")
		s, err := sqlite.OpenWith(b.Context(), path, sqlite.Options{Synchronous: sqlite.Off})
		if err != nil {
			b.Fatal(err)
		}
		fillPending(b, s, n)
		raw := rawOn(b, path, sqlite.Off)
		session := func(i int) string { return fmt.Sprintf("s%d", i*7919%n) }
		b.Run(fmt.Sprintf("%d rows/raw", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				raw.query(raw.waits, session(i), start.UnixMicro())
			}
		})
		b.Run(fmt.Sprintf("%d rows/store", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if c, err := s.Continuations().Pending(b.Context(), session(i), start); err != nil || c == nil {
					b.Fatal(c, err)
				}
			}
		})
		s.Close()
	}
}

var rows = flag.Int("rows", 100_000, "pending rows in BenchmarkPending")

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func openBench(b testing.TB, level sqlite.Synchronous) *sqlite.Store {
	s, err := sqlite.OpenWith(b.Context(), filepath.Join(b.TempDir(), "iris.db"), sqlite.Options{Synchronous: level})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

func benchQuestion(sessionID string) continuation.Continuation {
	return continuation.Continuation{
		ID: id.New(start), SessionID: sessionID, TurnID: "01HZZZZZZZZZZZZZZZZZZZZZZZ", Owner: "planner", Kind: continuation.YesNo,
		Origin: continuation.Explicit, Question: "Would you like me to proceed with this plan?", Channel: "web",
		CreatedAt: start, ExpiresAt: start.Add(time.Hour),
	}
}

func cycle(b testing.TB, s *sqlite.Store, sessionID string) {
	c := benchQuestion(sessionID)
	if _, err := s.Continuations().Open(b.Context(), c); err != nil {
		b.Error(err)
	}
	if p, err := s.Continuations().Pending(b.Context(), sessionID, start); err != nil || p == nil || p.ID != c.ID {
		b.Error(p, err)
	}
	if _, err := s.Continuations().Claim(b.Context(), continuation.Claimant{ID: c.ID, SessionID: sessionID, TurnID: "t", At: start}); err != nil {
		b.Error(err)
	}
}

func fillPending(b testing.TB, s *sqlite.Store, rows int) {
	var done sync.WaitGroup
	for part := range 64 {
		done.Go(func() {
			for i := part; i < rows; i += 64 {
				if _, err := s.Continuations().Open(b.Context(), benchQuestion(fmt.Sprintf("s%d", i))); err != nil {
					b.Error(err)
				}
			}
		})
	}
	done.Wait()
}

// raw is the driver alone, with prepared statements.
type raw struct {
	b                                    testing.TB
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
	if _, err := prepare("PRAGMA wal_autocheckpoint = 10000").Query(nil); err != nil {
		b.Fatal(err)
	}
	const columns = `id, session_id, turn_id, owner, asker, kind, origin, question, options, intent, channel, asked_of,
	run_id, step_id, executor_kind, payload, created_at, expires_at`
	const all = columns + `, status, claimed_by, answered_by, claimed_at, closed_at, why, closed_by, outcome`
	return &raw{
		b: b, begin: prepare("BEGIN IMMEDIATE"), commit: prepare("COMMIT"),
		close_: prepare(`UPDATE continuations SET status = 'superseded', closed_at = ? WHERE session_id = ? AND status = 'pending'`),
		insert: prepare(`INSERT INTO continuations (` + columns + `, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`),
		waits:  prepare(`SELECT ` + all + ` FROM continuations WHERE session_id = ? AND status = 'pending' AND expires_at > ?`),
		claim: prepare(`UPDATE continuations SET status = 'claimed', claimed_by = ?, answered_by = ?, claimed_at = ?
			WHERE id = ? AND session_id = ? AND status = 'pending' AND expires_at > ? RETURNING ` + all),
	}
}

func (r *raw) exec(s driver.Stmt, args ...driver.Value) {
	if _, err := s.Exec(args); err != nil {
		r.b.Fatal(err)
	}
}

func (r *raw) query(s driver.Stmt, args ...driver.Value) {
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
	c := benchQuestion(sessionID)
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
	asked := make([]continuation.Continuation, n)
	r.exec(r.begin)
	for i := range n {
		asked[i] = r.ask(fmt.Sprintf("s%d", i))
	}
	r.exec(r.commit)
	for i := range n {
		r.query(r.waits, asked[i].SessionID, start.UnixMicro())
	}
	r.exec(r.begin)
	for i := range n {
		r.take(asked[i])
	}
	r.exec(r.commit)
}
