package ops

import (
	"context"
	"fmt"
	"io"
)

func runSettle() command {
	return command{
		name: "run settle", args: "EFFECT happened|did-not-happen", summary: "say what became of an effect that was cut off", least: 2, most: 2,
		setup: noFlags(func(ctx context.Context, c *call) error {
			happened := c.args[1] == "happened"
			if !happened && c.args[1] != "did-not-happen" {
				return badUsage("%q is neither \"happened\" nor \"did-not-happen\"", c.args[1])
			}
			if err := c.h.Settle(ctx, c.args[0], happened, c.by); err != nil {
				return err
			}
			v := map[string]any{"key": c.args[0], "happened": happened, "by": c.by.ID}
			c.show(v, func(w io.Writer) { fmt.Fprintf(w, "%s: %s, says %s\n", c.args[0], c.args[1], c.by.ID) })
			return nil
		}),
	}
}
