//go:build !race

// Under the race detector sync.Pool drops what it is given at random, so allocations are not counted there.

package loop_test

import (
	"testing"
)

// TestAllocationsOfAStep holds what a step costs in allocations, at 5 and at 500 steps: the cost of a run is linear. What a hand-over between goroutines
// costs varies with the load of the machine, so the bounds have some room over the benchmark's figures.
func TestAllocationsOfAStep(t *testing.T) {
	for _, tt := range []struct {
		name    string
		stepper func(steps int) *stepper
		most    float64
	}{
		{"flat tool", func(n int) *stepper { return newStepper(t, n, flatTool(), flatArgs) }, 28},
		{"nested tool", func(n int) *stepper { return newStepper(t, n, nestedTool(), nestedArgs) }, 31},
		{"full schema", func(n int) *stepper { return newStepper(t, n, fullTool(), flatArgs) }, 82},
	} {
		perStep := func(steps int) float64 {
			s := tt.stepper(steps)
			return testing.AllocsPerRun(20, func() { s.run(t, t.Context(), nil) }) / float64(steps)
		}
		short, long := perStep(5), perStep(500)
		t.Logf("%s: %.1f allocations a step at 5 steps, %.1f at 500", tt.name, short, long)
		if long > tt.most {
			t.Errorf("%s: %.1f allocations a step, at most %.0f", tt.name, long, tt.most)
		}
		if long > 1.1*short {
			t.Errorf("%s: a step costs %.1f at 500 steps and %.1f at 5: it grows", tt.name, long, short)
		}
	}
}
