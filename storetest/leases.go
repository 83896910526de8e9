package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/iris-harness/iris/session"
)

func leaseChecks() []Check {
	return []Check{
		{"lease/one holder", leaseOne},
		{"lease/passes on at its time", leasePasses},
		{"lease/held and renewed", leaseHold},
		{"lease/given back", leaseRelease},
		{"lease/taken over", leaseTakeOver},
		{"lease/one of many", leaseRace},
	}
}

func acquire(t TB, s Store, holder string, now time.Duration) (session.Lease, error) {
	return s.Sessions().Acquire(t.Context(), "s", holder, at(now), at(now+time.Minute))
}

func leaseOne(t TB, f Factory) {
	s := f.Open(t)
	l := must[session.Lease](t, "acquire")(acquire(t, s, "a", 0))
	if l.SessionID != "s" || l.Holder != "a" || l.Epoch < 1 || !l.Until.Equal(at(time.Minute)) {
		t.Errorf("the lease is %+v", l)
	}
	_, err := acquire(t, s, "b", time.Second)
	if busy := as[*session.BusyError](t, "a second holder", err); busy != nil && !busy.Until.Equal(at(time.Minute)) {
		t.Errorf("busy until %v, want %v", busy.Until, at(time.Minute))
	}
	other, err := s.Sessions().Acquire(t.Context(), "other", "b", start(), at(time.Minute))
	ok(t, "acquire of another session", err)
	same(t, "its holder", other.Holder, "b")
	again := must[session.Lease](t, "acquire by its holder")(acquire(t, s, "a", 2*time.Second))
	if again.Epoch <= l.Epoch {
		t.Errorf("epoch %d after %d", again.Epoch, l.Epoch)
	}
	_, err = s.Sessions().Hold(t.Context(), l, at(time.Hour))
	is(t, "the holder's own lease from before", err, session.ErrFenced)
}

func leasePasses(t TB, f Factory) {
	s := f.Open(t)
	l := must[session.Lease](t, "acquire")(acquire(t, s, "a", 0))
	_, err := acquire(t, s, "b", time.Minute-time.Microsecond)
	as[*session.BusyError](t, "just before its time", err)
	_, err = s.Sessions().Hold(t.Context(), l, time.Time{})
	ok(t, "hold of a lease that nobody took over", err)
	next := must[session.Lease](t, "acquire at its time")(acquire(t, s, "b", time.Minute))
	same(t, "the epoch", next.Epoch, l.Epoch+1)
	for _, until := range []time.Time{{}, at(time.Hour)} {
		_, err = s.Sessions().Hold(t.Context(), l, until)
		is(t, "hold by who had it", err, session.ErrFenced)
	}
	ok(t, "release by who had it", s.Sessions().Release(t.Context(), l))
	got := must[session.Lease](t, "hold")(s.Sessions().Hold(t.Context(), next, time.Time{}))
	same(t, "the lease", got, next)
}

func leaseHold(t TB, f Factory) {
	s := f.Open(t)
	l := must[session.Lease](t, "acquire")(acquire(t, s, "a", 0))
	same(t, "held", must[session.Lease](t, "hold")(s.Sessions().Hold(t.Context(), l, at(time.Second))), l)
	renewed := must[session.Lease](t, "hold")(s.Sessions().Hold(t.Context(), l, at(time.Hour)))
	if !renewed.Until.Equal(at(time.Hour)) || renewed.Epoch != l.Epoch {
		t.Errorf("renewed it is %+v", renewed)
	}
	_, err := acquire(t, s, "b", 2*time.Minute)
	as[*session.BusyError](t, "after it was renewed", err)
	_, err = s.Sessions().Hold(t.Context(), session.Lease{SessionID: "nobody", Holder: "a", Epoch: 1}, at(time.Hour))
	is(t, "hold of a lease that was never taken", err, session.ErrFenced)
}

func leaseRelease(t TB, f Factory) {
	s := f.Open(t)
	l := must[session.Lease](t, "acquire")(acquire(t, s, "a", 0))
	ok(t, "release", s.Sessions().Release(t.Context(), l))
	_, err := s.Sessions().Hold(t.Context(), l, time.Time{})
	is(t, "hold after the release", err, session.ErrFenced)
	ok(t, "release again", s.Sessions().Release(t.Context(), l))
	next := must[session.Lease](t, "acquire")(acquire(t, s, "b", time.Second))
	if next.Epoch <= l.Epoch {
		t.Errorf("epoch %d after %d", next.Epoch, l.Epoch)
	}
	ok(t, "release of a lease that is unknown", s.Sessions().Release(t.Context(), session.Lease{SessionID: "nobody"}))
}

func leaseTakeOver(t TB, f Factory) {
	s := f.Open(t)
	l := must[session.Lease](t, "acquire")(acquire(t, s, "dead", 0))
	ok(t, "take over", s.Sessions().TakeOver(t.Context(), "s"))
	_, err := s.Sessions().Hold(t.Context(), l, time.Time{})
	is(t, "hold by the dead", err, session.ErrFenced)
	next := must[session.Lease](t, "acquire")(acquire(t, s, "b", time.Second))
	if next.Epoch <= l.Epoch {
		t.Errorf("epoch %d after %d", next.Epoch, l.Epoch)
	}
	ok(t, "take over of an unknown session", s.Sessions().TakeOver(t.Context(), "nobody"))
}

func leaseRace(t TB, f Factory) {
	s := f.Open(t)
	handles := []Store{s}
	if f.Second != nil {
		handles = append(handles, f.Second(t, s))
	}
	for round := range 5 {
		errs := together(20, func(i int) error {
			_, err := handles[i%len(handles)].Sessions().Acquire(t.Context(), fmt.Sprint(round), fmt.Sprint(i), start(), at(time.Minute))
			return err
		})
		winner := oneWinner(t, "acquire", errs)
		for i, err := range errs {
			var busy *session.BusyError
			if i != winner && !errors.As(err, &busy) {
				t.Errorf("a loser got %v", err)
			}
		}
	}
}
