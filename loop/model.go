package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// callModel makes one governed model call. It is one of the two places of this package where a guarded call is made
// (governance/nobypass holds that): the decision and the call stand together.
func (r *execution) callModel(ctx context.Context, s governance.Subject, sink func(*llm.Chunk) bool) error {
	permit, err := r.core.c.Kernel.Permit(ctx, s)
	if err != nil {
		return err
	}
	r.heard.asked = true
	return r.core.c.Model.Generate(ctx, permit, sink)
}

// ask gets the model's reply to the conversation so far. A failure that the client marks transient is tried again, each time
// from the request before the hooks and with a new decision. The usage is of all attempts.
func (r *execution) ask(ctx context.Context) (*llm.Message, llm.Usage, error) {
	wait := r.core.c.Limits.Backoff
	var usage llm.Usage
	for attempt := 0; ; attempt++ {
		err := r.askOnce(ctx)
		usage = usage.Add(r.heard.usage)
		if err == nil {
			return r.heard.message(r.step), usage, nil
		}
		if attempt >= r.core.c.Limits.Retries || !llm.IsTransient(err) || governed(err) {
			return nil, usage, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, usage, err
		}
		wait *= 2
	}
}

// governed reports whether an error is governance's own: no repetition changes it, whatever it wraps.
func governed(err error) bool {
	var unrecorded *governance.RecordError
	return errors.Is(err, governance.ErrDenied) || errors.Is(err, governance.ErrHeld) || errors.As(err, &unrecorded)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// askOnce makes one attempt. What the model says is in r.heard.
func (r *execution) askOnce(ctx context.Context) error {
	s := r.subject(governance.PreLLM, governance.ModelName).
		WithRequest(&llm.Request{Messages: r.msgs[:len(r.msgs):len(r.msgs)], Tools: r.core.defs})
	if a := r.approval(governance.PreLLM); a != nil {
		s.ApprovalID = a.ID
	}
	r.heard.reset()
	if r.heard.sink == nil {
		r.heard.sink = r.hear
	}
	return r.callModel(ctx, s, r.heard.sink)
}

// hear takes a piece of the reply.
func (r *execution) hear(c *llm.Chunk) bool {
	r.heard.add(c)
	if c.Text != "" && r.core.c.Drafts {
		r.emit(Delta{Agent: r.core.c.Name, Text: c.Text, Draft: true})
	}
	return true
}

// heard is a reply while it comes in. Nothing of a reply that breaks off is used.
type heard struct {
	reply llm.Message
	more  strings.Builder // the texts, where there are several
	usage llm.Usage
	asked bool // the model was called
	sink  func(*llm.Chunk) bool
}

func (h *heard) reset() {
	h.reply, h.usage, h.asked = llm.Message{Role: llm.Assistant}, llm.Usage{}, false
	h.more.Reset()
}

func (h *heard) add(c *llm.Chunk) {
	switch {
	case c.Text == "":
	case h.reply.Text == "":
		h.reply.Text = c.Text
	default:
		if h.more.Len() == 0 {
			h.more.WriteString(h.reply.Text)
		}
		h.more.WriteString(c.Text)
	}
	h.reply.Calls = append(h.reply.Calls, c.Calls...)
	if c.ProviderData != nil {
		h.reply.ProviderData = bytes.Clone(c.ProviderData)
	}
	if c.Usage != nil {
		h.usage = h.usage.Add(*c.Usage)
	}
}

// message returns the whole reply, as it can be stored: in UTF-8, and with an id of its own for every call.
func (h *heard) message(step int) *llm.Message {
	m := &h.reply
	if h.more.Len() > 0 {
		m.Text = h.more.String()
	}
	m.Text = strings.ToValidUTF8(m.Text, "\uFFFD")
	for i := range m.Calls {
		c := &m.Calls[i]
		c.Name = strings.ToValidUTF8(c.Name, "\uFFFD")
		c.ID = strings.ToValidUTF8(c.ID, "\uFFFD")
		for n := i; c.ID == "" || takenID(m.Calls[:i], c.ID); n++ {
			c.ID = "call_" + strconv.Itoa(step) + "_" + strconv.Itoa(n)
		}
	}
	return m
}

func takenID(calls []llm.Call, id string) bool {
	return slices.ContainsFunc(calls, func(c llm.Call) bool { return c.ID == id })
}

// modelFailed stops a run whose model call was refused, held or failed.
func (r *execution) modelFailed(ctx context.Context, err error) *outcome {
	var held *governance.Held
	var denied *governance.Denied
	var unrecorded *governance.RecordError
	switch {
	case errors.As(err, &held):
		return r.hold(ctx, &checkpoint.Payload{Base: r.base}, checkpoint.OpenStep, held)
	case errors.As(err, &denied):
		return r.stop(ctx, checkpoint.Ended, checkpoint.Denied, err, nil)
	case errors.As(err, &unrecorded):
		return r.unrecorded(ctx, err)
	case ctx.Err() != nil:
		return r.interrupt(ctx, nil)
	case !r.heard.asked:
		return r.unrecorded(ctx, err)
	}
	return r.stop(ctx, checkpoint.Failed, checkpoint.ModelError, err, nil)
}

// unrecorded stops a run whose decisions cannot be written down: nothing is shown, the caller gets the error.
func (r *execution) unrecorded(ctx context.Context, cause error) *outcome {
	out := r.stop(ctx, checkpoint.Failed, checkpoint.Interrupted, cause, nil)
	if out.err == nil {
		out.err = fmt.Errorf("loop: run %s: %w", r.row.ID, cause)
	}
	return out
}

// broken stops a run that something broke off in the middle of a step.
func (r *execution) broken(ctx context.Context, err error) *outcome { return r.brokenAt(ctx, err, nil) }

// brokenAt is broken, with the step as far as it got, which is kept where the task was interrupted.
func (r *execution) brokenAt(ctx context.Context, err error, p *checkpoint.Payload) *outcome {
	var unrecorded *governance.RecordError
	if ctx.Err() != nil && !errors.As(err, &unrecorded) {
		return r.interrupt(ctx, notRun(p))
	}
	return r.unrecorded(ctx, err)
}

// subject is what governance is told of this run.
func (r *execution) subject(at governance.Point, name string) governance.Subject {
	return governance.Subject{
		Point: at, Name: name, SessionID: r.row.SessionID, TurnID: r.task.TurnID, RunID: r.row.ID, StepID: r.step,
		Agent: r.core.c.Name, Channel: r.row.Channel, Sender: r.task.Sender, System: r.task.System,
		Holdable: r.task.Journal != nil,
	}
}
