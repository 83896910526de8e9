package governance

import (
	"crypto/sha256"
	"encoding/json"
)

// Window counts what the signals need of a run since it began or was last resumed, at a cost that does not grow with
// the run. The zero value is an empty window. It belongs to one run and is not safe for concurrent use.
//
// The loop calls Begin at each step, Observe for each result of the step in order, then View.
type Window struct {
	counts   map[[sha256.Size]byte]int
	steps    int
	repeats  int
	repeated string
	failures int
}

// Begin starts a step.
func (w *Window) Begin() { w.steps, w.repeats, w.repeated = w.steps+1, 0, "" }

// Observe counts one call (name and canonical arguments) and its outcome; failed is nil for a call that succeeded.
func (w *Window) Observe(name string, args json.RawMessage, failed *ToolError) {
	if w.counts == nil {
		w.counts = map[[sha256.Size]byte]int{}
	}
	key := action(name, args)
	w.counts[key]++
	if n := w.counts[key]; n > w.repeats {
		w.repeats, w.repeated = n, name
	}
	if failed == nil {
		w.failures = 0
		return
	}
	w.failures++
}

// View fills the counts of v and returns it.
func (w *Window) View(v RunView) RunView {
	v.Steps, v.Repeats, v.Repeated, v.Failures = w.steps, w.repeats, w.repeated, w.failures
	return v
}

// action digests a call by name and arguments without allocating for calls of ordinary size.
func action(name string, args []byte) [sha256.Size]byte {
	var stack [512]byte
	b := append(stack[:0], name...)
	b = append(b, 0)
	return sha256.Sum256(append(b, args...))
}
