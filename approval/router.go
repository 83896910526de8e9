package approval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The names of the built-in channels.
const (
	WebName    = "web"
	StderrName = "stderr"
)

// RouterConfig says which surfaces there are.
type RouterConfig struct {
	Channels []Channel
	// Terminal is the interactive channel's name. It is only used for a request without a surface of its own, and only where it is set: a prompt in
	// the middle of a turn would wait for an answer that comes too late.
	Terminal string
	// OffBox is the push channel for requests without a surface of their own; none where empty.
	OffBox string
	// CopyTo gets a copy of what is raised from the web, and of its lapse: a page is only read while it is open.
	CopyTo string
	// Stderr is where a request goes that nothing else takes, as one line. Required.
	Stderr io.Writer
}

// Router says where a request belongs. Its names are closed when it is made.
type Router struct {
	c        RouterConfig
	channels map[string]Channel
}

// NewRouter returns a router, or all that is wrong with c.
func NewRouter(c RouterConfig) (*Router, error) {
	r := &Router{c: c, channels: map[string]Channel{}}
	var errs []error
	for _, ch := range c.Channels {
		name := ch.Name()
		switch {
		case name == "":
			errs = append(errs, errors.New("approval: a channel without a name"))
		case name == StderrName:
			errs = append(errs, fmt.Errorf("approval: the channel name %q is taken", name))
		case r.channels[name] != nil:
			errs = append(errs, fmt.Errorf("approval: two channels are named %q", name))
		}
		r.channels[name] = ch
	}
	if r.channels[WebName] == nil {
		r.channels[WebName] = WebChannel{}
	}
	for what, name := range map[string]string{"Terminal": c.Terminal, "OffBox": c.OffBox, "CopyTo": c.CopyTo} {
		if name != "" && r.channels[name] == nil {
			errs = append(errs, fmt.Errorf("approval: %s names the channel %q, and there is none", what, name))
		}
	}
	r.channels[StderrName] = stderrChannel{c.Stderr}
	return r, errors.Join(errs...)
}

// Targets returns the channels that a request with this origin goes to: its own surface, or else the interactive terminal where it is forced, the
// off-box channel, or a line on stderr; and a copy of what comes from the web.
func (r *Router) Targets(origin string) []string {
	if origin != StderrName && r.channels[origin] != nil {
		if origin == WebName && r.c.CopyTo != "" && r.c.CopyTo != WebName {
			return []string{origin, r.c.CopyTo}
		}
		return []string{origin}
	}
	for _, name := range []string{r.c.Terminal, r.c.OffBox} {
		if name != "" {
			return []string{name}
		}
	}
	return []string{StderrName}
}

// Channel returns a channel by name, or nil.
func (r *Router) Channel(name string) Channel { return r.channels[name] }

// WebChannel records: the row itself is the delivery, because a page polls. It exists so that a request from the web falls through to nobody else's surface.
type WebChannel struct{}

// Name implements [Channel].
func (WebChannel) Name() string { return WebName }

// Notify implements [Channel].
func (WebChannel) Notify(context.Context, Request) error { return nil }

// NotifyTimeout implements [Channel].
func (WebChannel) NotifyTimeout(context.Context, Request) error { return nil }

// stderrChannel writes one line.
type stderrChannel struct{ w io.Writer }

func (stderrChannel) Name() string { return StderrName }

func (c stderrChannel) Notify(_ context.Context, r Request) error {
	_, err := fmt.Fprintf(c.w, "iris: approval %s waits until %s: %s\n", r.ID, r.TimeoutAt.Format("15:04 MST"), oneLine(r.Summary+" "+r.Card))
	return err
}

func (c stderrChannel) NotifyTimeout(_ context.Context, r Request) error {
	_, err := fmt.Fprintf(c.w, "iris: approval %s timed out: %s\n", r.ID, oneLine(r.Summary))
	return err
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
