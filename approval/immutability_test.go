package approval_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/iristest/memstore"
)

// desk is a service over a store in memory, with a clock that is set by hand.
type desk struct {
	*approval.Service
	store   *memstore.Store
	now     time.Time
	resumed int
}

func (d *desk) ResumeRun(context.Context, string) (string, error) { d.resumed++; return "resumed", nil }

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{store: memstore.New(), now: time.Date(2026, 9, 12, 10, 0, 0, 0, time.UTC)}
	t.Cleanup(func() { _ = d.store.Close() })
	d.Service = approval.NewService(approval.Config{
		Store: d.store.Approvals(), Log: d.store.Audit(), Atomically: d.store.Atomically, Resumer: d, Clock: func() time.Time { return d.now },
	})
	return d
}

// request is a row as a hold writes it.
func (d *desk) request(t *testing.T, id string, wait time.Duration) approval.Request {
	t.Helper()
	r := approval.Request{
		ID: id, SessionID: "s1", RunID: "r1", StepID: 2, TurnID: "t1", Agent: "ops", Point: "pre_tool", Signal: "policy", Summary: "remove A",
		Card: "rm A", Items: []approval.Item{{Position: 1, CallID: "c1", Tool: "rm", Args: []byte(`{"p":"A"}`), Digest: "x", Effect: "destructive"}},
		Digest: "d", Destructive: true, Channel: "web", AskedOf: "", Policy: approval.FailClosed, RequestedAt: d.now, TimeoutAt: d.now.Add(wait),
		Status: approval.Pending,
	}
	if err := d.store.Approvals().Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

var by = approval.Principal{ID: "u1"}

// exercises says how each exported method of the service is called. A method that is not here fails the test: the assertions then decide whether it may
// do what it does, and not its author.
var exercises = map[string]func(ctx context.Context, s *approval.Service, id string){
	"Decide": func(ctx context.Context, s *approval.Service, id string) {
		_, _ = s.Decide(ctx, approval.Answer{ApprovalID: id, Decision: approval.Approve, By: by})
	},
	"Respond": func(ctx context.Context, s *approval.Service, id string) {
		_, _ = s.Respond(ctx, approval.Answer{ApprovalID: id, Decision: approval.Reject, Reason: "no", By: by})
	},
	"Withdraw": func(ctx context.Context, s *approval.Service, id string) { _, _ = s.Withdraw(ctx, id, "over", by) },
	"Get":      func(ctx context.Context, s *approval.Service, id string) { _, _ = s.Get(ctx, id) },
	"List":     func(ctx context.Context, s *approval.Service, _ string) { _, _ = s.List(ctx, approval.Query{}) },
	"Lapse":    func(ctx context.Context, s *approval.Service, _ string) { _, _ = s.Lapse(ctx) },
	"TakeUp":   func(ctx context.Context, s *approval.Service, _ string) { _, _ = s.TakeUp(ctx) },
	"Gate": func(ctx context.Context, s *approval.Service, id string) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, _ = s.Gate().Await(ctx, id)
	},
	"Commands": func(ctx context.Context, s *approval.Service, id string) {
		s.Commands().Handle(ctx, by, "pager", "/reject "+id+" no", true)
	},
}

// deciders may write the decision columns, of a row that is pending.
var deciders = []string{"Decide", "Respond", "Withdraw", "Commands", "Lapse"}

// decisionFields are the answer and its author; everything else but the pointers is the terms.
var decisionFields = []string{"Status", "Decisions", "Reason", "Principal", "Surface", "DecidedAt"}

var pointerFields = []string{"ConsumedAt", "NoticedAt"}

// states makes a row in each state, the overdue one among them on purpose: a sweep that had nothing to do would pass without a write.
var states = map[string]func(t *testing.T, d *desk) string{
	"pending": func(t *testing.T, d *desk) string { return d.request(t, "01A", time.Hour).ID },
	"overdue": func(t *testing.T, d *desk) string {
		r := d.request(t, "01A", time.Hour)
		d.now = d.now.Add(2 * time.Hour)
		return r.ID
	},
	"approved": func(t *testing.T, d *desk) string { return d.decided(t, approval.Approve) },
	"rejected": func(t *testing.T, d *desk) string { return d.decided(t, approval.Reject) },
	"timed out": func(t *testing.T, d *desk) string {
		r := d.request(t, "01A", time.Hour)
		d.now = d.now.Add(2 * time.Hour)
		if _, err := d.Lapse(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r.ID
	},
}

func (d *desk) decided(t *testing.T, v approval.Verdict) string {
	t.Helper()
	r := d.request(t, "01A", time.Hour)
	if _, err := d.Decide(t.Context(), approval.Answer{ApprovalID: r.ID, Decision: v, Reason: "said so", By: by}); err != nil {
		t.Fatal(err)
	}
	return r.ID
}

// violations exercises every method in every state and says what it changed that it may not.
func violations(t *testing.T, wrap func(approval.Store) approval.Store) []string {
	t.Helper()
	var out []string
	for state, make := range states {
		for method, call := range exercises {
			d := newDesk(t)
			id := make(t, d)
			before := d.row(t, id)
			if wrap != nil {
				d.Service = approval.NewService(approval.Config{
					Store: wrap(d.store.Approvals()), Log: d.store.Audit(), Atomically: d.store.Atomically, Resumer: d, Clock: func() time.Time { return d.now },
				})
			}
			call(t.Context(), d.Service, id)
			after := d.row(t, id)
			terms := cmpopts.IgnoreFields(approval.Request{}, append(slices.Clone(decisionFields), pointerFields...)...)
			if diff := cmp.Diff(before, after, terms); diff != "" {
				out = append(out, fmt.Sprintf("%s of a row that is %s changed its terms:\n%s", method, state, diff))
			}
			if why := decisionMoved(method, state, before, after); why != "" {
				out = append(out, why)
			}
		}
	}
	return out
}

func decisionMoved(method, state string, before, after approval.Request) string {
	changed := false
	for _, f := range decisionFields {
		a, b := reflect.ValueOf(before).FieldByName(f).Interface(), reflect.ValueOf(after).FieldByName(f).Interface()
		changed = changed || !cmp.Equal(a, b)
	}
	switch {
	case !changed:
		return ""
	case !slices.Contains(deciders, method):
		return fmt.Sprintf("%s decided a row that was %s", method, state)
	case before.Status != approval.Pending:
		return fmt.Sprintf("%s changed the decision of a row that was %s", method, state)
	case state == "overdue" && after.Status != approval.TimedOut:
		return fmt.Sprintf("%s made an overdue row %s", method, after.Status)
	case state == "pending" && after.Status == approval.TimedOut:
		return fmt.Sprintf("%s timed a row out before its time", method)
	}
	return ""
}

func (d *desk) row(t *testing.T, id string) approval.Request {
	t.Helper()
	r, err := d.store.Approvals().Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return *r
}

func TestServiceImmutability(t *testing.T) {
	t.Parallel()
	for _, v := range violations(t, nil) {
		t.Error(v)
	}
}

func TestEveryMethodIsExercised(t *testing.T) {
	t.Parallel()
	typ := reflect.TypeFor[*approval.Service]()
	for i := range typ.NumMethod() {
		if name := typ.Method(i).Name; exercises[name] == nil {
			t.Errorf("Service.%s is not in the table: say how to call it, and let the assertions decide whether it is acceptable", name)
		}
	}
}

// mutant is a store whose Notice does what it may not, behind the service's back.
type mutant struct {
	approval.Store
	also func(ctx context.Context, s approval.Store, id string)
}

func (m mutant) Get(ctx context.Context, id string) (*approval.Request, error) {
	m.also(ctx, m.Store, id)
	return m.Store.Get(ctx, id)
}

// TestImmutabilityBites shows the table a store that decides when it is asked for a row.
func TestImmutabilityBites(t *testing.T) {
	t.Parallel()
	got := violations(t, func(s approval.Store) approval.Store {
		return mutant{s, func(ctx context.Context, s approval.Store, id string) {
			_, _ = s.Decide(ctx, approval.Decision{ID: id, Status: approval.Approved, Principal: "nobody", At: time.Date(2026, 9, 12, 10, 0, 1, 0, time.UTC)})
		}}
	})
	if len(got) == 0 {
		t.Error("a store that approves when it is read was not noticed")
	}
}
