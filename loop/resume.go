package loop

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	return ambiguous(runID, slices.DeleteFunc(effects, func(e checkpoint.Effect) bool {
		return e.Ambiguous() && a.probe(ctx, &e, j)
	}))
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

// guardProbe runs a probe on a goroutine of its own: one that panics or hangs settles nothing.
func guardProbe(ctx context.Context, t *BoundTool, e *checkpoint.Effect) (happened bool, err error) {
	type answer struct {
		happened bool
		err      error
	}
	done := make(chan answer, 1)
	go func() {
		a := answer{err: fmt.Errorf("loop: the probe of %s did not return", e.Tool)}
		defer func() {
			if v := recover(); v != nil {
				a = answer{err: fmt.Errorf("loop: the probe of %s panicked: %v", e.Tool, v)}
			}
			done <- a
		}()
		happened, err := t.spec.Probe(ctx, attemptOf(e.Key), bytes.Clone(e.Args))
		a = answer{happened, err}
	}()
	select {
	case a := <-done:
		return a.happened, a.err
	case <-ctx.Done():
		return false, fmt.Errorf("loop: the probe of %s: %w", e.Tool, ctx.Err())
	}
}

// resume makes the state of an execution that takes up r.task.Seed.
func (r *execution) resume(ctx context.Context) error {
	s := r.task.Seed
	effects, err := r.journal.Effects(ctx, s.Run.ID)
	if err != nil {
		return fmt.Errorf("loop: effects of run %s: %w", s.Run.ID, err)
	}
	if err := ambiguous(s.Run.ID, effects); err != nil {
		return err
	}
	r.ledger = make(map[string]checkpoint.Effect, len(effects))
	for _, e := range effects {
		r.ledger[e.Key] = e
	}
	r.row = s.Run
	r.row.State, r.row.Reason, r.row.Detail = checkpoint.Running, "", ""
	r.msgs = s.messages(r.ledger)
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
	r.tellLost(effects)
	r.tellRejected()
	return nil
}

// ambiguous returns an *[AmbiguousEffectError] where one of the effects is.
func ambiguous(runID string, effects []checkpoint.Effect) error {
	refused := &AmbiguousEffectError{RunID: runID}
	for i := range effects {
		if e := &effects[i]; e.Ambiguous() {
			refused.Keys = append(refused.Keys, e.Key)
			refused.Tools = append(refused.Tools, e.Tool)
		}
	}
	if len(refused.Keys) > 0 {
		return refused
	}
	return nil
}

// tell puts what the loop itself has to say before the next reply. It is recorded with that reply's step.
func (r *execution) tell(text string) {
	m := llm.Message{Role: llm.User, Text: text}
	r.base = append(r.base[:len(r.base):len(r.base)], m)
	r.msgs = append(r.msgs, m)
}

// tellLost tells the model what was done in a step whose row was never written: its reply is lost, its effects are not.
func (r *execution) tellLost(effects []checkpoint.Effect) {
	if r.open != nil {
		return
	}
	var b strings.Builder
	for i := range effects {
		e := &effects[i]
		if e.StepID != r.step || e.State == checkpoint.Started || e.State == checkpoint.Settled && !e.Happened {
			continue
		}
		_, _, text := recorded(e)
		fmt.Fprintf(&b, "\n- %s %s: %s", e.Tool, e.Args, text)
	}
	if b.Len() > 0 {
		r.tell("You were interrupted. This was done before that; do not do it again:" + b.String())
	}
}

// tellRejected tells the model of a rejection where no call waits for it.
func (r *execution) tellRejected() {
	a := r.task.Seed.Approval
	if a == nil || a.Rejected == nil || a.Point == string(governance.PreTool) {
		return
	}
	text := "A person was asked whether you may go on with this, and rejected it: " + *a.Rejected + ". Do not do it; find another way, or say that you stopped."
	switch {
	case r.open == nil:
		r.tell(text)
	case r.open.Reply == nil:
		r.open.Note = append(r.open.Note, llm.Message{Role: llm.User, Text: text})
	}
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
	case a != nil && a.Rejected != nil: // held after a step that ends on its own question: it is not put
		answerWaiting(p, checkpoint.ResultRejected, "not asked, rejected: "+*a.Rejected)
		return r.stage(ctx, p)
	case a != nil:
		return r.putAgain(ctx, p)
	}
	answerWaiting(p, checkpoint.ResultOK, r.task.Seed.Reply)
	return r.stage(ctx, p)
}

// answerWaiting gives the call that waits its result.
func answerWaiting(p *checkpoint.Payload, state checkpoint.ResultState, text string) {
	for i := range p.Results {
		if p.Results[i].State == checkpoint.ResultWaiting {
			p.Results[i].State, p.Results[i].Text = state, text
		}
	}
}

// approvedAnswer ends a run that was held after its answer: a person let it stand, and it is on record.
func (r *execution) approvedAnswer(ctx context.Context) *outcome {
	s := r.task.Seed
	if s == nil || s.Open || s.Approval == nil || s.Approval.Rejected != nil || s.Approval.Point != string(governance.PostStep) {
		return nil
	}
	reply := s.Steps[len(s.Steps)-1].Reply
	if reply == nil || len(reply.Calls) > 0 || isBlank(reply.Text) {
		return nil
	}
	return r.stopWith(ctx, checkpoint.Done, "", nil, nil, reply.Text)
}

// stage closes a step without a write of its own: it goes with the run's next one, so that a resume that fails before has
// changed nothing and the person can simply answer again.
func (r *execution) stage(ctx context.Context, p *checkpoint.Payload) *outcome {
	c, err := r.checkpoint(p, checkpoint.ClosedStep)
	if err != nil {
		return r.stop(ctx, checkpoint.Failed, checkpoint.Limit, err, nil)
	}
	r.journal.Stage(*c)
	r.advance(p)
	return nil
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

// release runs what a person decided about the pinned calls of a step, and closes it. Where the task is interrupted before all of them
// have run the step stays open: the run waits as before, and can be taken up for the rest.
func (r *execution) release(ctx context.Context, p *checkpoint.Payload, a *Approval) *outcome {
	calls := r.pinned(p, a)
	held, err := r.carryOut(ctx, calls)
	switch {
	case err != nil:
		return r.broken(ctx, err)
	case held != nil:
		return r.broken(ctx, fmt.Errorf("%w: %w", ErrCannotResume, held))
	case ctx.Err() != nil && slices.ContainsFunc(calls, func(c *call) bool { return c.short }):
		return r.interrupt(ctx, nil)
	}
	p.Results = r.results(calls)
	return r.closeStep(ctx, p)
}

// pinned makes the calls of a held step again: those with a result keep it, those that wait get what was decided.
func (r *execution) pinned(p *checkpoint.Payload, a *Approval) []*call {
	out := make([]*call, len(p.Results))
	for i, res := range p.Results {
		c := &call{call: p.Reply.Calls[i], digest: res.Digest, key: res.Key, tool: r.core.tools[p.Reply.Calls[i].Name]}
		out[i] = c
		if res.State != checkpoint.ResultWaiting {
			c.settled, c.state, c.text = true, res.State, res.Text
			if res.ErrKind != "" {
				c.failed = &governance.ToolError{Kind: res.ErrKind, Message: res.Text}
			}
			continue
		}
		r.applyDecision(c, a, out[:i])
	}
	return out
}

// applyDecision settles a call that a person did not approve, and makes one that a person did as it was pinned or edited.
func (r *execution) applyDecision(c *call, a *Approval, before []*call) {
	item, ok := a.Items[c.call.ID]
	switch {
	case a.Rejected != nil:
		c.settle(checkpoint.ResultRejected, governance.ToolDenied, "rejected: "+*a.Rejected)
		return
	case !ok || !item.Approved:
		c.settle(checkpoint.ResultRejected, governance.ToolDenied, "rejected: a person did not approve this call")
		return
	}
	args := c.call.Args
	if item.Args != nil {
		args = item.Args
	}
	args, err := llm.Canonical(args)
	if err != nil {
		c.settle(checkpoint.ResultError, governance.InvalidArguments, "nothing ran: "+err.Error())
		return
	}
	if item.Edited {
		c.note = fmt.Sprintf("(a person changed the arguments to %s) ", args)
	}
	c.call.Args, c.digest, c.key = args, "", ""
	r.bind(c, before)
	r.refuseUsed(c, a)
}

// refuseUsed settles a pinned call that was begun before and is known not to have happened: its approval was for that one call.
func (r *execution) refuseUsed(c *call, a *Approval) {
	e, ok := r.ledger[attemptOf(c.key)]
	if ok && !c.settled && e.ApprovalID == a.ID && e.State == checkpoint.Settled && !e.Happened {
		c.settle(checkpoint.ResultNotRun, governance.NotRun, "it did not happen, as "+e.SettledBy+" has found; its approval is used up, so call it again where it is still wanted")
	}
}

// replay settles a call from the ledger: what ran, ran, and is not decided on again. What the model reads of it is reviewed as it was then.
func (r *execution) replay(ctx context.Context, c *call) error {
	e, ok := r.ledger[c.key]
	if c.settled || !ok || e.State == checkpoint.Started {
		return nil
	}
	state, failed, text := recorded(&e)
	c.settled, c.state, c.failed, c.text = true, state, failed, text
	if failed == nil {
		c.raw = rawResult(text)
	}
	return r.review(ctx, c, r.callSubject(c))
}

// recorded is what the ledger knows of an effect that ran.
func recorded(e *checkpoint.Effect) (state checkpoint.ResultState, failed *governance.ToolError, text string) {
	text = string(e.Result)
	switch {
	case e.State == checkpoint.Settled:
		return checkpoint.ResultOK, nil, "it happened, as " + e.SettledBy + " has found; its result was not recorded"
	case e.Failed:
		return checkpoint.ResultError, &governance.ToolError{Kind: governance.ToolFailed, Message: text}, text
	}
	return checkpoint.ResultOK, nil, text
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
