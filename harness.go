package iris

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/pipeline"
	"github.com/iris-harness/iris/plugin"
)

// Harness is an assistant that acts, governed: every question that it puts has one owner, and every answer reaches that owner at most
// once. Make one with [New]. It is safe for concurrent use.
type Harness struct {
	c        Config
	registry *continuation.Registry
	pipeline *pipeline.Pipeline
	host     *plugin.Host

	approvals *approval.Service
	router    *approval.Router
	deliverer *approval.Deliverer
	tools     map[string]Tool
	stands    atomic.Bool // New has returned it

	mu    sync.Mutex
	beats map[string]beatState
}

// Turn takes one message in and returns what it came to: it drains [Harness.Stream]. Errors as there.
func (h *Harness) Turn(ctx context.Context, r TurnRequest) (Reply, error) {
	return drain(h.Stream(ctx, r))
}

// Stream takes one message in and yields what happens, ending with a [Done] or with one error. The turns of a session come one after another.
//
// Errors: [ErrInvalid] and [ErrBlank] for a message that may not be (nothing was written), [ErrBusy] where ctx ended while the session's turn
// before was running, [ErrReentrant] from inside a run of the same session, [ErrClosed]; a *[TurnError] where the turn failed, with a sentence
// for the person; for a press or AnswerTo that came too late a *continuation.ClosedError that says what became of the question,
// or continuation.ErrNotFound.
func (h *Harness) Stream(ctx context.Context, r TurnRequest) iter.Seq2[Event, error] {
	return h.pipeline.Stream(ctx, r)
}

// Resume takes up a run where it stopped: one that was held and is approved, or one that failed. It is the one door; its errors
// wrap [ErrCannotResume], [ErrAmbiguousEffect] or [ErrNotFound].
func (h *Harness) Resume(ctx context.Context, runID string) (Reply, error) {
	return drain(h.pipeline.Resume(ctx, runID))
}

func drain(events iter.Seq2[Event, error]) (Reply, error) {
	var reply Reply
	for ev, err := range events {
		if err != nil {
			return Reply{}, err
		}
		if done, ok := ev.(Done); ok {
			reply = done.Reply
		}
	}
	return reply, nil
}

// Stop ends the turn of a session that is in progress in this process, at its next step boundary. It reports whether there was one.
func (h *Harness) Stop(_ context.Context, sessionID string) bool { return h.pipeline.Stop(sessionID) }

// Close makes every later turn fail with [ErrClosed]. Turns in progress go on to their end. The store is the application's to close.
func (h *Harness) Close() { h.pipeline.Close() }

// Recover settles what dead processes left: turns that are open and whose lease has lapsed. Runs that were cut off are reported, or resumed
// where Config.OnRecover says so. Several processes may recover at the same time.
func (h *Harness) Recover(ctx context.Context) ([]Recovered, error) { return h.recover(ctx, false) }

// RecoverAlone is Recover for the only process on a store: it waits for no lease.
func (h *Harness) RecoverAlone(ctx context.Context) ([]Recovered, error) { return h.recover(ctx, true) }

func (h *Harness) recover(ctx context.Context, alone bool) ([]Recovered, error) {
	out, err := h.pipeline.Recover(ctx, alone)
	if h.c.OnRecover != ResumeRuns {
		return out, err
	}
	for i := range out {
		for _, run := range out[i].Failed {
			if _, rerr := h.Resume(ctx, run); rerr != nil {
				h.c.Logger.WarnContext(ctx, "recovered run not resumed", "run", run, "err", rerr)
			}
		}
	}
	return out, err
}

// Continuations returns the registry, for an application that asks questions of its own.
func (h *Harness) Continuations() *ContinuationRegistry { return h.registry }

// Plugins returns the plugins as they stand.
func (h *Harness) Plugins() []plugin.Status { return h.host.Status() }

// Forget removes everything that the store holds of a session, except the audit, which holds digests only. It waits for the session's turn in this
// process: [ErrBusy] where ctx ends first, [ErrReentrant] from inside a run of the session.
func (h *Harness) Forget(ctx context.Context, sessionID string) error {
	return h.pipeline.Forget(ctx, sessionID)
}
