package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/iris-harness/iris/checkpoint"
)

func runChecks() []Check {
	return []Check{
		{"run/keeps every field", keepsRun},
		{"run/the machine", runMachine},
		{"run/what a move writes", runMoveWrites},
		{"run/one winner", runRace},
		{"run/time is up at the deadline", runDeadline},
		{"run/pinned and running runs stay", runPinned},
		{"run/sweep", runSweep},
		{"run/list", runList},
	}
}

func states() []checkpoint.State {
	return []checkpoint.State{checkpoint.Running, checkpoint.Paused, checkpoint.Held, checkpoint.Done, checkpoint.Failed, checkpoint.Ended}
}

func keepsRun(t TB, f Factory) {
	s, want := f.Open(t), run("s", "r1")
	begin(t, s, want, checkpoint.Running)
	got := must[*checkpoint.Run](t, "get")(s.Checkpoints().Get(t.Context(), "r1", start()))
	same(t, "the run", got, &want)
	again := as[*checkpoint.StateError](t, "begin of a run that is there", s.Checkpoints().Begin(t.Context(), run("t", "r1")))
	if again != nil {
		same(t, "the run that is there", again.Run, want)
	}
	_, err := s.Checkpoints().Get(t.Context(), "r2", start())
	is(t, "get of an unknown id", err, checkpoint.ErrNotFound)
}

func runMachine(t TB, f Factory) {
	s := f.Open(t)
	legal := func(from, to checkpoint.State) bool {
		switch from {
		case checkpoint.Running:
			return to != checkpoint.Running
		case checkpoint.Paused, checkpoint.Held, checkpoint.Failed:
			return to == checkpoint.Running || to == checkpoint.Ended
		}
		return false
	}
	for _, stands := range states() {
		for _, to := range states() {
			id := fmt.Sprintf("%s to %s", stands, to)
			before := begin(t, s, run("s", id), stands)
			_, err := s.Checkpoints().Move(t.Context(), checkpoint.Move{RunID: id, From: states(), Epoch: before.Epoch, To: to, At: at(time.Minute)})
			after := must[*checkpoint.Run](t, "get")(s.Checkpoints().Get(t.Context(), id, start()))
			if !legal(stands, to) {
				as[*checkpoint.StateError](t, id, err)
				same(t, id, after, &before)
				continue
			}
			ok(t, id, err)
			epoch := before.Epoch
			if to == checkpoint.Running {
				epoch++
			}
			if after.State != to || after.Epoch != epoch {
				t.Errorf("%s: it is %s at epoch %d, want epoch %d", id, after.State, after.Epoch, epoch)
			}
		}
	}
}

func runMoveWrites(t TB, f Factory) {
	s := f.Open(t)
	want := begin(t, s, run("s", "r1"), checkpoint.Running)
	m := checkpoint.Move{
		RunID: "r1", From: []checkpoint.State{checkpoint.Running}, Epoch: 1, To: checkpoint.Paused, Reason: checkpoint.AwaitingUserInput,
		Detail: "it asks", Asked: &checkpoint.Asked{CallID: "c", StepID: 4, Question: "Which <one>?", Choices: []string{"a", "b"}},
		TurnID: "turn-2", ExpiresAt: at(2 * time.Hour), At: at(time.Minute),
	}
	got, err := s.Checkpoints().Move(t.Context(), m)
	ok(t, "pause", err)
	want.State, want.Reason, want.Detail, want.Asked, want.TurnID = checkpoint.Paused, m.Reason, m.Detail, m.Asked, "turn-2"
	want.ExpiresAt, want.UpdatedAt = m.ExpiresAt, m.At
	same(t, "the paused run", got, &want)
	same(t, "the paused run, read again", must[*checkpoint.Run](t, "get")(s.Checkpoints().Get(t.Context(), "r1", start())), &want)

	for _, wrong := range []checkpoint.Move{
		{RunID: "r1", From: []checkpoint.State{checkpoint.Held, checkpoint.Failed}, Epoch: 1, To: checkpoint.Running, At: at(time.Minute)},
		{RunID: "r1", From: []checkpoint.State{checkpoint.Paused}, Epoch: 2, To: checkpoint.Running, At: at(time.Minute)},
		{RunID: "r1", Epoch: 1, To: checkpoint.Running, At: at(time.Minute)},
	} {
		_, err := s.Checkpoints().Move(t.Context(), wrong)
		if stands := as[*checkpoint.StateError](t, "a move from elsewhere", err); stands != nil {
			same(t, "where it stands", stands.Run, want)
		}
	}
	got, err = s.Checkpoints().Move(t.Context(), checkpoint.Move{
		RunID: "r1", From: []checkpoint.State{checkpoint.Held, checkpoint.Paused}, Epoch: 1, To: checkpoint.Running, At: at(2 * time.Minute),
	})
	ok(t, "resume", err)
	want.State, want.Reason, want.Detail, want.Asked, want.Epoch, want.UpdatedAt = checkpoint.Running, "", "", nil, 2, at(2*time.Minute)
	same(t, "the resumed run", got, &want)
	_, err = s.Checkpoints().Move(t.Context(), checkpoint.Move{RunID: "r2", From: states(), To: checkpoint.Ended, At: start()})
	is(t, "move of an unknown id", err, checkpoint.ErrNotFound)
}

func runRace(t TB, f Factory) {
	s := f.Open(t)
	r := begin(t, s, run("s", "r1"), checkpoint.Paused)
	errs := together(20, func(int) error {
		_, err := s.Checkpoints().Move(t.Context(), checkpoint.Move{
			RunID: r.ID, From: []checkpoint.State{checkpoint.Paused}, Epoch: r.Epoch, To: checkpoint.Running, At: at(time.Minute),
		})
		return err
	})
	winner := oneWinner(t, "resume", errs)
	for i, err := range errs {
		if i != winner {
			as[*checkpoint.StateError](t, "a loser", err)
		}
	}
}

func runDeadline(t TB, f Factory) {
	s := f.Open(t)
	r := begin(t, s, run("s", "r1"), checkpoint.Paused)
	resume := checkpoint.Move{RunID: "r1", From: []checkpoint.State{checkpoint.Paused}, Epoch: r.Epoch, To: checkpoint.Running}
	_, err := s.Checkpoints().Get(t.Context(), "r1", at(time.Hour-time.Nanosecond))
	ok(t, "get just before the deadline", err)
	if n := len(must[[]checkpoint.Run](t, "list")(s.Checkpoints().List(t.Context(), checkpoint.Query{Now: at(time.Hour - 1)}))); n != 1 {
		t.Errorf("%d runs are listed just before the deadline, want 1", n)
	}
	_, err = s.Checkpoints().Get(t.Context(), "r1", at(time.Hour).In(time.FixedZone("east", 9*3600)))
	is(t, "get at the deadline", err, checkpoint.ErrNotFound)
	resume.At = at(time.Hour)
	_, err = s.Checkpoints().Move(t.Context(), resume)
	is(t, "move at the deadline", err, checkpoint.ErrNotFound)
	if n := len(must[[]checkpoint.Run](t, "list")(s.Checkpoints().List(t.Context(), checkpoint.Query{Now: at(time.Hour)}))); n != 0 {
		t.Errorf("%d runs are listed at the deadline, want 0", n)
	}
	resume.At = at(time.Hour - 1)
	_, err = s.Checkpoints().Move(t.Context(), resume)
	ok(t, "move just before the deadline", err)
}

func runPinned(t TB, f Factory) {
	s := f.Open(t)
	for _, id := range []string{"pinned", "freed", "plain"} {
		begin(t, s, run("s", id), checkpoint.Paused)
	}
	begin(t, s, run("s", "running"), checkpoint.Running)
	ok(t, "pin", s.Checkpoints().Pin(t.Context(), "pinned", true, time.Time{}))
	ok(t, "pin", s.Checkpoints().Pin(t.Context(), "freed", true, time.Time{}))
	ok(t, "unpin", s.Checkpoints().Pin(t.Context(), "freed", false, at(3*time.Hour)))
	is(t, "pin of an unknown id", s.Checkpoints().Pin(t.Context(), "nobody", true, time.Time{}), checkpoint.ErrNotFound)
	for after, want := range map[time.Duration]string{0: "running plain pinned freed", 2 * time.Hour: "running pinned freed", 4 * time.Hour: "running pinned"} {
		var ids []string
		for _, r := range must[[]checkpoint.Run](t, "list")(s.Checkpoints().List(t.Context(), checkpoint.Query{Now: at(after)})) {
			ids = append(ids, r.ID)
			if r.Pinned != (r.ID == "pinned") {
				t.Errorf("%s: pinned %v", r.ID, r.Pinned)
			}
		}
		same(t, fmt.Sprintf("after %v", after), strings.Join(ids, " "), want)
	}
	n := must[int](t, "sweep")(s.Checkpoints().Sweep(t.Context(), at(4*time.Hour), 10))
	same(t, "swept", n, 2)
	for _, id := range []string{"pinned", "running"} {
		_, err := s.Checkpoints().Get(t.Context(), id, at(1000*time.Hour))
		ok(t, "get of the run that is "+id, err)
	}
}

func runSweep(t TB, f Factory) {
	s := f.Open(t)
	for _, id := range []string{"r1", "r2", "r3"} {
		r := begin(t, s, run("s", id), checkpoint.Running)
		ok(t, "put", s.Checkpoints().Put(t.Context(), r.Epoch, step(r, 0, "{}")))
		_, err := s.Checkpoints().Move(t.Context(), checkpoint.Move{RunID: id, From: states(), Epoch: 1, To: checkpoint.Done, At: at(time.Minute)})
		ok(t, "done", err)
	}
	for _, test := range []struct {
		now         time.Duration
		limit, want int
	}{{time.Hour - 1, 10, 0}, {time.Hour, 2, 2}, {time.Hour, 2, 1}, {time.Hour, 2, 0}} {
		n := must[int](t, "sweep")(s.Checkpoints().Sweep(t.Context(), at(test.now), test.limit))
		if n != test.want {
			t.Errorf("a sweep of at most %d after %v deleted %d, want %d", test.limit, test.now, n, test.want)
		}
	}
	for _, id := range []string{"r1", "r2", "r3"} {
		if left := must[[]checkpoint.Checkpoint](t, "steps")(s.Checkpoints().Steps(t.Context(), id, 0)); len(left) != 0 {
			t.Errorf("%d steps of %s are left", len(left), id)
		}
	}
}

func runList(t TB, f Factory) {
	s := f.Open(t)
	for i, state := range states() {
		r := run("s", fmt.Sprintf("r%d", i+1))
		r.TurnID = fmt.Sprintf("turn-%d", i%2)
		begin(t, s, r, state)
	}
	begin(t, s, run("t", "r7"), checkpoint.Paused)
	for _, test := range []struct {
		name string
		q    checkpoint.Query
		want string
	}{
		{"all", checkpoint.Query{}, "r7 r6 r5 r4 r3 r2 r1"},
		{"a session", checkpoint.Query{SessionID: "s"}, "r6 r5 r4 r3 r2 r1"},
		{"a turn", checkpoint.Query{TurnID: "turn-0"}, "r5 r3 r1"},
		{"older than a run", checkpoint.Query{Before: "r3"}, "r2 r1"},
		{"some", checkpoint.Query{SessionID: "s", Limit: 2}, "r6 r5"},
		{"paused", checkpoint.Query{State: []checkpoint.State{checkpoint.Paused}}, "r7 r2"},
		{"paused of a session", checkpoint.Query{SessionID: "s", State: []checkpoint.State{checkpoint.Paused}}, "r2"},
		{"running or failed", checkpoint.Query{State: []checkpoint.State{checkpoint.Running, checkpoint.Failed}}, "r5 r1"},
		{"done or held", checkpoint.Query{State: []checkpoint.State{checkpoint.Done, checkpoint.Held}}, "r4 r3"},
	} {
		test.q.Now = start()
		var ids []string
		for _, r := range must[[]checkpoint.Run](t, test.name)(s.Checkpoints().List(t.Context(), test.q)) {
			ids = append(ids, r.ID)
		}
		same(t, test.name, strings.Join(ids, " "), test.want)
	}
}
