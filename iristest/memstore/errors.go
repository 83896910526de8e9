package memstore

import "errors"

var (
	// ErrTxDone is returned to whoever uses the context of a transaction that has ended.
	ErrTxDone = errors.New("memstore: the transaction of this context has ended")
	// ErrDeadlock is returned for a wait that lasted longer than [Options.Patience]: most often the store is used with the
	// outer context inside of Atomically, which waits for itself.
	ErrDeadlock = errors.New("memstore: waited too long for the transaction in progress; is an outer context used inside of Atomically?")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("memstore: closed")
	// ErrTaken is returned for a row whose id is there already.
	ErrTaken = errors.New("memstore: the id is taken")
)
