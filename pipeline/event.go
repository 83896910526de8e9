package pipeline

import (
	"github.com/iris-harness/iris/loop"
)

// Event is something that happens in a turn; the loop's own events pass through. Each marshals to JSON with a "type".
type Event = loop.Event

// Asked says which question stands open after the turn.
type Asked struct {
	Question OpenQuestion `json:"question"`
}

// ApprovalRequested says that a run was held, and which approval releases it.
type ApprovalRequested struct {
	ApprovalID string `json:"approval_id"`
	RunID      string `json:"run_id"`
	Summary    string `json:"summary"`
}

// Superseded says that a question with an action or a run behind it was closed by another.
type Superseded struct {
	Question OpenQuestion `json:"question"`
	By       string       `json:"by"`
}

// Notice is something that the session is told besides the answer.
type Notice struct {
	Text string `json:"text"`
}

// Done ends a turn: it carries the reply as it was curated and recorded.
type Done struct {
	Reply Reply `json:"reply"`
}

// EventType implements [Event].
func (Asked) EventType() string { return "asked" }

// EventType implements [Event].
func (ApprovalRequested) EventType() string { return "approval_requested" }

// EventType implements [Event].
func (Superseded) EventType() string { return "superseded" }

// EventType implements [Event].
func (Notice) EventType() string { return "notice" }

// EventType implements [Event].
func (Done) EventType() string { return "done" }

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e Asked) MarshalJSON() ([]byte, error) {
	type plain Asked
	return loop.TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e ApprovalRequested) MarshalJSON() ([]byte, error) {
	type plain ApprovalRequested
	return loop.TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e Superseded) MarshalJSON() ([]byte, error) {
	type plain Superseded
	return loop.TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e Notice) MarshalJSON() ([]byte, error) {
	type plain Notice
	return loop.TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e Done) MarshalJSON() ([]byte, error) {
	type plain Done
	return loop.TypedJSON(e.EventType(), plain(e))
}
