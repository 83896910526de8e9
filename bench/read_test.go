package bench_test

import (
	"testing"

	"github.com/iris-harness/iris/continuation"
)

const (
	askedQuestion = "Shall I move the four reports to the archive?"
	longReply     = "Yes, that sounds good to me, thanks. But before the archive is closed, could you tell me how long the move takes, and send the list of the four reports to Anna so that she can look at it on Monday too?"
)

// BenchmarkRead is reading a reply of 200 characters.
func BenchmarkRead(b *testing.B) {
	options := []string{"Move all of them", "Move the old ones", "Leave them", "Ask Anna first"}
	for name, read := range map[string]func(){
		"decision":    func() { continuation.ReadDecision(askedQuestion, longReply) },
		"short":       func() { continuation.ReadDecision(askedQuestion, "yes, please") },
		"choice":      func() { continuation.ReadChoice(options, longReply) },
		"ends on one": func() { continuation.EndsOnQuestion(longReply) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}
