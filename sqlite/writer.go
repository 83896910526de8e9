package sqlite

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// maxBatch is how many operations share a commit at most.
const maxBatch = 256

// writer runs operations on the one write connection. Whoever comes while nobody leads becomes the leader, on its own
// goroutine: it runs the operations of all who wait in one transaction, commits for them, and passes the lead to the next
// who waits. So there is no goroutine of the writer's own, and an operation alone is run at once.
type writer struct {
	db       *conn
	busy     time.Duration // how long to wait for another process
	patience time.Duration // how long an operation waits for one transaction of this process

	batches atomic.Int64 // transactions begun
	runs    atomic.Int64 // operations run in them

	mu      sync.Mutex
	queue   []*op
	leading bool
	closed  bool
}

// op is one operation: a function that runs on the write connection.
type op struct {
	run   func(db *conn) error
	own   bool // run on the goroutine of whoever asked, see [Store.Atomically]
	alone bool // run outside of a transaction, with nobody else
	state atomic.Int32
	wake  chan signal
	ran   chan struct{} // for own: it has run
	err   error
	late  bool // the watchdog has seen it wait
}

// The states of an operation. Its caller can take it back only while it waits.
const (
	waiting int32 = iota
	begun
	takenBack
)

// signal is what a leader tells whoever waits.
type signal int

const (
	lead signal = iota // you are the leader now
	turn               // run your function; the leader waits
	done               // committed, or failed: see op.err
)

func newOp(run func(db *conn) error) *op {
	return &op{run: run, wake: make(chan signal, 1)}
}

// do runs o and returns its outcome after the commit. A ctx that is given up before o begins is its error, and o is not run;
// after that ctx is not asked.
func (w *writer) do(ctx context.Context, o *op) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	switch {
	case w.closed:
		w.mu.Unlock()
		return w.fail(ErrClosed, nil)
	case w.leading:
		w.queue = append(w.queue, o)
		w.mu.Unlock()
		return w.wait(ctx, o)
	}
	w.leading = true
	w.mu.Unlock()
	o.state.Store(begun)
	w.lead(o)
	return o.err
}

// wait waits for o's outcome, and does what the leader asks of it meanwhile.
func (w *writer) wait(ctx context.Context, o *op) error {
	given := ctx.Done()
	for {
		select {
		case s := <-o.wake:
			switch s {
			case lead:
				if ctx.Err() != nil {
					o.run = func(*conn) error { return ctx.Err() }
				}
				w.lead(o)
				return o.err
			case turn:
				o.runHere(w.db)
			case done:
				return o.err
			}
		case <-given:
			if o.state.CompareAndSwap(waiting, takenBack) {
				return ctx.Err()
			}
			given = nil // it has begun: its real outcome counts
		}
	}
}

// runHere runs o's function on the goroutine of whoever asked, while the leader waits.
func (o *op) runHere(db *conn) {
	o.err = ErrAborted
	defer close(o.ran) // also where the function panics or ends its goroutine
	o.err = o.run(db)
}

// lead runs one batch, which begins with own, and passes the lead on.
func (w *writer) lead(own *op) {
	if own.alone {
		defer w.pass()
		own.err = own.run(w.db)
		return
	}
	b := &batch{w: w, own: own}
	defer b.end() // also where own's function panics or ends its goroutine
	runtime.Gosched()
	b.run(own)
}

// next takes the next operation for a batch off the queue, nil where none waits.
func (w *writer) next() *op {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nextLocked(true)
}

// nextLocked takes the next operation off the queue. A batch ends where one comes that is to be alone.
func (w *writer) nextLocked(forBatch bool) *op {
	for i, o := range w.queue {
		if o.alone && forBatch {
			w.queue = w.queue[i:]
			return nil
		}
		w.queue[i] = nil
		if o.state.CompareAndSwap(waiting, begun) {
			w.queue = w.queue[i+1:]
			return o
		}
	}
	w.queue = w.queue[:0]
	return nil
}

// pass gives the lead to the next who waits, or to nobody.
func (w *writer) pass() {
	w.mu.Lock()
	o := w.nextLocked(false)
	w.leading = o != nil
	w.mu.Unlock()
	if o != nil {
		o.wake <- lead
	}
}

// watch gives up on whoever waits for a function of Atomically that does not end. What waits for longer than the patience gets
// [ErrDeadlock]; where the function waits for itself, through the outer context, that ends it.
func (w *writer) watch() (stop func()) {
	var timer *time.Timer
	stopped := false
	w.mu.Lock()
	defer w.mu.Unlock()
	timer = time.AfterFunc(w.patience/2, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !stopped {
			w.giveUpLocked()
			timer.Reset(w.patience / 2)
		}
	})
	return func() {
		if timer.Stop() {
			return
		}
		w.mu.Lock()
		stopped = true
		w.mu.Unlock()
	}
}

// giveUpLocked fails the operations that waited when it was last called.
func (w *writer) giveUpLocked() {
	for _, o := range w.queue {
		if o.late && o.state.CompareAndSwap(waiting, takenBack) {
			o.err = w.fail(ErrDeadlock, nil)
			o.wake <- done
		}
		o.late = true
	}
}

// fail makes a failure of the store's own.
func (w *writer) fail(kind, cause error) error {
	return &Error{Kind: kind, Path: w.db.path, Err: cause, Hint: hint(kind)}
}

// close refuses what comes from now on, waits for what was there before, and closes the connection.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	last := newOp(func(*conn) error { return nil })
	last.state.Store(begun)
	wait := w.leading
	if wait {
		last.state.Store(waiting)
		w.queue = append(w.queue, last)
	}
	w.mu.Unlock()
	if wait {
		if err := w.wait(context.Background(), last); err != nil {
			return err
		}
	}
	return w.db.close()
}
