package storetest

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/iris-harness/iris/approval"
)

// touches is the immutability table: what each exported method of an approval store may change of a request, by the
// status the request is in. A method of the interface that is not here fails the check.
//
// The columns are the groups of fields: what it is ("terms"), its "decision", that it was "consumed", that it was "noticed", and
// that it is there ("row"). Every method is called with hostile arguments: at the deadline and with all it can carry.
func touches() map[string]method {
	late := at(time.Hour)
	return map[string]method{
		"Create": {call: func(ctx context.Context, s approval.Store, id string) {
			r := request("eve", id)
			r.Summary, r.Policy, r.TimeoutAt = "harmless", approval.FailClosed, at(1000*time.Hour)
			_ = s.Create(ctx, r)
		}},
		"Get": {call: func(ctx context.Context, s approval.Store, id string) {
			if r, err := s.Get(ctx, id); err == nil {
				r.Status, r.Summary = approval.Approved, "harmless"
				for i := range r.Items {
					r.Items[i].Tool = "other"
				}
			}
		}},
		"Decide": {
			call: func(ctx context.Context, s approval.Store, id string) {
				for _, status := range []approval.Status{approval.Approved, approval.Rejected, approval.Pending, approval.TimedOut} {
					_, _ = s.Decide(ctx, approval.Decision{ID: id, Status: status, Principal: "eve", Reason: "mine", At: late})
				}
			},
		},
		"Lapse": {
			call: func(ctx context.Context, s approval.Store, _ string) { _, _ = s.Lapse(ctx, late, 100) },
			may:  map[approval.Status]string{approval.Pending: "decision"},
		},
		"Consume": {
			call: func(ctx context.Context, s approval.Store, id string) { _ = s.Consume(ctx, id, late) },
			may:  map[approval.Status]string{approval.Approved: "consumed"},
		},
		"Notice": {
			call: func(ctx context.Context, s approval.Store, id string) { _, _ = s.Notice(ctx, id, late) },
			may:  map[approval.Status]string{approval.Approved: "noticed", approval.Rejected: "noticed", approval.TimedOut: "noticed"},
		},
		"List": {call: func(ctx context.Context, s approval.Store, _ string) {
			rows, _ := s.List(ctx, approval.Query{})
			for i := range rows {
				rows[i].Status = approval.Approved
			}
		}},
		"Sweep": {
			call: func(ctx context.Context, s approval.Store, _ string) { _, _ = s.Sweep(ctx, late, 100) },
			may:  map[approval.Status]string{approval.Approved: "row", approval.Rejected: "row", approval.TimedOut: "row"},
		},
	}
}

// method is one row of the table.
type method struct {
	call func(ctx context.Context, s approval.Store, id string)
	may  map[approval.Status]string // the one group that it may change
}

func immutability(t TB, f Factory) {
	table := touches()
	iface := reflect.TypeFor[approval.Store]()
	for i := range iface.NumMethod() {
		if name := iface.Method(i).Name; table[name].call == nil {
			t.Errorf("approval.Store.%s is not in the immutability table", name)
		}
	}
	for name, m := range table {
		for _, status := range []approval.Status{approval.Pending, approval.Approved, approval.Rejected, approval.TimedOut} {
			s := f.Open(t)
			stand(t, s, "a1", status)
			before := getRequest(t, s, "a1")
			m.call(t.Context(), s.Approvals(), "a1")
			after, err := s.Approvals().Get(t.Context(), "a1")
			if err != nil {
				after = &approval.Request{}
			}
			for _, group := range changed(before, *after) {
				if group != m.may[status] {
					t.Errorf("%s on a request that is %s and past its deadline changed its %s", name, status, group)
				}
			}
		}
	}
}

// stand creates a request and takes it to a status; a pending one is overdue by the time the table calls.
func stand(t TB, s Store, id string, status approval.Status) {
	t.Helper()
	create(t, s, request("s", id))
	switch status {
	case approval.Approved, approval.Rejected:
		_, err := s.Approvals().Decide(t.Context(), approval.Decision{ID: id, Status: status, Principal: "ann", At: at(time.Second)})
		ok(t, "decide", err)
	case approval.TimedOut:
		if rows := must[[]approval.Request](t, "lapse")(s.Approvals().Lapse(t.Context(), at(time.Minute), 10)); len(rows) != 1 {
			t.Fatalf("%d requests lapsed, want 1", len(rows))
		}
	}
}

// changed returns the groups of fields in which two requests differ.
func changed(before, after approval.Request) (out []string) {
	if after.ID == "" {
		return []string{"row"}
	}
	for _, group := range []struct {
		name string
		cut  func(r approval.Request) any
	}{
		{"terms", func(r approval.Request) any {
			r.Status, r.Decisions, r.Reason, r.Principal, r.Surface = "", nil, "", "", ""
			r.DecidedAt, r.ConsumedAt, r.NoticedAt = time.Time{}, time.Time{}, time.Time{}
			return r
		}},
		{"decision", func(r approval.Request) any {
			return fmt.Sprint(r.Status, r.Decisions, r.Reason, r.Principal, r.Surface, r.DecidedAt)
		}},
		{"consumed", func(r approval.Request) any { return r.ConsumedAt }},
		{"noticed", func(r approval.Request) any { return r.NoticedAt }},
	} {
		if !reflect.DeepEqual(group.cut(before), group.cut(after)) {
			out = append(out, group.name)
		}
	}
	return out
}
