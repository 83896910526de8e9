// Package audit is the append-only record of what was decided, by whom and about what.
//
// Rows hold digests, never prompts, arguments or replies. The rows of one session form a hash chain:
// each row's hash covers the hash before it and its own canonical form, so an edited, removed,
// reordered or inserted row is found by [Verify]. A store reads the head of the chain and appends to it
// in one transaction.
package audit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"time"
)

// Kind says what an entry records.
type Kind string

// The kinds of entries.
const (
	KindDecision   Kind = "decision"   // a decision of the governance kernel
	KindRequested  Kind = "requested"  // an approval was asked for
	KindDecided    Kind = "decided"    // a person decided an approval
	KindRefused    Kind = "refused"    // an attempt to decide was refused
	KindLapsed     Kind = "lapsed"     // an approval timed out
	KindConsumed   Kind = "consumed"   // an approval was used
	KindSuperseded Kind = "superseded" // an executable or resumable question was replaced
	KindClaimed    Kind = "claimed"    // a question was answered
	KindSettled    Kind = "settled"    // a person said what became of an ambiguous effect
	KindRecovered  Kind = "recovered"  // a run or claim of a dead process was taken over
	KindForgotten  Kind = "forgotten"  // a session's data was removed
)

// Entry is one row. Seq, Prev and Hash are the store's: Append fills them and ignores what the caller put there.
type Entry struct {
	Seq       int64     `json:"-"` // position in the whole log, ascending
	SessionID string    `json:"session_id,omitempty"`
	At        time.Time `json:"-"` // microseconds, UTC
	Kind      Kind      `json:"kind"`
	RunID     string    `json:"run_id,omitempty"`
	StepID    int       `json:"step_id,omitempty"`
	TurnID    string    `json:"turn_id,omitempty"`
	Point     string    `json:"point,omitempty"`   // governance point, for a decision
	Subject   string    `json:"subject,omitempty"` // tool name, approval id, continuation id
	Verdict   string    `json:"verdict,omitempty"` // allow, deny, require_approval, transform, approved, …
	By        string    `json:"by,omitempty"`      // hook or principal
	Reason    string    `json:"reason,omitempty"`  // short; never a prompt, an argument or a reply
	Digest    string    `json:"digest,omitempty"`  // SHA-256 of what was decided on
	Prev      string    `json:"-"`                 // hash of the session's row before, "" for the first
	Hash      string    `json:"-"`                 // see Sum
}

// Log is the append-only store of entries.
type Log interface {
	// Append adds e at the end of its session's chain, in the caller's transaction where ctx carries one.
	Append(ctx context.Context, e Entry) error
	// Entries yields the rows with Seq > after in ascending order; an error ends the sequence.
	Entries(ctx context.Context, after int64) iter.Seq2[Entry, error]
}

// Canonical returns the bytes that are hashed: e's own fields in a fixed order, without the chain's.
func (e Entry) Canonical() []byte {
	b, err := json.Marshal(struct {
		At int64 `json:"at"`
		Entry
	}{e.At.UnixMicro(), e})
	if err != nil {
		return nil // unreachable: every field is a string or an integer
	}
	return b
}

// Sum returns the hash of e after prev, as lower-case hex: SHA-256(prev ‖ canonical row).
func (e Entry) Sum(prev string) string {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(e.Canonical())
	return hex.EncodeToString(h.Sum(nil))
}
