package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Backup copies s as it is at this moment to dest, which must not exist, while others go on reading and writing. The copy is a store of
// its own, mode 0600. An error, or a ctx that is given up, leaves nothing behind.
func Backup(ctx context.Context, s *Store, dest string) (err error) {
	if _, err := os.Lstat(dest); err == nil {
		return &Error{Kind: ErrExists, Path: dest, Hint: "give the path of a new file"}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return openError(dest, err)
	}
	part := dest + ".part"
	if err := prepareFile(part); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	to, err := openConn(dsn(part, Options{}), dest)
	if err != nil {
		return err
	}
	err = s.read(ctx, func(from *conn) error { return copyAll(ctx, to, from, s.readers == nil) })
	if err = errors.Join(err, to.close()); err != nil {
		return err
	}
	return os.Rename(part, dest)
}

// copyAll copies from one snapshot: a read transaction holds it, so that what is written meanwhile does not begin the copy anew.
func copyAll(ctx context.Context, to, from *conn, inTransaction bool) (err error) {
	if inTransaction {
		return to.copyFrom(ctx, from)
	}
	if err := from.script("BEGIN; SELECT count(*) FROM sqlite_schema"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.script("COMMIT")) }()
	return to.copyFrom(ctx, from)
}
