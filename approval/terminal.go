package approval

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// TerminalName is the name of the interactive channel.
const TerminalName = "terminal"

// TerminalChannel asks the person at the terminal, and decides as they say. It is for a process of its own, or one that waits between turns: it is only
// used where the router is told to, and never inside a turn.
type TerminalChannel struct {
	in     *bufio.Reader
	out    io.Writer
	by     Principal
	decide func(ctx context.Context, a Answer) error
	prompt sync.Mutex // one prompt at a time: it outlives the attempt that made it
}

// errPrompting puts off a request while the person has another to answer.
var errPrompting = errors.New("approval: the person at the terminal is being asked")

// NewTerminalChannel returns the interactive channel. decide records the answer; it is the service's Respond with Later set, because the
// run is taken up elsewhere.
func NewTerminalChannel(in io.Reader, out io.Writer, by Principal, decide func(ctx context.Context, a Answer) error) *TerminalChannel {
	return &TerminalChannel{in: bufio.NewReader(in), out: out, by: by, decide: decide}
}

var _ Channel = (*TerminalChannel)(nil)

// Name implements [Channel].
func (c *TerminalChannel) Name() string { return TerminalName }

// Notify implements [Channel]: it blocks on the person. Anything but "yes" or "no" decides nothing. While one prompt is open, another request is put off.
func (c *TerminalChannel) Notify(ctx context.Context, r Request) error {
	if !c.prompt.TryLock() {
		return errPrompting
	}
	defer c.prompt.Unlock()
	fmt.Fprintf(c.out, "%s\nApprove? yes/no: ", RequestText(&r))
	line, err := c.in.ReadString('\n')
	if err != nil && line == "" {
		return nil // nobody is there: the request waits, and lapses if nobody comes
	}
	a := Answer{ApprovalID: r.ID, By: c.by, Surface: TerminalName, Later: true}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "yes":
		a.Decision = Approve
	case "no":
		a.Decision = Reject
	default:
		return nil
	}
	return c.decide(ctx, a)
}

// NotifyTimeout implements [Channel].
func (c *TerminalChannel) NotifyTimeout(_ context.Context, r Request) error {
	_, err := fmt.Fprintln(c.out, LapseText(&r))
	return err
}
