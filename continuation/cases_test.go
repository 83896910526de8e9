package continuation_test

import (
	"testing"

	"github.com/iris-harness/iris/continuation"
)

// The cases of public reports, and the utterances of the decision records. A
// test is named after its case.

func TestCaseB01NegatedConsent(t *testing.T) {
	t.Parallel()
	for _, question := range []string{"", "Shall I add it to the calendar?", "Would you like to proceed with this plan?"} {
		for _, reply := range []string{"no, don't approve", "not approved", "do not go ahead", "please don't"} {
			if got := continuation.ReadDecision(question, reply).Verdict; got != continuation.No {
				t.Errorf("%q: %q reads as %v, want no", question, reply, got)
			}
		}
		switch got := continuation.ReadDecision(question, "I cannot approve this yet").Verdict; got {
		case continuation.Yes, continuation.YesWithMore:
			t.Errorf("%q: a refusal reads as %v", question, got)
		}
		if got := continuation.ReadDecision(question, "yes go head with the plan").Verdict; got != continuation.Yes {
			t.Errorf("%q: the control reads as %v, want yes", question, got)
		}
	}
}

func TestCaseB14CurlyAndGlued(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{"don\u2019t do it", "do not do it", "not okay", "No\u2014go ahead was for the other one", "undo it"} {
		switch got := continuation.ReadDecision("Shall I do it?", reply).Verdict; got {
		case continuation.Yes, continuation.YesWithMore:
			t.Errorf("%q reads as %v", reply, got)
		}
	}
	for _, reply := range []string{"Yes.", "YES!", " yes\u00a0please "} {
		if got := continuation.ReadDecision("Shall I do it?", reply).Verdict; got != continuation.Yes {
			t.Errorf("%q reads as %v, want yes", reply, got)
		}
	}
}

func TestCaseB22Blank(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{"", "   ", "\n", "\u200b"} {
		if !continuation.IsBlank(reply) {
			t.Errorf("%q is not blank", reply)
		}
	}
	if continuation.IsBlank("Neo4j") {
		t.Error("an answer is blank")
	}
}

func TestCaseB28NumberInSentence(t *testing.T) {
	t.Parallel()
	options := []string{"one thing", "another", "a third", "more", "the end"}
	for _, reply := range []string{"What is the first day of the week?", "4 people are coming", "show me 5 more", "give me 3 headlines"} {
		if p, ok := continuation.ReadChoice(options, reply); ok {
			t.Errorf("%q picks %d", reply, p.Index+1)
		}
	}
	for _, reply := range []string{"give me more details on 3", "the 3rd headline"} {
		if p, ok := continuation.ReadChoice(options, reply); !ok || p.Index != 2 {
			t.Errorf("%q picks %d, %v, want 3", reply, p.Index+1, ok)
		}
	}
}

func TestCaseB43NewestList(t *testing.T) {
	t.Parallel()
	answer := "Earlier:\n\n1. a\n2. b\n3. c\n4. d\n5. e\n\nYour mail:\n\n1. x\n2. y\n3. z\n\nWhich one should I read?"
	options := continuation.OfferedChoices(answer)
	if len(options) != 3 {
		t.Fatalf("options: %q", options)
	}
	if p, ok := continuation.ReadChoice(options, "2"); !ok || options[p.Index] != "y" {
		t.Errorf("2 picks %d, %v", p.Index+1, ok)
	}
	if p, ok := continuation.ReadChoice(options, "4"); ok {
		t.Errorf("4 picks %d", p.Index+1)
	}
	if p, ok := continuation.ReadChoice(options, "what's my calendar today?"); ok {
		t.Errorf("a change of subject picks %d", p.Index+1)
	}
}

func TestCaseB57OpenQuestion(t *testing.T) {
	t.Parallel()
	o := continuation.ReadAnswer("How long should the timer run?")
	if o.Kind != continuation.OfferQuestion || o.Question != "How long should the timer run?" {
		t.Errorf("the answer leaves %v, %q", o.Kind, o.Question)
	}
}

// TestRecordIncident is the reply that reached the wrong owner (ADR-0106).
func TestRecordIncident(t *testing.T) {
	t.Parallel()
	const question = "Would you like to proceed with this plan?"
	if got := continuation.ReadAnswer("1. Look\n2. Write\n\n" + question); got.Kind != continuation.OfferYesNo {
		t.Errorf("numbered plan steps leave %v", got.Kind)
	}
	if got := continuation.ReadDecision(question, "yes go head with the plan"); got.Verdict != continuation.Yes || !got.Strong {
		t.Errorf("the incident's reply reads as %+v", got)
	}
	if got := continuation.ReadDecision("Neo4j or Stardog?", "actually, what's my calendar today?"); got.Verdict != continuation.Unclear {
		t.Errorf("a change of subject reads as %+v", got)
	}
}

// TestRecordShortlist is ADR-0106 §8.
func TestRecordShortlist(t *testing.T) {
	t.Parallel()
	options := []string{"Invoice", "Lunch on Friday", "Release notes"}
	for reply, want := range map[string]int{"1": 1, "#2": 2, "the second email": 2, "just go with the 1 st one": 1} {
		if p, ok := continuation.ReadChoice(options, reply); !ok || p.Index+1 != want {
			t.Errorf("%q picks %d, %v, want %d", reply, p.Index+1, ok, want)
		}
	}
	if got := continuation.ReadAnswer("Which one should I read? 1. Invoice 2. Lunch Reply with the number"); got.Kind != continuation.OfferNone {
		t.Errorf("without a closing question mark the answer leaves %v", got.Kind)
	}
}

// TestRecordHeadlines is ADR-0106 §9.
func TestRecordHeadlines(t *testing.T) {
	t.Parallel()
	answer := "Here is the news:\n\n1. Rates rise\n2. Flood in Ghent\n3. New bridge\n4. Strike ends\n5. Cup final\n\n" +
		"Want me to open any of these and pull the full article or a short explainer?"
	o := continuation.ReadAnswer(answer)
	if o.Kind != continuation.OfferChoice || len(o.Options) != 5 {
		t.Fatalf("the answer leaves %v, %q", o.Kind, o.Options)
	}
	for reply, want := range map[string]int{
		"4": 4, "Just tell me more about the 4th news from your news list": 4, "3": 3, "give me more details on 3": 3,
		"expand on 3": 3, "what about 3": 3, "dig into 3": 3, "can you open 3": 3, "the 3rd headline": 3,
	} {
		if p, ok := continuation.ReadChoice(o.Options, reply); !ok || p.Index+1 != want {
			t.Errorf("%q picks %d, %v, want %d", reply, p.Index+1, ok, want)
		}
	}
	for _, reply := range []string{"show me 5 more", "give me 3 headlines"} {
		if p, ok := continuation.ReadChoice(o.Options, reply); ok {
			t.Errorf("%q picks %d", reply, p.Index+1)
		}
	}
}

// TestRecordQuestionMark is ADR-0106 §10.
func TestRecordQuestionMark(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{
		"Do you want full articles, more sources, or a short briefing on any one story?": true,
		"Tell me which and I'll fetch them.":                                             false,
		"Reply with answers 1-5.":                                                        false,
	} {
		if got := continuation.EndsOnQuestion(answer); got != want {
			t.Errorf("EndsOnQuestion(%q) = %v, want %v", answer, got, want)
		}
	}
	if got := continuation.ReadAnswer("Do you want full articles, more sources, or a short briefing on any one story?").Kind; got != continuation.OfferQuestion {
		t.Errorf("a menu leaves %v, want a question", got)
	}
}
