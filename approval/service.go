package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/llm"
)

// MaxReason is the longest reason of an answer, in bytes.
const MaxReason = 4 << 10

// Config is what a [Service] is made of.
type Config struct {
	Store Store     // Required.
	Log   audit.Log // Required: a decision and its audit row are one transaction.
	// Atomically runs fn in one transaction. Required.
	Atomically func(ctx context.Context, fn func(ctx context.Context) error) error

	// Authorizer says who may decide; nil lets any person, within asked_of.
	Authorizer Authorizer
	// NotRequester separates duties: who the request was raised for may not decide it. It takes the place of asked_of.
	NotRequester bool
	// Inside reports whether ctx comes from inside a run, a hook or any other callback: it is refused. nil refuses nothing.
	Inside func(ctx context.Context) bool
	// Validate checks edited arguments of a tool's call; nil refuses edits.
	Validate func(tool string, args json.RawMessage) error
	// Decided is called in the decision's transaction: it closes what waited on it. A rejection that ends its run ends it there.
	Decided func(ctx context.Context, r Request) error
	// Lapsed is called in the transaction of each lapse: it ends the run and says so.
	Lapsed func(ctx context.Context, r Request) error
	// Resumer takes released runs up; nil leaves that to another process.
	Resumer RunResumer
	// ResumeRejected says that a rejected run goes on, with the rejection reported to its model.
	ResumeRejected bool

	Clock  func() time.Time // time.Now where nil
	Logger *slog.Logger     // discards where nil
}

// RunResumer takes up a run that an approval released.
type RunResumer interface {
	// ResumeRun takes the run up and returns what it came to. A run that was not taken up is a *[NotResumedError].
	ResumeRun(ctx context.Context, runID string) (answer string, err error)
}

// Service is the one way to decide requests, behind every surface. It is safe for concurrent use.
type Service struct {
	c    Config
	gate waiters
}

// NewService returns a service over c.
func NewService(c Config) *Service {
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{c: c}
}

func (s *Service) now() time.Time { return s.c.Clock().UTC().Truncate(time.Microsecond) }

// decideLimit bounds the writing of a decision that a caller's cancel must not lose.
const decideLimit = 30 * time.Second

// Decide authorises an answer and writes the decision with its audit row, in one transaction; it resumes nothing. What is decided never changes.
//
// Errors: [ErrInvalid]; [ErrNotFound]; *[RefusedError] (audited) for who may not; *[DecidedError] with the decision there is;
// [ErrOverdue], and then the request is timed out. After any error nothing was decided.
func (s *Service) Decide(ctx context.Context, a Answer) (*Request, error) {
	if err := a.validate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decideLimit)
	defer cancel()
	r, err := s.c.Store.Get(ctx, a.ApprovalID)
	if err != nil {
		return nil, fmt.Errorf("approval: decide: %w", err)
	}
	if err := s.authorize(ctx, a, r); err != nil {
		return nil, err
	}
	d, err := s.decision(a, r)
	if err != nil {
		return nil, err
	}
	decided, err := s.write(ctx, d)
	if errors.Is(err, ErrOverdue) {
		if _, lerr := s.Lapse(ctx); lerr != nil {
			s.c.Logger.WarnContext(ctx, "lapse", "err", lerr)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("approval: decide: %w", err)
	}
	s.gate.wake(decided.ID)
	return decided, nil
}

func (a *Answer) validate() error {
	switch {
	case a.ApprovalID == "":
		return ErrNotFound
	case a.Decision != Approve && a.Decision != Reject && len(a.Items) == 0:
		return fmt.Errorf("%w: decision %q", ErrInvalid, a.Decision)
	case a.By.ID == "":
		return fmt.Errorf("%w: nobody decides", ErrInvalid)
	case len(a.Reason) > MaxReason:
		return fmt.Errorf("%w: a reason of %d bytes, at most %d", ErrInvalid, len(a.Reason), MaxReason)
	}
	return nil
}

// authorize refuses who may not decide, and leaves an audit row of the attempt.
func (s *Service) authorize(ctx context.Context, a Answer, r *Request) error {
	err := s.mayDecide(ctx, a, r)
	if err == nil {
		return nil
	}
	e := audit.Entry{
		SessionID: r.SessionID, At: s.now(), Kind: audit.KindRefused, RunID: r.RunID, StepID: r.StepID, Subject: r.ID,
		Verdict: string(a.Decision), By: a.By.ID, Reason: err.Error(),
	}
	if aerr := s.c.Log.Append(ctx, e); aerr != nil {
		return fmt.Errorf("approval: refused (%w), and not recorded: %w", err, aerr)
	}
	return &RefusedError{ApprovalID: r.ID, By: a.By, Err: err}
}

func (s *Service) mayDecide(ctx context.Context, a Answer, r *Request) error {
	switch {
	case s.c.Inside != nil && s.c.Inside(ctx):
		return ErrInside
	case a.By.System:
		return ErrNotAPerson
	case s.c.NotRequester && r.AskedOf != "" && a.By.ID == r.AskedOf:
		return ErrRequester
	case !s.c.NotRequester && r.AskedOf != "" && a.By.ID != r.AskedOf:
		return ErrAskedOf
	case s.c.Authorizer != nil:
		return guardAuthorizer(ctx, s.c.Authorizer, a.By, *r)
	}
	return nil
}

// guardAuthorizer calls the application's authorizer; a panic refuses.
func guardAuthorizer(ctx context.Context, z Authorizer, by Principal, r Request) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("approval: the authorizer panicked: %v", v)
		}
	}()
	return z.Authorize(ctx, by, r)
}

// decision is what is written for an answer: the items that were decided one by one, with their edited arguments validated and digested.
func (s *Service) decision(a Answer, r *Request) (Decision, error) {
	d := Decision{ID: r.ID, Status: Rejected, Reason: a.Reason, Principal: a.By.ID, Surface: a.Surface, At: s.now()}
	if a.Decision == Approve && len(a.Items) == 0 {
		d.Status = Approved
	}
	seen := map[int]bool{}
	for _, it := range a.Items {
		if it.Position < 1 || it.Position > len(r.Items) || seen[it.Position] {
			return d, fmt.Errorf("%w: item %d", ErrInvalid, it.Position)
		}
		seen[it.Position] = true
		id, err := s.itemDecision(it, &r.Items[it.Position-1])
		if err != nil {
			return d, err
		}
		if id.Approved {
			d.Status = Approved
		}
		d.Items = append(d.Items, id)
	}
	if len(a.Items) > 0 { // what was not named is decided as the rest: by Decision
		for p := 1; p <= len(r.Items); p++ {
			if seen[p] {
				continue
			}
			d.Items = append(d.Items, ItemDecision{Position: p, Approved: a.Decision == Approve})
			if a.Decision == Approve {
				d.Status = Approved
			}
		}
	}
	return d, nil
}

func (s *Service) itemDecision(it ItemAnswer, item *Item) (ItemDecision, error) {
	d := ItemDecision{Position: it.Position, Approved: it.Approve}
	if it.Args == nil {
		return d, nil
	}
	args, err := llm.Canonical(it.Args)
	if err == nil && s.c.Validate == nil {
		err = errors.New("arguments cannot be edited here")
	}
	if err == nil {
		err = s.c.Validate(item.Tool, args)
	}
	if err != nil {
		return d, fmt.Errorf("%w: edited arguments of item %d: %w", ErrInvalid, it.Position, err)
	}
	d.Args, d.Digest = args, llm.Digest(args)
	return d, nil
}

// write is the decision's transaction.
func (s *Service) write(ctx context.Context, d Decision) (decided *Request, err error) {
	err = s.c.Atomically(ctx, func(ctx context.Context) (err error) {
		if decided, err = s.c.Store.Decide(ctx, d); err != nil {
			return err
		}
		e := audit.Entry{
			SessionID: decided.SessionID, At: d.At, Kind: audit.KindDecided, RunID: decided.RunID, StepID: decided.StepID,
			TurnID: decided.TurnID, Point: decided.Point, Subject: decided.ID, Verdict: string(d.Status), By: d.Principal, Digest: decisionDigest(d, decided),
		}
		if err := s.c.Log.Append(ctx, e); err != nil {
			return err
		}
		if s.c.Decided == nil {
			return nil
		}
		return s.c.Decided(ctx, *decided)
	})
	return decided, err
}

// decisionDigest is of what was approved: the request as it is, or with the edits.
func decisionDigest(d Decision, r *Request) string {
	if len(d.Items) == 0 {
		return r.Digest
	}
	b, err := json.Marshal(d.Items)
	if err != nil {
		return r.Digest // unreachable: the arguments are canonical JSON
	}
	return llm.Digest(b)
}

// Get returns a request, or [ErrNotFound].
func (s *Service) Get(ctx context.Context, id string) (*Request, error) {
	return s.c.Store.Get(ctx, id)
}

// List returns requests newest first.
func (s *Service) List(ctx context.Context, q Query) ([]Request, error) {
	return s.c.Store.List(ctx, q)
}

// Withdraw takes a pending request back, in the name of by: it is rejected with that reason. Errors as [Service.Decide].
func (s *Service) Withdraw(ctx context.Context, id, reason string, by Principal) (*Request, error) {
	return s.Decide(ctx, Answer{ApprovalID: id, Decision: Reject, Reason: "withdrawn: " + reason, By: by})
}
