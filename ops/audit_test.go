package ops_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/ops"
)

// tamper changes the file behind the library's back: its triggers are dropped first.
func tamper(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'`)
	if err != nil {
		t.Fatal(err)
	}
	var triggers []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		triggers = append(triggers, name)
	}
	if err := rows.Err(); err != nil || len(triggers) == 0 {
		t.Fatalf("%d triggers hold the audit: %v", len(triggers), err)
	}
	for _, name := range triggers {
		if _, err := db.Exec(`DROP TRIGGER "` + name + `"`); err != nil {
			t.Fatal(err)
		}
	}
	if res, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	} else if n, _ := res.RowsAffected(); n == 0 {
		t.Fatal("nothing was changed")
	}
}

func TestAuditVerify(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, statement, want string }{
		{"edited", `UPDATE audit SET actor = 'bob' WHERE kind = 'decided'`, "its content does not match its hash"},
		{"removed", `DELETE FROM audit WHERE seq = 2`, "does not follow the row before it"},
		{"cut off", `DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)`, "an anchor was taken here, and the row is gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, iristest.Model().Call("restart", `{"text":"db-1"}`).Answer("db-1 is up again."))
			anchors := filepath.Join(t.TempDir(), "anchors.json")
			id := d.Say("restart the database").Approvals[0]
			d.run(0, "approvals", "approve", id)
			d.run(0, "audit", "verify", "--export", anchors)
			d.run(0, "audit", "verify", "--anchors", anchors)
			tamper(t, d.path, tt.statement)
			if out := d.run(1, "audit", "verify", "--anchors", anchors); !strings.Contains(out, tt.want) {
				t.Errorf("no %q in %q", tt.want, out)
			}
			if out := d.run(1, "audit", "verify", "--anchors", anchors, "--json"); !strings.Contains(out, `"ok": false`) {
				t.Errorf("as JSON: %s", out)
			}
		})
	}
}

func TestAnchorsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t, iristest.Model())
	bad := filepath.Join(t.TempDir(), "anchors.json")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"audit", "verify", "--anchors", bad}, {"audit", "verify", "--anchors", bad + ".gone"}, {"audit", "verify", "--export", filepath.Join(bad, "x")},
	} {
		d.run(ops.ExitFailed, args...)
	}
}
