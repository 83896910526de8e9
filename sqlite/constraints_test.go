//go:build cgo

package sqlite_test

import (
	"database/sql/driver"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"

	"github.com/iris-harness/iris/sqlite"
)

// rawConn opens a file with the driver alone, as any other program could.
func rawConn(t testing.TB, path string) *sqlite3.SQLiteConn {
	t.Helper()
	c, err := (&sqlite3.SQLiteDriver{}).Open("file:" + path + "?_foreign_keys=1&_busy_timeout=5000")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*sqlite3.SQLiteConn)
}

func rawExec(c *sqlite3.SQLiteConn, text string) error {
	_, err := c.Exec(text, nil)
	return err
}

// rawText returns the one text that a statement gives.
func rawText(t testing.TB, c *sqlite3.SQLiteConn, text string) string {
	t.Helper()
	rows, err := c.Query(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := make([]driver.Value, 1)
	if err := rows.Next(out); err != nil {
		t.Fatal(err)
	}
	s, _ := out[0].(string)
	return s
}

// setUp is a row of everything, in every status that the rules speak of.
const setUp = `
INSERT INTO continuations (id, session_id, turn_id, owner, asker, kind, origin, question, intent, channel, asked_of, run_id, step_id, created_at, expires_at, status)
SELECT value, 's-' || value, '', 'o', '', 'question', 'explicit', 'q?', '', '', '', '', 0, 1, 100, 'pending'
FROM json_each('["pending", "claimed", "answered", "superseded", "expired"]');
UPDATE continuations SET status = 'claimed', claimed_by = 't', claimed_at = 5 WHERE id IN ('claimed', 'answered');
UPDATE continuations SET status = 'answered', closed_at = 6 WHERE id = 'answered';
UPDATE continuations SET status = id, closed_at = 6 WHERE id IN ('superseded', 'expired');

INSERT INTO runs (id, session_id, turn_id, agent, intent, channel, asked_of, task, place, state, reason, detail, epoch, approval_id, pinned, created_at, updated_at, expires_at)
SELECT value, 's', '', 'a', '', '', '', 't', 0, 'running', '', '', 1, '', 0, 1, 1, 100
FROM json_each('["running", "paused", "held", "failed", "done", "ended"]');
UPDATE runs SET state = id WHERE id <> 'running';
INSERT INTO steps (run_id, step_id, state, payload, created_at) VALUES ('running', 0, 'open', x'7b7d', 1), ('running', 1, 'closed', x'7b7d', 1);

INSERT INTO effects (key, session_id, run_id, step_id, call_id, tool, digest, idempotent, approval_id, item, state, started_at)
SELECT value, 's', 'running', 0, 'c', 'w', 'd', 0, value, 1, 'started', 1 FROM json_each('["started", "finished", "settled"]');
UPDATE effects SET state = key, ended_at = 2 WHERE key <> 'started';

INSERT INTO approvals (id, session_id, run_id, step_id, turn_id, agent, point, signal, summary, card, digest, destructive, channel, asked_of, policy, requested_at, timeout_at)
SELECT value, 's', 'r', 0, '', 'a', 'p', 's', 'sum', 'card', 'd', 0, '', '', 'fail_closed', 1, 100
FROM json_each('["pending", "approved", "rejected", "timed_out", "used"]');
UPDATE approvals SET status = iif(id = 'used', 'approved', id), decided_at = iif(id = 'timed_out', 100, 50) WHERE id <> 'pending';
UPDATE approvals SET consumed_at = 60, noticed_at = 60 WHERE id = 'used';

INSERT INTO turns (session_id, id, message_id, channel, sender, system, epoch, state, started_at) VALUES ('s', 'open', 'm1', '', '', 0, 1, 'open', 1), ('s', 'answered', 'm2', '', '', 0, 1, 'open', 1);
UPDATE turns SET state = 'answered' WHERE id = 'answered';
INSERT INTO leases VALUES ('s', 'h', 5, 100);
INSERT INTO audit (session_id, at, kind, run_id, step_id, turn_id, point, subject, verdict, actor, reason, digest, prev, hash)
VALUES ('s', 1, 'k', '', 0, '', '', '', '', '', '', '', '', 'h1'), ('s', 2, 'k', '', 0, '', '', '', '', '', '', '', 'h1', 'h2');
`

// What the database itself refuses, whoever asks it.
func forbidden() map[string]string {
	const newContinuation = `INSERT INTO continuations (id, session_id, turn_id, owner, asker, kind, origin, question, intent, channel, asked_of, run_id, step_id, created_at, expires_at, status) VALUES `
	const newEffect = `INSERT OR REPLACE INTO effects (key, session_id, run_id, step_id, call_id, tool, digest, idempotent, approval_id, item, state, started_at) VALUES `
	const newApproval = `INSERT INTO approvals (id, session_id, run_id, step_id, turn_id, agent, point, signal, summary, card, digest, destructive, channel, asked_of, policy, requested_at, timeout_at) VALUES `
	const newEntry = `INSERT OR REPLACE INTO audit (seq, session_id, at, kind, run_id, step_id, turn_id, point, subject, verdict, actor, reason, digest, prev, hash) VALUES `
	out := map[string]string{
		"two pending questions in a session":   newContinuation + `('x', 's-pending', '', 'o', '', 'question', 'explicit', 'q', '', '', '', '', 0, 1, 2, 'pending')`,
		"a question that begins as claimed":    newContinuation + `('x', 's-x', '', 'o', '', 'question', 'explicit', 'q', '', '', '', '', 0, 1, 2, 'claimed')`,
		"a question of another kind":           newContinuation + `('x', 's-x', '', 'o', '', 'riddle', 'explicit', 'q', '', '', '', '', 0, 1, 2, 'pending')`,
		"a question of another origin":         newContinuation + `('x', 's-x', '', 'o', '', 'question', 'space', 'q', '', '', '', '', 0, 1, 2, 'pending')`,
		"a question without a session":         newContinuation + `('x', '', '', 'o', '', 'question', 'explicit', 'q', '', '', '', '', 0, 1, 2, 'pending')`,
		"a question without an owner":          newContinuation + `('x', 's-x', '', '', '', 'question', 'explicit', 'q', '', '', '', '', 0, 1, 2, 'pending')`,
		"a question over 16 KiB":               newContinuation + `('x', 's-x', '', 'o', '', 'question', 'explicit', hex(zeroblob(8193)), '', '', '', '', 0, 1, 2, 'pending')`,
		"a question that replaces another":     strings.Replace(newContinuation, "INSERT", "INSERT OR REPLACE", 1) + `('answered', 's-x', '', 'o', '', 'question', 'explicit', 'q', '', '', '', '', 0, 1, 2, 'pending')`,
		"text where a number belongs":          newContinuation + `('x', 's-x', '', 'o', '', 'question', 'explicit', 'q', '', '', '', '', 0, 'yesterday', 2, 'pending')`,
		"a payload over 64 KiB":                `INSERT INTO continuations SELECT NULL, 'x', 's-x', '', 'o', '', 'question', 'explicit', 'q', NULL, '', '', '', '', 0, 1, 2, 'pending', '', '', 0, 0, '', '', '', 'k', zeroblob(65537)`,
		"options over 64 KiB":                  `INSERT INTO continuations SELECT NULL, 'x', 's-x', '', 'o', '', 'question', 'explicit', 'q', zeroblob(65537), '', '', '', '', 0, 1, 2, 'pending', '', '', 0, 0, '', '', '', '', NULL`,
		"a pending question's claim":           `UPDATE continuations SET claimed_by = 'eve' WHERE id = 'pending'`,
		"a claimed question's second claim":    `UPDATE continuations SET status = 'claimed', claimed_by = 'eve' WHERE id = 'claimed'`,
		"a released claim beside a question":   `UPDATE continuations SET status = 'superseded', closed_at = 9 WHERE id = 'pending'; ` + newContinuation + `('x', 's-claimed', '', 'o', '', 'question', 'explicit', 'q', '', '', '', '', 0, 1, 2, 'pending'); UPDATE continuations SET status = 'pending', claimed_at = 0 WHERE id = 'claimed'`,
		"an open question with a closing time": `UPDATE continuations SET status = 'claimed', closed_at = 9 WHERE id = 'pending'`,
		"a closed question without one":        `UPDATE continuations SET status = 'superseded' WHERE id = 'pending'`,

		"a run that begins elsewhere":           `INSERT INTO runs (id, turn_id, agent, intent, channel, asked_of, task, place, state, reason, detail, epoch, approval_id, pinned, created_at, updated_at, expires_at) VALUES ('x', '', 'a', '', '', '', 't', 0, 'paused', '', '', 1, '', 0, 1, 1, 1)`,
		"a run that goes on at its old epoch":   `UPDATE runs SET state = 'running' WHERE id = 'paused'`,
		"a run that skips an epoch":             `UPDATE runs SET state = 'running', epoch = epoch + 2 WHERE id = 'paused'`,
		"an epoch that rises by itself":         `UPDATE runs SET epoch = epoch + 1 WHERE id = 'running'`,
		"a run's task":                          `UPDATE runs SET task = 'other' WHERE id = 'running'`,
		"a run's session":                       `UPDATE runs SET session_id = 'other' WHERE id = 'running'`,
		"a step of no run":                      `INSERT INTO steps (run_id, step_id, state, payload, created_at) VALUES ('nobody', 0, 'open', x'', 1)`,
		"a step over 1 MiB":                     `INSERT INTO steps (run_id, step_id, state, payload, created_at) VALUES ('running', 2, 'open', zeroblob(1048577), 1)`,
		"a step of another state":               `UPDATE steps SET state = 'ajar' WHERE step_id = 0`,
		"a closed step's payload":               `UPDATE steps SET payload = x'' WHERE step_id = 1`,
		"a closed step's state":                 `UPDATE steps SET state = 'open' WHERE step_id = 1`,
		"a closed step replaced":                `INSERT OR REPLACE INTO steps (run_id, step_id, state, payload, created_at) VALUES ('running', 1, 'open', x'', 1)`,
		"a closed step replaced by another one": `UPDATE OR REPLACE steps SET step_id = 1 WHERE step_id = 0`,

		"an effect that begins as finished": newEffect + `('x', 's', 'r', 0, 'c', 'w', 'd', 0, '', 0, 'finished', 1)`,
		"an effect started twice":           newEffect + `('finished', 's', 'r', 0, 'c', 'w', 'd', 0, '', 0, 'started', 1)`,
		"an approval's item used twice":     newEffect + `('x', 's', 'r', 0, 'c', 'w', 'd', 0, 'finished', 1, 'started', 1)`,
		"a finished effect's result":        `UPDATE effects SET result = x'00' WHERE key = 'finished'`,
		"a finished effect settled":         `UPDATE effects SET state = 'settled' WHERE key = 'finished'`,
		"a settled effect finished":         `UPDATE effects SET state = 'finished' WHERE key = 'settled'`,
		"a started effect's tool":           `UPDATE effects SET state = 'finished', tool = 'other' WHERE key = 'started'`,
		"a started effect's arguments":      `UPDATE effects SET state = 'finished', args = x'00' WHERE key = 'started'`,

		"a policy that fails open":           newApproval + `('x', 's', 'r', 0, '', 'a', 'p', 's', 'sum', 'card', 'd', 0, '', '', 'fail_open', 1, 100)`,
		"a deadline before the request":      newApproval + `('x', 's', 'r', 0, '', 'a', 'p', 's', 'sum', 'card', 'd', 0, '', '', 'fail_closed', 100, 100)`,
		"a request that replaces another":    strings.Replace(newApproval, "INSERT", "INSERT OR REPLACE", 1) + `('rejected', 's', 'r', 0, '', 'a', 'p', 's', 'sum', 'card', 'd', 0, '', '', 'fail_closed', 1, 100)`,
		"a request that begins as approved":  `INSERT INTO approvals (id, run_id, step_id, turn_id, agent, point, signal, summary, card, digest, destructive, channel, asked_of, policy, requested_at, timeout_at, status, decided_at) VALUES ('x', 'r', 0, '', 'a', 'p', 's', 'sum', 'card', 'd', 0, '', '', 'fail_closed', 1, 100, 'approved', 50)`,
		"a decision at the deadline":         `UPDATE approvals SET status = 'approved', decided_at = 100 WHERE id = 'pending'`,
		"a decision after the deadline":      `UPDATE approvals SET status = 'rejected', decided_at = 101 WHERE id = 'pending'`,
		"a decision without a time":          `UPDATE approvals SET status = 'approved' WHERE id = 'pending'`,
		"a lapse before the deadline":        `UPDATE approvals SET status = 'timed_out', decided_at = 99 WHERE id = 'pending'`,
		"a lapse by somebody":                `UPDATE approvals SET status = 'timed_out', decided_at = 100, principal = 'eve' WHERE id = 'pending'`,
		"a decision without a status":        `UPDATE approvals SET principal = 'eve', decided_at = 50 WHERE id = 'pending'`,
		"a rejection turned around":          `UPDATE approvals SET status = 'approved' WHERE id = 'rejected'`,
		"a lapse turned around":              `UPDATE approvals SET status = 'approved', decided_at = 50 WHERE id = 'timed_out'`,
		"who approved":                       `UPDATE approvals SET principal = 'eve' WHERE id = 'approved'`,
		"what was edited":                    `UPDATE approvals SET decisions = x'5b5d' WHERE id = 'approved'`,
		"a pending request consumed":         `UPDATE approvals SET consumed_at = 60 WHERE id = 'pending'`,
		"a rejected request consumed":        `UPDATE approvals SET consumed_at = 60 WHERE id = 'rejected'`,
		"an approval consumed twice":         `UPDATE approvals SET consumed_at = 70 WHERE id = 'used'`,
		"an approval given back":             `UPDATE approvals SET consumed_at = 0 WHERE id = 'used'`,
		"a pending request's outcome":        `UPDATE approvals SET noticed_at = 60 WHERE id = 'pending'`,
		"an outcome taken up twice":          `UPDATE approvals SET noticed_at = 70 WHERE id = 'used'`,
		"a message processed twice":          `INSERT INTO turns (session_id, id, message_id, channel, sender, system, epoch, state, started_at) VALUES ('s', 'x', 'm2', '', '', 0, 1, 'open', 1)`,
		"a turn that goes on":                `UPDATE turns SET state = 'open' WHERE id = 'answered'`,
		"an answered turn's reply":           `UPDATE turns SET reply = x'00' WHERE id = 'answered'`,
		"an epoch that falls":                `UPDATE leases SET epoch = 4`,
		"a lease that replaces another":      `INSERT OR REPLACE INTO leases VALUES ('s', 'eve', 1, 100)`,
		"a lease below one that was deleted": `DELETE FROM leases; INSERT INTO leases VALUES ('s', 'eve', 5, 100)`,
		"a fence that falls":                 `DELETE FROM leases; UPDATE fence SET epoch = 0`,
		"an audit row's verdict":             `UPDATE audit SET verdict = 'allow' WHERE seq = 1`,
		"an audit row deleted":               `DELETE FROM audit WHERE seq = 2`,
		"an audit row replaced":              newEntry + `(2, 's', 1, 'k', '', 0, '', '', '', '', '', '', '', 'h1', 'x')`,
		"an audit row that follows nothing":  newEntry + `(NULL, 's', 1, 'k', '', 0, '', '', '', '', '', '', '', 'x', 'x')`,
		"an audit row that begins again":     newEntry + `(NULL, 's', 1, 'k', '', 0, '', '', '', '', '', '', '', '', 'x')`,
		"an audit row before the first":      newEntry + `(-5, 'other', 1, 'k', '', 0, '', '', '', '', '', '', '', '', 'x')`,
	}
	for _, column := range []string{"n", "id", "session_id", "turn_id", "owner", "asker", "kind", "origin", "question", "options", "intent", "channel",
		"asked_of", "run_id", "step_id", "created_at", "expires_at", "executor_kind", "payload"} {
		out["a question's "+column] = `UPDATE continuations SET ` + column + ` = ` + column + ` WHERE id = 'pending'`
	}
	for _, column := range []string{"n", "id", "session_id", "run_id", "step_id", "turn_id", "agent", "point", "signal", "summary", "card", "items",
		"digest", "destructive", "channel", "asked_of", "policy", "requested_at", "timeout_at"} {
		out["a request's "+column] = `UPDATE approvals SET ` + column + ` = ` + column + ` WHERE id = 'pending'`
	}
	for from, tos := range map[string]string{
		"pending": "answered pending other", "claimed": "claimed other", "answered": "pending claimed answered superseded expired",
		"superseded": "pending claimed answered superseded expired", "expired": "pending claimed answered superseded expired",
	} {
		for to := range strings.FieldsSeq(tos) {
			closed := "9"
			if to == "pending" || to == "claimed" {
				closed = "0"
			}
			out["a question from "+from+" to "+to] = `UPDATE continuations SET status = '` + to + `', closed_at = ` + closed + ` WHERE id = '` + from + `'`
		}
	}
	for from, tos := range map[string]string{
		"running": "running other", "paused": "paused held done failed", "held": "paused held done failed", "failed": "paused held done failed",
		"done": "running paused held done failed ended", "ended": "running paused held done failed ended",
	} {
		for to := range strings.FieldsSeq(tos) {
			out["a run from "+from+" to "+to] = `UPDATE runs SET state = '` + to + `', epoch = epoch + ('` + to + `' = 'running') WHERE id = '` + from + `'`
		}
	}
	return out
}

// setUpFile makes a file with a row of everything and opens it with the driver alone.
func setUpFile(t *testing.T) *sqlite3.SQLiteConn {
	t.Helper()
	path := filepath.Join(t.TempDir(), "iris.db")
	s, err := sqlite.OpenWith(t.Context(), path, sqlite.Options{Synchronous: sqlite.Off})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c := rawConn(t, path)
	if err := rawExec(c, setUp); err != nil {
		t.Fatal(err)
	}
	return c
}

// allowed tries each of what may not be, leaves the database as it was, and returns what went through.
func allowed(t *testing.T, c *sqlite3.SQLiteConn) (out []string) {
	t.Helper()
	for name, text := range forbidden() {
		if err := rawExec(c, "SAVEPOINT try"); err != nil {
			t.Fatal(err)
		}
		if err := rawExec(c, text); err == nil {
			out = append(out, name)
		} else if !refusal(err) {
			t.Errorf("%s: %v\n\t%s", name, err, text)
		}
		if err := rawExec(c, "ROLLBACK TO try; RELEASE try"); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	for _, name := range allowed(t, setUpFile(t)) {
		t.Errorf("%s: allowed\n\t%s", name, forbidden()[name])
	}
}

// TestEachRuleIsTried takes away one trigger or unique index at a time, and then all checks: something must go through.
func TestEachRuleIsTried(t *testing.T) {
	t.Parallel()
	c := setUpFile(t)
	rules := strings.Fields(rawText(t, c, `SELECT group_concat(type || ':' || name, ' ') FROM sqlite_schema
		WHERE type = 'trigger' AND name <> 'leases_gone' OR sql LIKE 'CREATE UNIQUE INDEX%' AND name <> 'effects_item'`)) // held twice
	if len(rules) < 25 {
		t.Fatalf("only %d rules: %v", len(rules), rules)
	}
	for _, rule := range rules {
		kind, name, _ := strings.Cut(rule, ":")
		if err := rawExec(c, "SAVEPOINT rule; DROP "+kind+" "+name); err != nil {
			t.Fatal(err)
		}
		if through := allowed(t, c); len(through) == 0 {
			t.Errorf("without %s nothing more is allowed: it is not tested, or not needed", name)
		}
		if err := rawExec(c, "ROLLBACK TO rule; RELEASE rule"); err != nil {
			t.Fatal(err)
		}
	}
	if err := rawExec(c, "PRAGMA ignore_check_constraints = 1"); err != nil {
		t.Fatal(err)
	}
	if through := allowed(t, c); len(through) < 12 {
		t.Errorf("without checks only %v are allowed", through)
	}
}

// refusal reports whether err is a constraint's or a trigger's, and no mistake in the statement.
func refusal(err error) bool {
	e, ok := err.(sqlite3.Error)
	return ok && e.Code == sqlite3.ErrConstraint
}

// TestTheDatabaseAllows is the other half: the machines' own moves, and deleting what may be forgotten.
func TestTheDatabaseAllows(t *testing.T) {
	t.Parallel()
	c := setUpFile(t)
	for _, text := range []string{
		`UPDATE continuations SET status = 'claimed', claimed_at = 9 WHERE id = 'pending'`,
		`UPDATE continuations SET status = 'pending', claimed_at = 0 WHERE id = 'pending'`,
		`UPDATE continuations SET status = 'expired', closed_at = 9 WHERE id = 'pending'`,
		`UPDATE continuations SET status = 'answered', closed_at = 9 WHERE id = 'claimed'`,
		`UPDATE runs SET state = 'running', epoch = epoch + 1 WHERE id = 'held'`,
		`UPDATE runs SET state = 'ended' WHERE id = 'failed'`,
		`UPDATE steps SET state = 'closed' WHERE step_id = 0`,
		`UPDATE approvals SET status = 'approved', decided_at = 99 WHERE id = 'pending'`,
		`UPDATE approvals SET consumed_at = 1000 WHERE id = 'pending'`,
		`UPDATE effects SET state = 'settled', ended_at = 9 WHERE key = 'started'`,
		`UPDATE leases SET epoch = 6`,
		`DELETE FROM leases; INSERT INTO leases VALUES ('s', 'h', 7, 1)`,
		`DELETE FROM continuations; DELETE FROM approvals; DELETE FROM effects; DELETE FROM runs; DELETE FROM turns; DELETE FROM messages; DELETE FROM deliveries`,
	} {
		if err := rawExec(c, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if n := rawText(t, c, "SELECT CAST(count(*) AS TEXT) FROM steps"); n != "0" {
		t.Errorf("%s steps are left without their run", n)
	}
}
