package ops

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/user"
	"time"

	"github.com/iris-harness/iris"
)

// Exit codes of [Commands.Run].
const (
	ExitOK     = 0 // done
	ExitFailed = 1 // refused, not found, broken, or decided without a run that can go on
	ExitUsage  = 2 // not a command line of this tool
)

// Commands is the operator's tool over one harness. It keeps nothing between calls.
type Commands struct {
	// Open opens the harness for one command, and what closes it again; the closer may be nil. Required.
	Open func(ctx context.Context) (*iris.Harness, io.Closer, error)
	// By is who operates, as the application authenticated them. Where its ID is empty it is the user of the operating system, or who --as names.
	By iris.Principal
	// Name is how the tool is called in its help; "iris" where empty.
	Name string
	// Flags adds flags of the application's own to every command, for Open to read; nil adds none.
	Flags func(fs *flag.FlagSet)
	// Clock is what times are compared with; time.Now where nil.
	Clock func() time.Time
}

// Surface is where the decisions of these commands are made, as approvals record it.
const Surface = "cli"

// call is one command while it runs.
type call struct {
	h    *iris.Harness
	by   iris.Principal
	args []string
	json bool
	now  time.Time
	out  io.Writer
	note io.Writer // what is not the result: nothing parses it
}

// errShown ends a command that has printed its result, and failed.
var errShown = errors.New("ops: failed")

// usageError is an argument that may not be.
type usageError struct{ problem string }

func (e *usageError) Error() string { return e.problem }

func badUsage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// Run runs the command that args names, and returns the exit code. Results go to stdout; what went wrong to stderr, or with --json to stdout as
// {"error": …}.
func (c Commands) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		c.Help(stderr)
		return ExitUsage
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		c.Help(stdout)
		return ExitOK
	}
	cmd, rest := find(args)
	if cmd == nil {
		fmt.Fprintf(stderr, "%s: unknown command %q\n", c.name(), join(args, 2))
		c.Help(stderr)
		return ExitUsage
	}
	return c.run(ctx, cmd, rest, stdout, stderr)
}

func (c Commands) run(ctx context.Context, cmd *command, args []string, stdout, stderr io.Writer) int {
	p, err := c.parse(cmd, args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return ExitOK
	case err != nil:
		return c.misused(cmd, err, stderr)
	}
	err = c.with(ctx, func(h *iris.Harness) error {
		return p.run(ctx, &call{h: h, by: c.principal(p.as), args: p.args, json: p.json, now: c.now(), out: stdout, note: stderr})
	})
	var misuse *usageError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &misuse):
		return c.misused(cmd, err, stderr)
	case errors.Is(err, errShown):
	case p.json:
		printJSON(stdout, map[string]string{"error": err.Error()})
	default:
		fmt.Fprintf(stderr, "%s %s: %v\n", c.name(), cmd.name, err)
	}
	return ExitFailed
}

func (c Commands) misused(cmd *command, err error, stderr io.Writer) int {
	fmt.Fprintf(stderr, "%s %s: %v\nusage: %s\n", c.name(), cmd.name, err, c.usage(cmd))
	return ExitUsage
}

// with opens the harness, calls f, and closes it.
func (c Commands) with(ctx context.Context, f func(h *iris.Harness) error) error {
	h, closer, err := c.Open(ctx)
	if err != nil {
		return err
	}
	err = f(h)
	if closer == nil {
		return err
	}
	return errors.Join(err, closer.Close())
}

func (c Commands) name() string {
	if c.Name == "" {
		return "iris"
	}
	return c.Name
}

func (c Commands) now() time.Time {
	if c.Clock == nil {
		return time.Now().UTC()
	}
	return c.Clock().UTC()
}

// principal is who operates. A person that the application authenticated cannot be renamed.
func (c Commands) principal(as string) iris.Principal {
	switch {
	case c.By.ID != "":
		return c.By
	case as != "":
		return iris.Principal{ID: as}
	}
	if u, err := user.Current(); err == nil {
		return iris.Principal{ID: u.Username, Name: u.Name}
	}
	return iris.Principal{}
}

func printJSON(w io.Writer, v any) {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // every v is made of strings, numbers and times
}
