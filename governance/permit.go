package governance

import (
	"slices"
	"sync/atomic"

	"github.com/iris-harness/iris/llm"
)

// Permit lets one call be made, once, through the gate of its kernel. The zero Permit permits nothing.
// Copies share their use. It lives in memory only: after a crash there is none.
type Permit struct{ s *sealed }

// Ruling is the kernel's decision on one call of a step. The zero Ruling denies.
type Ruling struct{ s *sealed }

// sealed is one decision: the subject as decided on, and what became of it. Apart from its flags it does not change once decided.
type sealed struct {
	kernel  *Kernel
	subject Subject
	given   *llm.Request // before the hooks
	changed bool         // a hook changed the arguments
	next    int          // the hooks before this one have been asked
	by      string       // the last hook asked
	verdict Verdict
	err     error // nil: allowed
	minted  atomic.Bool
	used    atomic.Bool
}

// Take uses the permit: it returns what may be called, to be called as it is. It is the gate's.
// It returns ErrNoPermit, ErrPermitForeign (which does not use the permit up) or ErrPermitUsed.
func (p Permit) Take(k *Kernel, at Point, name string) (Subject, error) {
	switch s := p.s; {
	case s == nil:
		return Subject{}, ErrNoPermit
	case s.kernel != k || s.subject.Point != at || s.subject.Name != name:
		return Subject{}, ErrPermitForeign
	case !s.used.CompareAndSwap(false, true):
		return Subject{}, ErrPermitUsed
	default:
		return s.subject, nil
	}
}

// Subject returns what was decided on, with the transforms of its hooks. Its bytes must not be changed.
func (r Ruling) Subject() Subject {
	if r.s == nil {
		return Subject{}
	}
	return r.s.subject
}

// Verdict returns VerdictAllow, VerdictDeny or VerdictRequireApproval. A transform shows in the subject.
func (r Ruling) Verdict() Verdict {
	if r.s == nil {
		return VerdictDeny
	}
	return r.s.verdict
}

// Err returns nil for an allowed call, else a *Denied, a *Held, a *RecordError or an error that wraps ctx's cause.
func (r Ruling) Err() error {
	if r.s == nil {
		return ErrNoPermit
	}
	return r.s.err
}

// Hold gathers what waits where a call of a step is held: the held calls, and the allowed ones that act, marked so,
// in order. It returns nil where none is held. ReadOnly calls that were allowed are not in it: they run.
func Hold(step []Ruling) *Held {
	first := slices.IndexFunc(step, func(r Ruling) bool { return r.held() != nil })
	if first < 0 {
		return nil
	}
	h := *step[first].held()
	h.Pins = nil
	for _, r := range step {
		switch held := r.held(); {
		case held != nil:
			h.Pins = append(h.Pins, held.Pins...)
		case r.Err() == nil && r.s.subject.IsEffect():
			p := r.s.pin()
			p.Allowed = true
			h.Pins = append(h.Pins, p)
		}
	}
	return &h
}

// held returns the *Held of a ruling that is held, else nil.
func (r Ruling) held() *Held {
	h, _ := r.Err().(*Held)
	return h
}
