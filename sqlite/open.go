package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/session"
)

// Memory is the path of a database in memory. Every Open makes one of its own, which ends with its Close.
const Memory = ":memory:"

// Synchronous says what a commit waits for.
type Synchronous string

// The values of Synchronous.
const (
	Full   Synchronous = "FULL"   // the disk: a power cut loses nothing that was returned
	Normal Synchronous = "NORMAL" // the operating system: a power cut may lose the last commits, a crash of the process nothing
	Off    Synchronous = "OFF"    // nothing; for tests
)

// Options is what [OpenWith] takes. The zero value is what [Open] does.
type Options struct {
	// Synchronous says what a commit waits for; Full where empty.
	Synchronous Synchronous
	// BusyTimeout is how long a write waits for another process to finish before it is [ErrBusyStore]; 15 seconds where zero.
	BusyTimeout time.Duration
	// Patience is how long a write waits for one transaction of this process before it is [ErrDeadlock]; 5 seconds where zero.
	Patience time.Duration
	// Readers is how many connections read at most; 4 where zero.
	Readers int
	// MaxPages is how many pages of 4 KiB the file may have; no limit where zero.
	MaxPages int
}

func (o Options) synchronous() Synchronous { return or(o.Synchronous, Full) }
func (o Options) busy() time.Duration      { return or(o.BusyTimeout, 15*time.Second) }
func (o Options) patience() time.Duration  { return or(o.Patience, 5*time.Second) }
func (o Options) readers() int             { return or(o.Readers, 4) }

// or returns v, or byDefault where v is the zero value.
func or[T comparable](v, byDefault T) T {
	var zero T
	if v == zero {
		return byDefault
	}
	return v
}

// Store is one database file. It is safe for concurrent use.
type Store struct {
	path    string
	dsn     string
	writer  *writer
	readers *readers // nil for a database in memory
	swept   sweepCursor
}

// Open opens the database at path, makes it where there is none, and migrates it where an older version wrote it. ctx governs
// the opening alone. A failure is an *[Error].
func Open(ctx context.Context, path string) (*Store, error) { return OpenWith(ctx, path, Options{}) }

// OpenWith is [Open] with options.
func OpenWith(ctx context.Context, path string, o Options) (*Store, error) {
	switch o.synchronous() {
	case Full, Normal, Off:
	default:
		return nil, &Error{Kind: ErrCannotOpen, Path: path, Err: fmt.Errorf("unknown Options.Synchronous %q", o.Synchronous)}
	}
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	s := &Store{path: path, dsn: dsn(path, o)}
	var db *conn
	err := retryBusy(o.busy(), func() (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		db, err = openWriter(path, s.dsn, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.writer = &writer{db: db, busy: o.busy(), patience: o.patience()}
	if path != Memory {
		s.readers = newReaders(path, o.readers(), func() (*conn, error) {
			return openConn(s.dsn+"&_query_only=1", path)
		})
	}
	return s, nil
}

// openWriter opens the write connection and brings the schema up to date.
func openWriter(path, dsn string, o Options) (*conn, error) {
	db, err := openConn(dsn, path)
	if err != nil {
		return nil, err
	}
	if err := prepareDatabase(db, o); err != nil {
		db.close()
		return nil, err
	}
	return db, nil
}

// prepareDatabase looks before it touches anything: a file that is not ours stays as it is.
func prepareDatabase(db *conn, o Options) error {
	if _, err := schemaVersion(db); err != nil {
		return err
	}
	if o.MaxPages > 0 {
		if err := db.script(fmt.Sprintf("PRAGMA max_page_count = %d", o.MaxPages)); err != nil {
			return err
		}
	}
	if err := db.script("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 10000; PRAGMA cache_size = -16000"); err != nil {
		return err
	}
	return migrate(db)
}

// Close waits for what is in progress and closes the file. What comes after it is [ErrClosed].
func (s *Store) Close() error {
	var err error
	if s.readers != nil {
		err = s.readers.close()
	}
	return errors.Join(err, s.writer.close())
}

// Stats counts what the writer did since the store was opened.
type Stats struct {
	Transactions int64 // commits, and what was rolled back
	Operations   int64 // operations that were run in them
	Statements   int64 // statements on the write connection, BEGIN, COMMIT and savepoints included
}

// Stats returns what the writer did so far.
func (s *Store) Stats() Stats {
	return Stats{s.writer.batches.Load(), s.writer.runs.Load(), s.writer.db.statements()}
}

// Continuations returns the store of continuations.
func (s *Store) Continuations() continuation.Store { return continuations{s} }

// Checkpoints returns the store of runs and steps.
func (s *Store) Checkpoints() checkpoint.Store { return runs{s} }

// Ledger returns the ledger of effects.
func (s *Store) Ledger() checkpoint.Ledger { return ledger{s} }

// Approvals returns the store of approval requests.
func (s *Store) Approvals() approval.Store { return approvals{s} }

// Outbox returns what is still to be delivered.
func (s *Store) Outbox() approval.Outbox { return outbox{s} }

// Sessions returns the store of conversations.
func (s *Store) Sessions() session.Store { return sessions{s} }

// Audit returns the audit log.
func (s *Store) Audit() audit.Log { return auditLog{s} }
