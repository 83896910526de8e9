// Package sqlite is the embedded store: everything in one file, so that what belongs together commits together.
//
// [Open] creates the file (mode 0600) or migrates it, however many processes do so at once. The file is in WAL mode with
// synchronous=FULL: what a call has returned survives a power cut. The tables hold their own rules as constraints and triggers
// (migrations/0001_base.sql), so that no caller and no bug can break them.
//
// # Writing
//
// There is one write connection. Concurrent writers share a commit: the first one in leads, and runs and commits the
// operations of all who wait, up to 256 of them in a transaction. There is no goroutine and no timer of the store's own. An operation that fails
// is undone alone and is told after the commit. A failure that makes SQLite drop the transaction, as a full disk may, fails every
// operation in it, each with the typed error; the next batch starts afresh.
//
// [Store.Atomically] makes several operations one. Inside of it use the inner context and nothing else.
//
// # Reading
//
// Reads go through a pool of their own connections, see the last commit, and wait for no writer. Inside of Atomically
// they go through the transaction and see what it has written.
//
// The driver is github.com/mattn/go-sqlite3 and needs cgo; without it Open returns [ErrNoCgo].
package sqlite
