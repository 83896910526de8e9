package governance

import (
	"errors"
	"fmt"
)

// Sentinels. Nothing was called where one of them is returned.
var (
	// ErrDenied is what a *Denied is.
	ErrDenied = errors.New("governance: denied")
	// ErrHeld is what a *Held is.
	ErrHeld = errors.New("governance: held for approval")
	// ErrNoPermit is returned by Take for the zero Permit.
	ErrNoPermit = errors.New("governance: no permit")
	// ErrPermitUsed is returned by Take for a permit that was taken before, and by Mint and Redeem for a ruling
	// whose permit was minted before.
	ErrPermitUsed = errors.New("governance: permit already used")
	// ErrPermitForeign is returned by Take for a permit of another kernel, point or name, and by Mint and Redeem
	// for a ruling of another kernel or of another approval.
	ErrPermitForeign = errors.New("governance: permit is for something else")
	// ErrPoint is returned by Permit and Rule at a point where nothing is called, and by Review where something is.
	ErrPoint = errors.New("governance: wrong point")
	// ErrNoApprovals is returned by Redeem, and for a subject with an ApprovalID, by a kernel that has no Approvals.
	ErrNoApprovals = errors.New("governance: this kernel cannot redeem approvals")
)

// Denied is the error of a denial. errors.Is(err, ErrDenied) holds.
type Denied struct {
	Point  Point
	Name   string // what would have been called
	Hook   string // the hook that denied
	Reason string
	Signal string // at PostStep, the signal that it comes from
}

func (e *Denied) Error() string {
	return fmt.Sprintf("governance: denied at %s by %s: %s", e.Point, e.Hook, e.Reason)
}

// Is reports whether target is ErrDenied.
func (e *Denied) Is(target error) bool { return target == ErrDenied }

// Held is the error of something that has to wait for a person. errors.Is(err, ErrHeld) holds.
type Held struct {
	Point  Point
	Hook   string // the hook that asked for the approval
	Reason string
	Signal string // at PostStep, the signal that it comes from
	// Pins are what an approval would let happen, in order: at PreLLM the request, at PreTool the calls (see [Hold]),
	// at PostStep none.
	Pins []Pin
}

// Pin is one thing that waits, exactly as it would be done.
type Pin struct {
	Subject Subject
	Digest  string // Subject.Digest: SHA-256 in hex
	Allowed bool   // it needed no approval of its own and waits for the others of its step
	Hook    string // the hook that asked for this one's approval
	Reason  string
}

func (e *Held) Error() string {
	return fmt.Sprintf("governance: held at %s by %s: %s", e.Point, e.Hook, e.Reason)
}

// Is reports whether target is ErrHeld.
func (e *Held) Is(target error) bool { return target == ErrHeld }

// RecordError says that a decision could not be written down, so that nothing may act on it. It wraps the Recorder's error.
type RecordError struct {
	Point Point
	Err   error
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("governance: decision at %s not recorded: %v", e.Point, e.Err)
}

// Unwrap returns the Recorder's error.
func (e *RecordError) Unwrap() error { return e.Err }

// The kinds of tool errors.
const (
	InvalidArguments = "invalid_arguments" // they do not fit the schema; nothing ran
	UnknownTool      = "unknown_tool"      // no tool has that name; nothing ran
	ToolDenied       = "denied"            // governance or a person refused; nothing ran
	ToolFailed       = "failed"            // the tool returned an error
	ToolTimeout      = "timeout"           // cut off at its deadline
	ToolPanic        = "panic"             // the tool panicked
	UnknownOutcome   = "unknown_outcome"   // an effect began, and what became of it is not known
	ResultWithheld   = "withheld"          // it ran, and post_tool withheld what it returned
	NotRun           = "not_run"           // another call of the step came first
)

// ToolError is why a call has no result, in the form the model gets.
type ToolError struct {
	Kind    string `json:"kind"` // one of the kinds above
	Message string `json:"message"`
}

func (e *ToolError) Error() string { return e.Kind + ": " + e.Message }
