package ops

import (
	"context"
	"fmt"
	"io"
)

func runPin() command {
	return command{
		name: "run pin", args: "ID", summary: "keep a run past its lifetime", least: 1, most: 1,
		setup: noFlags(func(ctx context.Context, c *call) error { return c.pin(c.h.Pin(ctx, c.args[0]), true) }),
	}
}

func runUnpin() command {
	return command{
		name: "run unpin", args: "ID", summary: "let a pinned run expire again, in 7 days", least: 1, most: 1,
		setup: noFlags(func(ctx context.Context, c *call) error { return c.pin(c.h.Unpin(ctx, c.args[0]), false) }),
	}
}

func (c *call) pin(err error, pinned bool) error {
	if err != nil {
		return err
	}
	c.show(map[string]any{"run_id": c.args[0], "pinned": pinned}, func(w io.Writer) {
		word := "pinned"
		if !pinned {
			word = "unpinned"
		}
		fmt.Fprintf(w, "run %s: %s\n", c.args[0], word)
	})
	return nil
}
