package storetest

import (
	"time"

	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/audit"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/session"
)

func forgetChecks() []Check {
	return []Check{
		{"forget/everything of one session", forget},
		{"forget/its lease's epoch still rises", forgetEpoch},
	}
}

// fill writes a row of everything for a session.
func fill(t TB, s Store, sessionID string) {
	t.Helper()
	open(t, s, question(sessionID, "c-"+sessionID))
	r := begin(t, s, run(sessionID, "r-"+sessionID), checkpoint.Running)
	ok(t, "put", s.Checkpoints().Put(t.Context(), 1, step(r, 0, "{}")))
	ok(t, "start", s.Ledger().Start(t.Context(), effect(r, "e-"+sessionID)))
	create(t, s, request(sessionID, "a-"+sessionID))
	d := delivery("d-"+sessionID, 0)
	d.SessionID = sessionID
	put(t, s, d)
	ok(t, "append", s.Sessions().Append(t.Context(), message(sessionID, "m1")))
	openTurn(t, s, turn(sessionID, "t1", "m1"))
	ok(t, "audit", s.Audit().Append(t.Context(), audit.Entry{SessionID: sessionID, At: start(), Kind: audit.KindClaimed}))
}

// count counts the rows of a session by kind.
func count(t TB, s Store, sessionID string) map[string]int {
	t.Helper()
	ctx, out := t.Context(), map[string]int{}
	out["continuations"] = len(history(t, s, sessionID, start()))
	out["runs"] = len(must[[]checkpoint.Run](t, "runs")(s.Checkpoints().List(ctx, checkpoint.Query{SessionID: sessionID, Now: start()})))
	out["steps"] = len(steps(t, s, "r-"+sessionID))
	out["effects"] = len(must[[]checkpoint.Effect](t, "effects")(s.Ledger().Effects(ctx, "r-"+sessionID)))
	out["approvals"] = len(must[[]approval.Request](t, "approvals")(s.Approvals().List(ctx, approval.Query{SessionID: sessionID})))
	out["messages"] = len(must[[]session.Message](t, "messages")(s.Sessions().Messages(ctx, sessionID, "", 10)))
	out["turns"] = len(must[[]session.Turn](t, "turns")(s.Sessions().OpenTurns(ctx, sessionID, 10)))
	for e, err := range s.Audit().Entries(ctx, 0) {
		ok(t, "audit", err)
		if e.SessionID == sessionID {
			out["audit"]++
		}
	}
	return out
}

func forget(t TB, f Factory) {
	s := f.Open(t)
	fill(t, s, "s")
	fill(t, s, "keep")
	all := count(t, s, "s")
	for kind, n := range all {
		if n != 1 {
			t.Errorf("%d %s before", n, kind)
		}
	}
	ok(t, "forget", s.Sessions().Forget(t.Context(), "s"))
	for kind, n := range count(t, s, "s") {
		if want := map[string]int{"audit": 1}[kind]; n != want {
			t.Errorf("%d %s are left, want %d", n, kind, want)
		}
	}
	same(t, "the other session", count(t, s, "keep"), all)
	same(t, "what is still to be delivered", due(t, s, 0, time.Hour, 10), "d-keep")
	ok(t, "forget again", s.Sessions().Forget(t.Context(), "s"))
	fill(t, s, "s") // as if it had never been there
	if _, err := audit.Verify(t.Context(), s.Audit()); err != nil {
		t.Errorf("the audit log: %v", err)
	}
}

func forgetEpoch(t TB, f Factory) {
	s := f.Open(t)
	var last session.Lease
	for i := range 3 {
		last = must[session.Lease](t, "acquire")(acquire(t, s, "a", time.Duration(i)*time.Hour))
	}
	ok(t, "forget", s.Sessions().Forget(t.Context(), "s"))
	_, err := s.Sessions().Hold(t.Context(), last, at(time.Hour))
	is(t, "hold of a lease that was forgotten", err, session.ErrFenced)
	next := must[session.Lease](t, "acquire")(acquire(t, s, "a", 0))
	if next.Epoch <= last.Epoch {
		t.Errorf("epoch %d after %d: who held it before would pass for who holds it now", next.Epoch, last.Epoch)
	}
}
