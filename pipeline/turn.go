package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
	"github.com/iris-harness/iris/session"
)

// Turn is one message on its way through the stages.
type Turn struct {
	ID  string
	Req Request

	p      *Pipeline
	yield  func(Event, error) bool
	gone   bool // the consumer stopped ranging
	cancel context.CancelCauseFunc
	person bool // a person spoke (false: System, or a run that is taken up)

	text     string // the message as screened
	screened string // why it was screened out; "" where it was not
	pending  *continuation.Continuation
	handled  string // the intercept that answered
	intent   Intent
	claim    *claimed
	steer    *steer  // the turn answers a question, and goes to its owner
	pressed  *answer // what a button says
	withdraw *continuation.Continuation
	leftOpen bool          // the pending question stays open whatever its kind
	resume   *resumption   // a run that is taken up without a message; nil otherwise
	history  []llm.Message // the conversation before this turn
	waves    [][]loop.Task
	results  []result
	answer   string
	owner    string // whose text ends the answer
	outcome  string // the fixed sentence that takes a withheld answer's place; "" where nothing was done
	withheld bool
	asks     []continuation.Ask         // explicit questions that this turn raised, in order
	restated *continuation.Continuation // the question that one of them asks once more
	paused   *checkpoint.Run            // the run whose question the answer puts
	halt     *approval.Request          // the approval that the conversation itself is asked to decide
	unasked  bool                       // governance took the question out of the answer: nobody was asked
	reply    Reply

	mu       sync.Mutex // guards what follows: concurrent tasks write through one turn
	lease    session.Lease
	deferred []audit.Entry
	journal  *journal
	held     []approval.Request // approvals that this turn raised

	recorded bool
}

// claimed is the question that this turn answers.
type claimed struct {
	*continuation.Claim
	outcome string // what came of it
	acted   bool   // something was done because of it: it is never given back
	back    bool   // its run went back to waiting: the question does, too
}

// result is what one task came to.
type result struct {
	task loop.Task
	fin  loop.Finished
	err  error
}

// Stage is one step of a turn.
type Stage struct {
	Name string
	For  Audience
	Run  func(ctx context.Context, t *Turn) error
}

// Audience says which turns a stage is for.
type Audience uint8

// The audiences.
const (
	Every     Audience = iota // every turn that is not screened out
	Generated                 // turns that no intercept answered
	Handled                   // turns that an intercept answered
	Always                    // even turns that were screened out
)

// Stages is the order of a turn.
var Stages = []Stage{
	{"screen", Every, screen},
	{"intercept", Every, interceptTurn},
	{"classify", Generated, classify},
	{"route", Generated, route},
	{"plan", Generated, plan},
	{"execute", Generated, execute},
	{"curate", Generated, curate},
	{"guard", Handled, guard},
	{"record", Always, record},
}

// ResumeStages is the order of a run that is taken up without a message: all but screen and intercept.
var ResumeStages = Stages[2:]

func (t *Turn) matches(a Audience) bool {
	switch {
	case t.screened != "":
		return a == Always
	case a == Generated:
		return t.handled == ""
	case a == Handled:
		return t.handled != ""
	default:
		return true
	}
}

func (t *Turn) run(ctx context.Context, stages []Stage) error {
	for _, s := range stages {
		if !t.matches(s.For) {
			continue
		}
		if err := s.Run(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// emit hands an event to the consumer, unless it is gone.
func (t *Turn) emit(ev Event) bool {
	if !t.gone && !t.yield(ev, nil) {
		t.gone = true
	}
	return !t.gone
}

func (t *Turn) fail(err error) {
	if !t.gone {
		t.gone = true
		t.yield(nil, err)
	}
}

// writeLimit bounds a write that a caller's cancel must not lose.
const writeLimit = 30 * time.Second

// write runs fn in one transaction that holds the turn's lease, with the audit rows that rode along until now.
// It does not die with the caller's context.
func (t *Turn) write(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.writeLocked(ctx, fn)
}

func (t *Turn) writeLocked(ctx context.Context, fn func(ctx context.Context) error) error {
	rows := t.deferred
	var held session.Lease
	err := t.p.c.Stores.Atomically(ctx, func(ctx context.Context) (err error) {
		if held, err = t.p.c.Stores.Sessions().Hold(ctx, t.lease, t.renewal()); err != nil {
			return err
		}
		for _, e := range rows {
			if err := t.p.c.Stores.Audit().Append(ctx, e); err != nil {
				return err
			}
		}
		return fn(ctx)
	})
	if err != nil {
		return err
	}
	t.lease, t.deferred = held, t.deferred[len(rows):]
	return nil
}

// renewal is how long the lease is to hold: longer only when half of it is spent.
func (t *Turn) renewal() time.Time {
	now := t.p.now()
	if t.lease.Until.Sub(now) > t.p.c.LeaseTTL/2 {
		return t.lease.Until
	}
	return now.Add(t.p.c.LeaseTTL)
}

// failed ends a turn that an error ended before record, or in it.
func (t *Turn) failed(ctx context.Context, err error) {
	var te *TurnError
	if !errors.As(err, &te) {
		err = &TurnError{SessionID: t.Req.SessionID, TurnID: t.ID, Happened: t.happened(), Err: err, Text: strings.TrimSpace(apology(err) + " " + t.outcome)}
		if cause := errors.Unwrap(err); answersOnly(cause) || !t.person && errors.Is(cause, ErrCannotResume) {
			err = cause
		}
	}
	t.finish(ctx, err)
	t.fail(err)
}

// apology is what the person is told of a turn that failed.
func apology(err error) string {
	var ambiguous *loop.AmbiguousEffectError
	if errors.As(err, &ambiguous) {
		return "I cannot go on yet: I was cut off earlier, and it is not known whether this happened: " + strings.Join(ambiguous.Tools, ", ") +
			". Once somebody has looked and said so, just answer again."
	}
	if errors.Is(err, ErrCannotResume) {
		return "I cannot go on with that now: it cannot be taken up where it stopped."
	}
	return "Something went wrong on my side, and I could not answer."
}

// answersOnly reports whether err is about a button or AnswerTo: a typed result that the caller acts on.
func answersOnly(err error) bool {
	var closed *continuation.ClosedError
	return errors.As(err, &closed) || errors.Is(err, continuation.ErrNotFound) || errors.Is(err, ErrNotAnAnswer) ||
		errors.Is(err, ErrNoSuchOption) || errors.Is(err, ErrNotAllowed)
}

// happened reports whether the turn did anything that the same message must not do again.
func (t *Turn) happened() bool {
	return t.journal.touched() || t.claim != nil && t.claim.acted
}

// close is the one deferred call of a turn: whatever ended it, its claim is settled or released and its lease given back.
func (t *Turn) close(ctx context.Context) {
	if t.recorded {
		return
	}
	t.finish(ctx, fmt.Errorf("%w: the turn did not come to its end", loop.ErrInterrupted))
}
