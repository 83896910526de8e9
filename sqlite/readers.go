package sqlite

import (
	"context"
	"sync/atomic"
)

// readers is a pool of connections that only read. They are opened as they are needed.
type readers struct {
	path   string
	open   func() (*conn, error)
	idle   chan *conn
	opened chan struct{} // one for each connection there is
	closed atomic.Bool
}

func newReaders(path string, n int, open func() (*conn, error)) *readers {
	return &readers{path: path, open: open, idle: make(chan *conn, n), opened: make(chan struct{}, n)}
}

// get returns a connection, which goes back with put. It waits for one as long as ctx lasts.
func (p *readers) get(ctx context.Context) (*conn, error) {
	if p.closed.Load() {
		return nil, &Error{Kind: ErrClosed, Path: p.path}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case db := <-p.idle:
		return db, nil
	default:
	}
	select {
	case db := <-p.idle:
		return db, nil
	case p.opened <- struct{}{}:
		db, err := p.open()
		if err != nil {
			<-p.opened
		}
		return db, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *readers) put(db *conn) { p.idle <- db }

// close waits for who reads and closes all connections.
func (p *readers) close() (err error) {
	if p.closed.Swap(true) {
		return nil
	}
	for range cap(p.opened) {
		select {
		case db := <-p.idle:
			if cerr := db.close(); cerr != nil {
				err = cerr
			}
		case p.opened <- struct{}{}:
		}
	}
	return err
}
