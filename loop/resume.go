package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/llm"
)

// Ready reports whether a stopped run may be taken up: nil, or an *[AmbiguousEffectError] that names the effects that nobody
// knows the outcome of. A tool's Probe is asked first, and what it finds is recorded.
func (a *AgenticCore) Ready(ctx context.Context, runID string, j Journal) error {
	effects, err := j.Effects(ctx, runID)
	if err != nil {
		return fmt.Errorf("loop: effects of run %s: %w", runID, err)
	}
	refused := &AmbiguousEffectError{RunID: runID}
	for i := range effects {
		e := &effects[i]
		if !e.Ambiguous() || a.probe(ctx, e, j) {
			continue
		}
		refused.Keys = append(refused.Keys, e.Key)
		refused.Tools = append(refused.Tools, e.Tool)
	}
	if len(refused.Keys) > 0 {
		return refused
	}
	return nil
}

// probe asks the effect's tool whether it happened, and records the answer. It reports whether the effect is settled.
func (a *AgenticCore) probe(ctx context.Context, e *checkpoint.Effect, j Journal) (settled bool) {
	t := a.tools[e.Tool]
	if t == nil || t.spec.Probe == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, t.timeout())
	defer cancel()
	happened, err := guardProbe(ctx, t, e)
	if err == nil {
		err = j.Settle(ctx, e.Key, happened, "probe")
	}
	if err != nil {
		a.c.Logger.WarnContext(ctx, "probe", "tool", e.Tool, "effect", e.Key, "err", err)
	}
	return err == nil
}

func guardProbe(ctx context.Context, t *BoundTool, e *checkpoint.Effect) (happened bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("loop: the probe of %s panicked: %v", e.Tool, v)
		}
	}()
	return t.spec.Probe(ctx, attemptOf(e.Key), json.RawMessage(e.Args))
}

// resume makes the state of an execution that takes up r.task.Seed.
func (r *execution) resume(ctx context.Context) error {
	s := r.task.Seed
	effects, err := r.journal.Effects(ctx, s.Run.ID)
	if err != nil {
		return fmt.Errorf("loop: effects of run %s: %w", s.Run.ID, err)
	}
	r.ledger = make(map[string]checkpoint.Effect, len(effects))
	for _, e := range effects {
		r.ledger[e.Key] = e
	}
	r.row = s.Run
	r.row.State, r.row.Reason, r.row.Detail = checkpoint.Running, "", ""
	r.msgs = s.messages()
	r.step = len(s.Steps)
	if s.Open {
		r.step--
		r.open = &s.Steps[r.step]
		r.base = r.open.Base
	}
	for i := range s.Steps {
		r.usage = r.usage.Add(s.Steps[i].Usage)
	}
	r.limit = max(r.limit, len(s.Steps)+1)
	r.rejectedStep()
	return nil
}

// rejectedStep tells the model of a rejection where no call waits for it.
func (r *execution) rejectedStep() {
	a := r.task.Seed.Approval
	if a == nil || a.Rejected == nil || a.Point == string(governance.PreTool) {
		return
	}
	note := llm.Message{Role: llm.User, Text: "A person was asked whether you may go on with this, and rejected it: " + *a.Rejected + ". Do not do it; find another way, or say that you stopped."}
	if r.open != nil && r.open.Reply == nil {
		r.open.Note = append(r.open.Note, note)
		return
	}
	r.msgs = append(r.msgs, note)
}

// approval returns the approval that this step is done under at a point, or nil.
func (r *execution) approval(at governance.Point) *Approval {
	s := r.task.Seed
	if s == nil || s.Approval == nil || s.Approval.Rejected != nil || s.Approval.Point != string(at) || r.step != s.openStep() {
		return nil
	}
	return s.Approval
}

// openStep is the step that waited, or the one after the last where none did.
func (s *Seed) openStep() int {
	if s.Open {
		return len(s.Steps) - 1
	}
	return len(s.Steps)
}

// closeOpen closes the step that waited. It returns nil where the run goes on.
func (r *execution) closeOpen(ctx context.Context) *outcome {
	p, a := r.open, r.task.Seed.Approval
	r.open = nil
	switch {
	case a != nil && a.Point == string(governance.PreTool):
		return r.release(ctx, p, a)
	case p.Reply == nil && len(p.Note) == 0: // held before the model was asked: its reply is this step
		return nil
	case p.Reply == nil:
		return r.stage(ctx, p)
	case a != nil: // held after a step that ends on its own question: put it now
		return r.putAgain(ctx, p)
	}
	for i := range p.Results {
		if p.Results[i].State == checkpoint.ResultWaiting {
			p.Results[i].State, p.Results[i].Text = checkpoint.ResultOK, r.task.Seed.Reply
		}
	}
	return r.stage(ctx, p)
}

// stage closes a step without a write of its own: it goes with the run's next one, so that a resume that fails before has
// changed nothing and the person can simply answer again.
func (r *execution) stage(ctx context.Context, p *checkpoint.Payload) *outcome {
	c, err := r.checkpoint(p, checkpoint.ClosedStep)
	if err != nil {
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, err, nil)
	}
	r.journal.Stage(*c)
	r.msgs = r.msgs[:len(r.msgs)-len(p.Base)]
	r.advanceWith(p)
	return nil
}

// advanceWith adds a step with its base.
func (r *execution) advanceWith(p *checkpoint.Payload) {
	r.msgs = appendStep(r.msgs, p)
	r.base = nil
	r.step++
}

// putAgain asks the question of a step that a person allowed to stand.
func (r *execution) putAgain(ctx context.Context, p *checkpoint.Payload) *outcome {
	for i, c := range p.Reply.Calls {
		if p.Results[i].State != checkpoint.ResultWaiting {
			continue
		}
		a, err := parseAskUser(c.Args)
		if err != nil {
			break
		}
		return r.putQuestion(ctx, p, &checkpoint.Asked{CallID: c.ID, StepID: r.step, Question: a.Question, Choices: a.Choices})
	}
	return r.stop(ctx, checkpoint.Failed, checkpoint.ModelError, fmt.Errorf("%w: the step that waits asks nothing", ErrCannotResume), nil)
}

// release runs what a person decided about the pinned calls of a step, and closes it.
func (r *execution) release(ctx context.Context, p *checkpoint.Payload, a *Approval) *outcome {
	calls := r.pinned(p, a)
	if _, err := r.decide(ctx, calls); err != nil {
		return r.unrecorded(ctx, err)
	}
	if err := r.runCalls(ctx, calls, true); err != nil {
		return r.unrecorded(ctx, err)
	}
	p.Results = r.results(calls)
	r.msgs = r.msgs[:len(r.msgs)-len(p.Base)]
	c, err := r.checkpoint(p, checkpoint.ClosedStep)
	if err != nil {
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, err, nil)
	}
	wctx, cancel := writing(ctx)
	defer cancel()
	if err := r.journal.Step(wctx, r.row, *c); err != nil {
		return &outcome{err: fmt.Errorf("loop: step %d of run %s: %w", r.step, r.row.ID, err)}
	}
	r.advanceWith(p)
	return nil
}

// pinned makes the calls of a held step again: those with a result keep it, those that wait get what was decided.
func (r *execution) pinned(p *checkpoint.Payload, a *Approval) []*call {
	out := make([]*call, len(p.Results))
	for i, res := range p.Results {
		c := &call{call: p.Reply.Calls[i], digest: res.Digest, key: res.Key}
		out[i] = c
		if res.State != checkpoint.ResultWaiting {
			c.settled, c.state, c.text = true, res.State, res.Text
			c.tool = r.core.tools[c.call.Name]
			continue
		}
		r.applyDecision(c, a, out[:i])
	}
	return out
}

func (r *execution) applyDecision(c *call, a *Approval, before []*call) {
	item, ok := a.Items[c.call.ID]
	switch {
	case a.Rejected != nil:
		c.tool = r.core.tools[c.call.Name]
		c.settle(checkpoint.ResultRejected, governance.ToolDenied, "rejected: "+*a.Rejected)
		return
	case !ok || !item.Approved:
		c.tool = r.core.tools[c.call.Name]
		c.settle(checkpoint.ResultRejected, governance.ToolDenied, "rejected: a person did not approve this call")
		return
	}
	if item.Args != nil {
		c.call.Args = item.Args
	}
	c.digest, c.key = "", ""
	r.bind(c, before)
}

// replay settles a call from the ledger: what ran, ran. It reports false where the call may run.
func (r *execution) replay(c *call, e *checkpoint.Effect) bool {
	switch e.State {
	case checkpoint.Finished:
		c.settled, c.state, c.text = true, checkpoint.ResultOK, string(e.Result)
		if e.Failed {
			c.settle(checkpoint.ResultError, governance.ToolFailed, string(e.Result))
		}
		return true
	case checkpoint.Settled:
		c.settled, c.state, c.text = true, checkpoint.ResultOK, "it happened, as "+e.SettledBy+" has found; its result was not recorded"
		return true
	default:
		return false
	}
}

// keyOf names an effect: the same for every attempt of one call, until an attempt is known not to have happened.
func (r *execution) keyOf(digest string, same int) string {
	key := r.row.ID + "/" + strconv.Itoa(r.step) + "/" + digest[:12] + "/" + strconv.Itoa(same)
	base := key
	for n := 2; ; n++ {
		e, ok := r.ledger[key]
		if !ok || e.State != checkpoint.Settled || e.Happened {
			return key
		}
		key = base + "#" + strconv.Itoa(n)
	}
}

// attemptOf cuts the number of the attempt off a ledger key: what is left is the call's own key.
func attemptOf(key string) string {
	for i := len(key) - 1; i >= 0 && key[i] != '/'; i-- {
		if key[i] == '#' {
			return key[:i]
		}
	}
	return key
}
