package storetest

import (
	"fmt"
	"time"

	"github.com/iris-harness/iris/continuation"
)

func moveChecks() []Check {
	return []Check{
		{"move/the machine", moveMachine},
		{"move/what is written", moveWrites},
		{"move/a claim given back", moveBack},
		{"move/a claim given back lands elsewhere", moveBackElsewhere},
		{"move/one winner", moveRace},
	}
}

// statuses returns all statuses.
func statuses() []continuation.Status {
	return []continuation.Status{continuation.Pending, continuation.Claimed, continuation.Answered, continuation.Superseded, continuation.Expired}
}

// bring opens a row and takes it to a status.
func bring(t TB, s Store, c continuation.Continuation, to continuation.Status) {
	t.Helper()
	from := continuation.Pending
	switch to {
	case continuation.Pending:
		open(t, s, c)
		return
	case continuation.Claimed, continuation.Answered:
		claimed(t, s, c)
		from = continuation.Claimed
	default:
		open(t, s, c)
	}
	if to == continuation.Claimed {
		return
	}
	_, err := s.Continuations().Move(t.Context(), continuation.Move{ID: c.ID, From: from, To: to, By: "x", At: at(time.Minute)})
	ok(t, "move", err)
}

func moveMachine(t TB, f Factory) {
	s := f.Open(t)
	legal := map[string]bool{
		"pending superseded": true, "pending expired": true,
		"claimed answered": true, "claimed superseded": true, "claimed expired": true, "claimed pending": true,
	}
	for _, stands := range statuses() {
		for _, from := range statuses() {
			for _, to := range statuses() {
				id := fmt.Sprintf("%s: %s to %s", stands, from, to)
				bring(t, s, question(id, id), stands)
				before := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), id, start()))
				_, err := s.Continuations().Move(t.Context(), continuation.Move{ID: id, From: from, To: to, At: at(2 * time.Minute)})
				after := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), id, start()))
				switch {
				case !legal[string(from)+" "+string(to)]:
					is(t, id, err, continuation.ErrInvalid)
					same(t, id, after, before)
				case stands != from:
					as[*continuation.ClosedError](t, id, err)
					same(t, id, after, before)
				default:
					ok(t, id, err)
					same(t, id, after.Status, to)
				}
			}
		}
	}
	_, err := s.Continuations().Move(t.Context(), continuation.Move{ID: "nobody", From: continuation.Pending, To: continuation.Superseded, At: start()})
	is(t, "move of an unknown id", err, continuation.ErrNotFound)
}

func moveWrites(t TB, f Factory) {
	s := f.Open(t)
	want := *claimed(t, s, fullQuestion("s", "c1"))
	got, err := s.Continuations().Move(t.Context(), continuation.Move{
		ID: "c1", From: continuation.Claimed, To: continuation.Answered, Outcome: "3 files deleted", At: at(2 * time.Minute).Add(999),
	})
	ok(t, "settle", err)
	want.Status, want.Outcome, want.ClosedAt = continuation.Answered, "3 files deleted", at(2*time.Minute)
	same(t, "an answered row", got, &want)

	want = open(t, s, question("s", "c2"))
	got, err = s.Continuations().Move(t.Context(), continuation.Move{
		ID: "c2", From: continuation.Pending, To: continuation.Superseded, Why: continuation.Withdrawn, By: "turn-3", At: at(3 * time.Minute),
	})
	ok(t, "withdraw", err)
	want.Status, want.Why, want.ClosedBy, want.ClosedAt = continuation.Superseded, continuation.Withdrawn, "turn-3", at(3*time.Minute)
	same(t, "a withdrawn row", got, &want)
	got = must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c2", start()))
	same(t, "a withdrawn row, read again", got, &want)

	open(t, s, question("s", "c3"))
	_, err = s.Continuations().Move(t.Context(), continuation.Move{ID: "c3", From: continuation.Pending, To: continuation.Superseded, At: at(time.Hour)})
	is(t, "withdrawing a row past its time", err, continuation.ErrExpired)
	got, err = s.Continuations().Move(t.Context(), continuation.Move{ID: "c3", From: continuation.Pending, To: continuation.Expired, At: at(time.Hour)})
	ok(t, "marking a row past its time", err)
	same(t, "why it expired", got.Why, continuation.Lapsed)
}

func moveBack(t TB, f Factory) {
	s := f.Open(t)
	want := question("s", "c1")
	claimed(t, s, want)
	got, err := s.Continuations().Move(t.Context(), continuation.Move{ID: "c1", From: continuation.Claimed, To: continuation.Pending, At: at(2 * time.Minute)})
	ok(t, "release", err)
	same(t, "the released row", got, &want)
	_, err = s.Continuations().Claim(t.Context(), claimant(want))
	ok(t, "claiming it again", err)
}

func moveBackElsewhere(t TB, f Factory) {
	s := f.Open(t)
	back := func(id string, after time.Duration) *continuation.Continuation {
		t.Helper()
		row, err := s.Continuations().Move(t.Context(), continuation.Move{ID: id, From: continuation.Claimed, To: continuation.Pending, At: at(after)})
		ok(t, "release of "+id, err)
		return row
	}
	claimed(t, s, question("late", "c1"))
	if row := back("c1", time.Hour); row.Status != continuation.Expired || row.Why != continuation.Lapsed {
		t.Errorf("released past its time it is %s (%s), want expired (lapsed)", row.Status, row.Why)
	}
	claimed(t, s, question("s", "c2"))
	open(t, s, question("s", "c3"))
	if row := back("c2", 2*time.Minute); row.Status != continuation.Superseded || row.Why != continuation.Replaced || row.ClosedBy != "c3" {
		t.Errorf("released while c3 waits it is %s (%s by %s), want superseded (replaced by c3)", row.Status, row.Why, row.ClosedBy)
	}
	claimed(t, s, question("t", "c4"))
	brief := question("t", "c5")
	brief.ExpiresAt = at(time.Minute)
	open(t, s, brief)
	if row := back("c4", 2*time.Minute); row.Status != continuation.Pending {
		t.Errorf("released while only an expired row stands in its way it is %s, want pending", row.Status)
	}
	gone := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c5", start()))
	same(t, "the row that stood in the way", gone.Status, continuation.Expired)
}

func moveRace(t TB, f Factory) {
	s := f.Open(t)
	for round := range 10 {
		c := open(t, s, question("s", fmt.Sprintf("c%d", round)))
		errs := together(20, func(i int) error {
			if (i+round)%2 == 0 {
				_, err := s.Continuations().Claim(t.Context(), claimant(c))
				return err
			}
			_, err := s.Continuations().Move(t.Context(), continuation.Move{ID: c.ID, From: continuation.Pending, To: continuation.Superseded, At: at(time.Minute)})
			return err
		})
		oneWinner(t, "claim or withdraw", errs)
	}
}
