package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/continuation"
)

func claimChecks() []Check {
	return []Check{
		{"claim/takes the row", claimTakes},
		{"claim/another session's row is not found", claimElsewhere},
		{"claim/says what became of the row", claimSays},
		{"claim/one winner", claimRace},
		{"claim/one winner across handles", claimRaceAcrossHandles},
		{"claim/one question is left when many are asked at once", openRace},
	}
}

func claimTakes(t TB, f Factory) {
	s := f.Open(t)
	want := open(t, s, fullQuestion("s", "c1"))
	got, err := s.Continuations().Claim(t.Context(), claimant(want))
	ok(t, "claim", err)
	want.Status, want.ClaimedBy, want.AnsweredBy, want.ClaimedAt = continuation.Claimed, "turn-2", "ann", at(time.Minute)
	same(t, "the claimed row", got, &want)
	got = must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c1", at(time.Minute)))
	same(t, "the claimed row, read again", got, &want)
	if p := must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", at(time.Minute))); p != nil {
		t.Errorf("%s is still pending", p.ID)
	}
	got = must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c1", at(10*time.Hour)))
	same(t, "a claimed row past its time", got.Status, continuation.Claimed)
}

func claimElsewhere(t TB, f Factory) {
	s := f.Open(t)
	want := open(t, s, question("s", "c1"))
	by := claimant(want)
	for _, sessionID := range []string{"", "t", "s ", "S"} {
		by.SessionID = sessionID
		_, err := s.Continuations().Claim(t.Context(), by)
		is(t, fmt.Sprintf("a claim from session %q", sessionID), err, continuation.ErrNotFound)
	}
	by.SessionID, by.ID = "s", "c2"
	_, err := s.Continuations().Claim(t.Context(), by)
	is(t, "a claim of an unknown id", err, continuation.ErrNotFound)
	p := must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", start()))
	same(t, "what waits", p, &want)
}

func claimSays(t TB, f Factory) {
	s := f.Open(t)
	move := func(id string, from, to continuation.Status) {
		_, err := s.Continuations().Move(t.Context(), continuation.Move{ID: id, From: from, To: to, By: "x", Outcome: "done", At: at(time.Minute)})
		ok(t, "move", err)
	}
	claimed(t, s, question("s", "claimed"))
	claimed(t, s, question("s", "answered"))
	move("answered", continuation.Claimed, continuation.Answered)
	open(t, s, question("s", "superseded"))
	move("superseded", continuation.Pending, continuation.Superseded)
	open(t, s, question("s", "expired"))
	move("expired", continuation.Pending, continuation.Expired)
	overdue := question("s", "overdue")
	overdue.ExpiresAt = at(time.Second)
	open(t, s, overdue)
	for id, want := range map[string]error{
		"claimed": continuation.ErrClaimed, "answered": continuation.ErrAnswered, "superseded": continuation.ErrSuperseded,
		"expired": continuation.ErrExpired, "overdue": continuation.ErrExpired,
	} {
		before := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), id, at(time.Minute)))
		_, err := s.Continuations().Claim(t.Context(), claimant(*before))
		is(t, "claim of "+id, err, want)
		if closed := as[*continuation.ClosedError](t, "claim of "+id, err); closed != nil {
			same(t, "what the claim of "+id+" says", closed.Row, *before)
		}
		after := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), id, at(time.Minute)))
		same(t, id+" after the claim", after, before)
	}
}

func claimRace(t TB, f Factory) {
	s := f.Open(t)
	race(t, []Store{s})
}

func claimRaceAcrossHandles(t TB, f Factory) {
	if f.Second == nil {
		t.Logf("one handle only: nothing to check")
		return
	}
	s := f.Open(t)
	race(t, []Store{s, f.Second(t, s)})
}

// race claims rows from 20 goroutines at once, spread over the handles.
func race(t TB, handles []Store) {
	t.Helper()
	for round := range 10 {
		c := open(t, handles[0], question("s", fmt.Sprintf("c%d", round)))
		errs := together(20, func(i int) error {
			by := claimant(c)
			by.TurnID = fmt.Sprintf("turn-%d", i)
			row, err := handles[i%len(handles)].Continuations().Claim(t.Context(), by)
			if err == nil && row.ClaimedBy != by.TurnID {
				return fmt.Errorf("got the claim of %s", row.ClaimedBy)
			}
			return err
		})
		winner := oneWinner(t, "claim", errs)
		for i, err := range errs {
			var closed *continuation.ClosedError
			if i != winner && (!errors.As(err, &closed) || closed.Row.ClaimedBy != fmt.Sprintf("turn-%d", winner)) {
				t.Errorf("a loser got %v, want that turn-%d has it", err, winner)
			}
		}
	}
}

func openRace(t TB, f Factory) {
	s := f.Open(t)
	for i, err := range together(20, func(i int) error {
		_, err := s.Continuations().Open(t.Context(), question("s", fmt.Sprintf("c%02d", i)))
		return err
	}) {
		ok(t, fmt.Sprintf("open %d", i), err)
	}
	pending, closedBy := 0, map[string]int{}
	for _, c := range history(t, s, "s", start()) {
		if c.Status == continuation.Pending {
			pending++
		} else {
			closedBy[c.ClosedBy]++
		}
	}
	if pending != 1 {
		t.Errorf("%d rows are pending, want 1", pending)
	}
	if len(closedBy) != 19 {
		t.Errorf("the 19 others were closed by %v, want each by another", closedBy)
	}
}
