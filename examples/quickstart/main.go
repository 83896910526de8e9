// Quickstart tells what iris is for in three parts, on an embedded store, with a scripted model and no network. With -chat it is a small
// conversation on the same file instead. It exits non-zero if any of what it tells does not hold.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	path := flag.String("db", "", "the store's file; a temporary one where empty")
	chat := flag.Bool("chat", false, "talk to it yourself")
	flag.Parse()
	if err := run(context.Background(), *path, *chat, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string, chat bool, in io.Reader, out io.Writer) error {
	if path == "" {
		dir, err := os.MkdirTemp("", "iris")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "iris.db")
	}
	if chat {
		return converse(ctx, path, in, out)
	}
	for _, part := range []func(context.Context, *story) error{incident, restart, race} {
		if err := part(ctx, &story{path: path, out: out}); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "\nAll of it held.")
	return nil
}
