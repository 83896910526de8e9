package plugin

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/intercept"
)

// boundary is where the faults of one plugin stop: they are recorded, and cost the contribution at hand. Names are read once: what a contribution
// calls itself later changes nothing.
type boundary struct {
	host   *Host
	plugin string
}

// note records err, where there is one, and returns it. A caller that gave up is nobody's fault.
func (b boundary) note(ctx context.Context, what string, err error) error {
	if err != nil && ctx.Err() == nil {
		b.host.Fault(b.plugin, what, err)
	}
	return err
}

// channel is a plugin's channel behind its boundary. Who delivers bounds its time.
type channel struct {
	b     boundary
	name  string
	inner approval.Channel
}

func boundChannel(b boundary, ch approval.Channel) approval.Channel {
	return &channel{b, ch.Name(), ch}
}

var _ approval.Channel = (*channel)(nil)

func (c *channel) Name() string { return c.name }

func (c *channel) Notify(ctx context.Context, r approval.Request) error {
	return c.call(ctx, func() error { return c.inner.Notify(ctx, r) })
}

func (c *channel) NotifyTimeout(ctx context.Context, r approval.Request) error {
	return c.call(ctx, func() error { return c.inner.NotifyTimeout(ctx, r) })
}

func (c *channel) call(ctx context.Context, f func() error) (err error) {
	what := "channel " + c.name
	defer func() {
		if v := recover(); v != nil {
			err = c.b.note(ctx, what, fmt.Errorf("panic: %v", v))
		}
	}()
	return c.b.note(ctx, what, f())
}

// executor is a plugin's executor behind its boundary.
type executor struct {
	b     boundary
	kind  string
	inner intercept.ConfirmationExecutor
}

func boundExecutor(b boundary, e intercept.ConfirmationExecutor) intercept.ConfirmationExecutor {
	return &executor{b, e.Kind(), e}
}

var _ intercept.ConfirmationExecutor = (*executor)(nil)

func (e *executor) Kind() string { return e.kind }

// Execute notes a panic and lets it go on: the gate stops it, and knows that the outcome is not known.
func (e *executor) Execute(ctx context.Context, payload json.RawMessage) (string, error) {
	what := "executor " + e.kind
	defer func() {
		if v := recover(); v != nil {
			_ = e.b.note(ctx, what, fmt.Errorf("panic: %v", v))
			panic(v)
		}
	}()
	outcome, err := e.inner.Execute(ctx, payload)
	return outcome, e.b.note(ctx, what, err)
}
