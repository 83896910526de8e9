package session

import (
	"time"

	"github.com/iris-harness/iris/llm"
)

// Role says what a log entry is.
type Role string

// The roles of log entries.
const (
	User   Role = "user"   // a person's message
	System Role = "system" // a message that is not a person's
	Answer Role = "answer" // what the session was answered
	Notice Role = "notice" // what the session was told outside its own turn
)

// Message is one entry of a session's log.
type Message struct {
	ID          string // ULID; the log's order
	SessionID   string
	TurnID      string
	Role        Role
	Agent       string // whose answer it is
	Sender      string // who spoke
	Channel     string
	Text        string
	Attachments []llm.Attachment
	At          time.Time // microseconds, UTC
}

// TurnState is where a turn stands.
type TurnState string

// The states of a turn.
const (
	Open     TurnState = "open"     // in progress, or cut off
	Answered TurnState = "answered" // its reply is recorded
	Failed   TurnState = "failed"   // it failed after something had happened
	Void     TurnState = "void"     // it failed before anything happened: the same message may be processed again
)

// Turn is the record of one message and what came of it.
type Turn struct {
	ID        string
	SessionID string
	MessageID string // the transport's id, unique in its session; "" where it gave none
	Channel   string
	Sender    string
	System    bool
	Epoch     int64 // of the lease it ran under
	State     TurnState
	Reply     []byte // the reply as JSON, for answered and failed
	Error     string // for failed and void
	StartedAt time.Time
	EndedAt   time.Time // zero while open
}
