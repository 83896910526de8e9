package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/continuation"
)

// AskInTurn puts a question with the answer of the turn that ctx belongs to. It is validated now.
func (p *Pipeline) AskInTurn(ctx context.Context, a continuation.Ask) error {
	s, ok := ScopeOf(ctx)
	if !ok || p.c.Recorder.turn(s.TurnID) == nil {
		return fmt.Errorf("%w: no turn in progress", ErrNotFound)
	}
	if err := p.resolvable(a); err != nil {
		return err
	}
	return s.turn.ask(a)
}

// resolvable refuses a question whose answer would reach nobody: an owner or an asker that is not there, or is switched off, and an action that nothing
// here can run.
func (p *Pipeline) resolvable(a continuation.Ask) error {
	for _, name := range []string{a.Owner, a.Asker} {
		if name != "" && p.agents[name] == nil && !p.c.Chain.Has(name) {
			return fmt.Errorf("%w: nobody here resolves a question of %q", continuation.ErrInvalid, name)
		}
	}
	if a.ExecutorKind != "" && !p.c.Confirmer.Knows(a.ExecutorKind) {
		return fmt.Errorf("%w: no executor of kind %q", continuation.ErrInvalid, a.ExecutorKind)
	}
	return nil
}

// AskNow opens a question at once, from outside of a turn, and tells the session: the question is filed in its log and delivered to its
// surface in the same transaction.
func (p *Pipeline) AskNow(ctx context.Context, a continuation.Ask) (asked *continuation.Continuation, err error) {
	if err := p.resolvable(a); err != nil {
		return nil, err
	}
	frozen, err := a.Freeze()
	if err != nil {
		return nil, err
	}
	err = p.c.Stores.Atomically(ctx, func(ctx context.Context) (err error) {
		if asked, _, err = p.c.Continuations.Ask(ctx, frozen); err != nil {
			return err
		}
		return p.notify(ctx, a.SessionID, a.Channel, a.Question)
	})
	return asked, err
}

// Forget removes everything that the store holds of a session, except its audit. It waits for the
// session's turn in this process: [ErrBusy] where ctx ends first, [ErrReentrant] from inside it.
func (p *Pipeline) Forget(ctx context.Context, sessionID string) error {
	if s, inside := ScopeOf(ctx); inside && s.within(sessionID) {
		return ErrReentrant
	}
	unlock, err := p.locks.lock(ctx, sessionID)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	defer unlock()
	p.runs.forget(sessionID)
	return p.c.Stores.Atomically(ctx, func(ctx context.Context) error {
		if err := p.c.Stores.Sessions().Forget(ctx, sessionID); err != nil {
			return err
		}
		return p.c.Stores.Audit().Append(ctx, audit.Entry{SessionID: sessionID, At: p.now(), Kind: audit.KindForgotten})
	})
}

// Withdraw closes a session's question without an answer. The run behind it, if there is one, ends.
func (p *Pipeline) Withdraw(ctx context.Context, sessionID, continuationID, by string) error {
	return p.c.Stores.Atomically(ctx, func(ctx context.Context) error {
		c, err := p.c.Continuations.Withdraw(ctx, sessionID, continuationID, continuation.Withdrawn, by)
		if err != nil || !c.Resumable() {
			return err
		}
		err = p.endRun(ctx, c.RunID, "its question was withdrawn by "+by)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
}
