package continuation_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest/memstore"
)

// desk is a registry over a store in memory, with a clock that is set by hand.
type desk struct {
	*continuation.Registry
	store *memstore.Store
	now   time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{store: memstore.New(), now: time.Date(2026, 9, 12, 10, 0, 0, 0, time.UTC)}
	t.Cleanup(func() { _ = d.store.Close() })
	d.Registry = continuation.NewRegistry(continuation.Config{
		Store: d.store.Continuations(), Log: d.store.Audit(), Atomically: d.store.Atomically, Clock: func() time.Time { return d.now },
	})
	return d
}

func (d *desk) ask(t *testing.T, a continuation.Ask) *continuation.Continuation {
	t.Helper()
	c, _, err := d.Ask(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func question(session string) continuation.Ask {
	return continuation.Ask{SessionID: session, Owner: "planner", Question: "Which one?"}
}

func TestAskRefuses(t *testing.T) {
	t.Parallel()
	with := func(f func(a *continuation.Ask)) continuation.Ask {
		a := question("s1")
		f(&a)
		return a
	}
	tests := []struct {
		name string
		ask  continuation.Ask
		want error
	}{
		{"no session", with(func(a *continuation.Ask) { a.SessionID = " " }), continuation.ErrInvalid},
		{"no owner", with(func(a *continuation.Ask) { a.Owner = "" }), continuation.ErrInvalid},
		{"no question", with(func(a *continuation.Ask) { a.Question = "\u200b\n" }), continuation.ErrInvalid},
		{"an unknown kind", with(func(a *continuation.Ask) { a.Kind = "riddle" }), continuation.ErrInvalid},
		{"an unknown origin", with(func(a *continuation.Ask) { a.Origin = "rumour" }), continuation.ErrInvalid},
		{"a choice of nothing", with(func(a *continuation.Ask) { a.Kind = continuation.Choice }), continuation.ErrInvalid},
		{"an empty option", with(func(a *continuation.Ask) { a.Options = []continuation.Option{{Text: " "}} }), continuation.ErrInvalid},
		{"a ref that is no JSON", with(func(a *continuation.Ask) { a.Options = []continuation.Option{{Ref: []byte("{")}} }), continuation.ErrInvalid},
		{"a pause without a run", with(func(a *continuation.Ask) { a.Origin = continuation.Pause }), continuation.ErrInvalid},
		{"a run without a pause", with(func(a *continuation.Ask) { a.RunID = "r1" }), continuation.ErrInvalid},
		{"a payload without an executor", with(func(a *continuation.Ask) { a.Payload = 1 }), continuation.ErrInvalid},
		{"an executor without a payload", with(func(a *continuation.Ask) { a.ExecutorKind, a.Kind = "pay", continuation.YesNo }), continuation.ErrInvalid},
		{"an action behind free text", with(func(a *continuation.Ask) { a.ExecutorKind, a.Payload = "pay", 1 }), continuation.ErrInvalid},
		{"a payload that is no JSON", with(func(a *continuation.Ask) {
			a.Kind, a.ExecutorKind, a.Payload = continuation.YesNo, "pay", json.RawMessage("{")
		}), continuation.ErrInvalid},
		{"a payload that does not encode", with(func(a *continuation.Ask) {
			a.Kind, a.ExecutorKind, a.Payload = continuation.YesNo, "pay", func() {}
		}), continuation.ErrInvalid},
		{"a negative lifetime", with(func(a *continuation.Ask) { a.TTL = -1 }), continuation.ErrInvalid},
		{"a question too long", with(func(a *continuation.Ask) { a.Question = strings.Repeat("x", continuation.MaxQuestion+1) }), continuation.ErrTooLarge},
		{"a payload too large", with(func(a *continuation.Ask) {
			a.Kind, a.ExecutorKind, a.Payload = continuation.YesNo, "pay", strings.Repeat("x", continuation.MaxPayload)
		}), continuation.ErrTooLarge},
		{"options too large", with(func(a *continuation.Ask) {
			a.Options = []continuation.Option{{Text: strings.Repeat("x", continuation.MaxOptions)}}
		}), continuation.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			first := d.ask(t, question("s1"))
			if _, _, err := d.Ask(t.Context(), tt.ask); !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if left, err := d.Pending(t.Context(), "s1"); err != nil || left == nil || left.ID != first.ID {
				t.Errorf("a refused ask changed what waits: %+v (%v)", left, err)
			}
		})
	}
}

func TestAskSupersedes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	action := continuation.Ask{SessionID: "s1", Owner: "confirmation", Kind: continuation.YesNo, Question: "Pay?", ExecutorKind: "pay", Payload: 1}
	first := d.ask(t, action)
	second, closed, err := d.Ask(t.Context(), question("s1"))
	if err != nil || closed == nil || closed.ID != first.ID || closed.Status != continuation.Superseded || closed.Why != continuation.Replaced || closed.ClosedBy != second.ID {
		t.Fatalf("closed %+v (%v)", closed, err)
	}
	if n := audited(t, d, "superseded"); n != 1 {
		t.Errorf("%d audit rows of a superseded action, want 1", n)
	}
	d.ask(t, question("s1"))
	if n := audited(t, d, "superseded"); n != 1 {
		t.Errorf("%d audit rows, want none for a question without an action", n)
	}
	if other, err := d.Pending(t.Context(), "s2"); err != nil || other != nil {
		t.Errorf("another session waits on %+v (%v)", other, err)
	}
}

func audited(t *testing.T, d *desk, kind string) int {
	t.Helper()
	n := 0
	for e, err := range d.store.Audit().Entries(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if string(e.Kind) == kind {
			n++
		}
	}
	return n
}

func TestLifetime(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.ask(t, question("s1"))
	if got := c.ExpiresAt.Sub(c.CreatedAt); got != continuation.DefaultTTL {
		t.Errorf("it waits %v, want %v", got, continuation.DefaultTTL)
	}
	d.now = c.ExpiresAt.Add(-time.Microsecond)
	if p, err := d.Pending(t.Context(), "s1"); err != nil || p == nil {
		t.Errorf("just before its time: %v (%v)", p, err)
	}
	d.now = c.ExpiresAt
	if p, err := d.Pending(t.Context(), "s1"); err != nil || p != nil {
		t.Errorf("at its time: %v (%v)", p, err)
	}
	if _, err := d.Claim(t.Context(), continuation.Claimant{ID: c.ID, SessionID: "s1"}); !errors.Is(err, continuation.ErrExpired) {
		t.Errorf("claim at its time: %v", err)
	}
	if row, err := d.Get(t.Context(), "s1", c.ID); err != nil || row.Status != continuation.Expired {
		t.Errorf("reads as %v (%v)", row.Status, err)
	}
	next, closed, err := d.Ask(t.Context(), question("s1"))
	if err != nil || closed == nil || closed.Status != continuation.Expired {
		t.Errorf("the next question closed %+v (%v), want it expired", closed, err)
	}
	if next == nil {
		t.Error("no next question")
	}
}

func TestClaimHasOneWinner(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.ask(t, question("s1"))
	var mu sync.Mutex
	won, late := 0, 0
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := d.Claim(context.Background(), continuation.Claimant{ID: c.ID, SessionID: "s1", TurnID: "t", Sender: "u1"})
			mu.Lock()
			defer mu.Unlock()
			var closed *continuation.ClosedError
			switch {
			case err == nil:
				won++
			case errors.As(err, &closed) && errors.Is(err, continuation.ErrClaimed) && closed.Row.AnsweredBy == "u1":
				late++
			default:
				t.Errorf("claim: %v", err)
			}
		})
	}
	all.Wait()
	if won != 1 || late != 19 {
		t.Errorf("won %d, late %d", won, late)
	}
}

func TestClaimEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(ctx context.Context, d *desk, c *continuation.Claim) error
		want continuation.Status
	}{
		{"settled", func(ctx context.Context, _ *desk, c *continuation.Claim) error { return c.Settle(ctx, "done") }, continuation.Answered},
		{"released", func(ctx context.Context, _ *desk, c *continuation.Claim) error { return c.Release(ctx) }, continuation.Pending},
		{"released after another was asked", func(ctx context.Context, d *desk, c *continuation.Claim) error {
			if _, _, err := d.Ask(ctx, question("s1")); err != nil {
				return err
			}
			return c.Release(ctx)
		}, continuation.Superseded},
		{"released past its time", func(ctx context.Context, d *desk, c *continuation.Claim) error {
			d.now = d.now.Add(continuation.DefaultTTL)
			return c.Release(ctx)
		}, continuation.Expired},
		{"closed", func(ctx context.Context, _ *desk, c *continuation.Claim) error {
			return c.Close(ctx, continuation.Ended, "x")
		}, continuation.Superseded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			c := d.ask(t, question("s1"))
			claim, err := d.Claim(t.Context(), continuation.Claimant{ID: c.ID, SessionID: "s1", TurnID: "t1"})
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.end(t.Context(), d, claim); err != nil {
				t.Fatal(err)
			}
			if got := claim.Row().Status; got != tt.want {
				t.Errorf("%v, want %v", got, tt.want)
			}
			if err := claim.Settle(t.Context(), "again"); err == nil {
				t.Error("a claim ended twice")
			}
		})
	}
}

func TestNoPathAcrossSessions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.ask(t, question("s1"))
	_, claim := d.Claim(t.Context(), continuation.Claimant{ID: c.ID, SessionID: "s2"})
	_, get := d.Get(t.Context(), "s2", c.ID)
	_, withdraw := d.Withdraw(t.Context(), "s2", c.ID, continuation.Withdrawn, "x")
	for name, err := range map[string]error{"claim": claim, "get": get, "withdraw": withdraw} {
		if !errors.Is(err, continuation.ErrNotFound) {
			t.Errorf("%s from another session: %v, want ErrNotFound", name, err)
		}
	}
}

func TestHistoryPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var ids []string
	for range 5 {
		d.now = d.now.Add(time.Second)
		ids = append(ids, d.ask(t, question("s1")).ID)
	}
	d.ask(t, question("s2"))
	var got []string
	for before := ""; ; {
		page, err := d.History(t.Context(), "s1", before, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, c := range page {
			got = append(got, c.ID)
		}
		before = page[len(page)-1].ID
	}
	if diff := cmp.Diff([]string{ids[4], ids[3], ids[2], ids[1], ids[0]}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPayloadIsFrozen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	payload := map[string]any{"n": json.Number("12345678901234567890"), "html": "<b>&"}
	options := []continuation.Option{{Text: "a", Ref: json.RawMessage(`{"id":1}`)}}
	c := d.ask(t, continuation.Ask{
		SessionID: "s1", Owner: "confirmation", Kind: continuation.YesNo, Question: "Pay?", ExecutorKind: "pay", Payload: payload, Options: options,
	})
	payload["n"] = 1
	options[0].Ref[2] = 'X'
	row, err := d.Get(t.Context(), "s1", c.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(row.Payload), `{"html":"<b>&","n":12345678901234567890}`; got != want {
		t.Errorf("payload %s, want %s", got, want)
	}
	if got := string(row.Options[0].Ref); got != `{"id":1}` {
		t.Errorf("ref %s", got)
	}
}
