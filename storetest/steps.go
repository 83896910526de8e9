package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/iris-harness/iris/checkpoint"
)

func stepChecks() []Check {
	return []Check{
		{"step/in order", stepsInOrder},
		{"step/an open step is replaced, a closed one never", stepCloses},
		{"step/only by who has the run", stepFenced},
		{"step/size", stepSize},
		{"step/any bytes come back", stepBytes},
		{"step/bytes belong to the caller", stepIsCopied},
		{"step/closed once", stepRace},
	}
}

func steps(t TB, s Store, runID string) []checkpoint.Checkpoint {
	t.Helper()
	return must[[]checkpoint.Checkpoint](t, "steps")(s.Checkpoints().Steps(t.Context(), runID, 0))
}

func stepsInOrder(t TB, f Factory) {
	s := f.Open(t)
	r, other := begin(t, s, run("s", "r1"), checkpoint.Running), begin(t, s, run("s", "r11"), checkpoint.Running)
	var want []checkpoint.Checkpoint
	for i := range 12 {
		c := step(r, i, fmt.Sprintf(`{"n":%d}`, i))
		c.State, c.CreatedAt = checkpoint.ClosedStep, at(time.Duration(i)*time.Second)
		want = append(want, c)
	}
	for _, i := range []int{2, 0, 1, 11, 10, 3, 4, 5, 6, 7, 8, 9} {
		ok(t, "put", s.Checkpoints().Put(t.Context(), 1, want[i]))
	}
	ok(t, "put", s.Checkpoints().Put(t.Context(), 1, step(other, 0, "{}")))
	same(t, "the steps", steps(t, s, "r1"), want)
	same(t, "the steps of an unknown run", steps(t, s, "r2"), nil)
	for _, from := range []int{1, 9, 10, 11, 12} {
		got := must[[]checkpoint.Checkpoint](t, "steps")(s.Checkpoints().Steps(t.Context(), "r1", from))
		same(t, fmt.Sprintf("the steps from %d on", from), got, want[from:])
	}
}

func stepCloses(t TB, f Factory) {
	s := f.Open(t)
	r := begin(t, s, run("s", "r1"), checkpoint.Running)
	ok(t, "put", s.Checkpoints().Put(t.Context(), 1, step(r, 0, `{"open":1}`)))
	closed := step(r, 0, `{"closed":2}`)
	closed.State = checkpoint.ClosedStep
	ok(t, "closing it", s.Checkpoints().Put(t.Context(), 1, closed))
	is(t, "closing it twice", s.Checkpoints().Put(t.Context(), 1, closed), checkpoint.ErrClosedStep)
	is(t, "opening it", s.Checkpoints().Put(t.Context(), 1, step(r, 0, `{"open":3}`)), checkpoint.ErrClosedStep)
	same(t, "the step", steps(t, s, "r1"), []checkpoint.Checkpoint{closed})
}

func stepFenced(t TB, f Factory) {
	s := f.Open(t)
	put := func(runID string, epoch int64) error {
		return s.Checkpoints().Put(t.Context(), epoch, step(checkpoint.Run{ID: runID, SessionID: "s"}, 0, "{}"))
	}
	begin(t, s, run("s", "running"), checkpoint.Running)
	is(t, "an earlier epoch", put("running", 0), checkpoint.ErrFenced)
	is(t, "a later epoch", put("running", 2), checkpoint.ErrFenced)
	is(t, "an unknown run", put("nobody", 1), checkpoint.ErrFenced)
	for _, state := range states()[1:] {
		begin(t, s, run("s", string(state)), state)
		is(t, "a run that is "+string(state), put(string(state), 1), checkpoint.ErrFenced)
	}
	resume := checkpoint.Move{RunID: "paused", From: []checkpoint.State{checkpoint.Paused}, Epoch: 1, To: checkpoint.Running, At: at(time.Minute)}
	_, err := s.Checkpoints().Move(t.Context(), resume)
	ok(t, "resume", err)
	is(t, "who had the run before", put("paused", 1), checkpoint.ErrFenced)
	ok(t, "who has the run now", put("paused", 2))
	for _, id := range []string{"running", "held", "done", "failed", "ended"} {
		same(t, "the steps of "+id, steps(t, s, id), nil)
	}
}

func stepSize(t TB, f Factory) {
	s := f.Open(t)
	r := begin(t, s, run("s", "r1"), checkpoint.Running)
	large := strings.Repeat("x", checkpoint.MaxStep+1)
	is(t, "a byte too much", s.Checkpoints().Put(t.Context(), 1, step(r, 0, large)), checkpoint.ErrTooLarge)
	same(t, "the steps", steps(t, s, "r1"), nil)
	ok(t, "as much as may be", s.Checkpoints().Put(t.Context(), 1, step(r, 0, large[1:])))
	if got := steps(t, s, "r1"); len(got) != 1 || string(got[0].Payload) != large[1:] {
		t.Errorf("the largest step did not come back")
	}
}

func stepBytes(t TB, f Factory) {
	s := f.Open(t)
	r := begin(t, s, run("s", "r1"), checkpoint.Running)
	payloads := []string{"", "{", "null", "[]", `{"results":7}`, "\x00\xff\xfe", `{"n": 9007199254740993, "n":1.0}`, "ünïcode\n"}
	for i, p := range payloads {
		ok(t, "put", s.Checkpoints().Put(t.Context(), 1, step(r, i, p)))
	}
	for i, c := range steps(t, s, "r1") {
		same(t, "a payload", string(c.Payload), payloads[i])
	}
}

func stepIsCopied(t TB, f Factory) {
	s := f.Open(t)
	r := begin(t, s, run("s", "r1"), checkpoint.Running)
	c := step(r, 0, `{"a":1}`)
	ok(t, "put", s.Checkpoints().Put(t.Context(), 1, c))
	c.Payload[0] = 'x'
	for range 2 {
		got := steps(t, s, "r1")
		same(t, "the payload", string(got[0].Payload), `{"a":1}`)
		got[0].Payload[0] = 'y'
	}
}

func stepRace(t TB, f Factory) {
	s := f.Open(t)
	r := begin(t, s, run("s", "r1"), checkpoint.Running)
	ok(t, "put", s.Checkpoints().Put(t.Context(), 1, step(r, 0, `{}`)))
	errs := together(20, func(i int) error {
		c := step(r, 0, fmt.Sprintf(`{"by":%d}`, i))
		c.State = checkpoint.ClosedStep
		return s.Checkpoints().Put(t.Context(), 1, c)
	})
	winner := oneWinner(t, "closing a step", errs)
	same(t, "the step", string(steps(t, s, "r1")[0].Payload), fmt.Sprintf(`{"by":%d}`, winner))
}
