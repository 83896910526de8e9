package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/loop"
)

// Plugin is a part of an application, as a value.
type Plugin struct {
	Name    string // Required, unique.
	Version string // shown, not compared
	// Register says what the plugin contributes. It is called once, when the harness is built, and has 10 seconds; s works once the harness stands. An
	// error takes the plugin out, and the harness goes on without it: see [Status].
	Register func(r *Registrar, s Services) error
}

// Heartbeat is work that is done from time to time, as a turn of nobody.
type Heartbeat struct {
	Name  string        // Required, unique in a harness.
	Every time.Duration // Required: at least a second.
	Run   func(ctx context.Context) error
	// Plugin is whose it is; the registrar sets it.
	Plugin string
}

// Registrar collects what one plugin contributes. It is only good during Register.
type Registrar struct {
	plugin string
	host   *Host

	mu     sync.Mutex
	closed bool
	c      Contributions
	faulty []error
}

// ErrLate is the fault of a plugin that registers something after its Register had returned: it is not taken.
var ErrLate = errors.New("plugin: registered after Register had returned")

// add takes one contribution.
func (r *Registrar) add(what string, missing bool, f func(c *Contributions)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		r.host.Fault(r.plugin, "registration of "+what, ErrLate)
	case missing:
		r.faulty = append(r.faulty, fmt.Errorf("it registers %s that is nil", what))
	default:
		f(&r.c)
	}
}

// close ends the registration.
func (r *Registrar) close() (Contributions, []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.c, r.faulty
}

// boundary is what the contributions of the plugin are called through.
func (r *Registrar) boundary() boundary { return boundary{r.host, r.plugin} }

// Intercept adds an intercept to the chain.
func (r *Registrar) Intercept(s intercept.Spec) {
	s.Plugin = r.plugin
	r.add("an intercept", false, func(c *Contributions) { c.Intercepts = append(c.Intercepts, s) })
}

// Tool adds a tool that every agent may call.
func (r *Registrar) Tool(t loop.Tool) {
	r.add("a tool", false, func(c *Contributions) { c.Tools = append(c.Tools, t) })
}

// Agent adds an agent: it answers the intents that the classifier names it for. One task has 5 minutes.
func (r *Registrar) Agent(a loop.Agent) {
	r.add("an agent", a == nil, func(c *Contributions) { c.Agents = append(c.Agents, boundAgent(r.boundary(), a)) })
}

// Heartbeat adds work that the harness does from time to time.
func (r *Registrar) Heartbeat(h Heartbeat) {
	h.Plugin = r.plugin
	r.add("a heartbeat", false, func(c *Contributions) { c.Heartbeats = append(c.Heartbeats, h) })
}

// Channel adds a surface that approvals can be brought to.
func (r *Registrar) Channel(ch approval.Channel) {
	r.add("a channel", ch == nil, func(c *Contributions) { c.Channels = append(c.Channels, boundChannel(r.boundary(), ch)) })
}

// Executor adds the executor of a kind of confirmed action.
func (r *Registrar) Executor(e intercept.ConfirmationExecutor) {
	r.add("an executor", e == nil, func(c *Contributions) { c.Executors = append(c.Executors, boundExecutor(r.boundary(), e)) })
}
