package loop

import (
	"encoding/json"
	"fmt"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/llm"
)

// Event is something that happens while a task runs. EventType is the "type" that it carries in JSON.
type Event interface{ EventType() string }

// Activity says what is going on, for a status line.
type Activity struct {
	Agent string `json:"agent"`
	Text  string `json:"text"`
}

// Delta is a piece of the model's raw text. It is a draft: no judge has seen it, and what the person
// is shown in the end may be something else.
type Delta struct {
	Agent string `json:"agent"`
	Text  string `json:"text"`
	Draft bool   `json:"draft"`
}

// ToolStarted says that a call begins to run.
type ToolStarted struct {
	RunID  string `json:"run_id"`
	StepID int    `json:"step_id"`
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
}

// ToolFinished says what became of a call.
type ToolFinished struct {
	RunID  string                 `json:"run_id"`
	StepID int                    `json:"step_id"`
	CallID string                 `json:"call_id"`
	Tool   string                 `json:"tool"`
	State  checkpoint.ResultState `json:"state"`
}

// Finished is the last event of a task: where its run stands and what it has to say.
type Finished struct {
	Run   checkpoint.Run `json:"-"`
	Text  string         `json:"text"`  // the answer; for a run that stopped, the sentence that says so
	Usage llm.Usage      `json:"usage"` // of this execution
	Err   error          `json:"-"`     // why the run failed, where it did
	// Executed names the effects that ran, in order.
	Executed []string `json:"executed,omitempty"`
	// Live is what the process remembers of a run that waits; nil where it does not wait. A copy of the event may carry it on or leave it out.
	Live *Live `json:"-"`
}

// EventType implements [Event].
func (Activity) EventType() string { return "activity" }

// EventType implements [Event].
func (Delta) EventType() string { return "delta" }

// EventType implements [Event].
func (ToolStarted) EventType() string { return "tool_started" }

// EventType implements [Event].
func (ToolFinished) EventType() string { return "tool_finished" }

// EventType implements [Event].
func (Finished) EventType() string { return "finished" }

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e Activity) MarshalJSON() ([]byte, error) {
	type plain Activity
	return TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e Delta) MarshalJSON() ([]byte, error) {
	type plain Delta
	return TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e ToolStarted) MarshalJSON() ([]byte, error) {
	type plain ToolStarted
	return TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e ToolFinished) MarshalJSON() ([]byte, error) {
	type plain ToolFinished
	return TypedJSON(e.EventType(), plain(e))
}

// MarshalJSON implements [json.Marshaler]: the fields, after the type.
func (e Finished) MarshalJSON() ([]byte, error) {
	type plain Finished
	return TypedJSON(e.EventType(), plain(e))
}

// TypedJSON encodes fields, a struct, as a JSON object whose first member is "type".
func TypedJSON(eventType string, fields any) ([]byte, error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if string(body) == "{}" {
		return fmt.Appendf(nil, `{"type":%q}`, eventType), nil
	}
	return append(fmt.Appendf(nil, `{"type":%q,`, eventType), body[1:]...), nil
}
