// Command iris is the operator's tool: it shows what the library keeps, decides
// what waits for a person, and shows how replies are read.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/iris-harness/iris/ops"
)

// A command is one thing the tool does.
type command struct {
	name    string
	usage   string // the arguments, for the help text
	summary string // one line
	run     func(ctx context.Context, args []string, stdout, stderr io.Writer) int
}

// commands lists what the tool can do, in the order the help shows it.
func commands() []command {
	return []command{
		readCommand(),
	}
}

// Exit codes.
const (
	exitOK    = 0
	exitFail  = 1
	exitUsage = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := dispatch(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// dispatch runs the command that args names and returns the exit code.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		help(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "--help":
		help(stdout)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], stdout, stderr)
		}
	}
	if ops.Handles(args[0]) {
		return operator().Run(ctx, args, stdout, stderr)
	}
	fmt.Fprintf(stderr, "iris: unknown command %q\n", args[0])
	help(stderr)
	return exitUsage
}

// help prints the commands.
func help(w io.Writer) {
	fmt.Fprintln(w, "usage: iris <command> [arguments]")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-19s %s\n                      iris %s %s\n", c.name, c.summary, c.name, c.usage)
	}
	operator().List(w)
	fmt.Fprintln(w, "every command but read takes [--db FILE] [--as NAME] [--json]")
}
