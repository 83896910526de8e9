package pipeline

import (
	"context"
)

// scopeKey carries the turn that a context belongs to: the mark "inside a run", and what a plugin's services read.
type scopeKey struct{}

// Scope is the turn that a callback is called from.
type Scope struct {
	SessionID string
	TurnID    string
	Channel   string
	Sender    string
	Query     string // the message of the turn
	Agent     string // whose run is calling; "" outside of a run
	turn      *Turn
	outer     *Scope // the turn that this one was taken from inside of; nil where nobody's
}

// ScopeOf returns the turn that ctx belongs to; ok is false outside of one. A context with a scope is never a person's: nothing that
// decides an approval accepts it.
func ScopeOf(ctx context.Context) (s Scope, ok bool) {
	s, ok = ctx.Value(scopeKey{}).(Scope)
	return s, ok
}

func (t *Turn) scoped(ctx context.Context, agent string) context.Context {
	s := Scope{
		SessionID: t.Req.SessionID, TurnID: t.ID, Channel: t.Req.Channel, Sender: t.Req.Sender, Query: t.Req.Message, Agent: agent, turn: t,
	}
	if outer, inside := ScopeOf(ctx); inside && outer.turn != t {
		s.outer = &outer
	}
	return context.WithValue(ctx, scopeKey{}, s)
}

// within reports whether s, or a turn that it was taken from inside of, is of this session.
func (s *Scope) within(sessionID string) bool {
	for ; s != nil; s = s.outer {
		if s.SessionID == sessionID {
			return true
		}
	}
	return false
}

// Marked returns a context that belongs to a callback of the harness outside of any turn: a turn from it is nobody's, and it decides nothing.
func Marked(ctx context.Context) context.Context { return context.WithValue(ctx, scopeKey{}, Scope{}) }

// checkReentry refuses a turn of a session from inside its own run, and makes one of another session a System turn.
func (p *Pipeline) checkReentry(ctx context.Context, r *Request) error {
	s, inside := ScopeOf(ctx)
	switch {
	case !inside:
		return nil
	case s.within(r.SessionID):
		return ErrReentrant
	}
	r.System = true
	return nil
}
