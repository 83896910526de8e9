package storetest

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/iris-harness/iris/continuation"
)

func continuationChecks() []Check {
	return []Check{
		{"continuation/keeps every field", keepsContinuation},
		{"continuation/rows belong to the caller", continuationIsCopied},
		{"continuation/open closes what waits", openCloses},
		{"continuation/open past its time closes as expired", openExpires},
		{"continuation/a refused open changes nothing", openRefused},
		{"continuation/time is up at the deadline", deadline},
		{"continuation/time does not depend on zones", zones},
		{"continuation/list", listContinuations},
		{"continuation/sweep marks", sweepMarks},
		{"continuation/sweep deletes", sweepDeletes},
	}
}

func keepsContinuation(t TB, f Factory) {
	s, want := f.Open(t), fullQuestion("s", "c1")
	closed, err := s.Continuations().Open(t.Context(), want)
	ok(t, "open", err)
	same(t, "closed", closed, nil)
	got := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c1", start()))
	same(t, "the row", *got, want)
	got = must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", start()))
	same(t, "the pending row", got, &want)

	paused := question("s2", "c2")
	paused.Origin, paused.RunID, paused.StepID = continuation.Pause, "run", 7
	open(t, s, paused)
	got = must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c2", start()))
	same(t, "a paused run's row", *got, paused)

	_, err = s.Continuations().Get(t.Context(), "c3", start())
	is(t, "get of an unknown id", err, continuation.ErrNotFound)
	none, err := s.Continuations().Pending(t.Context(), "s3", start())
	ok(t, "pending of an unknown session", err)
	same(t, "pending of an unknown session", none, nil)
}

func continuationIsCopied(t TB, f Factory) {
	s, given := f.Open(t), fullQuestion("s", "c1")
	open(t, s, given)
	given.Payload[0], given.Options[0].Text, given.Options[0].Ref[0] = 'x', "x", 'x'
	for range 2 {
		got := must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", start()))
		if got == nil {
			t.Fatalf("nothing is pending")
			return
		}
		same(t, "the row", *got, fullQuestion("s", "c1"))
		got.Payload[0], got.Options[0].Text, got.Options[0].Ref[0] = 'y', "y", 'y'
	}
}

func openCloses(t TB, f Factory) {
	s := f.Open(t)
	first := open(t, s, fullQuestion("s", "c1"))
	open(t, s, question("other", "c2"))
	second := question("s", "c3")
	second.CreatedAt = at(time.Minute)
	closed, err := s.Continuations().Open(t.Context(), second)
	ok(t, "open", err)
	first.Status, first.Why, first.ClosedBy, first.ClosedAt = continuation.Superseded, continuation.Replaced, "c3", at(time.Minute)
	same(t, "the closed row", closed, &first)
	got := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c1", at(2*time.Hour)))
	same(t, "the closed row, read again", got, &first)
	got = must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", at(time.Minute)))
	same(t, "what waits now", got, &second)
	got = must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "other", at(time.Minute)))
	if got == nil || got.ID != "c2" {
		t.Errorf("the other session's question is %v, want c2", got)
	}
}

func openExpires(t TB, f Factory) {
	s := f.Open(t)
	first := open(t, s, question("s", "c1"))
	second := question("s", "c2")
	second.CreatedAt, second.ExpiresAt = first.ExpiresAt, at(2*time.Hour)
	closed, err := s.Continuations().Open(t.Context(), second)
	ok(t, "open", err)
	if closed == nil || closed.Status != continuation.Expired || closed.Why != continuation.Lapsed {
		t.Fatalf("closed %+v, want c1 as expired, why lapsed", closed)
	}
	if all := history(t, s, "s", second.CreatedAt); len(all) != 2 {
		t.Errorf("%d rows, want 2", len(all))
	}
}

// history returns all rows of a session as they read at now.
func history(t TB, s Store, sessionID string, now time.Time) []continuation.Continuation {
	t.Helper()
	return must[[]continuation.Continuation](t, "list")(s.Continuations().List(t.Context(), continuation.Query{SessionID: sessionID, Now: now, Limit: 1000}))
}

func openRefused(t TB, f Factory) {
	s := f.Open(t)
	want := open(t, s, question("s", "c1"))
	bad := func(change func(c *continuation.Continuation)) continuation.Continuation {
		c := question("s", "c2")
		change(&c)
		return c
	}
	huge := strings.Repeat("x", 64<<10)
	for _, test := range []struct {
		name string
		row  continuation.Continuation
		want error
	}{
		{"a long question", bad(func(c *continuation.Continuation) { c.Question = huge[:continuation.MaxQuestion+1] }), continuation.ErrTooLarge},
		{"a large payload", bad(func(c *continuation.Continuation) { c.Payload = json.RawMessage(`"` + huge + `"`) }), continuation.ErrTooLarge},
		{"large options", bad(func(c *continuation.Continuation) { c.Options = []continuation.Option{{Position: 1, Text: huge}} }), continuation.ErrTooLarge},
		{"a taken id", bad(func(c *continuation.Continuation) { c.ID = "c1" }), continuation.ErrInvalid},
		{"no id", bad(func(c *continuation.Continuation) { c.ID = "" }), continuation.ErrInvalid},
		{"no session", bad(func(c *continuation.Continuation) { c.SessionID = "" }), continuation.ErrInvalid},
		{"no owner", bad(func(c *continuation.Continuation) { c.Owner = "" }), continuation.ErrInvalid},
		{"an unknown kind", bad(func(c *continuation.Continuation) { c.Kind = "riddle" }), continuation.ErrInvalid},
		{"an unknown origin", bad(func(c *continuation.Continuation) { c.Origin = "space" }), continuation.ErrInvalid},
	} {
		_, err := s.Continuations().Open(t.Context(), test.row)
		is(t, test.name, err, test.want)
		got := must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", start()))
		same(t, "what waits after "+test.name, got, &want)
	}
	full := question("s9", "c9")
	full.Question, full.Payload, full.ExecutorKind = huge[:continuation.MaxQuestion], json.RawMessage(`"`+huge[:continuation.MaxPayload-2]+`"`), "x"
	open(t, s, full)
}

func deadline(t TB, f Factory) {
	s := f.Open(t)
	c := question("s", "c1")
	c.ExpiresAt = at(time.Hour + 1500*time.Nanosecond) // kept as microseconds
	open(t, s, c)
	for _, test := range []struct {
		after time.Duration
		live  bool
	}{
		{0, true}, {time.Hour, true}, {time.Hour + 999*time.Nanosecond, true},
		{time.Hour + time.Microsecond, false}, {time.Hour + 2*time.Microsecond, false}, {1000 * time.Hour, false},
	} {
		now := at(test.after)
		p := must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), "s", now))
		got := must[*continuation.Continuation](t, "get")(s.Continuations().Get(t.Context(), "c1", now))
		listed := must[[]continuation.Continuation](t, "list")(s.Continuations().List(t.Context(),
			continuation.Query{Status: []continuation.Status{continuation.Pending}, Now: now}))
		if (p != nil) != test.live || (got.Status == continuation.Pending) != test.live || (len(listed) == 1) != test.live {
			t.Errorf("after %v: pending %v, status %s, listed %d, want live %v", test.after, p != nil, got.Status, len(listed), test.live)
		}
		if !test.live && (got.Status != continuation.Expired || got.Why != continuation.Lapsed) {
			t.Errorf("after %v it reads as %s (%s), want expired (lapsed)", test.after, got.Status, got.Why)
		}
	}
	late := claimant(c)
	late.At = at(time.Hour + time.Microsecond)
	_, err := s.Continuations().Claim(t.Context(), late)
	is(t, "a claim at the deadline", err, continuation.ErrExpired)
	late.At = at(time.Hour + 999*time.Nanosecond)
	_, err = s.Continuations().Claim(t.Context(), late)
	ok(t, "a claim just before the deadline", err)
}

func zones(t TB, f Factory) {
	s := f.Open(t)
	for name, offset := range map[string]int{"utc": 0, "west": -6 * 3600, "east": 9 * 3600} {
		zone := time.FixedZone(name, offset)
		c := question(name, "c-"+name)
		c.CreatedAt, c.ExpiresAt = c.CreatedAt.In(zone), c.ExpiresAt.In(zone)
		open(t, s, c)
		for reader, offset := range map[string]int{"utc": 0, "west": -6 * 3600, "east": 9 * 3600} {
			there := time.FixedZone(reader, offset)
			p := must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), name, at(59*time.Minute).In(there)))
			if p == nil {
				t.Errorf("written in %s, read in %s: gone a minute early", name, reader)
			} else if !p.ExpiresAt.Equal(at(time.Hour)) || p.ExpiresAt.Location() != time.UTC {
				t.Errorf("written in %s: expires at %v, want %v", name, p.ExpiresAt, at(time.Hour))
			}
			p = must[*continuation.Continuation](t, "pending")(s.Continuations().Pending(t.Context(), name, at(61*time.Minute).In(there)))
			if p != nil {
				t.Errorf("written in %s, read in %s: there a minute late", name, reader)
			}
		}
	}
}

func listContinuations(t TB, f Factory) {
	s := f.Open(t)
	for i, id := range []string{"c1", "c2", "c3", "c4"} {
		c := question("s", id)
		c.CreatedAt = at(time.Duration(i) * time.Second)
		open(t, s, c)
	}
	paused := question("t", "c5")
	paused.Owner, paused.Origin, paused.RunID, paused.ExpiresAt = "helper", continuation.Pause, "run", at(time.Minute)
	open(t, s, paused)
	claimed(t, s, question("u", "c6"))
	status := func(s ...continuation.Status) []continuation.Status { return s }
	for _, test := range []struct {
		name string
		q    continuation.Query
		want string
	}{
		{"all", continuation.Query{}, "c6 c5 c4 c3 c2 c1"},
		{"a session", continuation.Query{SessionID: "s"}, "c4 c3 c2 c1"},
		{"older than a row", continuation.Query{SessionID: "s", Before: "c3"}, "c2 c1"},
		{"older than a row, in all", continuation.Query{Before: "c5"}, "c4 c3 c2 c1"},
		{"some", continuation.Query{SessionID: "s", Limit: 2}, "c4 c3"},
		{"an owner", continuation.Query{Owner: "helper"}, "c5"},
		{"a run", continuation.Query{RunID: "run"}, "c5"},
		{"a turn's claims", continuation.Query{ClaimedBy: "turn-2"}, "c6"},
		{"a turn's claims in its session", continuation.Query{SessionID: "u", ClaimedBy: "turn-2", Status: status(continuation.Claimed)}, "c6"},
		{"pending", continuation.Query{Status: status(continuation.Pending)}, "c5 c4"},
		{"pending later", continuation.Query{Status: status(continuation.Pending), Now: at(time.Minute)}, "c4"},
		{"expired", continuation.Query{Status: status(continuation.Expired)}, ""},
		{"expired later", continuation.Query{Status: status(continuation.Expired), Now: at(time.Minute)}, "c5"},
		{"superseded", continuation.Query{Status: status(continuation.Superseded), Now: at(time.Minute)}, "c3 c2 c1"},
		{"pending or claimed", continuation.Query{Status: status(continuation.Pending, continuation.Claimed), Now: at(time.Minute)}, "c6 c4"},
		{"an unknown session", continuation.Query{SessionID: "nobody"}, ""},
	} {
		rows, err := s.Continuations().List(t.Context(), test.q)
		ok(t, test.name, err)
		var ids []string
		for _, c := range rows {
			ids = append(ids, c.ID)
		}
		same(t, test.name, strings.Join(ids, " "), test.want)
	}
}

func sweepMarks(t TB, f Factory) {
	s := f.Open(t)
	for _, id := range []string{"c1", "c2", "c3"} {
		open(t, s, question("s-"+id, id))
	}
	long := question("long", "c4")
	long.ExpiresAt = at(10 * time.Hour)
	open(t, s, long)
	claimed(t, s, question("busy", "c5"))
	for _, test := range []struct {
		now   time.Duration
		limit int
		want  int
	}{{time.Hour - time.Microsecond, 100, 0}, {time.Hour, 2, 2}, {time.Hour, 2, 1}, {time.Hour, 2, 0}} {
		n := must[int](t, "sweep")(s.Continuations().Sweep(t.Context(), at(test.now), start(), test.limit))
		if n != test.want {
			t.Errorf("a sweep of at most %d after %v touched %d rows, want %d", test.limit, test.now, n, test.want)
		}
	}
	for _, c := range history(t, s, "", start()) { // as they are stored
		want := continuation.Expired
		switch c.ID {
		case "c4":
			want = continuation.Pending
		case "c5":
			want = continuation.Claimed // it has its answer, and whoever acts on it will end it
		}
		if c.Status != want {
			t.Errorf("%s is %s after the sweep, want %s", c.ID, c.Status, want)
		}
	}
}

func sweepDeletes(t TB, f Factory) {
	s := f.Open(t)
	for i, id := range []string{"c1", "c2", "c3", "c4"} { // each closes the one before
		c := question("s", id)
		c.CreatedAt, c.ExpiresAt = at(time.Duration(i)*time.Minute), at(time.Hour)
		open(t, s, c)
	}
	n := must[int](t, "sweep")(s.Continuations().Sweep(t.Context(), at(5*time.Minute), at(3*time.Minute), 1))
	if n != 1 {
		t.Errorf("a sweep of one touched %d rows", n)
	}
	n = must[int](t, "sweep")(s.Continuations().Sweep(t.Context(), at(5*time.Minute), at(3*time.Minute), 10))
	if n != 1 {
		t.Errorf("the second sweep touched %d rows, want 1: c3 was closed at the limit and c4 waits", n)
	}
	if all := history(t, s, "s", start()); len(all) != 2 || all[0].ID != "c4" || all[1].ID != "c3" {
		t.Errorf("left are %v, want c4 and c3", all)
	}
	_, err := s.Continuations().Get(t.Context(), "c1", start())
	if !errors.Is(err, continuation.ErrNotFound) {
		t.Errorf("get of a deleted row: %v", err)
	}
}
