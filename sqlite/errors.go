package sqlite

import (
	"errors"
	"strings"
)

// What can be wrong with a file, and with the use of a store. Each is the Kind of an *[Error], which names the file.
var (
	// ErrNoCgo is returned by Open in a program that was built without cgo.
	ErrNoCgo = errors.New("built without cgo, which the SQLite driver needs")
	// ErrIsDirectory is returned by Open for the path of a directory.
	ErrIsDirectory = errors.New("is a directory")
	// ErrReadOnly is returned where the file or its directory cannot be written to.
	ErrReadOnly = errors.New("cannot be written to")
	// ErrCannotOpen is returned where the file cannot be opened or made for another reason.
	ErrCannotOpen = errors.New("cannot be opened")
	// ErrNotADatabase is returned by Open for a file that is something else; it was not touched.
	ErrNotADatabase = errors.New("is not a database")
	// ErrForeign is returned by Open for a database that another program made; it was not touched.
	ErrForeign = errors.New("is another program's database")
	// ErrNewerSchema is returned by Open for a file that a newer version of this package wrote; it was not touched.
	ErrNewerSchema = errors.New("was written by a newer version")
	// ErrCorrupt is returned by whatever meets damage in the file, or a row that does not decode.
	ErrCorrupt = errors.New("is damaged")
	// ErrFull is returned to every operation of a transaction that the disk, or Options.MaxPages, had no room for.
	ErrFull = errors.New("has no room left on its disk")
	// ErrIO is returned where the operating system failed a read or a write.
	ErrIO = errors.New("could not be read or written")
	// ErrBusyStore is returned to a write that waited longer than Options.BusyTimeout for another process, or another handle, to finish.
	ErrBusyStore = errors.New("is busy: another process holds the write lock")
	// ErrDeadlock is returned to a write that waited longer than Options.Patience for one transaction of this process: most often
	// the store is used with the outer context inside of Atomically, which waits for itself.
	ErrDeadlock = errors.New("waited too long for the transaction in progress")
	// ErrTxDone is returned to whoever uses the context of a transaction that has ended.
	ErrTxDone = errors.New("the transaction of this context has ended")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("is closed")
	// ErrRefused is returned where a constraint or a trigger of the database refused a row.
	ErrRefused = errors.New("refused a row that may not be")
	// ErrAborted is returned for an operation whose function did not return: it panicked, or ended its goroutine.
	ErrAborted = errors.New("rolled back an operation that did not return")
	// ErrExists is returned by Backup for a destination that is there already.
	ErrExists = errors.New("exists already")
)

// Error is a failure of the store. It matches its Kind, and what caused it, with errors.Is and errors.As.
type Error struct {
	Kind error  // one of this package's errors
	Path string // the file, as it was opened
	Err  error  // the cause; may be nil
	Hint string // what to do about it; may be ""
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("sqlite: ")
	b.WriteString(e.Path)
	b.WriteString(" ")
	b.WriteString(e.Kind.Error())
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// hint says what can be done about a kind of failure.
func hint(kind error) string {
	switch kind {
	case ErrNoCgo:
		return "build with CGO_ENABLED=1 and a C compiler"
	case ErrIsDirectory:
		return "give the path of a file"
	case ErrReadOnly:
		return "the file and its directory must both be writable"
	case ErrNotADatabase, ErrForeign:
		return "give another path"
	case ErrNewerSchema:
		return "use the version that wrote it, or a newer one"
	case ErrCorrupt:
		return "restore a backup; sqlite3's .recover may save rows"
	case ErrFull:
		return "free some space and try again; nothing that was committed is lost"
	case ErrDeadlock:
		return "inside of Atomically use the inner context only, and do not wait there"
	default:
		return ""
	}
}
