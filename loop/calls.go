package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
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
	minted bool   // its permit was minted: from then on it may have run
	note   string // what the model is told before the result

	settled bool // state, text and failed are final
	short   bool // it did not run because the task was interrupted
	state   checkpoint.ResultState
	text    string
	raw     json.RawMessage
	failed  *governance.ToolError
}

// settle fixes what became of the call without a result.
func (c *call) settle(state checkpoint.ResultState, kind, text string) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	c.settled, c.state, c.text = true, state, text
	if kind != "" {
		c.failed = &governance.ToolError{Kind: kind, Message: text}
	}
}

func (c *call) effect() bool { return c.tool != nil && c.tool.spec.Effect != governance.ReadOnly }

// validate makes the calls of a reply and settles those that cannot run: nothing of them does.
func (r *execution) validate(reply *llm.Message) []*call {
	calls := r.newCalls(len(reply.Calls))
	for i, c := range calls {
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
		r.bind(c, calls[:i])
	}
	return calls
}

// newCalls returns n empty calls. Those of the step before are over, and used again.
func (r *execution) newCalls(n int) []*call {
	if cap(r.calls) < n {
		backing := make([]call, n)
		r.calls = make([]*call, n)
		for i := range backing {
			r.calls[i] = &backing[i]
		}
		return r.calls
	}
	r.calls = r.calls[:n]
	for _, c := range r.calls {
		*c = call{}
	}
	return r.calls
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
		c.settle(checkpoint.ResultError, governance.InvalidArguments, truncate("nothing ran: "+err.Error(), r.core.c.Limits.Result))
		return
	}
	if c.effect() {
		r.name(c, before)
	}
}

// name gives an effect its key, and settles it where an equal one was cut off.
func (r *execution) name(c *call, before []*call) {
	c.digest = callDigest(c.call)
	same := 0
	for _, b := range before {
		if b.digest == c.digest {
			same++
		}
	}
	c.key = r.keyOf(c.digest, same)
	r.refuseRepeat(c)
}

// refuseRepeat settles an effect that is equal to one of this execution whose outcome is not known.
func (r *execution) refuseRepeat(c *call) {
	if r.unknown[c.digest] {
		c.settle(checkpoint.ResultError, governance.UnknownOutcome, "nothing ran: an equal call was cut off in this task, and whether it happened is not known")
	}
}

func callDigest(c llm.Call) string {
	b := make([]byte, 0, len(c.Name)+len(c.Args)+8)
	b = append(strconv.AppendQuote(append(b, '['), c.Name), ',')
	return llm.Digest(append(append(b, c.Args...), ']'))
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
	held, err := r.carryOut(ctx, calls)
	if err != nil {
		return r.broken(ctx, err)
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

// carryOut settles what ran before from the ledger, has the rest decided and runs what may run.
func (r *execution) carryOut(ctx context.Context, calls []*call) (held *governance.Held, err error) {
	for _, c := range calls {
		if err := r.replay(ctx, c); err != nil {
			return nil, err
		}
	}
	if held, err = r.decide(ctx, calls); err != nil {
		return nil, err
	}
	return held, r.runCalls(ctx, calls, held == nil)
}

// decide asks governance about every call that could run. held is what waits, nil where nothing does.
func (r *execution) decide(ctx context.Context, calls []*call) (held *governance.Held, err error) {
	r.subjects = r.subjects[:0]
	for _, c := range calls {
		if !c.settled {
			r.subjects = append(r.subjects, r.callSubject(c))
		}
	}
	if len(r.subjects) == 0 {
		return nil, nil
	}
	rulings := r.core.c.Kernel.Rule(ctx, r.subjects)
	next := 0
	for _, c := range calls {
		if c.settled {
			continue
		}
		c.ruling = rulings[next]
		next++
		if err := c.ruling.Err(); err != nil && !refused(c, err) {
			return nil, err
		}
	}
	return governance.Hold(rulings), nil
}

// refused settles a call that governance denied, and reports false for an error that is neither a denial nor a hold.
func refused(c *call, err error) bool {
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
	return render(slices.Clone(args))
}

// results is what the step records of its calls.
func (r *execution) results(calls []*call) []checkpoint.Result {
	r.recorded = r.recorded[:0]
	for _, c := range calls {
		if !c.settled {
			c.state = checkpoint.ResultWaiting
		}
		res := checkpoint.Result{
			CallID: c.call.ID, Tool: c.call.Name, State: c.state, Text: c.note + c.text, Digest: c.digest, Effect: c.effect(), Key: c.key,
		}
		if c.failed != nil {
			res.ErrKind = c.failed.Kind
		}
		r.recorded = append(r.recorded, res)
	}
	return r.recorded
}
