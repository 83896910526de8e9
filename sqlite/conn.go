//go:build cgo

package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"
)

// conn is one connection with its prepared statements, kept by their text. One goroutine uses it at a time.
// It speaks to the driver without database/sql, whose locking and copying cost more than the statements.
type conn struct {
	db    *sqlite3.SQLiteConn
	path  string
	stmts map[string]*stmt
	args  []driver.NamedValue // of the statement that runs
	row   row                 // what the statement that ran last returned
	ran   atomic.Int64        // statements
}

type stmt struct {
	*sqlite3.SQLiteStmt
	columns int // -1 until it has run
}

// openConn opens a connection. path names the file in errors.
func openConn(dsn, path string) (*conn, error) {
	db, err := (&sqlite3.SQLiteDriver{}).Open(dsn)
	if err != nil {
		return nil, fault(path, err)
	}
	return &conn{db: db.(*sqlite3.SQLiteConn), path: path, stmts: map[string]*stmt{}}, nil
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		s.Close()
	}
	return c.db.Close()
}

// statements returns how many statements were run.
func (c *conn) statements() int64 { return c.ran.Load() }

// autocommit reports whether no transaction is open, be it that SQLite has dropped it.
func (c *conn) autocommit() bool { return c.db.AutoCommit() }

// script runs several statements that take no arguments.
func (c *conn) script(text string) error {
	if _, err := c.db.Exec(text, nil); err != nil {
		return fault(c.path, err)
	}
	return nil
}

// exec runs one statement to its end.
func (c *conn) exec(text string, args ...driver.Value) error {
	_, err := c.first(text, args...)
	return err
}

// first runs one statement and returns its first row, or nil where it has none. The row is good until the next statement.
// A statement that writes has written all its rows before the first comes back.
func (c *conn) first(text string, args ...driver.Value) (*row, error) {
	var out *row
	err := c.each(text, func(r *row) (bool, error) {
		out = r
		return false, nil
	}, args...)
	return out, err
}

// each runs one statement and calls f for each of its rows, until f returns false or an error. f uses the row only until it returns,
// and runs no statement.
func (c *conn) each(text string, f func(r *row) (more bool, err error), args ...driver.Value) error {
	s, err := c.prepare(text)
	if err != nil {
		return err
	}
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	rows, err := s.QueryContext(context.Background(), c.args)
	if err != nil {
		return fault(c.path, err)
	}
	if s.columns < 0 {
		s.columns = len(rows.Columns())
	}
	err = c.scan(rows, s.columns, f)
	if cerr := rows.Close(); cerr != nil && err == nil {
		err = fault(c.path, cerr)
	}
	return err
}

func (c *conn) scan(rows driver.Rows, columns int, f func(r *row) (bool, error)) error {
	for {
		c.row.next(columns)
		switch err := rows.Next(c.row.values); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fault(c.path, err)
		}
		if more, err := f(&c.row); err != nil || !more {
			return err
		}
	}
}

func (c *conn) prepare(text string) (*stmt, error) {
	c.ran.Add(1)
	if s, ok := c.stmts[text]; ok {
		return s, nil
	}
	p, err := c.db.Prepare(text)
	if err != nil {
		return nil, fault(c.path, err)
	}
	s := &stmt{p.(*sqlite3.SQLiteStmt), -1}
	c.stmts[text] = s
	return s, nil
}

// changed runs one writing statement and returns how many rows it changed.
func (c *conn) changed(text string, args ...driver.Value) (int, error) {
	s, err := c.prepare(text)
	if err != nil {
		return 0, err
	}
	res, err := s.Exec(args)
	if err != nil {
		return 0, fault(c.path, err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// copyFrom copies all of src into c, pages at a time, as long as ctx lasts.
func (c *conn) copyFrom(ctx context.Context, src *conn) (err error) {
	b, err := c.db.Backup("main", src.db, "main")
	if err != nil {
		return fault(c.path, err)
	}
	defer func() {
		if cerr := b.Close(); cerr != nil && err == nil {
			err = fault(c.path, cerr)
		}
	}()
	for left, tries := -1, 0; tries < 100; tries++ { // the driver tells a lock as a step without progress
		if err := ctx.Err(); err != nil {
			return err
		}
		done, err := b.Step(4096)
		if err != nil || done {
			return fault(c.path, err)
		}
		if b.Remaining() != left {
			left, tries = b.Remaining(), 0
			continue
		}
		time.Sleep(50 * time.Millisecond)
	}
	return &Error{Kind: ErrBusyStore, Path: c.path}
}

// fault turns an error of the driver into an *Error.
func fault(path string, err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := ErrIO
	switch e.Code {
	case sqlite3.ErrNotADB:
		kind = ErrNotADatabase
	case sqlite3.ErrCorrupt:
		kind = ErrCorrupt
	case sqlite3.ErrReadonly, sqlite3.ErrPerm:
		kind = ErrReadOnly
	case sqlite3.ErrFull:
		kind = ErrFull
	case sqlite3.ErrCantOpen:
		kind = ErrCannotOpen
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		kind = ErrBusyStore
	case sqlite3.ErrConstraint, sqlite3.ErrTooBig, sqlite3.ErrMismatch:
		kind = ErrRefused
	case sqlite3.ErrError, sqlite3.ErrSchema:
		kind = ErrCorrupt // every statement is ours: a table or column it names is missing
	}
	return &Error{Kind: kind, Path: path, Err: e, Hint: hint(kind)}
}
