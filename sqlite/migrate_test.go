//go:build cgo

package sqlite_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/sqlite"
)

var update = flag.Bool("update", false, "make the golden files anew")

// golden is the time of the rows in the golden file, and soon is a while after it.
var (
	golden = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	soon   = golden.Add(time.Hour)
)

// TestGolden keeps testdata/v1.db: a file that version 1 wrote, with one live row of everything.
func TestGolden(t *testing.T) {
	if *update {
		path := filepath.Join("testdata", "v1.db")
		os.Remove(path)
		makeVersion1(t, path)
	}
	for name, path := range map[string]string{"the file": copyGolden(t), "made anew": filepath.Join(t.TempDir(), "new.db")} {
		t.Run(name, func(t *testing.T) {
			if name == "made anew" {
				makeVersion1(t, path)
			}
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			oldRowsRead(t, s)
			oldRowsAnswer(t, s)
		})
	}
}

// makeVersion1 makes a file with the first migration alone.
func makeVersion1(t *testing.T, path string) {
	t.Helper()
	schema, err := os.ReadFile(filepath.Join("migrations", "0001_base.sql"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile(filepath.Join("testdata", "v1.sql"))
	if err != nil {
		t.Fatal(err)
	}
	entry := audit.Entry{SessionID: "web-1", At: golden, Kind: audit.KindDecision, Point: "pre_turn", Verdict: "allow", By: "policy"}
	c := rawConn(t, path)
	text := "PRAGMA page_size = 1024; " + string(schema) + strings.ReplaceAll(string(rows), "@hash@", entry.Sum("")) + "; PRAGMA user_version = 1; VACUUM"
	if err := errors.Join(rawExec(c, text), c.Close()); err != nil {
		t.Fatal(err)
	}
}

// copyGolden returns the path of a copy of the golden file.
func copyGolden(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "v1.db"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// oldRowsRead reads the old rows: the new fields are empty.
func oldRowsRead(t *testing.T, s *sqlite.Store) {
	t.Helper()
	ctx := t.Context()
	p, err := s.Continuations().Pending(ctx, "web-1", soon)
	if err != nil || p == nil || p.Owner != "planner" || p.ExecutorKind != "" || p.Payload != nil || len(p.Options) != 1 {
		t.Errorf("the old question is %+v, %v", p, err)
	} else if diff := cmp.Diff(`{"n": 9007199254740993}`, string(p.Options[0].Ref)); diff != "" {
		t.Errorf("its option's ref: %s", diff)
	}
	r, err := s.Checkpoints().Get(ctx, "01HV1R00000000000000000001", soon)
	if err != nil || r.State != checkpoint.Paused || r.SessionID != "" || r.Asked == nil || r.Asked.Question != "Neo4j or Stardog?" {
		t.Errorf("the old run is %+v, %v", r, err)
	}
	steps, err := s.Checkpoints().Steps(ctx, "01HV1R00000000000000000001", 0)
	if err != nil || len(steps) != 2 || steps[0].SessionID != "" || steps[1].State != checkpoint.OpenStep {
		t.Errorf("the old steps are %+v, %v", steps, err)
	}
	a, err := s.Approvals().Get(ctx, "01HV1A00000000000000000001")
	if err != nil || a.Status != approval.Pending || a.SessionID != "" || len(a.Items) != 1 {
		t.Errorf("the old request is %+v, %v", a, err)
	}
	if _, err := audit.Verify(ctx, s.Audit()); err != nil {
		t.Errorf("the old audit log: %v", err)
	}
	due, err := s.Outbox().Due(ctx, soon, soon.Add(time.Minute), 10)
	if err != nil || len(due) != 1 || due[0].Attempts != 2 {
		t.Errorf("the old deliveries are %+v, %v", due, err)
	}
	if turns, err := s.Sessions().OpenTurns(ctx, "", 10); err != nil || len(turns) != 1 {
		t.Errorf("the old turns are %+v, %v", turns, err)
	}
}

// oldRowsAnswer answers what waits in the old rows.
func oldRowsAnswer(t *testing.T, s *sqlite.Store) {
	t.Helper()
	ctx := t.Context()
	for sessionID, id := range map[string]string{"web-1": "01HV1C00000000000000000001", "web-2": "01HV1C00000000000000000002"} {
		if _, err := s.Continuations().Claim(ctx, continuation.Claimant{ID: id, SessionID: sessionID, TurnID: "t", At: soon}); err != nil {
			t.Errorf("claim of %s: %v", id, err)
		}
	}
	r, err := s.Checkpoints().Move(ctx, checkpoint.Move{RunID: "01HV1R00000000000000000001", From: []checkpoint.State{checkpoint.Paused}, Epoch: 1, To: checkpoint.Running, At: soon})
	if err != nil {
		t.Fatalf("resume: %v", err)
	}
	closed := checkpoint.Checkpoint{RunID: r.ID, StepID: 1, State: checkpoint.ClosedStep, Payload: []byte(`{}`), CreatedAt: soon}
	if err := s.Checkpoints().Put(ctx, r.Epoch, closed); err != nil {
		t.Errorf("closing the old step: %v", err)
	}
	if _, err := s.Approvals().Decide(ctx, approval.Decision{ID: "01HV1A00000000000000000001", Status: approval.Approved, Principal: "ann", At: soon}); err != nil {
		t.Errorf("approve: %v", err)
	}
	if err := s.Ledger().Finish(ctx, "k1", []byte("ok"), false, soon); err != nil {
		t.Errorf("finish: %v", err)
	}
	if l, err := s.Sessions().Acquire(ctx, "web-1", "new", soon, soon.Add(time.Minute)); err != nil || l.Epoch != 4 {
		t.Errorf("the lease is %+v, %v", l, err)
	}
}

// TestEightOpenAnOldFile is case B20 of the field reports: goroutines of one process, then processes.
func TestEightOpenAnOldFile(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T, path string) []error{"goroutines": openInGoroutines, "processes": openInProcesses} {
		for kind, path := range map[string]string{"old": copyGolden(t), "new": filepath.Join(t.TempDir(), "new.db")} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				for _, err := range open(t, path) {
					if err != nil {
						t.Error(err)
					}
				}
				c := rawConn(t, path)
				for _, column := range []string{"runs.session_id", "steps.session_id", "approvals.session_id", "continuations.executor_kind", "continuations.payload"} {
					table, name, _ := strings.Cut(column, ".")
					if n := rawText(t, c, fmt.Sprintf("SELECT CAST(count(*) AS TEXT) FROM pragma_table_info('%s') WHERE name = '%s'", table, name)); n != "1" {
						t.Errorf("%s is there %s times", column, n)
					}
				}
				schema := rawText(t, c, "SELECT group_concat(sql) FROM sqlite_schema")
				s, err := sqlite.Open(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				if kind == "old" {
					oldRowsRead(t, s)
					oldRowsAnswer(t, s)
				}
				s.Close()
				if diff := cmp.Diff(schema, rawText(t, c, "SELECT group_concat(sql) FROM sqlite_schema")); diff != "" {
					t.Errorf("the second open changed the schema: %s", diff)
				}
			})
		}
	}
}

func openInGoroutines(t *testing.T, path string) []error {
	errs := make([]error, 8)
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			s, err := sqlite.Open(t.Context(), path)
			if err == nil {
				_, err = s.Continuations().Pending(t.Context(), "web-1", soon)
				err = errors.Join(err, s.Close())
			}
			errs[i] = err
		})
	}
	done.Wait()
	return errs
}

// childPath is the variable that makes this test binary a child that opens a file.
const childPath = "IRIS_SQLITE_TEST_OPEN"

func openInProcesses(t *testing.T, path string) []error {
	errs := make([]error, 8)
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMain$")
			cmd.Env = append(os.Environ(), childPath+"="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				errs[i] = fmt.Errorf("child %d: %w: %s", i, err, out)
			}
		})
	}
	done.Wait()
	return errs
}

// TestMain runs the tests, or is a child that opens a file.
func TestMain(m *testing.M) {
	path := os.Getenv(childPath)
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := sqlite.Open(context.Background(), path)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestNewerSchema(t *testing.T) {
	t.Parallel()
	path := copyGolden(t)
	c := rawConn(t, path)
	if err := errors.Join(rawExec(c, "PRAGMA user_version = 99"), c.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), path)
	if !errors.Is(err, sqlite.ErrNewerSchema) {
		t.Errorf("open: %v, want %v", err, sqlite.ErrNewerSchema)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(after) != string(before) {
		t.Errorf("the file was touched")
	}
}

// TestMigrationIsAllOrNothing breaks the second migration half way and finds the file as it was.
func TestMigrationIsAllOrNothing(t *testing.T) {
	t.Parallel()
	path := copyGolden(t)
	c := rawConn(t, path)
	if err := rawExec(c, "CREATE INDEX approvals_session ON approvals (id)"); err != nil { // in the way of the migration's own
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path); err == nil {
		t.Fatal("opened")
	}
	if v := rawText(t, c, "SELECT CAST(user_version AS TEXT) FROM pragma_user_version"); v != "1" {
		t.Errorf("version %s, want 1", v)
	}
	if n := rawText(t, c, "SELECT CAST(count(*) AS TEXT) FROM pragma_table_info('runs') WHERE name = 'session_id'"); n != "0" {
		t.Errorf("half of the migration stayed")
	}
	if err := rawExec(c, "DROP INDEX approvals_session"); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	oldRowsRead(t, s)
}
