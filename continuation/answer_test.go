package continuation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/continuation"
)

const newsList = "1. Rates rise\n2. Flood in Ghent\n3. New bridge\n\n"

var newsItems = []string{"Rates rise", "Flood in Ghent", "New bridge"}

func TestReadAnswerKinds(t *testing.T) {
	t.Parallel()
	const (
		none     = continuation.OfferNone
		question = continuation.OfferQuestion
		yesNo    = continuation.OfferYesNo
		choice   = continuation.OfferChoice
	)
	for answer, want := range map[string]continuation.OfferKind{
		"Done.": none, "": none, "Tell me which and I'll fetch them.": none, "Reply with answers 1-5.": none,
		"Would you like to proceed with this plan?": yesNo, "**Shall I go ahead?**": yesNo, "Shall I go? 😀": yesNo,
		"(want me to run it?)": yesNo, "Want me to test it？": yesNo, "Shall I\u037e": yesNo, "Proceed? [y/N]": yesNo,
		"Sound right?": yesNo, "Agree?": yesNo, "Lock it next?": yesNo, "OK to merge?": yesNo, "Ready to move on?": yesNo,
		"Does this look right?": yesNo, "Shall I continue, or not?": yesNo, "Want me to open https://example.org/a?": yesNo,
		"How long should the timer run?": question, "Which would you like?": question, "What do you think?": question,
		"Could you share the log?": question, "Is the printer on?": question, "确定吗？": question,
		"Want me to take the scroll bug next, or wrap here?":         question,
		"Do you want full articles, more sources, or a short brief?": question,
		"Neo4j or Stardog?": choice, "Do you want tea or coffee?": choice, "Yes to what?": question, "You want it by when?": question,
		"Want me to run the probe? That's the cheapest next step.": question, "Sound right? If so I'll start.": question,
		"Shall I? There are other things. And more.": none, "Shall I run it? Here is a long story about something else.": none,
		"See https://example.org/search?": none, "Run `what?`": none, "She asked \"are you in?\"": none,
		"Here is the draft:\n\n\"Hi Bob, are you free on Friday?\"": none, "> Are you there?": none, "| a | b? |": none,
		"```\nok?\n```": none, "```sh\nrun?": none, "Shall I run this?\n\n```\nls\n```": none,
		"Anything else?": none, "Booked. Is there anything else I can help you with today?": none, "How can I help you today?": none,
		"1. What is your name?\n2. Why do you want this job?": question, "- Want me to run it?": question,
		"Shall I go ahead?\n\nSources:\n- [a](http://a.example)\n- [b](http://b.example)": yesNo,
		"Shall I go ahead?\n\n[1] http://a.example":                                       yesNo, "Shall I go ahead?\n\n---\n": yesNo,
		newsList + "Want me to open any of these and pull the full article or a short explainer?": choice,
		newsList + "Would you like me to proceed with this plan?":                                 yesNo,
		newsList + "Which one should I read?**":                                                   choice,
	} {
		if got := continuation.ReadAnswer(answer).Kind; got != want {
			t.Errorf("ReadAnswer(%q).Kind = %v, want %v", answer, got, want)
		}
		if got := continuation.EndsOnQuestion(answer); got != (want != none) {
			t.Errorf("EndsOnQuestion(%q) = %v", answer, got)
		}
		if got := continuation.OffersToProceed(answer); got != (want == yesNo) {
			t.Errorf("OffersToProceed(%q) = %v", answer, got)
		}
	}
}

func TestReadAnswerOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answer string
		want         []string
	}{
		{"numbers", newsList + "Which one?", newsItems},
		{"shown with an approval", newsList + "Shall I go on?", newsItems},
		{"parentheses", "1) red\n2) green\n\nWhich one?", []string{"red", "green"}},
		{"both parentheses", "(1) red\n(2) green\n\nWhich one?", []string{"red", "green"}},
		{"bold numbers", "**1.** red\n**2.** green\n\nWhich one?", []string{"red", "green"}},
		{"keycaps", "1️⃣ red\n2️⃣ green\n\nWhich one?", []string{"red", "green"}},
		{"letters", "a) red\nb) green\n\nWhich one?", []string{"red", "green"}},
		{"bold letters", "**A) Fast** is quick\n**B) Safe** is slow\n\nWhich way?", []string{"Fast is quick", "Safe is slow"}},
		{"letters in bullets", "- **(a)** fast\n- **(b)** slow\n\nWant me to take the first?", []string{"fast", "slow"}},
		{"headings", "## Option A: fast\nIt is quick.\n\n## Option B: safe\nIt is slow.\n\nWhich approach would you like?", []string{"fast", "safe"}},
		{"options with a dash", "**Option 1 - Fast**\nquick\n**Option 2 - Slow**\nlong\n\nWhich option?", []string{"Fast", "Slow"}},
		{"bullets with a pick request", "- red\n- green\n\nWhich colour do you prefer?", []string{"red", "green"}},
		{"bullets without one", "- red\n- green\n\nShall I go on?", nil},
		{"nested numbers", "1. One\n   1. sub\n   2. sub\n2. Two\n   - x\n3. Three\n\nWhich?", []string{"One", "Two", "Three"}},
		{"two lists", "1. a\n2. b\n\nAlternatives:\n\n1. c\n2. d\n3. e\n\nWhich one?", []string{"c", "d", "e"}},
		{"a list in code", "```\n1. a\n2. b\n```\n\nWhich one?", nil},
		{"one item", "1. a\n\nWhich one?", nil},
		{"either or", "Do you want tea or coffee?", []string{"tea", "coffee"}},
		{"either or after a comma", "Which do you prefer, tea or green tea?", []string{"tea", "green tea"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, continuation.Reader{}.OptionsOf(tt.answer)); diff != "" {
				t.Errorf("options of %q (-want +got):\n%s", tt.answer, diff)
			}
		})
	}
}

func TestReadAnswerQuestion(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"I found two. **Shall I open them?** 😀":        "Shall I open them?",
		"I'd merge A first. Sound right?":              "I'd merge A first. Sound right?",
		"All done.\n\nWant me to run the tests again?": "Want me to run the tests again?",
		"Look at v1.2 first. Shall I delete main.go?":  "Shall I delete main.go?",
		"## Shall I go on?":                            "Shall I go on?",
	} {
		if diff := cmp.Diff(want, continuation.ReadAnswer(answer).Question); diff != "" {
			t.Errorf("question of %q (-want +got):\n%s", answer, diff)
		}
	}
}

func TestOfferedChoices(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(newsItems, continuation.OfferedChoices(newsList+"Which one should I read?")); diff != "" {
		t.Errorf("a choice (-want +got):\n%s", diff)
	}
	if got := continuation.OfferedChoices(newsList + "Shall I go on?"); got != nil {
		t.Errorf("an approval offers choices: %q", got)
	}
}
