package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"
)

// tx is a transaction that a context carries: a savepoint of the batch that it runs in.
type tx struct {
	db   *conn
	turn chan struct{} // holds one token: statements through one context come one after another
	err  error         // why SQLite dropped the transaction; guarded by turn
	done bool          // guarded by turn
}

// txKey finds a store's transaction in a context. The store is part of the key: another store's context does not join.
type txKey struct{ s *Store }

// Atomically runs fn in one transaction: all that is done with the context that fn is given is kept if fn returns nil, and
// nothing of it otherwise. With a context that is inside of a transaction it joins that one, and what it undoes is its own part.
//
// fn runs on the caller's goroutine and holds the one write connection: it uses the inner context and nothing else, and does
// not wait. fn's panic rolls back and goes on. A ctx that is given up before fn starts is its error; after that ctx is not
// asked. The inner context of a transaction that has ended is [ErrTxDone].
func (s *Store) Atomically(ctx context.Context, fn func(ctx context.Context) error) error {
	if outer, ok := ctx.Value(txKey{s}).(*tx); ok {
		return s.use(outer, func(db *conn) error { return s.transact(ctx, db, fn) })
	}
	o := newOp(func(db *conn) error {
		defer s.writer.watch()()
		return s.transact(ctx, db, fn)
	})
	o.own, o.ran = true, make(chan struct{})
	return s.writer.do(ctx, o)
}

// transact runs fn inside of a savepoint and ends it, however fn ends.
func (s *Store) transact(ctx context.Context, db *conn, fn func(ctx context.Context) error) error {
	t := &tx{db: db, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return db.atomic(func() (err error) {
		defer func() {
			if dropped := t.end(); dropped != nil {
				err = dropped
			}
		}()
		return fn(context.WithValue(ctx, txKey{s}, t))
	})
}

// end refuses what comes from now on. A statement in progress is short and is waited for. It returns why SQLite dropped the
// transaction, if it has.
func (t *tx) end() error {
	<-t.turn
	defer func() { t.turn <- struct{}{} }()
	t.done = true
	return t.err
}

// atomic runs f inside of a savepoint: nothing of it stays where it fails or does not return.
func (c *conn) atomic(f func() error) error {
	if err := c.exec("SAVEPOINT op"); err != nil {
		return err
	}
	returned := false
	defer func() {
		if !returned {
			_ = c.undo() // the panic is what is told
		}
	}()
	err := f()
	returned = true
	if err == nil {
		if err = c.exec("RELEASE op"); err == nil {
			return nil
		}
	}
	if uerr := c.undo(); uerr != nil {
		return uerr
	}
	return err
}

// one runs a statement that must change one row.
func (c *conn) one(text string, args ...driver.Value) error {
	n, err := c.changed(text, args...)
	if err == nil && n != 1 {
		err = &Error{Kind: ErrRefused, Path: c.path, Err: fmt.Errorf("%d rows were changed in place of one", n)}
	}
	return err
}

// undo takes back the innermost savepoint, unless SQLite has dropped the whole transaction.
func (c *conn) undo() error {
	if c.autocommit() {
		return nil
	}
	if err := c.exec("ROLLBACK TO op"); err != nil {
		return err
	}
	return c.exec("RELEASE op")
}

// use runs one operation inside of t.
func (s *Store) use(t *tx, run func(db *conn) error) error {
	if err := s.enter(t); err != nil {
		return err
	}
	defer func() { t.turn <- struct{}{} }()
	err := run(t.db)
	if err != nil && t.db.autocommit() {
		t.err = err // the rest must not run outside of a transaction
	}
	return err
}

// enter waits for t's turn, and refuses a transaction that has ended.
func (s *Store) enter(t *tx) error {
	select {
	case <-t.turn:
	default:
		timer := time.NewTimer(s.writer.patience)
		defer timer.Stop()
		select {
		case <-t.turn:
		case <-timer.C:
			return s.writer.fail(ErrDeadlock, nil)
		}
	}
	err := t.err
	if t.done {
		err = s.writer.fail(ErrTxDone, nil)
	}
	if err != nil {
		t.turn <- struct{}{}
	}
	return err
}

// write runs one operation that writes: in the transaction of ctx, or in a commit that it shares with whoever writes now.
// It runs one statement that writes, or several inside of [conn.atomic]. What it hands to run is made before: run is called
// on any goroutine, or not at all.
func (s *Store) write(ctx context.Context, run func(db *conn) error) error {
	if t, ok := ctx.Value(txKey{s}).(*tx); ok {
		return s.use(t, run)
	}
	return s.writer.do(ctx, newOp(run))
}

// read runs one operation that only reads: in the transaction of ctx, or on a connection of its own.
func (s *Store) read(ctx context.Context, run func(db *conn) error) error {
	if t, ok := ctx.Value(txKey{s}).(*tx); ok {
		return s.use(t, run)
	}
	if s.readers == nil { // a database in memory is its one connection
		return s.writer.do(ctx, newOp(run))
	}
	db, err := s.readers.get(ctx)
	if err != nil {
		return err
	}
	defer s.readers.put(db)
	return run(db)
}
