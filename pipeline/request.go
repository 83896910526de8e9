package pipeline

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/llm"
)

// Request is one message in.
type Request struct {
	SessionID string // Required: the conversation.
	Message   string // Required, unless Attachments or Press are given.

	Channel string // where it came from: answers and approvals go back there
	// MessageID is the transport's id of the message, unique in its session. A redelivery is answered from the record.
	MessageID string
	// Sender is who spoke, for a conversation of several people.
	Sender string
	// System says that nobody spoke: the turn claims, withdraws and infers nothing over an open question.
	System      bool
	Attachments []llm.Attachment
	// Press is a button: it goes straight to the question it belongs to.
	Press *Press
	// AnswerTo is a continuation's id: these words answer that row or nothing.
	AnswerTo string
}

// Press is a button that was pressed.
type Press struct {
	ContinuationID string
	// Option is "approve" or "reject" for a yes/no, or the position of an option as a decimal number.
	Option string
}

func (r *Request) validate() error {
	switch {
	case continuation.IsBlank(r.SessionID):
		return fmt.Errorf("%w: no session id", ErrInvalid)
	case r.Press != nil && r.AnswerTo != "":
		return fmt.Errorf("%w: a press and AnswerTo exclude each other", ErrInvalid)
	case r.Press != nil && (r.Press.ContinuationID == "" || r.Press.Option == ""):
		return fmt.Errorf("%w: a press names a continuation and an option", ErrInvalid)
	case r.Press == nil && len(r.Attachments) == 0 && continuation.IsBlank(r.Message):
		return ErrBlank
	case len(r.Message) > MaxMessage:
		return fmt.Errorf("%w: a message of %d bytes, at most %d", ErrInvalid, len(r.Message), MaxMessage)
	}
	return nil
}

// MaxMessage is the longest message in bytes.
const MaxMessage = 1 << 20

// Reply is what a turn came to.
type Reply struct {
	SessionID string `json:"session_id"`
	TurnID    string `json:"turn_id"`
	// Text is what the person is shown. Its questions and halts are in it.
	Text  string `json:"text"`
	Agent string `json:"agent,omitempty"` // who answered: an agent or an intercept
	// Asked is the question that stands open after the turn; nil where none does.
	Asked *OpenQuestion `json:"asked,omitempty"`
	// Superseded are questions that this turn closed and that had an action or a run behind them.
	Superseded []OpenQuestion `json:"superseded,omitempty"`
	// Approvals are the ids of the approvals that this turn's runs wait for.
	Approvals []string `json:"approvals,omitempty"`
	// Runs are the ids of the runs that this turn began or took up.
	Runs []string `json:"runs,omitempty"`
	// Executed names the effects that ran in this turn, in order.
	Executed []string  `json:"executed,omitempty"`
	Usage    llm.Usage `json:"usage,omitzero"`
	// Repeated says that the message had been processed before, and this is what it was answered then.
	Repeated bool `json:"repeated,omitempty"`
}

// OpenQuestion is a question as a transport shows it.
type OpenQuestion struct {
	ID        string           `json:"id"`
	SessionID string           `json:"session_id"`
	Owner     string           `json:"owner"`
	Asker     string           `json:"asker,omitempty"`
	Kind      string           `json:"kind"`
	Question  string           `json:"question"`
	Options   []QuestionOption `json:"options,omitempty"`
	AskedOf   string           `json:"asked_of,omitempty"`
	RunID     string           `json:"run_id,omitempty"`
	CreatedAt time.Time        `json:"created_at"`
	ExpiresAt time.Time        `json:"expires_at"`
}

// QuestionOption is one button: its Value goes back as Press.Option.
type QuestionOption struct {
	Value string          `json:"value"`
	Text  string          `json:"text"`
	Ref   json.RawMessage `json:"ref,omitempty"`
}

// OpenOf returns c as a transport shows it.
func OpenOf(c *continuation.Continuation) *OpenQuestion {
	if c == nil {
		return nil
	}
	q := &OpenQuestion{
		ID: c.ID, SessionID: c.SessionID, Owner: c.Owner, Asker: c.Asker, Kind: string(c.Kind), Question: c.Question,
		AskedOf: c.AskedOf, RunID: c.RunID, CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt,
	}
	if c.Kind == continuation.YesNo {
		q.Options = []QuestionOption{{Value: PressApprove, Text: "Yes"}, {Value: PressReject, Text: "No"}}
	}
	for _, o := range c.Options {
		q.Options = append(q.Options, QuestionOption{Value: fmt.Sprint(o.Position), Text: o.Text, Ref: o.Ref})
	}
	return q
}

// What a button of a yes/no says.
const (
	PressApprove = "approve"
	PressReject  = "reject"
)
