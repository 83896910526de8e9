package loop

import (
	"context"
	"encoding/json"
	"sync"
)

// Question is what a tool asks the person of the turn's session. It is put when the turn's answer is, and owned by
// the agent whose run is calling.
type Question struct {
	Text    string   // Required: as the person reads it.
	YesNo   bool     // a yes or no is expected; free text otherwise
	Options []Option // a pick is expected, unless YesNo

	// ExecutorKind and Payload make it an executable yes/no; see [Confirm].
	ExecutorKind string
	Payload      any
}

// Asker puts a tool's question. It validates at once and returns the reason where the question may not be.
type Asker interface {
	Ask(ctx context.Context, agent string, q Question) error
}

// Ask asks the person of the turn's session a question from inside a tool's call. The question is put with the turn's answer;
// a later question of the same turn supersedes it. It returns [ErrNotInCall] outside of a call, and a typed
// error for a question that may not be.
func Ask(ctx context.Context, q Question) error {
	s, ok := ctx.Value(callKey{}).(*callScope)
	if !ok || s.asker == nil {
		return ErrNotInCall
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over { // it was cut off, and its turn has gone on without it
		return ErrNotInCall
	}
	return s.asker.Ask(ctx, s.agent, q)
}

// Confirm asks an executable question: a plain yes runs payload with the executor of that kind, whatever happens to this process.
// payload is frozen now. Errors as [Ask].
func Confirm(ctx context.Context, kind string, payload any, question string) error {
	return Ask(ctx, Question{Text: question, YesNo: true, ExecutorKind: kind, Payload: payload})
}

// CallKey returns the key of the call that ctx belongs to. It is the same for every attempt of one call, so a tool can hand it
// to a service as an idempotency key. It is "" outside of a call.
func CallKey(ctx context.Context) string {
	if s, ok := ctx.Value(callKey{}).(*callScope); ok {
		return s.key
	}
	return ""
}

type callKey struct{}

// callScope is what a tool's call may do in its turn. Once the call is over it may do nothing, even where its function still runs.
type callScope struct {
	key   string
	agent string
	asker Asker
	args  json.RawMessage // as the loop checked them; a hook may have put others in their place

	mu   sync.Mutex
	over bool
}

func (s *callScope) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// checkedBefore reports whether args are the very bytes that the loop checked before it had the call decided.
func checkedBefore(ctx context.Context, args json.RawMessage) bool {
	s, ok := ctx.Value(callKey{}).(*callScope)
	return ok && len(args) > 0 && len(args) == len(s.args) && &args[0] == &s.args[0]
}
