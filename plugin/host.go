package plugin

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/loop"
)

// State says how a plugin is doing.
type State string

// The states of a plugin.
const (
	Loaded   State = "loaded"
	Degraded State = "degraded" // one of its contributions failed; the others go on
)

// Status is a plugin as it stands.
type Status struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   State  `json:"state"`
	Faults  int    `json:"faults"`
	Last    string `json:"last,omitempty"` // the last fault
}

// Host holds the plugins of one harness.
type Host struct {
	mu     sync.Mutex
	order  []string
	status map[string]*Status
	c      Contributions
}

// NewHost registers plugins in order. It returns all that is wrong with them at once; a harness is only built where nothing is.
func NewHost(plugins []Plugin, s Seams) (*Host, error) {
	h := &Host{status: map[string]*Status{}}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	var errs []error
	for _, p := range plugins {
		if err := h.add(p, s); err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, h.unique()...)
	return h, errors.Join(errs...)
}

func (h *Host) add(p Plugin, s Seams) error {
	switch {
	case p.Name == "":
		return errors.New("plugin: a plugin without a name")
	case h.status[p.Name] != nil:
		return fmt.Errorf("plugin: two plugins are named %q", p.Name)
	case p.Register == nil:
		return fmt.Errorf("plugin %q: it registers nothing", p.Name)
	}
	h.order = append(h.order, p.Name)
	h.status[p.Name] = &Status{Name: p.Name, Version: p.Version, State: Loaded}
	own := &names{}
	r := &Registrar{plugin: p.Name, host: h}
	services := Services{
		Continuations: &Continuations{seams: s, names: own}, Log: s.Log.With("plugin", p.Name), seams: s, names: own,
	}
	err := register(p, r, services)
	r.closed.Store(true)
	for _, spec := range r.c.Intercepts {
		own.intercepts = append(own.intercepts, spec.Name)
	}
	for _, a := range r.c.Agents {
		own.agents = append(own.agents, a.Name())
	}
	h.c.append(&r.c)
	if err != nil {
		return fmt.Errorf("plugin %q: %w", p.Name, err)
	}
	return nil
}

func register(p Plugin, r *Registrar, s Services) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panicked: %v", v)
		}
	}()
	return p.Register(r, s)
}

func (c *Contributions) append(d *Contributions) {
	c.Intercepts = append(c.Intercepts, d.Intercepts...)
	c.Tools = append(c.Tools, d.Tools...)
	c.Agents = append(c.Agents, d.Agents...)
	c.Heartbeats = append(c.Heartbeats, d.Heartbeats...)
	c.Channels = append(c.Channels, d.Channels...)
	c.Executors = append(c.Executors, d.Executors...)
}

// unique checks the names that must not repeat among the plugins.
func (h *Host) unique() []error {
	var errs []error
	errs = append(errs, repeated("heartbeat", h.c.Heartbeats, func(b Heartbeat) string { return b.Name })...)
	errs = append(errs, repeated("tool", h.c.Tools, loop.Tool.Name)...)
	errs = append(errs, repeated("agent", h.c.Agents, loop.Agent.Name)...)
	errs = append(errs, repeated("channel", h.c.Channels, approval.Channel.Name)...)
	errs = append(errs, repeated("executor", h.c.Executors, intercept.ConfirmationExecutor.Kind)...)
	for _, b := range h.c.Heartbeats {
		if b.Every < time.Second || b.Run == nil {
			errs = append(errs, fmt.Errorf("plugin: heartbeat %q: it needs a function, and at least a second between runs", b.Name))
		}
	}
	return errs
}

func repeated[T any](what string, items []T, name func(T) string) []error {
	var errs []error
	seen := map[string]bool{}
	for _, it := range items {
		n := name(it)
		if n == "" {
			errs = append(errs, fmt.Errorf("plugin: a %s without a name", what))
		}
		if seen[n] {
			errs = append(errs, fmt.Errorf("plugin: two plugins register the %s %q", what, n))
		}
		seen[n] = true
	}
	return errs
}

// Contributions returns what the plugins registered.
func (h *Host) Contributions() Contributions { return h.c }

// Fault records that a contribution of a plugin failed. A name that is no plugin's is ignored.
func (h *Host) Fault(plugin, what string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.status[plugin]; s != nil {
		s.State, s.Last = Degraded, what+": "+err.Error()
		s.Faults++
	}
}

// Status returns the plugins as they stand, in registration order.
func (h *Host) Status() []Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Status, len(h.order))
	for i, n := range h.order {
		out[i] = *h.status[n]
	}
	return out
}
