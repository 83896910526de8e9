package ops

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// command is one thing the tool does.
type command struct {
	name    string // as typed: "run list"
	args    string // for the help text
	summary string // one line
	least   int    // how many arguments it needs
	most    int
	// setup adds the command's flags and returns what runs it.
	setup func(fs *flag.FlagSet) runFunc
}

type runFunc func(ctx context.Context, c *call) error

// noFlags is the setup of a command that has none of its own.
func noFlags(run runFunc) func(fs *flag.FlagSet) runFunc {
	return func(*flag.FlagSet) runFunc { return run }
}

// commands lists what the tool can do, in the order the help shows it.
func commands() []command {
	return []command{
		runList(), runInspect(), runResume(), runSettle(), runPin(), runUnpin(),
		sessionShow(),
		approvalsList(), approvalsShow(), approvalsApprove(), approvalsReject(), approvalsWithdraw(),
		auditVerify(),
		actions(),
	}
}

// Handles reports whether the tool has commands that begin with this word.
func Handles(word string) bool {
	for _, c := range commands() {
		if first, _, _ := strings.Cut(c.name, " "); first == word {
			return true
		}
	}
	return false
}

// Help prints the commands.
func (c Commands) Help(w io.Writer) {
	fmt.Fprintf(w, "usage: %s <command> [arguments] [--json]\n", c.name())
	c.List(w)
}

// List prints the commands without a heading, for a tool that has others, too.
func (c Commands) List(w io.Writer) {
	all := commands()
	for i := range all {
		fmt.Fprintf(w, "  %-19s %s\n                      %s\n", all[i].name, all[i].summary, c.usage(&all[i]))
	}
}

func (c Commands) usage(cmd *command) string {
	return strings.TrimSpace(c.name() + " " + cmd.name + " " + cmd.args)
}

// find returns the command that args begins with, and the rest.
func find(args []string) (*command, []string) {
	all := commands()
	for i := range all {
		words := strings.Fields(all[i].name)
		if len(args) >= len(words) && join(args, len(words)) == all[i].name {
			return &all[i], args[len(words):]
		}
	}
	return nil, nil
}

func join(args []string, n int) string { return strings.Join(args[:min(n, len(args))], " ") }

// parsed is a command line.
type parsed struct {
	run  runFunc
	args []string
	json bool
	as   string
}

// parse reads flags and arguments in any order.
func (c Commands) parse(cmd *command, args []string, stderr io.Writer) (parsed, error) {
	var p parsed
	fs := flag.NewFlagSet(c.name()+" "+cmd.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&p.json, "json", false, "print one JSON object")
	if c.By.ID == "" {
		fs.StringVar(&p.as, "as", "", "who operates; the user of the operating system where empty")
	}
	if c.Flags != nil {
		c.Flags(fs)
	}
	p.run = cmd.setup(fs)
	fs.Usage = func() { fmt.Fprintf(stderr, "usage: %s\n", c.usage(cmd)); fs.SetOutput(stderr); fs.PrintDefaults() }
	for {
		if err := fs.Parse(args); err != nil {
			return p, err
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		p.args, args = append(p.args, args[0]), args[1:]
	}
	if len(p.args) < cmd.least || len(p.args) > cmd.most {
		return p, fmt.Errorf("%d arguments, not %d", cmd.least, len(p.args))
	}
	return p, nil
}
