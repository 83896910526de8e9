package plugin

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

// State says how a plugin is doing.
type State string

// The states of a plugin.
const (
	Loaded   State = "loaded"
	Degraded State = "degraded" // one of its contributions failed; the others go on
	Failed   State = "failed"   // its Register failed: it contributes nothing
)

// Status is a plugin as it stands.
type Status struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   State  `json:"state"`
	Faults  int    `json:"faults"`
	Last    string `json:"last,omitempty"` // the last fault
	// What it contributes, by name: "intercept organize", "tool move", …
	Contributes []string `json:"contributes,omitempty"`
}

// Host holds the plugins of one harness.
type Host struct {
	mu     sync.Mutex
	order  []string
	status map[string]*Status
	log    *slog.Logger
	c      Contributions
}

// NewHost registers plugins in order, and returns all that is wrong with what they declare at once: a harness is only built where nothing is. A
// plugin whose Register returns an error, panics or does not come back is [Failed]: it contributes nothing, and the others go on.
func NewHost(plugins []Plugin, s Seams) (*Host, error) {
	h := &Host{status: map[string]*Status{}, log: s.Log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	s.Log = h.log
	var errs []error
	for _, p := range plugins {
		errs = append(errs, h.add(p, s))
	}
	errs = append(errs, h.c.repeats()...)
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
	st := &Status{Name: p.Name, Version: p.Version, State: Loaded}
	h.order, h.status[p.Name] = append(h.order, p.Name), st
	own := &names{}
	r := &Registrar{plugin: p.Name, host: h}
	err := register(p, r, newServices(s, p.Name, own))
	c, faulty := r.close()
	if err != nil {
		h.fail(p.Name, err)
		return nil
	}
	own.set(&c)
	st.Contributes = c.list()
	h.c.append(&c)
	if err := errors.Join(append(faulty, c.validate()...)...); err != nil {
		return fmt.Errorf("plugin %q: %w", p.Name, err)
	}
	return nil
}

// fail takes a plugin out whose Register failed.
func (h *Host) fail(plugin string, err error) {
	h.Fault(plugin, "register", err)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status[plugin].State = Failed
	h.log.Error("plugin failed: it contributes nothing", "plugin", plugin, "err", err)
}

// Contributions returns what the plugins registered.
func (h *Host) Contributions() Contributions { return h.c }

// Owner returns the plugin that contributes something, named as in Status.Contributes; "" where none does.
func (h *Host) Owner(contribution string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range h.order {
		if slices.Contains(h.status[name].Contributes, contribution) {
			return name
		}
	}
	return ""
}

// Fault records that a contribution of a plugin failed. A name that is no plugin's is ignored.
func (h *Host) Fault(plugin, what string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.status[plugin]
	if s == nil {
		return
	}
	if s.State == Loaded {
		s.State = Degraded
	}
	s.Last = what + ": " + err.Error()
	s.Faults++
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
