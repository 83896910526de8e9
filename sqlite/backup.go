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
	err = s.snapshot(ctx, func(from *conn) error { return to.copyFrom(ctx, from) })
	if err = errors.Join(err, to.close()); err != nil {
		return err
	}
	return os.Rename(part, dest)
}

// snapshot runs f on a connection that sees one moment: a read transaction holds it, so that what is written meanwhile does not
// make a copy begin anew.
func (s *Store) snapshot(ctx context.Context, f func(from *conn) error) error {
	if s.readers == nil { // a database in memory is its one connection: nobody writes meanwhile
		o := newOp(f)
		o.alone = true
		return s.writer.do(ctx, o)
	}
	from, err := s.readers.get(ctx)
	if err != nil {
		return err
	}
	defer s.readers.put(from)
	if err := from.script("BEGIN; SELECT count(*) FROM sqlite_schema"); err != nil {
		return err
	}
	return errors.Join(f(from), from.script("COMMIT"))
}
