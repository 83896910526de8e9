package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
)

// prepareFile makes the file where there is none, readable by its owner alone; SQLite gives the files beside it the same mode.
// A file without any write permission is refused even to root, who could write to it: somebody meant it.
func prepareFile(path string) error {
	if path == Memory {
		return nil
	}
	if path == "" {
		return &Error{Kind: ErrCannotOpen, Path: `""`, Err: errors.New("no path"), Hint: "give the path of a file, or " + Memory}
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &Error{Kind: ErrIsDirectory, Path: path, Hint: hint(ErrIsDirectory)}
	case err == nil && !info.Mode().IsRegular():
		return &Error{Kind: ErrCannotOpen, Path: path, Err: errors.New("not a regular file")}
	case err == nil && info.Mode().Perm()&0o222 == 0:
		return &Error{Kind: ErrReadOnly, Path: path, Err: fmt.Errorf("its mode is %v", info.Mode()), Hint: hint(ErrReadOnly)}
	}
	if dir, err := os.Stat(filepath.Dir(path)); err == nil && dir.Mode().Perm()&0o222 == 0 {
		return &Error{Kind: ErrReadOnly, Path: path, Err: fmt.Errorf("the mode of its directory is %v", dir.Mode()), Hint: hint(ErrReadOnly)}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return openError(path, err)
	}
	return f.Close()
}

func openError(path string, err error) error {
	kind := ErrCannotOpen
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		kind = ErrReadOnly
	case errors.Is(err, syscall.ENOSPC):
		kind = ErrFull
	}
	return &Error{Kind: kind, Path: path, Err: err, Hint: hint(kind)}
}

// dsn is what the driver opens path by. Any path works: one with a ? or a # too.
func dsn(path string, o Options) string {
	options := fmt.Sprintf("?_mutex=no&_foreign_keys=1&_busy_timeout=1000&_synchronous=%s", o.synchronous())
	if path == Memory {
		return path + options
	}
	return "file:" + url.PathEscape(path) + options + "&mode=rw"
}
