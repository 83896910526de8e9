package plugin

import (
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/loop"
)

// Contributions is what plugins registered, in registration order.
type Contributions struct {
	Intercepts []intercept.Spec
	Tools      []loop.Tool
	Agents     []loop.Agent
	Heartbeats []Heartbeat
	Channels   []approval.Channel
	Executors  []intercept.ConfirmationExecutor
}

func (c *Contributions) append(d *Contributions) {
	c.Intercepts = append(c.Intercepts, d.Intercepts...)
	c.Tools = append(c.Tools, d.Tools...)
	c.Agents = append(c.Agents, d.Agents...)
	c.Heartbeats = append(c.Heartbeats, d.Heartbeats...)
	c.Channels = append(c.Channels, d.Channels...)
	c.Executors = append(c.Executors, d.Executors...)
}

// minBeat is the shortest time between two runs of a heartbeat.
const minBeat = time.Second

// validate returns what is wrong with the contributions of one plugin, taken by themselves. Intercepts are the chain's to check.
func (c *Contributions) validate() []error {
	var errs []error
	for _, t := range c.Tools {
		errs = append(errs, t.Err())
	}
	for _, b := range c.Heartbeats {
		switch {
		case b.Run == nil:
			errs = append(errs, fmt.Errorf("heartbeat %q has no function", b.Name))
		case b.Every < minBeat:
			errs = append(errs, fmt.Errorf("heartbeat %q runs every %s, at least %s", b.Name, b.Every, minBeat))
		}
	}
	return errs
}

// each calls f with the kind and the name of every contribution.
func (c *Contributions) each(f func(kind, name string)) {
	for i := range c.Intercepts {
		f("intercept", c.Intercepts[i].Name)
	}
	for _, t := range c.Tools {
		f("tool", t.Name())
	}
	for _, a := range c.Agents {
		f("agent", a.Name())
	}
	for _, b := range c.Heartbeats {
		f("heartbeat", b.Name)
	}
	for _, ch := range c.Channels {
		f("channel", ch.Name())
	}
	for _, e := range c.Executors {
		f("executor", e.Kind())
	}
}

func (c *Contributions) list() (out []string) {
	c.each(func(kind, name string) { out = append(out, kind+" "+name) })
	return out
}

// repeats returns the names that are missing, or are there twice.
func (c *Contributions) repeats() []error {
	var errs []error
	seen := map[string]bool{}
	c.each(func(kind, name string) {
		what := kind + " " + name
		switch {
		case name == "":
			errs = append(errs, errors.New("plugin: no name for a contribution: "+kind))
		case seen[what]:
			errs = append(errs, fmt.Errorf("plugin: two plugins register the %s %q", kind, name))
		}
		seen[what] = true
	})
	return errs
}
