package continuation_test

import (
	"strings"
	"testing"

	"github.com/iris-harness/iris/continuation"
)

// The texts of the benchmarks. The replies have about 200 characters.
const (
	benchQuestion = "Shall I move the four reports to the archive?"
	benchReply    = "Yes, that sounds good to me, thanks. But before the archive is closed, could you tell me how long the move takes, and send the list of the four reports to Anna so that she can look at it on Monday too?"
	benchPick     = "Option 2, then please carry on with the third point of the plan that we talked about last week, tell me how long the move takes, and send the list of the four reports to Anna so she can look at it too."
	benchAnswer   = "I have looked at the four reports. Two of them are older than a year, and nobody has opened them since the spring. The other two are linked from the team page. Shall I move all four to the archive?"
)

var benchOptions = []string{"Move all of them", "Move the old ones", "Leave them", "Ask Anna first"}

func BenchmarkReadDecision(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		continuation.ReadDecision(benchQuestion, benchReply)
	}
}

func BenchmarkReadDecisionShort(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		continuation.ReadDecision(benchQuestion, "yes, please")
	}
}

func BenchmarkReadChoice(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		continuation.ReadChoice(benchOptions, benchPick)
	}
}

func BenchmarkReadEndsOnQuestion(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		continuation.EndsOnQuestion(benchAnswer)
	}
}

func BenchmarkReadAnswer(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		continuation.ReadAnswer(benchAnswer)
	}
}

func BenchmarkReadMegabyte(b *testing.B) {
	reply := strings.Repeat("yes or no, ", 100_000)
	b.ReportAllocs()
	for b.Loop() {
		continuation.ReadDecision(reply, reply)
		continuation.ReadChoice(benchOptions, reply)
		continuation.ReadAnswer(reply + "?")
	}
}

// TestReadAllocates holds that reading common ASCII text allocates nothing.
func TestReadAllocates(t *testing.T) {
	tests := []struct {
		name string
		read func()
	}{
		{"decision", func() { continuation.ReadDecision(benchQuestion, benchReply) }},
		{"short decision", func() { continuation.ReadDecision(benchQuestion, "yes, move them") }},
		{"choice", func() { continuation.ReadChoice(benchOptions, benchPick) }},
		{"choice by title", func() { continuation.ReadChoice(benchOptions, "Leave them, please.") }},
		{"closing question", func() { continuation.EndsOnQuestion(benchAnswer) }},
	}
	for _, tt := range tests {
		tt.read() // compiles the vocabulary
		if n := testing.AllocsPerRun(100, tt.read); n != 0 {
			t.Errorf("%s: %v allocations, want 0", tt.name, n)
		}
	}
}
