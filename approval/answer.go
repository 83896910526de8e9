package approval

import (
	"context"
	"encoding/json"
)

// Verdict is what a person says to a request.
type Verdict string

// The verdicts.
const (
	Approve Verdict = "approve"
	Reject  Verdict = "reject"
)

// Principal is who answers, as the surface authenticated them: a value, never a string out of a message.
type Principal struct {
	ID string // Required.
	// Name is for people to read.
	Name string
	// System says that it is not a person. A system principal never decides.
	System bool
}

// Answer is a person's answer to a request.
type Answer struct {
	ApprovalID string
	Decision   Verdict
	// Items decides the pinned calls one by one; where empty, Decision holds for all of them.
	Items  []ItemAnswer
	Reason string // travels to the model or to the person; at most 4 KiB
	By     Principal
	// Surface is where it was answered: a channel's name, "cli", "chat".
	Surface string
	// Later records the decision and leaves the resume to Run.
	Later bool
}

// ItemAnswer decides one pinned call.
type ItemAnswer struct {
	Position int
	Approve  bool
	// Args replaces the call's arguments; nil leaves them as pinned.
	Args json.RawMessage
}

// Authorizer says who may decide a request. An error refuses, and is audited; it is shown to who asked.
type Authorizer interface {
	Authorize(ctx context.Context, by Principal, r Request) error
}
