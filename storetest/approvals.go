package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/iris-harness/iris/approval"
)

func approvalChecks() []Check {
	return []Check{
		{"approval/keeps every field", keepsRequest},
		{"approval/what may not be asked", requestRefused},
		{"approval/decided once", decideOnce},
		{"approval/overdue at the deadline", decideDeadline},
		{"approval/answers go to their own request", decideItsOwn},
		{"approval/one winner", decideRace},
		{"approval/a lapse is told once", lapseOnce},
		{"approval/a lapse or a decision, not both", lapseRace},
		{"approval/used once", consumeOnce},
		{"approval/taken up once", noticeOnce},
		{"approval/list", listRequests},
		{"approval/sweep", sweepRequests},
		{"approval/immutability", immutability},
	}
}

func getRequest(t TB, s Store, id string) approval.Request {
	t.Helper()
	return *must[*approval.Request](t, "get")(s.Approvals().Get(t.Context(), id))
}

func keepsRequest(t TB, f Factory) {
	s, want := f.Open(t), request("s", "a1")
	given := request("s", "a1")
	create(t, s, given)
	given.Items[0].Args[0], given.Items[0].Tool = 'x', "x"
	for range 2 {
		got := getRequest(t, s, "a1")
		same(t, "the request", got, want)
		got.Items[0].Args[0], got.Items[1].Tool = 'y', "y"
	}
	items := []approval.ItemDecision{{Position: 1, Approved: true, Args: json.RawMessage(`{"n":1.00}`), Digest: "z"}, {Position: 2}}
	got, err := s.Approvals().Decide(t.Context(), approval.Decision{
		ID: "a1", Status: approval.Rejected, Items: items, Reason: "too many", Principal: "ann", Surface: "web", At: at(59 * time.Second).Add(999),
	})
	ok(t, "decide", err)
	want.Status, want.Decisions, want.Reason, want.Principal, want.Surface = approval.Rejected, items, "too many", "ann", "web"
	want.DecidedAt = at(59 * time.Second)
	same(t, "the decided request", got, &want)
	same(t, "the decided request, read again", getRequest(t, s, "a1"), want)
	_, err = s.Approvals().Get(t.Context(), "a2")
	is(t, "get of an unknown id", err, approval.ErrNotFound)
}

func requestRefused(t TB, f Factory) {
	s := f.Open(t)
	create(t, s, request("s", "a1"))
	for name, change := range map[string]func(r *approval.Request){
		"a taken id":                     func(r *approval.Request) { r.ID = "a1" },
		"no id":                          func(r *approval.Request) { r.ID = "" },
		"another policy":                 func(r *approval.Request) { r.Policy = "fail_open" },
		"no policy":                      func(r *approval.Request) { r.Policy = "" },
		"a deadline as it is asked":      func(r *approval.Request) { r.TimeoutAt = r.RequestedAt },
		"a deadline before it was asked": func(r *approval.Request) { r.TimeoutAt = r.RequestedAt.Add(-time.Hour) },
	} {
		r := request("s", "a2")
		change(&r)
		is(t, name, s.Approvals().Create(t.Context(), r), approval.ErrInvalid)
	}
	same(t, "the request that was there", getRequest(t, s, "a1"), request("s", "a1"))
	_, err := s.Approvals().Get(t.Context(), "a2")
	is(t, "the refused ones", err, approval.ErrNotFound)
	decided := request("s", "a3")
	decided.Status, decided.Principal, decided.DecidedAt, decided.ConsumedAt = approval.Approved, "eve", start(), start()
	create(t, s, decided)
	same(t, "one that says it is decided", getRequest(t, s, "a3"), request("s", "a3"))
}

func decideOnce(t TB, f Factory) {
	s := f.Open(t)
	create(t, s, request("s", "a1"))
	for _, status := range []approval.Status{"", approval.Pending, approval.TimedOut, "maybe"} {
		_, err := s.Approvals().Decide(t.Context(), approval.Decision{ID: "a1", Status: status, Principal: "eve", At: at(time.Second)})
		is(t, fmt.Sprintf("a decision of %q", status), err, approval.ErrInvalid)
	}
	want := must[*approval.Request](t, "approve")(approve(t.Context(), s, "a1"))
	for _, status := range []approval.Status{approval.Approved, approval.Rejected} {
		_, err := s.Approvals().Decide(t.Context(), approval.Decision{ID: "a1", Status: status, Principal: "bob", Reason: "no", At: at(40 * time.Second)})
		is(t, "a second decision", err, approval.ErrDecided)
		if there := as[*approval.DecidedError](t, "a second decision", err); there != nil {
			same(t, "what the error says", there.Request, *want)
		}
	}
	same(t, "the request", getRequest(t, s, "a1"), *want)
}

func decideDeadline(t TB, f Factory) {
	s := f.Open(t)
	want := create(t, s, request("s", "a1"))
	decision := approval.Decision{ID: "a1", Status: approval.Approved, Principal: "ann"}
	for _, late := range []time.Time{at(time.Minute), at(time.Minute).Add(time.Nanosecond), at(61 * time.Second), at(time.Minute).In(time.FixedZone("west", -6*3600))} {
		decision.At = late
		_, err := s.Approvals().Decide(t.Context(), decision)
		is(t, "a decision at "+late.String(), err, approval.ErrOverdue)
		same(t, "the overdue request", getRequest(t, s, "a1"), want)
	}
	decision.At = at(time.Minute - time.Nanosecond)
	_, err := s.Approvals().Decide(t.Context(), decision)
	ok(t, "a decision just before the deadline", err)

	create(t, s, request("s", "a2"))
	_, err = s.Approvals().Lapse(t.Context(), at(2*time.Minute), 10)
	ok(t, "lapse", err)
	before := getRequest(t, s, "a2")
	same(t, "the lapsed request", before.Status, approval.TimedOut)
	decision.ID, decision.At = "a2", at(time.Second)
	_, err = s.Approvals().Decide(t.Context(), decision)
	is(t, "a decision of a lapsed request, by a slow clock", err, approval.ErrOverdue)
	is(t, "a decision of a lapsed request, by a slow clock", err, approval.ErrDecided)
	same(t, "the lapsed request", getRequest(t, s, "a2"), before)
}

func decideItsOwn(t TB, f Factory) {
	s := f.Open(t)
	create(t, s, request("s", "a1"))
	create(t, s, request("s", "a2"))
	_, err := approve(t.Context(), s, "a2")
	ok(t, "approve", err)
	same(t, "the other request", getRequest(t, s, "a1"), request("s", "a1"))
	for _, id := range []string{"", "a", "a3", "A1"} {
		_, err := approve(t.Context(), s, id)
		is(t, fmt.Sprintf("approval of %q", id), err, approval.ErrNotFound)
	}
}

func decideRace(t TB, f Factory) {
	s := f.Open(t)
	handles := []Store{s}
	if f.Second != nil {
		handles = append(handles, f.Second(t, s))
	}
	for round := range 5 {
		id := fmt.Sprintf("a%d", round)
		create(t, s, request("s", id))
		errs := together(20, func(i int) error {
			d := approval.Decision{ID: id, Status: approval.Approved, Principal: fmt.Sprint(i), At: at(time.Second)}
			if i%2 == 1 {
				d.Status = approval.Rejected
			}
			_, err := handles[i%len(handles)].Approvals().Decide(t.Context(), d)
			return err
		})
		winner := oneWinner(t, "decide", errs)
		same(t, "who decided", getRequest(t, s, id).Principal, fmt.Sprint(winner))
		for i, err := range errs {
			if i != winner {
				is(t, "a loser", err, approval.ErrDecided)
			}
		}
	}
}

func lapseOnce(t TB, f Factory) {
	s := f.Open(t)
	handles := []Store{s}
	if f.Second != nil {
		handles = append(handles, f.Second(t, s))
	}
	for i := range 30 {
		create(t, s, request("s", fmt.Sprintf("a%02d", i)))
	}
	later := request("s", "later")
	later.TimeoutAt = at(time.Hour)
	create(t, s, later)
	lapsed := make([][]approval.Request, 20)
	none := must[[]approval.Request](t, "lapse")(s.Approvals().Lapse(t.Context(), at(time.Minute-time.Nanosecond), 100))
	same(t, "what lapses before the deadline", none, nil)
	for _, err := range together(len(lapsed), func(i int) (err error) {
		lapsed[i], err = handles[i%len(handles)].Approvals().Lapse(t.Context(), at(time.Minute), 4)
		return err
	}) {
		ok(t, "lapse", err)
	}
	told := map[string]int{}
	for _, rows := range lapsed {
		if len(rows) > 4 {
			t.Errorf("%d rows lapsed at once, at most 4 were asked for", len(rows))
		}
		for _, r := range rows {
			told[r.ID]++
			want := request("s", r.ID)
			want.Status, want.DecidedAt = approval.TimedOut, at(time.Minute)
			same(t, "a lapsed request", r, want)
			same(t, "a lapsed request, read again", getRequest(t, s, r.ID), want)
		}
	}
	for id, n := range told {
		if n != 1 {
			t.Errorf("%s was told %d times", id, n)
		}
	}
	if len(told) != 30 {
		t.Errorf("%d requests lapsed, want 30", len(told))
	}
	same(t, "the later one", getRequest(t, s, "later").Status, approval.Pending)
}

func lapseRace(t TB, f Factory) {
	s := f.Open(t)
	for round := range 10 {
		id := fmt.Sprintf("a%d", round)
		create(t, s, request("s", id))
		errs := together(8, func(i int) error {
			if i%2 == 0 {
				_, err := approve(t.Context(), s, id)
				return err
			}
			rows, err := s.Approvals().Lapse(t.Context(), at(time.Hour), 10)
			if err == nil && len(rows) == 0 {
				err = errors.New("nothing lapsed")
			}
			return err
		})
		oneWinner(t, "decide or lapse", errs)
	}
}

func consumeOnce(t TB, f Factory) {
	s := f.Open(t)
	consume := func(id string, after time.Duration) error { return s.Approvals().Consume(t.Context(), id, at(after)) }
	is(t, "an unknown id", consume("a0", 0), approval.ErrNotFound)
	for _, id := range []string{"pending", "rejected", "lapsed", "approved"} {
		create(t, s, request("s", id))
	}
	_, err := approve(t.Context(), s, "approved")
	ok(t, "approve", err)
	_, err = s.Approvals().Decide(t.Context(), approval.Decision{ID: "rejected", Status: approval.Rejected, At: at(time.Second)})
	ok(t, "reject", err)
	is(t, "a pending request", consume("pending", 0), approval.ErrNotApproved)
	_, err = s.Approvals().Lapse(t.Context(), at(time.Hour), 10)
	ok(t, "lapse", err)
	is(t, "a rejected request", consume("rejected", 0), approval.ErrNotApproved)
	is(t, "a lapsed request", consume("lapsed", 0), approval.ErrNotApproved)
	errs := together(20, func(int) error { return consume("approved", time.Hour) }) // after its deadline: the decision was in time
	winner := oneWinner(t, "consume", errs)
	for i, err := range errs {
		if i != winner {
			is(t, "a loser", err, approval.ErrConsumed)
		}
	}
	same(t, "when it was used", getRequest(t, s, "approved").ConsumedAt, at(time.Hour))
}

func noticeOnce(t TB, f Factory) {
	s := f.Open(t)
	_, err := s.Approvals().Notice(t.Context(), "nobody", start())
	is(t, "an unknown id", err, approval.ErrNotFound)
	create(t, s, request("s", "a1"))
	first, err := s.Approvals().Notice(t.Context(), "a1", start())
	ok(t, "notice", err)
	same(t, "of a pending request", first, false)
	_, err = approve(t.Context(), s, "a1")
	ok(t, "approve", err)
	errs := together(20, func(int) error {
		first, err := s.Approvals().Notice(t.Context(), "a1", at(time.Hour))
		if err == nil && !first {
			err = errors.New("another was first")
		}
		return err
	})
	oneWinner(t, "notice", errs)
	same(t, "when it was taken up", getRequest(t, s, "a1").NoticedAt, at(time.Hour))
}

func listRequests(t TB, f Factory) {
	s := f.Open(t)
	for _, id := range []string{"a1", "a2", "a3", "a4"} {
		create(t, s, request("s", id))
	}
	other := request("t", "a5")
	other.RunID = "run"
	create(t, s, other)
	for _, id := range []string{"a1", "a2"} {
		_, err := approve(t.Context(), s, id)
		ok(t, "approve", err)
	}
	_, err := s.Approvals().Notice(t.Context(), "a1", start())
	ok(t, "notice", err)
	for _, test := range []struct {
		name string
		q    approval.Query
		want string
	}{
		{"all", approval.Query{}, "a5 a4 a3 a2 a1"},
		{"a session", approval.Query{SessionID: "s"}, "a4 a3 a2 a1"},
		{"a run", approval.Query{RunID: "run"}, "a5"},
		{"pending", approval.Query{Status: []approval.Status{approval.Pending}}, "a5 a4 a3"},
		{"decided", approval.Query{Status: []approval.Status{approval.Approved, approval.Rejected, approval.TimedOut}}, "a2 a1"},
		{"not taken up", approval.Query{Untaken: true}, "a2"},
		{"older than a request", approval.Query{Before: "a3"}, "a2 a1"},
		{"some", approval.Query{SessionID: "s", Limit: 2}, "a4 a3"},
	} {
		var ids []string
		for _, r := range must[[]approval.Request](t, test.name)(s.Approvals().List(t.Context(), test.q)) {
			ids = append(ids, r.ID)
		}
		same(t, test.name, strings.Join(ids, " "), test.want)
	}
}

func sweepRequests(t TB, f Factory) {
	s := f.Open(t)
	for i, id := range []string{"a1", "a2", "a3", "a4"} {
		create(t, s, request("s", id))
		if id != "a4" {
			_, err := s.Approvals().Decide(t.Context(), approval.Decision{ID: id, Status: approval.Rejected, At: at(time.Duration(i) * time.Second)})
			ok(t, "decide", err)
		}
	}
	for _, test := range []struct {
		keep        time.Duration
		limit, want int
	}{{0, 10, 0}, {2 * time.Second, 1, 1}, {2 * time.Second, 10, 1}, {time.Hour, 10, 1}} {
		n := must[int](t, "sweep")(s.Approvals().Sweep(t.Context(), at(test.keep), test.limit))
		if n != test.want {
			t.Errorf("a sweep of at most %d before %v deleted %d, want %d", test.limit, test.keep, n, test.want)
		}
	}
	same(t, "the pending one", getRequest(t, s, "a4"), request("s", "a4"))
}
