package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
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

// names are the owners that a plugin registered, known once Register has returned.
type names struct{ intercepts, agents []string }

func (n *names) owns(owner string) bool {
	return n != nil && (slices.Contains(n.intercepts, owner) || slices.Contains(n.agents, owner))
}

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

func (s Services) turn(ctx context.Context) *Turn {
	if s.seams.Turn == nil {
		return nil
	}
	return s.seams.Turn(ctx)
}

// PendingActions lists what waits for a person, to read. It returns [ErrNoHarness] from a bare host.
func (s Services) PendingActions(ctx context.Context) ([]Action, error) {
	if s.seams.PendingActions == nil {
		return nil, ErrNoHarness
	}
	return s.seams.PendingActions(ctx)
}

// Continuations asks questions in this plugin's name.
type Continuations struct {
	seams Seams
	names *names
}

// Ask asks in the session of the turn that ctx belongs to. a.Owner must be an intercept or an agent of this plugin; the session is
// the turn's, whatever a says. The question is put with the turn's answer.
func (c *Continuations) Ask(ctx context.Context, a continuation.Ask) error {
	if c == nil || c.seams.AskInTurn == nil {
		return ErrNoHarness
	}
	if !c.names.owns(a.Owner) || a.ExecutorKind != "" {
		return fmt.Errorf("%w: owner %q", ErrNotYours, a.Owner)
	}
	return c.seams.AskInTurn(ctx, a)
}

// AskIn asks in the session that ref was handed out for, now. Rules as Ask.
func (c *Continuations) AskIn(ctx context.Context, ref SessionRef, a continuation.Ask) error {
	if c == nil || c.seams.AskNow == nil {
		return ErrNoHarness
	}
	if ref.sessionID == "" {
		return ErrNoTurn
	}
	if !c.names.owns(a.Owner) || a.ExecutorKind != "" {
		return fmt.Errorf("%w: owner %q", ErrNotYours, a.Owner)
	}
	return c.askIn(ctx, ref, a)
}

func (c *Continuations) askIn(ctx context.Context, ref SessionRef, a continuation.Ask) error {
	a.SessionID, a.TurnID = ref.sessionID, ""
	if a.Channel == "" {
		a.Channel = ref.channel
	}
	if a.AskedOf == "" {
		a.AskedOf = ref.sender
	}
	_, err := c.seams.AskNow(ctx, a)
	return err
}

// Confirm asks an executable question in the turn at hand: a plain yes runs payload with the executor of that kind. asker is an intercept or an
// agent of this plugin: it gets the reply where that is more than a yes or a no.
func (c *Continuations) Confirm(ctx context.Context, asker, kind string, payload any, question string) error {
	if c == nil || c.seams.AskInTurn == nil {
		return ErrNoHarness
	}
	if !c.names.owns(asker) {
		return fmt.Errorf("%w: asker %q", ErrNotYours, asker)
	}
	return c.seams.AskInTurn(ctx, confirmation(asker, kind, payload, question))
}

// ConfirmIn is Confirm from a background job.
func (c *Continuations) ConfirmIn(ctx context.Context, ref SessionRef, asker, kind string, payload any, question string) error {
	if c == nil || c.seams.AskNow == nil {
		return ErrNoHarness
	}
	if ref.sessionID == "" {
		return ErrNoTurn
	}
	if !c.names.owns(asker) {
		return fmt.Errorf("%w: asker %q", ErrNotYours, asker)
	}
	return c.askIn(ctx, ref, confirmation(asker, kind, payload, question))
}

func confirmation(asker, kind string, payload any, question string) continuation.Ask {
	return continuation.Ask{
		Owner: intercept.ConfirmationName, Asker: asker, Kind: continuation.YesNo, Question: question, ExecutorKind: kind, Payload: payload,
	}
}

// Pending returns the question that waits in the session of the turn at hand, if this plugin asked it; nil otherwise.
func (c *Continuations) Pending(ctx context.Context) (*continuation.Continuation, error) {
	p, _, err := c.own(ctx)
	return p, err
}

// own reads the pending question of the turn's session, and returns it only if it is this plugin's.
func (c *Continuations) own(ctx context.Context) (*continuation.Continuation, string, error) {
	if c == nil || c.seams.Pending == nil || c.seams.Turn == nil {
		return nil, "", ErrNoHarness
	}
	t := c.seams.Turn(ctx)
	if t == nil {
		return nil, "", ErrNoTurn
	}
	p, err := c.seams.Pending(ctx, t.SessionID)
	if err != nil || p == nil || !c.names.owns(p.Owner) && !c.names.owns(p.Asker) {
		return nil, t.SessionID, err
	}
	return p, t.SessionID, nil
}

// Withdraw closes the question that waits in the session of the turn at hand, if this plugin asked it. Another's question is left alone, and it
// returns [ErrNotYours].
func (c *Continuations) Withdraw(ctx context.Context) error {
	p, session, err := c.own(ctx)
	if err != nil {
		return err
	}
	if p == nil {
		return ErrNotYours
	}
	return c.seams.Withdraw(ctx, session, p.ID)
}
