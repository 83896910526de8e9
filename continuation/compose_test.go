package continuation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/continuation"
)

// TestComposersRestate holds that every task carries the question it answers
// and the person's own words (ADR-0106 D3).
func TestComposersRestate(t *testing.T) {
	t.Parallel()
	const question, reply, option = "Which city?", "the northern one", "Oslo"
	for name, task := range map[string]string{
		"decision": continuation.DecisionTask(question, continuation.YesWithMore, reply),
		"choice":   continuation.ChoiceTask(question, option, reply),
		"question": continuation.QuestionTask(question, reply),
		"resume":   continuation.ResumeObservation(question, reply),
	} {
		if !strings.Contains(task, question) || !strings.Contains(task, reply) {
			t.Errorf("%s drops the question or the reply:\n%s", name, task)
		}
	}
	if !strings.Contains(continuation.ChoiceTask(question, option, reply), option) {
		t.Error("the choice drops the option")
	}
}

func TestQuestionTask(t *testing.T) {
	t.Parallel()
	want := "You asked: How long should the timer run?\n" +
		"They replied: 5 minutes\n" +
		"If the reply does not answer the question, drop the question and address the reply instead."
	if diff := cmp.Diff(want, continuation.QuestionTask(" How long should the timer run?\n", "5 minutes ")); diff != "" {
		t.Errorf("task (-want +got):\n%s", diff)
	}
}

func TestDecisionTaskVerdicts(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for v := continuation.Unclear; v <= continuation.NoWithMore; v++ {
		task := continuation.DecisionTask("Go on?", v, "well")
		if seen[task] {
			t.Errorf("%v has the task of another verdict", v)
		}
		seen[task] = true
		if strings.Contains(task, "Carry on") != (v == continuation.Yes) {
			t.Errorf("%v:\n%s", v, task)
		}
	}
}

func TestRestate(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"Shall I archive the report?":                  "Earlier I asked whether to archive the report. Is it still a yes?",
		"Would you like me to book it?":                "Earlier I asked whether to book it. Is it still a yes?",
		"Sound right?":                                 "Earlier I asked: Sound right? Is it still a yes?",
		"It failed. Shall I try again?":                "Earlier I asked: It failed. Shall I try again? Is it still a yes?",
		"Can I delete it? It is old. Shall I do that?": "Earlier I asked: Can I delete it? It is old. Shall I do that? Is it still a yes?",
	} {
		if diff := cmp.Diff(want, continuation.Restate(question)); diff != "" {
			t.Errorf("Restate(%q) (-want +got):\n%s", question, diff)
		}
		if !continuation.OffersToProceed(continuation.Restate(question)) {
			t.Errorf("Restate(%q) does not open a yes/no", question)
		}
		if got := continuation.ReadDecision(continuation.Restate(question), "yes").Verdict; got != continuation.Yes {
			t.Errorf("a yes to Restate(%q) reads as %v", question, got)
		}
	}
}
