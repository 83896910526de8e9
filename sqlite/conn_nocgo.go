//go:build !cgo

package sqlite

import (
	"context"
	"database/sql/driver"
)

// conn is what there is of a connection without cgo: it cannot be opened.
type conn struct{ path string }

func openConn(_, path string) (*conn, error) {
	return nil, &Error{Kind: ErrNoCgo, Path: path, Hint: hint(ErrNoCgo)}
}

func (c *conn) close() error                                { return ErrNoCgo }
func (c *conn) statements() int64                           { return 0 }
func (c *conn) autocommit() bool                            { return true }
func (c *conn) script(string) error                         { return ErrNoCgo }
func (c *conn) exec(string, ...driver.Value) error          { return ErrNoCgo }
func (c *conn) copyFrom(context.Context, *conn) error       { return ErrNoCgo }
func (c *conn) first(string, ...driver.Value) (*row, error) { return nil, ErrNoCgo }

func (c *conn) changed(string, ...driver.Value) (int, error) { return 0, ErrNoCgo }

func (c *conn) each(string, func(*row) (bool, error), ...driver.Value) error { return ErrNoCgo }
