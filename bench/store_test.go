//go:build cgo

package bench_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/internal/id"
	"github.com/iris-harness/iris/sqlite"
)

var rows = flag.Int("rows", 100_000, "pending rows in BenchmarkPending; 1000000 take a minute to write")

var levels = []sqlite.Synchronous{sqlite.Normal, sqlite.Full}

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// sessionsAtOnce is how many conversations BenchmarkSessions has.
const sessionsAtOnce = 64

// BenchmarkCycle is ask, read what waits, claim: the life of one question in one session. It is also the lone session through the
// group writer: there is nobody to share a commit with.
func BenchmarkCycle(b *testing.B) {
	for _, level := range levels {
		b.Run(string(level), func(b *testing.B) {
			raw, s := openRaw(b, level), open(b, level)
			compare(b, func() { raw.cycle("s") }, func() { cycle(b, s, "s") })
		})
	}
}

// BenchmarkSessions is 64 sessions at once, a cycle each: against the driver alone doing the same work 64 rows to a commit, and, as "faster", against the
// driver alone with a commit for each.
func BenchmarkSessions(b *testing.B) {
	for _, level := range levels {
		b.Run(string(level), func(b *testing.B) {
			raw, one, s := openRaw(b, level), openRaw(b, level), open(b, level)
			var single, cycles []time.Duration
			var mu sync.Mutex
			compare(b, func() { raw.cycles(sessionsAtOnce) }, func() {
				var all sync.WaitGroup
				for i := range sessionsAtOnce {
					all.Go(func() {
						t0 := time.Now()
						cycle(b, s, fmt.Sprint("s", i))
						took := time.Since(t0)
						mu.Lock()
						defer mu.Unlock()
						cycles = append(cycles, took)
					})
				}
				all.Wait()
			})
			for range min(len(cycles), 256) {
				t0 := time.Now()
				one.cycle("s")
				single = append(single, time.Since(t0))
			}
			slices.Sort(cycles)
			b.ReportMetric(micros(cycles[len(cycles)*99/100]), "p99-µs")
			stats := s.Stats()
			b.ReportMetric(float64(stats.Operations)/float64(stats.Transactions), "ops/commit")
			total := time.Duration(0)
			for _, c := range cycles {
				total += c
			}
			ours := total / time.Duration(len(cycles)) / sessionsAtOnce // 64 cycles pass in the time of one
			b.ReportMetric(float64(median(single))/float64(ours), "x-faster-than-one-by-one")
		})
	}
}

// BenchmarkPending is reading what waits, among some pending rows.
func BenchmarkPending(b *testing.B) {
	for _, n := range []int{1_000, *rows} {
		b.Run(fmt.Sprintf("%d rows", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "iris.db")
			s, err := sqlite.OpenWith(b.Context(), path, sqlite.Options{Synchronous: sqlite.Off})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			fillPending(b, s, n)
			raw, i := rawOn(b, path, sqlite.Off), 0
			session := func() string { i++; return fmt.Sprint("s", i*7919%n) }
			compare(b, func() { raw.query(raw.waits, session(), start.UnixMicro()) }, func() {
				if c, err := s.Continuations().Pending(b.Context(), session(), start); err != nil || c == nil {
					b.Fatal(c, err)
				}
			})
		})
	}
}

func asked(sessionID string) continuation.Continuation {
	return continuation.Continuation{
		ID: id.New(start), SessionID: sessionID, TurnID: "01HZZZZZZZZZZZZZZZZZZZZZZZ", Owner: "planner", Kind: continuation.YesNo,
		Origin: continuation.Explicit, Question: "Would you like me to proceed with this plan?", Channel: "web",
		CreatedAt: start, ExpiresAt: start.Add(time.Hour),
	}
}

func cycle(b testing.TB, s *sqlite.Store, sessionID string) {
	c := asked(sessionID)
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
	for part := range sessionsAtOnce {
		done.Go(func() {
			for i := part; i < rows; i += sessionsAtOnce {
				if _, err := s.Continuations().Open(b.Context(), asked(fmt.Sprint("s", i))); err != nil {
					b.Error(err)
				}
			}
		})
	}
	done.Wait()
}
