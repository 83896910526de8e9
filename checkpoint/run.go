package checkpoint

import (
	"time"

	"github.com/iris-harness/iris/llm"
)

// State is where a run stands.
type State string

// The states of a run and where each can go:
//
//	running -> paused | held | done | failed | ended
//	paused | held | failed -> running | ended
const (
	Running State = "running"
	Paused  State = "paused" // stopped by its own ask_user
	Held    State = "held"   // stopped by governance, waiting for an approval
	Done    State = "done"
	Failed  State = "failed" // can be resumed
	Ended   State = "ended"  // never resumed
)

// Reason says why a run stopped.
type Reason string

// The reasons.
const (
	AwaitingUserInput Reason = "awaiting_user_input"
	AwaitingApproval  Reason = "awaiting_approval"
	Denied            Reason = "denied"
	Limit             Reason = "limit"
	ModelError        Reason = "model_error"
	Interrupted       Reason = "interrupted"
	Rejected          Reason = "rejected"
	Lapsed            Reason = "lapsed"
	SupersededRun     Reason = "superseded"
)

// Limits.
const (
	MaxStep    = 1 << 20            // bytes of one step's payload
	DefaultTTL = 7 * 24 * time.Hour // how long a run is kept; pinned runs are exempt
)

// Run is one execution of the loop for one task.
type Run struct {
	ID        string // ULID
	SessionID string
	TurnID    string // the turn that began it
	Agent     string
	Intent    string
	Channel   string
	AskedOf   string // whose turn it is of, and so who may answer it
	Task      string // the task as composed for the agent: what it is measured against
	Order     int    // its place among the tasks of its turn

	State  State
	Reason Reason
	Detail string // a sentence for the person, where Reason is not enough
	Epoch  int64  // rises each time the run goes back to running

	Asked      *Asked // what a paused run asks
	ApprovalID string // what a held run waits for
	Pinned     bool

	CreatedAt time.Time // microseconds, UTC
	UpdatedAt time.Time
	ExpiresAt time.Time // a run that is not pinned reads as not found at this moment and after
}

// Asked is the question that a paused run waits on.
type Asked struct {
	CallID   string   `json:"call_id"` // the ask_user call that the answer becomes the result of
	StepID   int      `json:"step_id"`
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
}

// StepState says whether something of a step still waits.
type StepState string

// The states of a step.
const (
	OpenStep   StepState = "open"
	ClosedStep StepState = "closed"
)

// Checkpoint is the durable record of one step of a run: one model reply and the calls it asked for.
type Checkpoint struct {
	RunID     string
	StepID    int    // counts from 0
	SessionID string // "" in rows from before sessions were recorded
	State     StepState
	Payload   []byte // a [Payload] as JSON, at most MaxStep bytes
	CreatedAt time.Time
}

// Payload is what a step row holds.
type Payload struct {
	// Base is what the run began with; on step 0 only.
	Base []llm.Message `json:"base,omitempty"`
	// Reply is the model's reply; nil where the step is held before the model was asked.
	Reply *llm.Message `json:"reply,omitempty"`
	// Results has one entry for each call of Reply, in order.
	Results []Result `json:"results,omitempty"`
	// Note is what the loop itself told the model after the step.
	Note  []llm.Message `json:"note,omitempty"`
	Usage llm.Usage     `json:"usage,omitzero"`
}

// ResultState says what became of a call.
type ResultState string

// What can become of a call.
const (
	ResultOK       ResultState = "ok"
	ResultError    ResultState = "error"    // the tool failed, or nothing ran; Text says how
	ResultNotRun   ResultState = "not_run"  // another call of the step came first
	ResultWaiting  ResultState = "waiting"  // it waits for an answer or an approval
	ResultUnknown  ResultState = "unknown"  // it was cut off: whether it happened is not known
	ResultDenied   ResultState = "denied"   // governance said no
	ResultRejected ResultState = "rejected" // a person said no
)

// Result is what one call gave.
type Result struct {
	CallID  string      `json:"call_id"`
	Tool    string      `json:"tool"`
	State   ResultState `json:"state"`
	ErrKind string      `json:"err_kind,omitempty"` // for error: the typed tool error's kind
	Text    string      `json:"text"`               // what the model reads
	Digest  string      `json:"digest,omitempty"`   // of the tool and its arguments
	Effect  bool        `json:"effect,omitempty"`   // the call is not ReadOnly
	Key     string      `json:"key,omitempty"`      // its ledger row
}
