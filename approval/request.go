package approval

import (
	"encoding/json"
	"time"
)

// Status is where a request stands: pending -> approved | rejected | timed_out.
type Status string

// The statuses.
const (
	Pending  Status = "pending"
	Approved Status = "approved"
	Rejected Status = "rejected"
	TimedOut Status = "timed_out"
)

// FailClosed is the only policy there is for a request that nobody decides: the run stays stopped.
const FailClosed = "fail_closed"

// How long a request waits where the configuration does not say.
const (
	DefaultTimeout     = 10 * time.Minute
	DestructiveTimeout = 60 * time.Minute
)

// Item is one pinned call of a request.
type Item struct {
	Position int             `json:"position"` // counts from 1, in the order the calls run
	CallID   string          `json:"call_id"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`   // canonical
	Digest   string          `json:"digest"` // SHA-256 of Args
	Card     string          `json:"card,omitempty"`
	Effect   string          `json:"effect"`            // write, read_only, destructive
	Allowed  bool            `json:"allowed,omitempty"` // governance allowed it; it waits for the others of its step
}

// ItemDecision is what was decided about one item.
type ItemDecision struct {
	Position int             `json:"position"`
	Approved bool            `json:"approved"`
	Args     json.RawMessage `json:"args,omitempty"`   // edited arguments, canonical
	Digest   string          `json:"digest,omitempty"` // of the edited arguments
}

// Request is one demand for a decision. All but the decision is fixed when it is written.
type Request struct {
	ID          string // ULID
	SessionID   string // "" in rows from before sessions were recorded
	RunID       string
	StepID      int
	TurnID      string
	Agent       string
	Point       string // governance point that demanded it
	Signal      string // what fired
	Summary     string // what it is about, for a person
	Card        string // the calls as their tools render them
	Items       []Item // none where it is not about calls
	Digest      string // SHA-256 of what is approved: the items, or the model request
	Destructive bool
	Channel     string    // where the turn came from; may be ""
	AskedOf     string    // who may answer; "" is anybody
	Policy      string    // FailClosed
	RequestedAt time.Time // microseconds, UTC
	TimeoutAt   time.Time // it is overdue at this moment and after

	Status    Status
	Decisions []ItemDecision // empty where the items were decided together
	Reason    string
	Principal string    // who decided
	Surface   string    // where they did
	DecidedAt time.Time // zero while pending

	ConsumedAt time.Time // when the first thing was done under it; zero before
	NoticedAt  time.Time // when the outcome was taken up (resumed, ended, lapse told); zero before
}

// Overdue reports whether r is pending past its time at now.
func (r *Request) Overdue(now time.Time) bool {
	return r.Status == Pending && !now.Before(r.TimeoutAt)
}

// Item returns the item of a call, or nil.
func (r *Request) Item(callID string) *Item {
	for i := range r.Items {
		if r.Items[i].CallID == callID {
			return &r.Items[i]
		}
	}
	return nil
}

// DecisionOn returns what was decided about an item: its own decision, or the whole request's.
func (r *Request) DecisionOn(position int) ItemDecision {
	for _, d := range r.Decisions {
		if d.Position == position {
			return d
		}
	}
	return ItemDecision{Position: position, Approved: r.Status == Approved}
}
