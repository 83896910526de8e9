package governance

import (
	"context"
	"strings"
	"time"

	"github.com/iris-harness/iris/audit"
)

// Recorder writes decisions down. Entries hold digests, never prompts, arguments or replies.
type Recorder interface {
	// Record returns when e is durable. Where s.IsEffect and e allows, it writes the call's ledger row
	// (started) in the same transaction. An error means that nothing may happen.
	Record(ctx context.Context, s Subject, e audit.Entry) error
	// Defer takes an Allow that nothing acts on: it goes to the record with what the caller writes next (the step,
	// the message). e.Digest is empty; s.Digest computes it where it is wanted. s must not be kept.
	Defer(s Subject, e audit.Entry)
}

// Approvals is how a person's approval becomes a permit.
type Approvals interface {
	// Consume uses the approval for the one call that s is: in one transaction it checks that the approval is
	// approved, unused for this call, and pinned to s.Digest, marks it, and writes the call's ledger row and the
	// audit row. Its error is returned to whoever redeems, and nothing is called.
	Consume(ctx context.Context, approvalID string, s Subject) error
}

// maxReason is how much of a reason is recorded, in bytes.
const maxReason = 300

// short cuts a reason for the record.
func short(reason string) string {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	return strings.ToValidUTF8(reason, "")
}

// stamp is a time as it is stored.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
