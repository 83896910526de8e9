package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func modelChecks() []Check {
	return []Check{
		{"model/continuations, one caller", func(t TB, f Factory) { conform(t, f, continuationMachine(), continuationOps(4, true), 1, 25) }},
		{"model/continuations, several callers", func(t TB, f Factory) { conform(t, f, continuationMachine(), continuationOps(2, false), 3, 4) }},
		{"model/runs, one caller", func(t TB, f Factory) { conform(t, f, runMachineModel(), runOps(), 1, 25) }},
		{"model/runs, several callers", func(t TB, f Factory) { conform(t, f, runMachineModel(), runOps(), 3, 4) }},
		{"model/approvals, one caller", func(t TB, f Factory) { conform(t, f, approvalMachine(), approvalOps(), 1, 25) }},
		{"model/approvals, several callers", func(t TB, f Factory) { conform(t, f, approvalMachine(), approvalOps(), 3, 4) }},
	}
}

// machine is a reference model: what an operation does to a state and what its caller sees, and how it is done on a store.
type machine[S, O any] struct {
	begin S
	step  func(s S, o O) (next S, sees string) // it does not change s
	do    func(t TB, store Store, prefix string, o O) (sees string)
}

// event is one operation of a history: what its caller saw, and between which moments it ran.
type event[O any] struct {
	op         O
	sees       string
	call, done int64
}

func (e event[O]) String() string {
	return fmt.Sprintf("%+v saw %q in [%d, %d]", e.op, e.sees, e.call, e.done)
}

// conform runs random operations, from some callers at once, and checks that some order of them explains on the model what
// each caller saw. The order keeps what ended before what began.
func conform[S, O any](t TB, f Factory, m machine[S, O], op *rapid.Generator[O], callers, length int) {
	t.Helper()
	s := f.Open(t)
	examples := 0
	scripts := rapid.SliceOfN(rapid.SliceOfN(op, 1, length), callers, callers)
	forAll(t, scripts, func(script [][]O) string {
		examples++
		history := perform(t, s, m, fmt.Sprintf("x%d/", examples), script)
		if explained(m, history) {
			return ""
		}
		text := "no order of these explains what they saw:"
		for _, e := range history {
			text += "\n\t" + e.String()
		}
		return text
	})
}

// forAll checks a property of generated values: through rapid, which finds a small counterexample, in a real test, and on some
// examples in any other.
func forAll[V any](t TB, values *rapid.Generator[V], property func(v V) (problem string)) {
	t.Helper()
	if real, ok := t.(*testing.T); ok {
		rapid.Check(real, func(rt *rapid.T) {
			if problem := property(values.Draw(rt, "script")); problem != "" {
				rt.Fatalf("%s", problem)
			}
		})
		return
	}
	for seed := range 200 {
		if problem := property(values.Example(seed)); problem != "" {
			t.Fatalf("%s", problem)
		}
	}
}

// perform runs each caller's operations in order, all callers at once.
func perform[S, O any](t TB, s Store, m machine[S, O], prefix string, script [][]O) (history []event[O]) {
	var clock atomic.Int64
	var mu sync.Mutex
	together(len(script), func(caller int) error {
		for _, o := range script[caller] {
			e := event[O]{op: o, call: clock.Add(1)}
			e.sees = m.do(t, s, prefix, o)
			e.done = clock.Add(1)
			mu.Lock()
			history = append(history, e)
			mu.Unlock()
		}
		return nil
	})
	return history
}

// explained searches for an order of the events that gives on the model what was seen.
func explained[S, O any](m machine[S, O], history []event[O]) bool {
	tried := map[string]bool{}
	var search func(taken uint64, s S) bool
	search = func(taken uint64, s S) bool {
		if taken == 1<<len(history)-1 {
			return true
		}
		key := fmt.Sprint(taken, s)
		if tried[key] {
			return false
		}
		tried[key] = true
		for i, e := range history {
			if taken&(1<<i) != 0 || !mayBeNext(history, taken, e) {
				continue
			}
			if next, sees := m.step(s, e.op); sees == e.sees && search(taken|1<<i, next) {
				return true
			}
		}
		return false
	}
	return search(0, m.begin)
}

// mayBeNext reports whether nothing that is left ended before e began.
func mayBeNext[O any](history []event[O], taken uint64, e event[O]) bool {
	for i, other := range history {
		if taken&(1<<i) == 0 && other.done < e.call {
			return false
		}
	}
	return true
}

// minutes draws a time on a short line, so that deadlines are met, missed and hit.
func minutes(rt *rapid.T, label string) int { return rapid.IntRange(0, 6).Draw(rt, label) }

// named draws a name among n.
func named(rt *rapid.T, letter string, n int) string {
	return fmt.Sprintf("%s%d", letter, rapid.IntRange(0, n-1).Draw(rt, letter))
}
