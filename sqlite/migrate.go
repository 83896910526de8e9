package sqlite

import (
	"embed"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks a file as ours: "IRIS".
const applicationID = 0x49524953

// migration is one step from a version to the next.
type migration struct {
	version int
	text    string
}

// allMigrations returns the migrations in order. The n-th file makes version n.
func allMigrations() ([]migration, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var out []migration
	for i, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out = append(out, migration{i + 1, string(text)})
	}
	return out, nil
}

// schemaVersion returns the version that wrote the file, 0 for an empty one. It is the first read of the file, so it is where
// one that is no database shows. A file of a newer version, or of another program, is an error.
func schemaVersion(db *conn) (int, error) {
	steps, err := allMigrations()
	if err != nil {
		return 0, err
	}
	version, err := db.number("PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	if version > len(steps) {
		return 0, &Error{Kind: ErrNewerSchema, Path: db.path, Hint: hint(ErrNewerSchema),
			Err: fmt.Errorf("schema version %d, this program knows %d", version, len(steps))}
	}
	application, err := db.number("PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	tables, err := db.number("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return 0, err
	}
	if application != applicationID && tables > 0 {
		return 0, &Error{Kind: ErrForeign, Path: db.path, Hint: hint(ErrForeign)}
	}
	return version, nil
}

// migrate brings the schema up to date. Each step is a transaction that asks again for the version once it has the lock:
// however many processes open an old file at once, each step is done by one of them.
func migrate(db *conn) error {
	steps, err := allMigrations()
	if err != nil {
		return err
	}
	for _, m := range steps {
		version, err := schemaVersion(db)
		if err != nil {
			return err
		}
		if version >= m.version {
			continue
		}
		if err := migrateTo(db, m); err != nil {
			return err
		}
	}
	return nil
}

func migrateTo(db *conn, m migration) error {
	if err := db.script("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	version, err := schemaVersion(db)
	if err == nil && version < m.version {
		err = db.script(m.text + fmt.Sprintf("\nPRAGMA user_version = %d;", m.version))
	}
	if err == nil {
		err = db.script("COMMIT")
	}
	if err != nil && !db.autocommit() {
		_ = db.script("ROLLBACK") // the first error is what is told
	}
	return err
}

// number runs a statement that gives one number.
func (c *conn) number(text string) (int, error) {
	r, err := c.first(text)
	if err != nil || r == nil {
		return 0, err
	}
	return r.int(), nil
}
