package storetest

import (
	"errors"
	"strings"
	"time"

	"github.com/iris-harness/iris/checkpoint"
)

func ledgerChecks() []Check {
	return []Check{
		{"ledger/starts, and ends once", effectEnds},
		{"ledger/keeps every field", keepsEffect},
		{"ledger/starts once", effectStartsOnce},
		{"ledger/an item of an approval is used once", effectItem},
		{"ledger/one starts it", effectRace},
		{"ledger/lists", effectLists},
	}
}

func getEffect(t TB, s Store, key string) checkpoint.Effect {
	t.Helper()
	return *must[*checkpoint.Effect](t, "effect")(s.Ledger().Effect(t.Context(), key))
}

func keepsEffect(t TB, f Factory) {
	s, want := f.Open(t), effect(run("s", "r1"), "e1")
	want.ApprovalID, want.Item, want.Idempotent = "a1", 2, true
	ok(t, "start", s.Ledger().Start(t.Context(), want))
	same(t, "a started effect", getEffect(t, s, "e1"), want)
	result := []byte("\x00 3 files <deleted>")
	ok(t, "finish", s.Ledger().Finish(t.Context(), "e1", result, true, at(time.Second)))
	result[0] = 'x'
	want.State, want.Result, want.Failed, want.EndedAt = checkpoint.Finished, []byte("\x00 3 files <deleted>"), true, at(time.Second)
	same(t, "a finished effect", getEffect(t, s, "e1"), want)

	want = effect(run("s", "r1"), "e2")
	ok(t, "start", s.Ledger().Start(t.Context(), want))
	ok(t, "settle", s.Ledger().Settle(t.Context(), "e2", true, "ann", at(time.Minute)))
	want.State, want.Happened, want.SettledBy, want.EndedAt = checkpoint.Settled, true, "ann", at(time.Minute)
	same(t, "a settled effect", getEffect(t, s, "e2"), want)
	_, err := s.Ledger().Effect(t.Context(), "e3")
	is(t, "an unknown key", err, checkpoint.ErrNotFound)
}

func effectEnds(t TB, f Factory) {
	s := f.Open(t)
	finish := func(key string) error {
		return s.Ledger().Finish(t.Context(), key, []byte("r"), false, at(time.Second))
	}
	settle := func(key string) error { return s.Ledger().Settle(t.Context(), key, false, "bob", at(time.Second)) }
	is(t, "settle of an unknown key", settle("nobody"), checkpoint.ErrNotFound)
	if err := finish("nobody"); err == nil {
		t.Errorf("an unknown effect was finished")
	}
	for name, first := range map[string]func(string) error{"finished": finish, "settled": settle} {
		ok(t, "start", s.Ledger().Start(t.Context(), effect(run("s", "r"), name)))
		ok(t, name, first(name))
		before := getEffect(t, s, name)
		for _, err := range []error{finish(name), settle(name), s.Ledger().Start(t.Context(), effect(run("s", "r"), name))} {
			if there := as[*checkpoint.EffectError](t, "a "+name+" effect", err); there != nil {
				same(t, "what the error says", there.Effect, before)
			}
		}
		same(t, "a "+name+" effect", getEffect(t, s, name), before)
	}
}

func effectStartsOnce(t TB, f Factory) {
	s := f.Open(t)
	first := effect(run("s", "r"), "once")
	ok(t, "start", s.Ledger().Start(t.Context(), first))
	second := first
	second.Tool = "other"
	if there := as[*checkpoint.EffectError](t, "a second start", s.Ledger().Start(t.Context(), second)); there != nil {
		same(t, "what the error says", there.Effect, first)
	}
	idempotent := effect(run("s", "r"), "again")
	idempotent.Idempotent = true
	for range 3 {
		ok(t, "start of an idempotent effect", s.Ledger().Start(t.Context(), idempotent))
	}
	same(t, "the rows", len(must[[]checkpoint.Effect](t, "effects")(s.Ledger().Effects(t.Context(), "r"))), 2)
	ok(t, "finish", s.Ledger().Finish(t.Context(), "again", nil, false, at(time.Second)))
	as[*checkpoint.EffectError](t, "a start after the end", s.Ledger().Start(t.Context(), idempotent))
}

func effectItem(t TB, f Factory) {
	s := f.Open(t)
	under := func(key, approvalID string, item int) checkpoint.Effect {
		e := effect(run("s", "r"), key)
		e.ApprovalID, e.Item = approvalID, item
		return e
	}
	ok(t, "start", s.Ledger().Start(t.Context(), under("e1", "a1", 1)))
	ok(t, "another item", s.Ledger().Start(t.Context(), under("e2", "a1", 2)))
	ok(t, "another approval", s.Ledger().Start(t.Context(), under("e3", "a2", 1)))
	there := as[*checkpoint.EffectError](t, "the same item again", s.Ledger().Start(t.Context(), under("e4", "a1", 1)))
	if there != nil {
		same(t, "what has the item", there.Effect.Key, "e1")
	}
	for _, key := range []string{"e5", "e6"} {
		ok(t, "without an approval", s.Ledger().Start(t.Context(), effect(run("s", "r"), key)))
	}
}

func effectRace(t TB, f Factory) {
	s := f.Open(t)
	errs := together(20, func(int) error { return s.Ledger().Start(t.Context(), effect(run("s", "r"), "e")) })
	winner := oneWinner(t, "start", errs)
	for i, err := range errs {
		var there *checkpoint.EffectError
		if i != winner && !errors.As(err, &there) {
			t.Errorf("a loser got %v", err)
		}
	}
}

func effectLists(t TB, f Factory) {
	s := f.Open(t)
	for i, key := range []string{"e9", "e1", "e5", "e3"} { // the keys say nothing about the order
		e := effect(run("s", "r1"), key)
		e.StartedAt = at(time.Duration(i) * time.Second)
		ok(t, "start", s.Ledger().Start(t.Context(), e))
	}
	ok(t, "start", s.Ledger().Start(t.Context(), effect(run("t", "r2"), "f1")))
	idempotent := effect(run("t", "r2"), "f2")
	idempotent.Idempotent = true
	ok(t, "start", s.Ledger().Start(t.Context(), idempotent))
	ok(t, "finish", s.Ledger().Finish(t.Context(), "e1", nil, false, at(time.Minute)))
	keys := func(rows []checkpoint.Effect, err error) string {
		ok(t, "list", err)
		var out []string
		for _, e := range rows {
			out = append(out, e.Key)
		}
		return strings.Join(out, " ")
	}
	ctx := t.Context()
	same(t, "of a run", keys(s.Ledger().Effects(ctx, "r1")), "e9 e1 e5 e3")
	same(t, "of an unknown run", keys(s.Ledger().Effects(ctx, "r3")), "")
	same(t, "ambiguous", keys(s.Ledger().Ambiguous(ctx, "", "", 10)), "e9 e5 e3 f1")
	same(t, "ambiguous in a session", keys(s.Ledger().Ambiguous(ctx, "s", "", 10)), "e9 e5 e3")
	same(t, "the next page", keys(s.Ledger().Ambiguous(ctx, "s", "e9", 1)), "e5")
	same(t, "the last page", keys(s.Ledger().Ambiguous(ctx, "s", "e3", 10)), "")
}
