package loop_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

// tape is a journal, a recorder and an approver in memory: what the loop wrote of one run.
type tape struct {
	mu       sync.Mutex
	run      checkpoint.Run
	steps    []checkpoint.Checkpoint
	staged   []checkpoint.Checkpoint
	effects  []checkpoint.Effect
	done     []func()
	held     *governance.Held
	consumed []string // what was released under an approval, in order
	wrote    bool     // since the run began or was taken up
	points   []string // every decision on the record
	fail     map[string]error
	onStart  func() // when an effect is recorded as started
}

var (
	_ loop.Journal         = (*tape)(nil)
	_ governance.Recorder  = (*tape)(nil)
	_ governance.Approvals = (*tape)(nil)
)

// write fails where the test wants it to, and else flushes what waits.
func (j *tape) write(what string) error {
	if err := j.fail[what]; err != nil {
		return err
	}
	for _, c := range j.staged {
		j.put(c)
	}
	for _, f := range j.done {
		f()
	}
	j.staged, j.done, j.wrote = nil, nil, true
	return nil
}

func (j *tape) put(c checkpoint.Checkpoint) {
	if i := slices.IndexFunc(j.steps, func(o checkpoint.Checkpoint) bool { return o.StepID == c.StepID }); i >= 0 {
		if j.steps[i].State == checkpoint.ClosedStep {
			panic("a closed step was written again")
		}
		j.steps[i] = c
		return
	}
	if c.StepID != len(j.steps) {
		panic("a step was left out")
	}
	j.steps = append(j.steps, c)
}

func (j *tape) Open(r checkpoint.Run) { j.run = r }

func (j *tape) Stage(c checkpoint.Checkpoint) { j.staged = append(j.staged, c) }

func (j *tape) Done(key string, result []byte, failed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done = append(j.done, func() {
		for i := range j.effects {
			if e := &j.effects[i]; e.Key == key && e.State == checkpoint.Started {
				e.State, e.Result, e.Failed = checkpoint.Finished, result, failed
				return
			}
		}
		panic("an effect that was never begun was finished: " + key)
	})
}

func (j *tape) Step(_ context.Context, _ checkpoint.Run, c checkpoint.Checkpoint) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write("step"); err != nil {
		return err
	}
	j.put(c)
	return nil
}

func (j *tape) Pause(_ context.Context, r checkpoint.Run, c checkpoint.Checkpoint) error {
	return j.halt("pause", r, c)
}

func (j *tape) Hold(_ context.Context, r checkpoint.Run, c checkpoint.Checkpoint, h *governance.Held) (string, error) {
	r.ApprovalID = "a1"
	j.held = h
	return "a1", j.halt("hold", r, c)
}

func (j *tape) halt(what string, r checkpoint.Run, c checkpoint.Checkpoint) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(what); err != nil {
		return err
	}
	j.put(c)
	j.run = r
	return nil
}

// Stop puts a run back whose resume wrote nothing, or whose step is still open.
func (j *tape) Stop(_ context.Context, r checkpoint.Run, c *checkpoint.Checkpoint) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	waits := len(j.steps) > 0 && j.steps[len(j.steps)-1].State == checkpoint.OpenStep
	if r.State == checkpoint.Failed && c == nil && j.run.State != checkpoint.Running && (waits || !j.wrote) {
		j.staged = nil
		return true, j.write("stop")
	}
	if err := j.write("stop"); err != nil {
		return false, err
	}
	if c != nil {
		j.put(*c)
	}
	j.run = r
	return false, nil
}

func (j *tape) Effects(context.Context, string) ([]checkpoint.Effect, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.effects), j.fail["effects"]
}

func (j *tape) Settle(_ context.Context, key string, happened bool, by string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.effects {
		if e := &j.effects[i]; e.Key == key && e.State == checkpoint.Started {
			e.State, e.Happened, e.SettledBy = checkpoint.Settled, happened, by
			return nil
		}
	}
	return checkpoint.ErrNotFound
}

func (j *tape) Record(_ context.Context, s governance.Subject, e audit.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.IsEffect() && e.Verdict == governance.VerdictAllow.String() {
		if err := j.write("start"); err != nil {
			return err
		}
		return j.start(s, "")
	}
	j.points = append(j.points, e.Verdict+" "+e.Point)
	return j.fail["record "+e.Point]
}

func (j *tape) start(s governance.Subject, approvalID string) error {
	for i := range j.effects {
		if e := &j.effects[i]; e.Key == s.CallKey {
			if e.State == checkpoint.Started && e.Idempotent {
				return nil
			}
			return &checkpoint.EffectError{Effect: *e}
		}
	}
	j.effects = append(j.effects, checkpoint.Effect{
		Key: s.CallKey, RunID: s.RunID, StepID: s.StepID, CallID: s.Call.ID, Tool: s.Name, Args: s.Call.Args,
		Idempotent: s.Idempotent, ApprovalID: approvalID, State: checkpoint.Started,
	})
	if j.onStart != nil {
		j.onStart()
	}
	return nil
}

func (j *tape) Defer(s governance.Subject, _ audit.Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.points = append(j.points, "allow "+string(s.Point))
}

func (j *tape) Consume(_ context.Context, id string, s governance.Subject) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.fail["consume"]; err != nil {
		return err
	}
	j.consumed = append(j.consumed, s.Name+" "+string(s.Call.Args))
	if !s.IsEffect() {
		return nil
	}
	if err := j.write("start"); err != nil {
		return err
	}
	return j.start(s, id)
}

// agent is a core over a tape.
type agent struct {
	t      testing.TB
	tape   *tape
	model  *iristest.ScriptedModel
	config loop.CoreConfig
	core   *loop.AgenticCore
	hooks  []governance.Hook
	tools  []loop.Tool
	ran    calls
	seen   []loop.Event
	live   *loop.Live // of the last task
}

// calls is what tools did, in order.
type calls struct {
	mu  sync.Mutex
	all []string
}

func (c *calls) add(s string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, s)
}

func (c *calls) list() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

type textIn struct {
	Text string `json:"text,omitempty"`
}

// newAgent has three tools: look (ReadOnly), write and delete (Destructive). change may add to it before it is built.
func newAgent(t testing.TB, model *iristest.ScriptedModel, change ...func(a *agent)) *agent {
	t.Helper()
	a := &agent{t: t, model: model, tape: &tape{fail: map[string]error{}}}
	a.config = loop.CoreConfig{Name: "agent", Clock: iristest.NewClock(iristest.T0).Now}
	a.tool("look", governance.ReadOnly)
	a.tool("write", governance.Write)
	a.tool("delete", governance.Destructive)
	for _, f := range change {
		f(a)
	}
	a.build()
	return a
}

// build makes the core, as a new process would.
func (a *agent) build() {
	a.t.Helper()
	hooks := append(slices.Clone(a.hooks), governance.Evaluator(governance.EvaluatorConfig{}), governance.DefaultPolicy())
	k, err := governance.NewKernel(governance.Config{Hooks: hooks, Recorder: a.tape, Approvals: a.tape})
	if err != nil {
		a.t.Fatal(err)
	}
	c := a.config
	c.Kernel, c.Model = k, gate.SealModel(k, a.model)
	for _, tool := range a.tools {
		c.Tools = append(c.Tools, loop.BoundTool{Tool: tool, Func: gate.SealRaw(k, tool.Name(), tool.Raw())})
	}
	if a.core, err = loop.NewCore(c); err != nil {
		a.t.Fatal(err)
	}
}

// tool adds one that notes its calls.
func (a *agent) tool(name string, effect governance.Effect) {
	a.add(loop.ToolSpec{Name: name, Effect: effect}, func(_ context.Context, text string) (string, error) { return "did " + text, nil })
}

// add adds a tool, in place of one of the same name.
func (a *agent) add(spec loop.ToolSpec, run func(ctx context.Context, text string) (string, error)) {
	spec.Description = "x"
	tool := loop.NewTool(spec, func(ctx context.Context, in textIn) (string, error) {
		a.ran.add(spec.Name + " " + in.Text)
		return run(ctx, in.Text)
	})
	a.tools = slices.DeleteFunc(a.tools, func(t loop.Tool) bool { return t.Name() == spec.Name })
	a.tools = append(a.tools, tool)
}

func hook(at governance.Point, decide func(s governance.Subject) governance.Decision) func(a *agent) {
	return func(a *agent) {
		a.hooks = append(a.hooks, governance.Hook{Name: "test " + string(at), At: at, Decide: func(_ context.Context, s governance.Subject) governance.Decision { return decide(s) }})
	}
}

func limits(l loop.Limits) func(a *agent) { return func(a *agent) { a.config.Limits = l } }

func (a *agent) task() loop.Task {
	return loop.Task{SessionID: "s1", TurnID: "t1", Text: "tidy up", Journal: a.tape}
}

// stream takes a task to its end and keeps the events.
func (a *agent) stream(ctx context.Context, task loop.Task) (loop.Finished, error) {
	var fin loop.Finished
	for ev, err := range a.core.Stream(ctx, task) {
		if err != nil {
			return fin, err
		}
		if f, ok := ev.(loop.Finished); ok {
			fin, a.live = f, f.Live
		}
		a.seen = append(a.seen, ev)
	}
	return fin, nil
}

// do is stream for a task that ends with a Finished.
func (a *agent) do(task loop.Task) loop.Finished {
	a.t.Helper()
	fin, err := a.stream(a.t.Context(), task)
	if err != nil {
		a.t.Fatal(err)
	}
	return fin
}

// seed reads the run as a new process would.
func (a *agent) seed(change func(s *loop.Seed)) loop.Task {
	a.t.Helper()
	s, err := loop.SeedOf(a.tape.run, a.tape.steps)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.live != nil {
		a.sameAsLive(s)
	}
	change(s)
	a.tape.wrote, a.tape.held = false, nil
	task := a.task()
	task.Seed, task.TurnID = s, "t2"
	return task
}

// sameAsLive holds that what the process remembers of the run is what a new process reads: every resume of these tests checks it.
func (a *agent) sameAsLive(cold *loop.Seed) {
	a.t.Helper()
	warm, err := a.live.Seed(a.tape.run, a.tape.steps[a.live.Last.StepID:])
	if err != nil {
		a.t.Fatalf("what is remembered of the run does not fit its last row: %v", err)
	}
	open := cmp.Exporter(func(reflect.Type) bool { return true })
	if diff := cmp.Diff(cold, warm, open, cmpopts.EquateEmpty()); diff != "" {
		a.t.Errorf("what is remembered of the run (-read +remembered):\n%s", diff)
	}
}

// answered is the task that takes the run up with a person's reply.
func (a *agent) answered(reply string) loop.Task {
	return a.seed(func(s *loop.Seed) { s.Reply = reply })
}

// approved is the task that takes the run up with the approval that it waits for, of all its calls.
func (a *agent) approved() loop.Task {
	held := a.tape.held
	return a.seed(func(s *loop.Seed) {
		s.Approval = &loop.Approval{ID: "a1", Point: string(held.Point), Items: map[string]loop.ItemApproval{}}
		for i, pin := range held.Pins {
			s.Approval.Items[pin.Subject.Call.ID] = loop.ItemApproval{Approved: true, Position: i + 1, Args: pin.Subject.Call.Args}
		}
	})
}

// rejected is the task that tells the model of a rejection.
func (a *agent) rejected(reason string) loop.Task {
	held := a.tape.held
	return a.seed(func(s *loop.Seed) {
		s.Approval = &loop.Approval{ID: "a1", Point: string(held.Point), Rejected: &reason}
	})
}

// payload returns one step as it is stored.
func (a *agent) payload(step int) checkpoint.Payload {
	a.t.Helper()
	if step >= len(a.tape.steps) {
		a.t.Fatalf("there is no step %d: %d are stored", step, len(a.tape.steps))
	}
	p, err := checkpoint.Decode(a.tape.steps[step].Payload)
	if err != nil {
		a.t.Fatal(err)
	}
	return p
}

// states says what became of each call of a stored step.
func (a *agent) states(step int) []string {
	a.t.Helper()
	var out []string
	for _, r := range a.payload(step).Results {
		out = append(out, r.Tool+" "+string(r.State))
	}
	return out
}

// rows says which steps are stored, and how.
func (a *agent) rows() []string {
	var out []string
	for _, c := range a.tape.steps {
		out = append(out, string(c.State))
	}
	return out
}

// prompt is the last message that the model was given in its n-th call.
func (a *agent) prompt(n int) string {
	a.t.Helper()
	if n >= a.model.Calls() {
		a.t.Fatalf("the model was called %d times", a.model.Calls())
	}
	return a.model.Prompt(n)
}

// multi is a reply with several calls, each "tool text".
func multi(calls ...llm.Call) llm.Message { return llm.Message{Calls: calls} }

func tcall(tool, text string) llm.Call {
	return iristest.ToolCall("", tool, map[string]string{"text": text})
}

func askCall(question string, choices ...string) llm.Call {
	return iristest.ToolCall("", loop.AskUser, map[string]any{"question": question, "choices": choices})
}

var errDisk = errors.New("disk full")
