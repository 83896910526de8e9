package bench_test

import (
	"slices"
	"testing"
	"time"
)

// compare runs raw and ours in turns and reports the medians and their ratio.
func compare(b *testing.B, raw, ours func()) {
	b.Helper()
	var base, own []time.Duration
	for b.Loop() {
		t0 := time.Now()
		raw()
		t1 := time.Now()
		ours()
		base, own = append(base, t1.Sub(t0)), append(own, time.Since(t1))
	}
	r, o := median(base), median(own)
	b.ReportMetric(0, "ns/op") // both together say nothing
	b.ReportMetric(micros(r), "raw-µs")
	b.ReportMetric(micros(o), "iris-µs")
	b.ReportMetric(float64(o)/float64(r), "ratio")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
