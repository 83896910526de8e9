package iris

import (
	"context"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/pipeline"
)

// The names of the packages below that an application writes, in one place.
type (
	// Store keeps everything a harness knows, and commits what belongs together in one transaction.
	Store = pipeline.Stores
	// Pipeline takes turns through their stages.
	Pipeline = pipeline.Pipeline
	// AgenticCore is the one governed loop.
	AgenticCore = loop.AgenticCore
	// ContinuationRegistry keeps the questions that sessions owe answers to.
	ContinuationRegistry = continuation.Registry
	// CheckpointStore keeps runs and their steps.
	CheckpointStore = checkpoint.Store
	// ConfirmationExecutor runs the stored action of a kind when a person says yes.
	ConfirmationExecutor = intercept.ConfirmationExecutor
	// Channel is a surface that approvals are brought to.
	Channel = approval.Channel

	// Tool is a tool, made by [NewTool].
	Tool = loop.Tool
	// ToolSpec says what a tool is.
	ToolSpec = loop.ToolSpec
	// Question is what a tool asks with [Ask].
	Question = loop.Question
	// Option is one thing that can be picked.
	Option = loop.Option
	// Task is what an agent of the application's own is given.
	Task = loop.Task

	// TurnRequest is one message in.
	TurnRequest = pipeline.Request
	// Press is a button that was pressed.
	Press = pipeline.Press
	// Reply is what a turn came to.
	Reply = pipeline.Reply
	// OpenQuestion is a question as a transport shows it.
	OpenQuestion = pipeline.OpenQuestion
	// Event is something that happens in a turn.
	Event = pipeline.Event
	// Done ends a turn's events.
	Done = pipeline.Done
	// Delta is a piece of the model's raw text.
	Delta = loop.Delta
	// TurnError says that a turn failed.
	TurnError = pipeline.TurnError
	// Recovered is what became of a turn whose process died.
	Recovered = pipeline.Recovered

	// Inbound is a message as a classifier or a planner sees it.
	Inbound = pipeline.Inbound
	// Intent is what a message is about.
	Intent = pipeline.Intent
	// PlannedTask is one task of a plan.
	PlannedTask = pipeline.PlannedTask
	// Draft is an answer before it is shown.
	Draft = pipeline.Draft
	// Judgement is a judge's word on a draft.
	Judgement = pipeline.Judgement
	// Classifier says which agent a message is for.
	Classifier = pipeline.Classifier
	// Planner splits a message into tasks.
	Planner = pipeline.Planner
	// Curator rewrites an answer before it is judged and shown.
	Curator = pipeline.Curator
	// Judge passes or withholds an answer.
	Judge = pipeline.Judge
	// Distance says when a yes is too far from its question.
	Distance = pipeline.Distance

	// Hook is one rule of governance.
	Hook = governance.Hook
	// Subject is what a hook decides on.
	Subject = governance.Subject
	// Decision is a hook's answer.
	Decision = governance.Decision
)

// What a tool does to the world.
const (
	Write       = governance.Write
	ReadOnly    = governance.ReadOnly
	Destructive = governance.Destructive
)

// The points at which hooks are asked.
const (
	PreTurn     = governance.PreTurn
	PreLLM      = governance.PreLLM
	PreTool     = governance.PreTool
	PostTool    = governance.PostTool
	PostStep    = governance.PostStep
	PreResponse = governance.PreResponse
)

// Allow lets what a hook is asked about happen.
func Allow() Decision { return governance.Allow() }

// Deny stops it. The reason is for people: never put a prompt, an argument or a reply in it.
func Deny(reason string) Decision { return governance.Deny(reason) }

// RequireApproval stops it until a person decides.
func RequireApproval(reason string) Decision { return governance.RequireApproval(reason) }

// Errors of the packages below that an application matches.
var (
	ErrInvalid         = pipeline.ErrInvalid
	ErrBlank           = pipeline.ErrBlank
	ErrBusy            = pipeline.ErrBusy
	ErrClosed          = pipeline.ErrClosed
	ErrReentrant       = pipeline.ErrReentrant
	ErrNotFound        = pipeline.ErrNotFound
	ErrNotAnAnswer     = pipeline.ErrNotAnAnswer
	ErrNoSuchOption    = pipeline.ErrNoSuchOption
	ErrNotAllowed      = pipeline.ErrNotAllowed
	ErrCannotResume    = pipeline.ErrCannotResume
	ErrAmbiguousEffect = loop.ErrAmbiguousEffect
	ErrOutcomeUnknown  = loop.ErrOutcomeUnknown

	// What a *continuation.ClosedError says of a question that a press or AnswerTo came too late for.
	ErrClaimed         = continuation.ErrClaimed
	ErrAnswered        = continuation.ErrAnswered
	ErrSuperseded      = continuation.ErrSuperseded
	ErrExpired         = continuation.ErrExpired
	ErrUnknownQuestion = continuation.ErrNotFound
)

// NewTool makes a tool of a function; see [loop.NewTool].
func NewTool[In, Out any](spec ToolSpec, run func(ctx context.Context, in In) (Out, error)) Tool {
	return loop.NewTool(spec, run)
}

// Ask asks the person of the turn's session from inside a tool; see [loop.Ask].
func Ask(ctx context.Context, q Question) error { return loop.Ask(ctx, q) }

// CallKey returns the key of the tool call that ctx belongs to, the same for every attempt; see [loop.CallKey].
func CallKey(ctx context.Context) string { return loop.CallKey(ctx) }

// Confirm asks an executable question from inside a tool; see [loop.Confirm].
func Confirm(ctx context.Context, kind string, payload any, question string) error {
	return loop.Confirm(ctx, kind, payload, question)
}
