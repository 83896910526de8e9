package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/iris-harness/iris/continuation"
)

// continuationOp is one call; its times are minutes.
type continuationOp struct {
	call    string
	id      string
	session string
	at, ttl int
}

// modelRow is a continuation as the model has it.
type modelRow struct {
	session string
	expires int
	status  continuation.Status
}

type modelRows map[string]modelRow

// continuationOps draws calls on some rows. One caller sweeps too; beside others a sweep may run in parts, which they can see.
func continuationOps(rows int, sweeps bool) *rapid.Generator[continuationOp] {
	calls := []string{"open", "open", "open", "claim", "claim", "claim", "withdraw", "settle", "release", "pending", "get"}
	if sweeps {
		calls = append(calls, "sweep")
	}
	return rapid.Custom(func(rt *rapid.T) continuationOp {
		return continuationOp{
			call: rapid.SampledFrom(calls).Draw(rt, "call"), id: named(rt, "c", rows), session: named(rt, "s", (rows+1)/2),
			at: minutes(rt, "at"), ttl: 1 + minutes(rt, "ttl"),
		}
	})
}

func continuationMachine() machine[modelRows, continuationOp] {
	return machine[modelRows, continuationOp]{
		begin: modelRows{},
		step: func(s modelRows, o continuationOp) (modelRows, string) {
			s = maps.Clone(s)
			return s, s.step(o)
		},
		do: doContinuation,
	}
}

// step applies o to s.
func (s modelRows) step(o continuationOp) string {
	row, there := s[o.id]
	status := row.readAt(o.at)
	switch o.call {
	case "open":
		return s.open(o, there)
	case "pending":
		for id, row := range s {
			if row.session == o.session && row.readAt(o.at) == continuation.Pending {
				return id
			}
		}
		return "none"
	case "sweep":
		n := 0
		for id, row := range s {
			if row.readAt(o.at) != row.status {
				s.set(id, continuation.Expired)
				n++
			}
		}
		return fmt.Sprint(n)
	}
	switch {
	case !there, o.call == "claim" && row.session != o.session:
		return "not found"
	case o.call == "get":
		return string(status)
	case o.call == "claim" || o.call == "withdraw":
		return s.move(o.id, status, continuation.Pending, map[string]continuation.Status{"claim": continuation.Claimed, "withdraw": continuation.Superseded}[o.call])
	case o.call == "settle":
		return s.move(o.id, status, continuation.Claimed, continuation.Answered)
	}
	return s.release(o, row, status)
}

func (r modelRow) readAt(now int) continuation.Status {
	if r.status == continuation.Pending && now >= r.expires {
		return continuation.Expired
	}
	return r.status
}

func (s modelRows) set(id string, status continuation.Status) {
	row := s[id]
	row.status = status
	s[id] = row
}

func (s modelRows) open(o continuationOp, taken bool) string {
	if taken {
		return "invalid"
	}
	saw := "closed none"
	if id := s.stored(o.session); id != "" {
		status := continuation.Superseded
		if s[id].readAt(o.at) == continuation.Expired {
			status = continuation.Expired
		}
		s.set(id, status)
		saw = fmt.Sprintf("closed %s as %s", id, status)
	}
	s[o.id] = modelRow{o.session, o.at + o.ttl, continuation.Pending}
	return saw
}

// stored returns the row of a session that is stored as pending.
func (s modelRows) stored(session string) string {
	for id, row := range s {
		if row.session == session && row.status == continuation.Pending {
			return id
		}
	}
	return ""
}

func (s modelRows) move(id string, status, from, to continuation.Status) string {
	if status != from {
		return "is " + string(status)
	}
	s.set(id, to)
	return "now " + string(to)
}

func (s modelRows) release(o continuationOp, row modelRow, status continuation.Status) string {
	to := continuation.Pending
	if other := s.stored(row.session); status == continuation.Claimed && o.at < row.expires && other != "" {
		if s[other].readAt(o.at) == continuation.Pending {
			to = continuation.Superseded
		} else {
			s.set(other, continuation.Expired)
		}
	}
	if o.at >= row.expires {
		to = continuation.Expired
	}
	return s.move(o.id, status, continuation.Claimed, to)
}

// doContinuation does o on a store and says what came of it, in the model's words.
func doContinuation(t TB, s Store, prefix string, o continuationOp) string {
	ctx, now := t.Context(), at(time.Duration(o.at)*time.Minute)
	id, sessionID := prefix+o.id, prefix+o.session
	move := func(from, to continuation.Status) string {
		row, err := s.Continuations().Move(ctx, continuation.Move{ID: id, From: from, To: to, At: now})
		return moved(row, err)
	}
	switch o.call {
	case "open":
		c := question(sessionID, id)
		c.CreatedAt, c.ExpiresAt = now, now.Add(time.Duration(o.ttl)*time.Minute)
		closed, err := s.Continuations().Open(ctx, c)
		switch {
		case errors.Is(err, continuation.ErrInvalid):
			return "invalid"
		case err != nil:
			return err.Error()
		case closed == nil:
			return "closed none"
		}
		return fmt.Sprintf("closed %s as %s", closed.ID[len(prefix):], closed.Status)
	case "claim":
		return moved(s.Continuations().Claim(ctx, continuation.Claimant{ID: id, SessionID: sessionID, TurnID: "t", At: now}))
	case "withdraw":
		return move(continuation.Pending, continuation.Superseded)
	case "settle":
		return move(continuation.Claimed, continuation.Answered)
	case "release":
		return move(continuation.Claimed, continuation.Pending)
	case "pending":
		row, err := s.Continuations().Pending(ctx, sessionID, now)
		if err != nil || row == nil {
			return word(err, "none")
		}
		return row.ID[len(prefix):]
	case "get":
		row, err := s.Continuations().Get(ctx, id, now)
		if err != nil {
			return word(err, "")
		}
		return string(row.Status)
	}
	return sweepAll(t, s, prefix, now)
}

// sweepAll sweeps and returns how many rows of this example were marked.
func sweepAll(t TB, s Store, prefix string, now time.Time) string {
	count := func() (n int) {
		for _, c := range []string{"s0", "s1"} { // as many as are drawn
			rows, err := s.Continuations().List(t.Context(), continuation.Query{SessionID: prefix + c})
			if err != nil {
				return -1
			}
			for _, row := range rows { // as they are stored
				if row.Status == continuation.Expired {
					n++
				}
			}
		}
		return n
	}
	before := count()
	if _, err := s.Continuations().Sweep(t.Context(), now, start(), 10_000); err != nil {
		return err.Error()
	}
	return fmt.Sprint(count() - before)
}

func moved(row *continuation.Continuation, err error) string {
	if err != nil {
		return word(err, "")
	}
	return "now " + string(row.Status)
}

// word says in the model's words what an error says.
func word(err error, none string) string {
	var closed *continuation.ClosedError
	switch {
	case err == nil:
		return none
	case errors.As(err, &closed):
		return "is " + string(closed.Row.Status)
	case errors.Is(err, continuation.ErrNotFound):
		return "not found"
	}
	return err.Error()
}

// String puts the rows in order, so that equal states read alike.
func (s modelRows) String() string {
	text := ""
	for _, id := range slices.Sorted(maps.Keys(s)) {
		text += fmt.Sprintf("%s%v ", id, s[id])
	}
	return text
}
