package plugin

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/intercept"
)

// names are the owners that a plugin registered, known once Register has returned.
type names struct {
	mu   sync.Mutex
	list []string
}

func (n *names) set(c *Contributions) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range c.Intercepts {
		n.list = append(n.list, c.Intercepts[i].Name)
	}
	for _, a := range c.Agents {
		n.list = append(n.list, a.Name())
	}
}

func (n *names) owns(owner string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.list, owner)
}

// Continuations asks questions in this plugin's name.
type Continuations struct {
	seams Seams
	names *names
}

// Ask asks in the session of the turn that ctx belongs to. a.Owner must be an intercept or an agent of this plugin, and so must a.Asker where it is
// set. Session, origin and run are the harness's to fill: what a says of them is dropped. The question is put with the turn's answer.
//
// Errors: [ErrNoHarness], [ErrNotYours], continuation.ErrInvalid, and ctx's own.
func (c *Continuations) Ask(ctx context.Context, a continuation.Ask) error {
	if err := c.mayAsk(ctx, c != nil && c.seams.AskInTurn != nil, &a); err != nil {
		return err
	}
	return c.seams.AskInTurn(ctx, a)
}

// AskIn asks in the session that ref was handed out for, now. Rules as Ask; a zero ref is [ErrNoTurn].
func (c *Continuations) AskIn(ctx context.Context, ref SessionRef, a continuation.Ask) error {
	if err := c.mayAsk(ctx, c != nil && c.seams.AskNow != nil, &a); err != nil {
		return err
	}
	return c.askIn(ctx, ref, a)
}

// mayAsk checks that a is asked in this plugin's own name, and leaves in it what a plugin may say.
func (c *Continuations) mayAsk(ctx context.Context, wired bool, a *continuation.Ask) error {
	switch {
	case !wired:
		return ErrNoHarness
	case !c.names.owns(a.Owner) || a.ExecutorKind != "":
		return fmt.Errorf("%w: owner %q", ErrNotYours, a.Owner)
	case a.Asker != "" && !c.names.owns(a.Asker):
		return fmt.Errorf("%w: asker %q", ErrNotYours, a.Asker)
	}
	*a = continuation.Ask{
		Owner: a.Owner, Asker: a.Asker, Kind: a.Kind, Question: a.Question, Options: a.Options, AskedOf: a.AskedOf, TTL: a.TTL,
	}
	return ctx.Err()
}

func (c *Continuations) askIn(ctx context.Context, ref SessionRef, a continuation.Ask) error {
	if ref.sessionID == "" {
		return ErrNoTurn
	}
	a.SessionID, a.Channel = ref.sessionID, ref.channel
	if a.AskedOf == "" {
		a.AskedOf = ref.sender
	}
	_, err := c.seams.AskNow(ctx, a)
	return err
}

// Confirm asks an executable question in the turn at hand: a plain yes runs payload with the executor of that kind. asker is an intercept or an
// agent of this plugin: it gets the reply where that is more than a yes or a no. Errors as Ask.
func (c *Continuations) Confirm(ctx context.Context, asker, kind string, payload any, question string) error {
	if err := c.mayConfirm(ctx, c != nil && c.seams.AskInTurn != nil, asker); err != nil {
		return err
	}
	return c.seams.AskInTurn(ctx, confirmation(asker, kind, payload, question))
}

// ConfirmIn is Confirm from a background job.
func (c *Continuations) ConfirmIn(ctx context.Context, ref SessionRef, asker, kind string, payload any, question string) error {
	if err := c.mayConfirm(ctx, c != nil && c.seams.AskNow != nil, asker); err != nil {
		return err
	}
	return c.askIn(ctx, ref, confirmation(asker, kind, payload, question))
}

func (c *Continuations) mayConfirm(ctx context.Context, wired bool, asker string) error {
	switch {
	case !wired:
		return ErrNoHarness
	case !c.names.owns(asker):
		return fmt.Errorf("%w: asker %q", ErrNotYours, asker)
	}
	return ctx.Err()
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
	if t == nil || t.SessionID == "" {
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
	if c == nil || c.seams.Withdraw == nil {
		return ErrNoHarness
	}
	p, session, err := c.own(ctx)
	switch {
	case err != nil:
		return err
	case p == nil:
		return ErrNotYours
	}
	return c.seams.Withdraw(ctx, session, p.ID)
}
