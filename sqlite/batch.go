package sqlite

import (
	"errors"
	"time"
)

// batch is the operations of one transaction.
type batch struct {
	w    *writer
	own  *op   // the leader's
	ops  []*op // in the order they ran
	open bool
	// dropped is set where there was a transaction and it is gone: what still waits is for the next batch.
	dropped bool
	err     error // why the transaction did not begin, or was dropped: the outcome of every operation
}

// run runs o in the batch's transaction.
func (b *batch) run(o *op) {
	b.ops = append(b.ops, o)
	if !b.open && b.err == nil {
		b.begin()
	}
	if b.err != nil {
		return
	}
	b.w.runs.Add(1)
	o.err = b.w.fail(ErrAborted, nil)
	returned := false
	defer func() {
		if !returned && !o.own { // a function of Atomically has undone itself
			b.drop(o.err)
		}
	}()
	if o.own && o != b.own {
		o.wake <- turn
		<-o.ran
	} else {
		o.err = o.run(b.w.db)
	}
	returned = true
	if o.err != nil && b.w.db.autocommit() {
		b.open, b.dropped, b.err = false, true, o.err
	}
}

// begin takes the database's write lock. It waits for another process with SQLite's own timeout, again and again.
func (b *batch) begin() {
	b.err = retryBusy(b.w.busy, func() error { return b.w.db.exec("BEGIN IMMEDIATE") })
	b.open = b.err == nil
	b.w.batches.Add(1)
}

// drain runs the operations that wait. Where the transaction could not begin they share its error and are not run.
func (b *batch) drain() {
	for len(b.ops) < maxBatch && !b.dropped {
		o := b.w.next()
		if o == nil {
			return
		}
		b.run(o)
	}
}

// end runs who waits, commits, tells everybody and passes the lead on.
func (b *batch) end() {
	b.drain()
	b.commit()
	for _, o := range b.ops {
		if b.err != nil {
			o.err = b.err
		}
		if o != b.own {
			o.wake <- done
		}
	}
	b.w.pass()
}

func (b *batch) commit() {
	if !b.open {
		return
	}
	b.open = false
	if err := b.w.db.exec("COMMIT"); err != nil {
		b.drop(err)
	}
}

// drop rolls back all of it because of err.
func (b *batch) drop(err error) {
	b.open, b.dropped, b.err = false, true, err
	if b.w.db.autocommit() {
		return
	}
	if rerr := b.w.db.exec("ROLLBACK"); rerr != nil {
		b.err = errors.Join(err, rerr)
	}
}

// retryBusy calls f until it does not fail with [ErrBusyStore], or for as long as patience.
func retryBusy(patience time.Duration, f func() error) error {
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := f()
		if err == nil || !errors.Is(err, ErrBusyStore) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}
