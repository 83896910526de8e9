package storetest

import (
	"fmt"
	"time"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
)

func handleChecks() []Check {
	return []Check{
		{"handles/both see what either wrote", handlesSee},
		{"handles/nothing is lost or busy when both write", handlesWrite},
		{"reopen/everything is there", reopens},
		{"reopen/under another zone", reopensInAnotherZone},
	}
}

func handlesSee(t TB, f Factory) {
	if f.Second == nil {
		t.Logf("one handle only: nothing to check")
		return
	}
	a := f.Open(t)
	b := f.Second(t, a)
	for i, s := range []Store{a, b, a, b} {
		c := question("s", fmt.Sprintf("c%d", i))
		open(t, s, c)
		for _, other := range []Store{a, b} {
			same(t, "what waits", pendingID(t.Context(), other, "s"), c.ID)
		}
	}
}

// handlesWrite is case B07 of the field reports: two handles, 20 askers and 5 sweepers each.
func handlesWrite(t TB, f Factory) {
	if f.Second == nil {
		t.Logf("one handle only: nothing to check")
		return
	}
	a := f.Open(t)
	handles := []Store{a, f.Second(t, a)}
	for i, err := range together(50, func(i int) error {
		s := handles[i%2]
		for n := range 5 {
			if i >= 40 {
				if _, err := s.Continuations().Sweep(t.Context(), at(time.Minute), start(), 10); err != nil {
					return err
				}
				continue
			}
			_, err := s.Continuations().Open(t.Context(), question(fmt.Sprintf("s%d", i), fmt.Sprintf("c%d-%d", i, n)))
			if err != nil {
				return err
			}
		}
		return nil
	}) {
		ok(t, fmt.Sprintf("writer %d", i), err)
	}
	rows := must[[]continuation.Continuation](t, "list")(a.Continuations().List(t.Context(),
		continuation.Query{Status: []continuation.Status{continuation.Pending}, Now: start(), Limit: 1000}))
	pending := map[string]int{}
	for _, c := range rows {
		pending[c.SessionID]++
	}
	if len(pending) != 40 || len(rows) != 40 {
		t.Errorf("%d questions wait in %d sessions, want one in each of 40", len(rows), len(pending))
	}
}

func reopens(t TB, f Factory) {
	if f.Reopen == nil {
		t.Logf("nothing to reopen: nothing to check")
		return
	}
	s := f.Open(t)
	fill(t, s, "s")
	before := count(t, s, "s")
	s = f.Reopen(t, s)
	same(t, "the rows", count(t, s, "s"), before)
	_, err := s.Continuations().Claim(t.Context(), claimant(question("s", "c-s")))
	ok(t, "claim", err)
	_, err = approve(t.Context(), s, "a-s")
	ok(t, "approve", err)
	r := must[*checkpoint.Run](t, "get")(s.Checkpoints().Get(t.Context(), "r-s", start()))
	ok(t, "put", s.Checkpoints().Put(t.Context(), r.Epoch, step(*r, 1, "{}")))
}

// reopensInAnotherZone is case B03: what is stored says nothing about the zone of who wrote it.
func reopensInAnotherZone(t TB, f Factory) {
	if f.Reopen == nil {
		t.Logf("nothing to reopen: nothing to check")
		return
	}
	s := f.Open(t)
	west, east := time.FixedZone("west", -6*3600), time.FixedZone("east", 9*3600)
	c, a := question("s", "c1"), request("s", "a1")
	c.CreatedAt, c.ExpiresAt = c.CreatedAt.In(west), at(2*time.Hour).In(west)
	a.RequestedAt, a.TimeoutAt = a.RequestedAt.In(west), at(2*time.Hour).In(west)
	open(t, s, c)
	create(t, s, a)
	s = f.Reopen(t, s)
	for after, live := range map[time.Duration]bool{119 * time.Minute: true, 121 * time.Minute: false} {
		p := must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", at(after).In(east)))
		r := getRequest(t, s, "a1")
		if (p != nil) != live || r.Overdue(at(after).In(east)) == live {
			t.Errorf("after %v: the question is live %v and the request %v, want %v", after, p != nil, !r.Overdue(at(after)), live)
		}
	}
}
