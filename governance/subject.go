package governance

import (
	"encoding/json"
	"time"

	"github.com/iris-harness/iris/llm"
)

// Point is a place in a turn where hooks are asked.
type Point string

// The six points, in the order in which a turn passes them.
const (
	PreTurn     Point = "pre_turn"     // a message has come in; Deny screens it out
	PreLLM      Point = "pre_llm"      // before a model call; Deny ends the run
	PreTool     Point = "pre_tool"     // before a tool or an executor; Deny is the call's result
	PostTool    Point = "post_tool"    // after it; Deny withholds the result
	PostStep    Point = "post_step"    // after a step; Deny ends the run
	PreResponse Point = "pre_response" // before the answer is shown; Deny withholds it
)

// ModelName is the name under which a model is sealed and permitted.
const ModelName = "model"

// ExecutorName returns the name under which the confirmation executor of a kind is sealed and permitted.
// It cannot be a tool's name, so a tool's permit never opens an executor of the same name.
func ExecutorName(kind string) string { return "executor:" + kind }

// Effect says what a tool does to the world.
type Effect uint8

// The effects. The zero value is Write: a tool that does not say what it does is recorded as one that acts.
const (
	Write       Effect = iota // changes something that can be put right
	ReadOnly                  // changes nothing
	Destructive               // cannot be undone
)

// String returns the effect's stored form.
func (e Effect) String() string {
	switch e {
	case ReadOnly:
		return "read_only"
	case Destructive:
		return "destructive"
	default:
		return "write"
	}
}

// Subject is what is decided on. A hook gets a copy that shares nothing with what will be executed.
// The bytes and slices that the kernel's caller puts in must not be changed afterwards.
type Subject struct {
	Point     Point
	SessionID string
	TurnID    string
	RunID     string
	StepID    int    // within the run, from 0
	Agent     string // whose run it is
	Channel   string // the transport that the turn came from
	Sender    string // who spoke, where the transport says
	System    bool   // the turn is not a person's

	Name       string // what would be called: ModelName, a tool's name, ExecutorName(kind)
	Effect     Effect // of the tool or executor
	Idempotent bool   // doing it twice is doing it once

	Call    llm.Call        // PreTool, PostTool; Args in canonical form
	CallKey string          // names the effect across attempts
	Card    string          // the tool's own rendering of the call, for a person
	Result  json.RawMessage // PostTool: what the tool returned
	ToolErr *ToolError      // PostTool: why it returned nothing
	Text    string          // PreTurn: the message. PreResponse: the answer
	Step    *StepView       // PostStep

	// Holdable says that the caller can keep this waiting for a person (it has a run, and a row to put it in).
	// Where it is false, or the kernel has no Approvals, RequireApproval is a Deny.
	Holdable bool
	// ApprovalID names the approval under which this is done again, at PreLLM and PreTool; elsewhere it has no effect.
	// A RequireApproval is met by it, a Deny still denies, changed arguments are a Deny, and the permit is minted by
	// consuming it.
	ApprovalID string

	request *llm.Request
	lent    bool // given to a hook: Request returns copies
}

// StepView is what a step came to, for the hooks at PostStep.
type StepView struct {
	Reply   llm.Message
	Results []ToolResult // in the order of Reply.Calls
	Run     RunView
}

// ToolResult is the outcome of one call of a step: exactly one of Result and Err is set.
type ToolResult struct {
	Call   llm.Call
	Result json.RawMessage
	Err    *ToolError
}

// RunView is the history that the signals judge. The loop keeps it; see [Window] for the counts.
type RunView struct {
	Task    string        // the composed task, as the run began with it
	Reply   string        // the person's words that the run was resumed with, if it was
	Steps   int           // steps since the run began or was last resumed, this one included
	Usage   llm.Usage     // of the whole run
	Elapsed time.Duration // since the run began or was last resumed; waiting for a person does not count
	// Repeats is how often the most repeated call of this step has been made in this window, and Repeated its name.
	Repeats  int
	Repeated string
	// Failures is the number of tool errors in a row that this step ends with.
	Failures int
}

// WithRequest returns s with the request that would be sent to the model.
func (s Subject) WithRequest(r *llm.Request) Subject {
	s.request = r
	return s
}

// Request returns the request at PreLLM, else nil. To a hook each call returns a new copy, so that a hook that
// does not look at the conversation does not pay for it; the gate gets the request itself.
func (s Subject) Request() *llm.Request {
	if s.lent {
		return cloneRequest(s.request)
	}
	return s.request
}

// IsEffect reports whether what is asked for acts on the world, so that its ledger row must be written first.
func (s Subject) IsEffect() bool { return s.Point == PreTool && s.Effect != ReadOnly }
