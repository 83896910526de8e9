package governance

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Embedder turns texts into vectors, one for each text and all of one length. The application brings it.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// drift is the goal-drift signal: it compares what a step says and asks for with the task.
type drift struct {
	embedder  Embedder
	threshold float64
}

// judge requires an approval for a step that is far from the task and, after a resume, from the person's reply too:
// whichever is nearer counts. The first step, and the first after a resume, is exempt. What cannot be measured is a Deny.
func (d drift) judge(ctx context.Context, s *Subject) Decision {
	run, said := s.Step.Run, stepText(s.Step)
	if run.Steps <= 1 || said == "" || run.Task == "" {
		return Allow()
	}
	texts := []string{said, run.Task}
	if run.Reply != "" {
		texts = append(texts, run.Reply)
	}
	vectors, err := d.embedder.Embed(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return Deny("goal drift could not be measured")
	}
	near := -1.0
	for _, v := range vectors[1:] {
		c, ok := cosine(vectors[0], v)
		if !ok {
			return Deny("goal drift could not be measured")
		}
		near = max(near, c)
	}
	if !(near >= d.threshold) {
		return RequireApproval(fmt.Sprintf("the step is far from the task (similarity %.2f, at least %.2f wanted)", near, d.threshold))
	}
	return Allow()
}

// stepText is what is measured: the reply's words, and the calls with their arguments.
func stepText(v *StepView) string {
	parts := []string{v.Reply.Text}
	for _, c := range v.Reply.Calls {
		parts = append(parts, c.Name+" "+string(c.Args))
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// cosine returns the cosine similarity of two vectors; false where they have none.
func cosine(a, b []float32) (float64, bool) {
	if len(a) != len(b) {
		return 0, false
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	c := dot / (math.Sqrt(aa) * math.Sqrt(bb))
	return c, !math.IsNaN(c) && !math.IsInf(c, 0)
}
