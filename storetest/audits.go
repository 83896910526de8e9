package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/audit"
)

func auditChecks() []Check {
	return []Check{
		{"audit/keeps every field", keepsEntry},
		{"audit/one chain for each session", auditChains},
		{"audit/chains hold when many write", auditRace},
		{"audit/a row goes with its transaction", auditRollsBack},
		{"audit/pages", auditPages},
	}
}

func entry(sessionID string, n int) audit.Entry {
	return audit.Entry{
		SessionID: sessionID, At: at(time.Duration(n) * time.Second).Add(999), Kind: audit.KindDecision, RunID: "r", StepID: n, TurnID: "t",
		Point: "pre_tool", Subject: "wr\x00ite <é>", Verdict: "deny", By: "policy", Reason: "no", Digest: "abc",
	}
}

func entries(t TB, s Store, after int64) (out []audit.Entry) {
	t.Helper()
	for e, err := range s.Audit().Entries(t.Context(), after) {
		ok(t, "entries", err)
		out = append(out, e)
	}
	return out
}

func keepsEntry(t TB, f Factory) {
	s, want := f.Open(t), entry("s", 1)
	given := want
	given.Seq, given.Prev, given.Hash = 77, "forged", "forged"
	ok(t, "append", s.Audit().Append(t.Context(), given))
	got := entries(t, s, 0)
	if len(got) != 1 {
		t.Fatalf("%d entries, want 1", len(got))
	}
	want.At = at(time.Second)
	want.Seq, want.Hash = got[0].Seq, want.Sum("")
	same(t, "the entry", got[0], want)
}

func auditChains(t TB, f Factory) {
	s := f.Open(t)
	for i := range 6 {
		ok(t, "append", s.Audit().Append(t.Context(), entry([]string{"s", "u", ""}[i%3], i)))
	}
	all := entries(t, s, 0)
	head := map[string]string{}
	for i, e := range all {
		if i > 0 && e.Seq <= all[i-1].Seq {
			t.Errorf("row %d after row %d", e.Seq, all[i-1].Seq)
		}
		if e.Prev != head[e.SessionID] || e.Hash != e.Sum(e.Prev) {
			t.Errorf("row %d of %q does not follow the row before it", e.Seq, e.SessionID)
		}
		head[e.SessionID] = e.Hash
	}
	report, err := audit.Verify(t.Context(), s.Audit())
	ok(t, "verify", err)
	same(t, "the rows", report.Rows, 6)
	same(t, "the chains", len(report.Anchors), 3)
	same(t, "what follows the fourth", len(entries(t, s, all[3].Seq)), 2)
	same(t, "what follows the last", len(entries(t, s, all[5].Seq)), 0)
}

func auditRace(t TB, f Factory) {
	s := f.Open(t)
	handles := []Store{s}
	if f.Second != nil {
		handles = append(handles, f.Second(t, s))
	}
	for _, err := range together(20, func(i int) error {
		for n := range 5 {
			if err := handles[i%len(handles)].Audit().Append(t.Context(), entry(fmt.Sprint(n%2), n)); err != nil {
				return err
			}
		}
		return nil
	}) {
		ok(t, "append", err)
	}
	report, err := audit.Verify(t.Context(), s.Audit())
	ok(t, "verify", err)
	same(t, "the rows", report.Rows, 100)
}

func auditRollsBack(t TB, f Factory) {
	s := f.Open(t)
	refused := errors.New("refused")
	ok(t, "append", s.Audit().Append(t.Context(), entry("s", 1)))
	err := s.Atomically(t.Context(), inner(func(in scope) error {
		ok(t, "append", s.Audit().Append(in.ctx, entry("s", 2)))
		ok(t, "append", s.Audit().Append(in.ctx, entry("s", 3)))
		return refused
	}))
	is(t, "the transaction", err, refused)
	ok(t, "append", s.Audit().Append(t.Context(), entry("s", 4)))
	report, err := audit.Verify(t.Context(), s.Audit())
	ok(t, "verify", err)
	same(t, "the rows", report.Rows, 2)
}

func auditPages(t TB, f Factory) {
	s := f.Open(t)
	const rows = 600
	ok(t, "append", s.Atomically(t.Context(), inner(func(in scope) error {
		for i := range rows {
			if err := s.Audit().Append(in.ctx, entry("s", i)); err != nil {
				return err
			}
		}
		return nil
	})))
	n := 0
	for e, err := range s.Audit().Entries(t.Context(), 0) {
		ok(t, "entries", err)
		if e.StepID != n {
			t.Fatalf("row %d is of step %d", n, e.StepID)
		}
		if n++; n == 300 { // what the consumer does is none of the store's business
			ok(t, "append while reading", s.Audit().Append(t.Context(), entry("u", 0)))
			break
		}
	}
	same(t, "all rows", len(entries(t, s, 0)), rows+1)
}
