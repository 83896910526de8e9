package plugin

import (
	"context"
	"errors"
	"log/slog"

	"github.com/iris-harness/iris/continuation"
)

// Services is all that a plugin can reach of the harness. A seam that is not wired is a no-op that says so: [ErrNoHarness].
type Services struct {
	// Continuations asks and closes questions, as this plugin's own owners only.
	Continuations *Continuations
	// Log is the harness's logger, with the plugin's name.
	Log *slog.Logger

	seams Seams
	names *names
}

// Bare returns services with nothing behind them, for a test of a plugin by itself: every seam is a no-op that says so.
func Bare() Services {
	return newServices(Seams{Log: slog.New(slog.DiscardHandler)}, "", &names{})
}

func newServices(s Seams, plugin string, own *names) Services {
	return Services{Continuations: &Continuations{seams: s, names: own}, Log: s.Log.With("plugin", plugin), seams: s, names: own}
}

// Seams is what a harness supplies to its plugins. The zero value is a bare host: everything is a no-op that says so.
type Seams struct {
	// Turn returns the turn that ctx belongs to; nil outside of one.
	Turn func(ctx context.Context) *Turn
	// AskInTurn puts a question with the answer of the turn at hand.
	AskInTurn func(ctx context.Context, a continuation.Ask) error
	// AskNow opens a question at once, and tells the session.
	AskNow func(ctx context.Context, a continuation.Ask) (*continuation.Continuation, error)
	// Pending reads a session's question.
	Pending func(ctx context.Context, sessionID string) (*continuation.Continuation, error)
	// Withdraw closes a session's question.
	Withdraw func(ctx context.Context, sessionID, id string) error
	// PendingActions lists what waits for a person.
	PendingActions func(ctx context.Context) ([]Action, error)
	Log            *slog.Logger
}

// Turn is the turn at hand, as a plugin sees it.
type Turn struct {
	SessionID string
	Query     string // the message
	Channel   string
	Sender    string
}

// Action is something that waits for a person.
type Action struct {
	Kind    string `json:"kind"` // approval, effect, question, or an application's own
	ID      string `json:"id"`
	Session string `json:"session,omitempty"`
	Title   string `json:"title"`
	Command string `json:"command,omitempty"` // for display only
	Overdue bool   `json:"overdue,omitempty"`
	// Suppressible is false for what strands a run if it is hidden.
	Suppressible bool `json:"suppressible,omitempty"`
}

var (
	// ErrNoHarness is returned by a seam that nothing is wired to.
	ErrNoHarness = errors.New("plugin: no harness behind this service")
	// ErrNoTurn is returned outside of a turn where only the session of a turn can be meant.
	ErrNoTurn = errors.New("plugin: not inside a turn")
	// ErrNotYours is returned for an owner that this plugin did not register, and for a question of another owner.
	ErrNotYours = errors.New("plugin: not this plugin's own")
)

// SessionRef is the right to ask in one session later, from a background job. Only a turn of that session hands one out: a session named
// by a string opens nothing.
type SessionRef struct {
	sessionID string
	channel   string
	sender    string
}

// CurrentSession returns a reference to the session of the turn that ctx belongs to; false outside of one.
func (s Services) CurrentSession(ctx context.Context) (SessionRef, bool) {
	t := s.turn(ctx)
	if t == nil {
		return SessionRef{}, false
	}
	return SessionRef{t.SessionID, t.Channel, t.Sender}, true
}

// CurrentQuery returns the message of the turn that ctx belongs to; "" outside of one.
func (s Services) CurrentQuery(ctx context.Context) string {
	if t := s.turn(ctx); t != nil {
		return t.Query
	}
	return ""
}

// turn is the turn at hand. A heartbeat is a callback without a session: there is none.
func (s Services) turn(ctx context.Context) *Turn {
	if s.seams.Turn == nil {
		return nil
	}
	if t := s.seams.Turn(ctx); t != nil && t.SessionID != "" {
		return t
	}
	return nil
}

// PendingActions lists what waits for a person, to read. It returns [ErrNoHarness] from a bare host.
func (s Services) PendingActions(ctx context.Context) ([]Action, error) {
	if s.seams.PendingActions == nil {
		return nil, ErrNoHarness
	}
	return s.seams.PendingActions(ctx)
}
