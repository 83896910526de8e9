package intercept

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/iris-harness/iris/continuation"
)

// Confirmation says whether an intercept resolves confirmations. There is no default: a registration that does not say is
// refused, because forgetting it is how a shield gets a hole.
type Confirmation uint8

// What a [Spec] can declare.
const (
	Undeclared Confirmation = iota
	Resolves                // it may read a yes or a no as the answer to something it waits for
	Never                   // it never does
)

// Message is what a handler sees of a turn.
type Message struct {
	SessionID string
	TurnID    string
	Channel   string
	Sender    string
	Text      string
	// Pending is a copy of the question that waits in this session, nil where none does.
	Pending *continuation.Continuation

	claim func(ctx context.Context) error
}

// Claim takes the pending question for this handler. It is only possible where the question's owner is this intercept; one
// claim wins. From then on the turn is this handler's, whatever it returns. It returns [ErrNotOwner] for another owner's question, and a
// *continuation.ClosedError where somebody else was faster.
func (m Message) Claim(ctx context.Context) error {
	if m.claim == nil {
		return ErrNotOwner
	}
	return m.claim(ctx)
}

// WithClaim returns m with the way to claim its pending question.
func (m Message) WithClaim(claim func(ctx context.Context) error) Message {
	m.claim = claim
	return m
}

// Reply is what a handler answers.
type Reply struct {
	Text string
	// Outcome is recorded with the question that the handler claimed.
	Outcome string
}

// Handler answers a message, or declines with nil.
type Handler func(ctx context.Context, m Message) (*Reply, error)

// Spec is one intercept: a value, listed in a chain.
type Spec struct {
	Name         string       // Required: it owns the questions it asks.
	Handler      Handler      // Required.
	Confirmation Confirmation // Required: Resolves or Never.
	TraceText    string       // what a status line says while it works; its name where empty
	Disabled     bool
	Plugin       string        // whose it is; "" for the application's own
	Limit        time.Duration // how long one call may take; DefaultLimit where zero

	own bool // the library's: it bounds itself
}

var (
	// ErrNotOwner is returned by Message.Claim where the pending question is not this intercept's.
	ErrNotOwner = errors.New("intercept: the question belongs to another owner")
	// ErrInvalid is wrapped by NewChain for specs that may not be.
	ErrInvalid = errors.New("intercept: invalid")
)

func (s *Spec) validate() error {
	var errs []error
	if s.Name == "" {
		errs = append(errs, fmt.Errorf("%w: a spec without a name", ErrInvalid))
	}
	if s.Handler == nil && !s.Disabled {
		errs = append(errs, fmt.Errorf("%w: %q has no handler", ErrInvalid, s.Name))
	}
	if s.Confirmation != Resolves && s.Confirmation != Never {
		errs = append(errs, fmt.Errorf("%w: %q does not say whether it resolves confirmations", ErrInvalid, s.Name))
	}
	return errors.Join(errs...)
}

// Config is what a [Chain] needs besides its specs.
type Config struct {
	Logger *slog.Logger
	// Fault is told of an error or a panic of a plugin's handler; nil is not.
	Fault func(plugin, name string, err error)
}
