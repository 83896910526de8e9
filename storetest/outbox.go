package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/iris-harness/iris/approval"
)

func outboxChecks() []Check {
	return []Check{
		{"outbox/keeps every field, once", keepsDelivery},
		{"outbox/what is due is hidden from others", dueHides},
		{"outbox/done and retried", dueRetries},
		{"outbox/each goes to one", dueRace},
	}
}

func delivery(key string, after time.Duration) approval.Delivery {
	return approval.Delivery{
		Key: key, Kind: approval.DeliverRequest, Channel: "web", SessionID: "s", ApprovalID: "a1", RunID: "r1", Text: "Delete «all»?",
		NextAt: at(after), CreatedAt: start(),
	}
}

// due takes what is due and returns its keys.
func due(t TB, s Store, now, until time.Duration, limit int) string {
	t.Helper()
	var keys []string
	for _, d := range must[[]approval.Delivery](t, "due")(s.Outbox().Due(t.Context(), at(now), at(until), limit)) {
		keys = append(keys, d.Key)
	}
	return strings.Join(keys, " ")
}

func put(t TB, s Store, d approval.Delivery) {
	t.Helper()
	ok(t, "put", s.Outbox().Put(t.Context(), d))
}

func keepsDelivery(t TB, f Factory) {
	s := f.Open(t)
	want := delivery("k", 0)
	put(t, s, want)
	again := want
	again.Text, again.NextAt = "other", at(time.Hour)
	put(t, s, again)
	got := must[[]approval.Delivery](t, "due")(s.Outbox().Due(t.Context(), start(), at(time.Minute), 10))
	want.NextAt = at(time.Minute)
	same(t, "what is due", got, []approval.Delivery{want})
}

func dueHides(t TB, f Factory) {
	s := f.Open(t)
	for _, d := range []approval.Delivery{delivery("a", 3*time.Second), delivery("b", time.Second), delivery("c", 2*time.Second)} {
		put(t, s, d)
	}
	same(t, "before any is due", due(t, s, 999*time.Millisecond, time.Minute, 10), "")
	same(t, "when one is due", due(t, s, time.Second, time.Minute, 10), "b")
	same(t, "while it is hidden", due(t, s, time.Second, time.Minute, 10), "")
	same(t, "the earliest first", due(t, s, 4*time.Second, time.Minute, 1), "c")
	same(t, "then the other", due(t, s, 4*time.Second, time.Minute, 1), "a")
	same(t, "when they are due again", len(strings.Fields(due(t, s, time.Minute, time.Hour, 10))), 3)
}

func dueRetries(t TB, f Factory) {
	s := f.Open(t)
	put(t, s, delivery("done", 0))
	put(t, s, delivery("retried", 0))
	due(t, s, 0, time.Second, 10)
	ok(t, "done", s.Outbox().Done(t.Context(), "done"))
	ok(t, "done again", s.Outbox().Done(t.Context(), "done"))
	ok(t, "retry", s.Outbox().Retry(t.Context(), "retried", at(time.Minute), "no route"))
	is(t, "retry of what is not there", s.Outbox().Retry(t.Context(), "done", at(time.Minute), ""), approval.ErrNotFound)
	same(t, "before the retry", due(t, s, 59*time.Second, time.Hour, 10), "")
	got := must[[]approval.Delivery](t, "due")(s.Outbox().Due(t.Context(), at(time.Minute), at(time.Hour), 10))
	if len(got) != 1 || got[0].Key != "retried" || got[0].Attempts != 1 || got[0].Problem != "no route" {
		t.Errorf("due is %+v, want the retried delivery with one attempt and its problem", got)
	}
}

func dueRace(t TB, f Factory) {
	s := f.Open(t)
	handles := []Store{s}
	if f.Second != nil {
		handles = append(handles, f.Second(t, s))
	}
	for i := range 30 {
		put(t, s, delivery(fmt.Sprintf("k%02d", i), 0))
	}
	got := make([][]approval.Delivery, 20)
	for _, err := range together(len(got), func(i int) (err error) {
		got[i], err = handles[i%len(handles)].Outbox().Due(t.Context(), start(), at(time.Hour), 3)
		return err
	}) {
		ok(t, "due", err)
	}
	times := map[string]int{}
	for _, rows := range got {
		for _, d := range rows {
			times[d.Key]++
		}
	}
	for key, n := range times {
		if n != 1 {
			t.Errorf("%s went to %d callers", key, n)
		}
	}
	if len(times) != 30 {
		t.Errorf("%d deliveries went out, want 30", len(times))
	}
}
