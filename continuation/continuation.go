package continuation

import (
	"encoding/json"
	"time"
)

// Kind says which answers a question takes.
type Kind string

// The kinds of continuations.
const (
	Question Kind = "question" // free text
	YesNo    Kind = "approval" // yes or no; stored under the records' word
	Choice   Kind = "choice"   // one of its options
)

// Origin says how a continuation came to be.
type Origin string

// The origins of continuations.
const (
	Explicit Origin = "explicit" // somebody called Ask
	Pause    Origin = "pause"    // a run stopped at its ask_user
	Inferred Origin = "inferred" // an answer ended on a question; lives one turn unless it is a yes/no
)

// Status is where a continuation stands.
type Status string

// The statuses, and where each can go: see [Store.Move].
const (
	Pending    Status = "pending"
	Claimed    Status = "claimed"
	Answered   Status = "answered"
	Superseded Status = "superseded"
	Expired    Status = "expired"
)

// Why says why a row was closed without an answer.
type Why string

// The reasons.
const (
	Replaced  Why = "replaced"  // a later question took its place; ClosedBy is that question
	Withdrawn Why = "withdrawn" // taken back: by its owner, or because the reply was something else
	Screened  Why = "screened"  // the turn after it was screened out
	Withheld  Why = "withheld"  // governance withheld the answer that asked it
	Failed    Why = "failed"    // the turn after it failed
	Restated  Why = "restated"  // too old to act on: asked once more by the turn ClosedBy
	Ended     Why = "ended"     // the run or approval behind it came to an end elsewhere
	Lapsed    Why = "lapsed"    // its time was up
)

// OutcomeUnknown is the outcome of a claimed row whose action had begun when its process died.
const OutcomeUnknown = "unknown"

// Limits, in bytes.
const (
	MaxQuestion = 16 << 10
	MaxPayload  = 64 << 10
	MaxOptions  = 64 << 10 // the options as JSON
)

// DefaultTTL is how long a continuation waits where Ask.TTL is zero (ADR-0106 D3).
const DefaultTTL = 7 * 24 * time.Hour

// Option is one thing that can be picked.
type Option struct {
	// Position counts from 1, as shown.
	Position int `json:"position"`
	// Text is the option as it was on screen; empty where the asker shows it itself.
	Text string `json:"text,omitempty"`
	// Ref is the asker's own JSON, for instance a message id. It travels back untouched.
	Ref json.RawMessage `json:"ref,omitempty"`
}

// Continuation is the record "this session owes Owner an answer".
type Continuation struct {
	ID        string
	SessionID string
	TurnID    string // the turn that raised it, "" from a background job
	Owner     string // who resolves the answer
	Asker     string // who raised it, where the owner is an intercept
	Kind      Kind
	Origin    Origin
	Question  string
	Options   []Option
	Intent    string // to re-enter with, so that a resume skips classification
	Channel   string // where it was asked
	AskedOf   string // who may answer; "" is anybody

	// RunID and StepID name the checkpoint to resume; RunID is "" for Tier A.
	RunID  string
	StepID int

	// ExecutorKind names the executor that runs Payload on a plain yes.
	ExecutorKind string
	Payload      json.RawMessage

	CreatedAt time.Time // microseconds, UTC
	ExpiresAt time.Time // it is expired at this moment and after

	Status     Status
	ClaimedBy  string    // the turn that claimed it
	AnsweredBy string    // the sender of that turn's message
	ClaimedAt  time.Time // zero where never claimed
	ClosedAt   time.Time // zero while open
	Why        Why       // for superseded and expired
	ClosedBy   string    // the id (continuation or turn) that closed it
	Outcome    string    // what came of the answer, for answered
}

// Resumable reports whether a run waits behind c (Tier B).
func (c *Continuation) Resumable() bool { return c.RunID != "" && c.Origin == Pause }

// Executable reports whether a plain yes to c runs a stored action.
func (c *Continuation) Executable() bool { return c.ExecutorKind != "" }

// Texts returns the options' texts in order, for a reader; an option without a text is "".
func (c *Continuation) Texts() []string {
	out := make([]string, len(c.Options))
	for i, o := range c.Options {
		out[i] = o.Text
	}
	return out
}

// ExpiredAt reports whether c's time is up at now, whether or not a sweep has been by.
func (c *Continuation) ExpiredAt(now time.Time) bool { return !now.Before(c.ExpiresAt) }
