package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
)

// call is one tool call of the step that is being taken.
type call struct {
	call   llm.Call
	tool   *BoundTool // nil for ask_user and for a tool that there is not
	asked  *askUserArgs
	key    string
	digest string
	ruling governance.Ruling

	settled bool // state, text and failed are final
	state   checkpoint.ResultState
	text    string
	raw     json.RawMessage
	failed  *governance.ToolError
}

// settle fixes what became of the call without a result.
func (c *call) settle(state checkpoint.ResultState, kind, text string) {
	c.settled, c.state, c.text = true, state, text
	if kind != "" {
		c.failed = &governance.ToolError{Kind: kind, Message: text}
	}
}

func (c *call) effect() bool { return c.tool != nil && c.tool.spec.Effect != governance.ReadOnly }

// validate makes the calls of a reply and settles those that cannot run: nothing of them does.
func (r *execution) validate(reply *llm.Message) []*call {
	backing := make([]call, len(reply.Calls))
	out := make([]*call, len(reply.Calls))
	for i := range reply.Calls {
		c := &backing[i]
		out[i] = c
		raw := reply.Calls[i].Args
		args, err := llm.Canonical(raw)
		if err == nil && args[0] != '{' {
			err = errors.New("they must be a JSON object")
		}
		if err != nil {
			reply.Calls[i].Args = json.RawMessage("{}")
			c.call = reply.Calls[i]
			c.settle(checkpoint.ResultError, governance.InvalidArguments, fmt.Sprintf("nothing ran: the arguments %s: %v", clip(raw), err))
			continue
		}
		reply.Calls[i].Args = args
		c.call = reply.Calls[i]
		r.bind(c, out[:i])
	}
	return out
}

// bind finds the call's tool and checks its arguments.
func (r *execution) bind(c *call, before []*call) {
	if c.call.Name == AskUser && !r.core.c.NoAskUser {
		a, err := parseAskUser(c.call.Args)
		if err != nil {
			c.settle(checkpoint.ResultError, governance.InvalidArguments, "nothing was asked: "+err.Error())
			return
		}
		c.asked = &a
		return
	}
	c.tool = r.core.tools[c.call.Name]
	if c.tool == nil {
		c.settle(checkpoint.ResultError, governance.UnknownTool, fmt.Sprintf("nothing ran: there is no tool %q; the tools are %s", c.call.Name, r.toolNames()))
		return
	}
	if err := c.tool.check(c.call.Args); err != nil {
		c.settle(checkpoint.ResultError, governance.InvalidArguments, "nothing ran: "+err.Error())
		return
	}
	if !c.effect() {
		return
	}
	c.digest = callDigest(c.call)
	same := 0
	for _, b := range before {
		if b.digest == c.digest {
			same++
		}
	}
	c.key = r.keyOf(c.digest, same)
	if r.unknown[c.digest] {
		c.settle(checkpoint.ResultError, governance.UnknownOutcome, "nothing ran: an equal call was cut off in this task, and whether it happened is not known")
	}
}

func callDigest(c llm.Call) string {
	return llm.Digest(json.RawMessage(fmt.Sprintf("[%q,%s]", c.Name, c.Args)))
}

func clip(raw json.RawMessage) string {
	if len(raw) > 200 {
		raw = raw[:200]
	}
	return strconv.Quote(string(raw))
}

func (r *execution) toolNames() string {
	if len(r.core.defs) == 0 {
		return "none"
	}
	names := make([]string, len(r.core.defs))
	for i, d := range r.core.defs {
		names[i] = d.Name
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// perform decides all calls of the step, runs those that may, and closes or holds it.
func (r *execution) perform(ctx context.Context, p *checkpoint.Payload, calls []*call) *outcome {
	held, err := r.decide(ctx, calls)
	if err != nil {
		return r.unrecorded(ctx, err)
	}
	if err := r.runCalls(ctx, calls, held == nil); err != nil {
		return r.unrecorded(ctx, err)
	}
	p.Results = r.results(calls)
	if held != nil {
		return r.hold(ctx, p, checkpoint.OpenStep, held)
	}
	if out := r.reviewStep(ctx, p, calls, checkpoint.ClosedStep); out != nil {
		return out
	}
	return r.closeStep(ctx, p)
}

// decide asks governance about every call that could run. held is what waits, nil where nothing does.
func (r *execution) decide(ctx context.Context, calls []*call) (held *governance.Held, err error) {
	var subjects []governance.Subject
	var of []*call
	for _, c := range calls {
		if !c.settled {
			subjects = append(subjects, r.callSubject(c))
			of = append(of, c)
		}
	}
	if len(subjects) == 0 {
		return nil, nil
	}
	rulings := r.core.c.Kernel.Rule(ctx, subjects)
	for i, ruling := range rulings {
		of[i].ruling = ruling
		if err := ruling.Err(); err != nil && !r.refused(of[i], err) {
			return nil, err
		}
	}
	return governance.Hold(rulings), nil
}

// refused settles a call that governance denied, and reports false for an error that is neither a denial nor a hold.
func (r *execution) refused(c *call, err error) bool {
	var denied *governance.Denied
	switch {
	case errors.As(err, &denied):
		c.settle(checkpoint.ResultDenied, governance.ToolDenied, "nothing ran: not allowed: "+denied.Reason)
		return true
	case errors.Is(err, governance.ErrHeld):
		return true
	default:
		return false
	}
}

func (r *execution) callSubject(c *call) governance.Subject {
	s := r.subject(governance.PreTool, c.call.Name)
	s.Effect, s.Idempotent, s.Call, s.CallKey = c.tool.spec.Effect, c.tool.spec.Idempotent, c.call, c.key
	if a := r.approval(governance.PreTool); a != nil {
		s.ApprovalID = a.ID
	}
	if c.tool.spec.Card != nil && c.effect() {
		s.Card = card(c.tool.spec.Card, c.call.Args)
	}
	return s
}

// card renders a call for a person. A card that panics is no card: the arguments are shown instead.
func card(render func(json.RawMessage) string, args json.RawMessage) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return render(args)
}

// runCalls runs the ReadOnly calls, a bounded number at once, then the effects in order. effects is false where one is held:
// then none of the step's runs. The error is of a decision that could not be recorded.
func (r *execution) runCalls(ctx context.Context, calls []*call, effects bool) error {
	var reads []*call
	for _, c := range calls {
		if !c.settled && !c.effect() {
			reads = append(reads, c)
			r.emit(ToolStarted{r.row.ID, r.step, c.call.ID, c.call.Name})
		}
	}
	if err := r.runReads(ctx, reads); err != nil {
		return err
	}
	for _, c := range reads {
		r.finished(c)
	}
	for _, c := range calls {
		if c.settled || !effects {
			continue
		}
		if err := r.runEffect(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (r *execution) runReads(ctx context.Context, reads []*call) error {
	if len(reads) == 1 {
		return r.runOne(ctx, reads[0])
	}
	var g errgroup.Group
	g.SetLimit(r.core.c.Limits.Concurrent)
	for _, c := range reads {
		g.Go(func() error { return r.runOne(ctx, c) })
	}
	return g.Wait()
}

// runEffect runs one effect, unless the ledger has its result from an attempt before.
func (r *execution) runEffect(ctx context.Context, c *call) error {
	if e, ok := r.ledger[c.key]; ok && r.replay(c, &e) {
		return nil
	}
	if r.unknown[c.digest] {
		c.settle(checkpoint.ResultError, governance.UnknownOutcome, "nothing ran: an equal call of this step was cut off, and whether it happened is not known")
		return nil
	}
	if ctx.Err() != nil {
		c.settle(checkpoint.ResultNotRun, governance.NotRun, "not run: the task was interrupted before it")
		return nil
	}
	r.emit(ToolStarted{r.row.ID, r.step, c.call.ID, c.call.Name})
	if err := r.runOne(ctx, c); err != nil {
		return err
	}
	r.finished(c)
	return nil
}

func (r *execution) finished(c *call) {
	r.emit(ToolFinished{r.row.ID, r.step, c.call.ID, c.call.Name, c.state})
}

// callTool makes one governed tool call. It is one of the two places of this package where a guarded call is made
// (governance/nobypass holds that): the decision and the call stand together.
func (r *execution) callTool(ctx context.Context, c *call) (json.RawMessage, error) {
	permit, err := r.core.c.Kernel.Mint(ctx, c.ruling)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.tool.timeout())
	defer cancel()
	return c.tool.Func.Call(withCall(ctx, &callScope{key: attemptOf(c.key), agent: r.core.c.Name, asker: r.task.Asker}), permit)
}

func (t *BoundTool) timeout() time.Duration {
	if t.spec.Timeout > 0 {
		return t.spec.Timeout
	}
	return DefaultToolTimeout
}

// runOne runs one call and reviews its result. The error is of a decision that could not be recorded.
func (r *execution) runOne(ctx context.Context, c *call) error {
	raw, err := r.callTool(ctx, c)
	var unrecorded *governance.RecordError
	switch {
	case errors.As(err, &unrecorded):
		return err
	case err != nil && r.refused(c, err):
		return nil
	case err != nil:
		r.failedCall(c, err)
	default:
		c.settled, c.state, c.raw, c.text = true, checkpoint.ResultOK, raw, truncate(resultText(raw), r.core.c.Limits.Result)
	}
	return r.recordResult(ctx, c)
}

// failedCall says what an error of a tool means for its call.
func (r *execution) failedCall(c *call, err error) {
	var te *governance.ToolError
	var pe *gate.PanicError
	cut := errors.Is(err, gate.ErrOutcomeUnknown) || errors.Is(err, ErrOutcomeUnknown) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	switch {
	case errors.As(err, &te):
		c.settle(checkpoint.ResultError, te.Kind, te.Message)
	case (cut || errors.As(err, &pe)) && c.effect() && !c.tool.spec.Idempotent:
		c.settle(checkpoint.ResultUnknown, governance.UnknownOutcome, "it was cut off: whether it happened is not known. Do not repeat it; tell the user")
	case cut:
		c.settle(checkpoint.ResultError, governance.ToolTimeout, "it was cut off: "+err.Error())
	case errors.As(err, &pe):
		c.settle(checkpoint.ResultError, governance.ToolPanic, fmt.Sprintf("the tool broke down: %v", pe.Value))
	default:
		c.settle(checkpoint.ResultError, governance.ToolFailed, truncate(err.Error(), r.core.c.Limits.Result))
	}
}

// recordResult notes an effect's result and lets post_tool hooks review what the model will read.
func (r *execution) recordResult(ctx context.Context, c *call) error {
	if c.effect() {
		r.executed = append(r.executed, c.call.Name)
		if c.state == checkpoint.ResultUnknown {
			if r.unknown == nil {
				r.unknown = map[string]bool{}
			}
			r.unknown[c.digest] = true
		} else if !(c.failed != nil && c.failed.Kind == governance.ToolTimeout) {
			r.journal.Done(c.key, []byte(c.text), c.failed != nil)
		}
	}
	s := c.ruling.Subject()
	s.Point, s.Result, s.ToolErr = governance.PostTool, c.raw, c.failed
	reviewed, err := r.core.c.Kernel.Review(ctx, s)
	var denied *governance.Denied
	switch {
	case errors.As(err, &denied):
		c.raw = nil
		c.settle(checkpoint.ResultError, governance.ResultWithheld, "it ran, and its result is withheld: "+denied.Reason)
	case err != nil:
		return err
	case c.failed != nil && reviewed.ToolErr != nil:
		c.failed, c.text = reviewed.ToolErr, reviewed.ToolErr.Message
	case c.failed == nil && string(reviewed.Result) != string(c.raw):
		c.raw, c.text = reviewed.Result, truncate(resultText(reviewed.Result), r.core.c.Limits.Result)
	}
	return nil
}

// results is what the step records of its calls.
func (r *execution) results(calls []*call) []checkpoint.Result {
	out := make([]checkpoint.Result, len(calls))
	for i, c := range calls {
		if !c.settled {
			c.state = checkpoint.ResultWaiting
		}
		out[i] = checkpoint.Result{
			CallID: c.call.ID, Tool: c.call.Name, State: c.state, Text: c.text, Digest: c.digest, Effect: c.effect(), Key: c.key,
		}
		if c.failed != nil {
			out[i].ErrKind = c.failed.Kind
		}
	}
	return out
}
