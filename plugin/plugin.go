package plugin

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/loop"
)

// Plugin is a part of an application, as a value.
type Plugin struct {
	Name    string // Required, unique.
	Version string // shown, not compared
	// Register says what the plugin contributes. It is called once, when the harness is built; s works from then on.
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
	closed atomic.Bool
	c      Contributions
}

// Contributions is what plugins registered, in registration order.
type Contributions struct {
	Intercepts []intercept.Spec
	Tools      []loop.Tool
	Agents     []loop.Agent
	Heartbeats []Heartbeat
	Channels   []approval.Channel
	Executors  []intercept.ConfirmationExecutor
}

// ErrLate is the fault of a plugin that registers something after its Register had returned: it is not taken.
var ErrLate = errors.New("plugin: registered after Register had returned")

func (r *Registrar) open() bool {
	if r.closed.Load() {
		r.host.Fault(r.plugin, "registration", ErrLate)
		return false
	}
	return true
}

// Intercept adds an intercept to the chain.
func (r *Registrar) Intercept(s intercept.Spec) {
	if r.open() {
		s.Plugin = r.plugin
		r.c.Intercepts = append(r.c.Intercepts, s)
	}
}

// Tool adds a tool that every agent may call.
func (r *Registrar) Tool(t loop.Tool) {
	if r.open() {
		r.c.Tools = append(r.c.Tools, t)
	}
}

// Agent adds an agent: it answers the intents that the classifier names it for.
func (r *Registrar) Agent(a loop.Agent) {
	if r.open() {
		r.c.Agents = append(r.c.Agents, a)
	}
}

// Heartbeat adds work that the harness does from time to time.
func (r *Registrar) Heartbeat(h Heartbeat) {
	if r.open() {
		h.Plugin = r.plugin
		r.c.Heartbeats = append(r.c.Heartbeats, h)
	}
}

// Channel adds a surface that approvals can be brought to.
func (r *Registrar) Channel(c approval.Channel) {
	if r.open() {
		r.c.Channels = append(r.c.Channels, c)
	}
}

// Executor adds the executor of a kind of confirmed action.
func (r *Registrar) Executor(e intercept.ConfirmationExecutor) {
	if r.open() {
		r.c.Executors = append(r.c.Executors, e)
	}
}
