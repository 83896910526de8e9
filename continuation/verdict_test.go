package continuation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/continuation"
)

// A decision is a reply with the verdict it must get.
type decision struct {
	name     string
	question string
	reply    string
	want     continuation.Verdict
}

func checkDecisions(t *testing.T, tests []decision) {
	t.Helper()
	for _, tt := range tests {
		name := tt.name
		if name == "" {
			name = tt.reply
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := continuation.ReadDecision(tt.question, tt.reply)
			if diff := cmp.Diff(tt.want.String(), got.Verdict.String()); diff != "" {
				t.Errorf("ReadDecision(%q, %q), because %s (-want +got):\n%s", tt.question, tt.reply, got.Reason, diff)
			}
			if got.Reason == "" {
				t.Error("no reason")
			}
		})
	}
}

const (
	offer   = "Would you like me to archive the report?"
	confirm = "The report goes to the archive on Monday. Is that right?"
)

func TestReadDecisionYes(t *testing.T) {
	t.Parallel()
	var tests []decision
	for _, reply := range []string{
		"yes", "Yes.", "YES!", "yesss", "yup", "yea", "uh-huh", "y", "sure", "yes please", "Yes, thanks.", "oh yes",
		"please, yes", "absolutely", "of course", "go ahead", "no problem, go ahead", "I do", "I'd like that", "agreed",
		"ok", "okay then", "great", "perfect, thanks", "ok, do it", "Fine, that works.", "sounds good to me", "that's fine",
		"that is perfect", "This would be great!", "archive it", "please archive it", "yes, archive the report",
		"Yes, I'd like to archive it.", "yes I would like you to archive the report", "👍", "👍🏽", "✅", "**yes**", "\"yes\"",
		"ｙｅｓ", "yes\u00a0please", "> Would you like me to archive the report?\nyes", "yes :)", "I think that's fine",
		"actually yes", "just do it", "by all means", "yse", "go ahed", "ok, prefect",
	} {
		tests = append(tests, decision{question: offer, reply: reply, want: continuation.Yes})
	}
	for _, reply := range []string{"that's ok", "correct", "that's right", "Yes, that's it.", "all good", "exactly"} {
		tests = append(tests, decision{question: confirm, reply: reply, want: continuation.Yes})
	}
	checkDecisions(t, tests)
}

func TestReadDecisionYesWithMore(t *testing.T) {
	t.Parallel()
	var tests []decision
	for _, reply := range []string{
		"yes, and send Anna a copy", "Yes. How long will it take?", "sure, but change the title", "yes, for two years",
		"yes, later today", "yes if the tests pass", "Yes, could you also rename it?", "That's right. Who sees it then?",
		"yes, only the first page", "yes, as long as it is safe",
	} {
		tests = append(tests, decision{question: offer, reply: reply, want: continuation.YesWithMore})
	}
	checkDecisions(t, tests)
}

func TestReadDecisionNo(t *testing.T) {
	t.Parallel()
	var tests []decision
	for _, reply := range []string{
		"no", "No.", "nope", "nah", "n", "nooo", "not now", "not yet, thanks", "maybe later", "no thanks", "thanks but no",
		"no, that's fine", "no, I'm good", "I'm good", "that's all", "ok no", "Okay. No, thank you.", "yes, but not now",
		"sure, let's do it another time", "don't", "please don't", "don't archive it", "do not go ahead", "not approved",
		"absolutely not", "definitely not", "of course not", "I don't want to archive it",
		"no, I don't want to do that", "no I do not want to go ahead", "I don't think so", "never mind",
		"cancel", "cancel that", "that's wrong", "that is not right", "can't approve", "nto approved", "I'm afraid not", "👎", "❌", "forget it",
	} {
		tests = append(tests, decision{question: offer, reply: reply, want: continuation.No})
	}
	tests = append(tests,
		decision{question: offer, reply: "No, send it to Anna instead.", want: continuation.NoWithMore},
		decision{question: offer, reply: "Not now. What is in it?", want: continuation.NoWithMore},
		decision{question: offer, reply: "no I want the old one", want: continuation.NoWithMore},
		decision{question: offer, reply: "no—go ahead was for the other one", want: continuation.NoWithMore},
		decision{question: confirm, reply: "Actually, put it in the attic.", want: continuation.NoWithMore},
	)
	checkDecisions(t, tests)
}

func TestReadDecisionUnclear(t *testing.T) {
	t.Parallel()
	var tests []decision
	for _, reply := range []string{
		"", "   ", "\u200b", "...", "1", "thanks", "ok thanks bye", "yes, thanks, that's all", "ok, what is on my calendar?",
		"okay you gave me an idea, write it down", "go ahead and flip a coin", "send it to Marta", "confirm my table at eight",
		"cancel my dentist slot", "don't let me forget the milk", "no lights", "yes no", "no yes", "no wait yes", "yes, hold on",
		"yes maybe", "i guess", "yeah right", "yes and no", "it depends", "not sure", "up to you", "yes, unless it breaks",
		"yes, except the last page", "yes?", "ok?", "really?", "approve? no", "he said \"yes\"", "nobody said yes", "say yes",
		"I never said yes", "I said yes to Bob", "yesterday", "undo", "y\u0435s", "n\u043e", "\u202eyes", "~~yes~~", "if so, yes",
		"just a second", "that's ok", "I'm ok", "sure sure", "no problem", "why not", "whatever", "it was approved yesterday",
		"correct the spelling", "exactly what does that do", "it was nice to meet you", "yes 👎", "sí", "да", "is it approved?",
		"Yes, don't.", "yes but don't", "don't stop", "archive it only if it is old", "archive the other one", "delete it",
	} {
		want := continuation.Unclear
		if reply == "undo" {
			want = continuation.No
		}
		tests = append(tests, decision{question: offer, reply: reply, want: want})
	}
	checkDecisions(t, tests)
}

// TestReadDecisionEcho holds that an echo is consent only where it drops
// nothing that narrows it.
func TestReadDecisionEcho(t *testing.T) {
	t.Parallel()
	checkDecisions(t, []decision{
		{"", "Shall I apply #1 and #3?", "yes, apply #1 and #3", continuation.Yes},
		{"", "Shall I apply #1 and #3?", "yes apply #1", continuation.YesWithMore},
		{"", "Shall I delete the logs and the backups?", "yes, delete the logs", continuation.YesWithMore},
		{"", "Shall I delete the logs and the backups?", "yes, delete the logs and the backups", continuation.Yes},
		{"", "Shall I delete the logs and the backups?", "delete the logs", continuation.Unclear},
		{"", "Send the invite to Bob and Ann? Is that right?", "yes, send it to Ann", continuation.YesWithMore},
		{"", "Shall I archive it?", "yes and", continuation.YesWithMore},
		{"", "Shall I turn it off?", "yes, turn it on", continuation.YesWithMore},
		{"", "Shall I turn it off?", "turn it on", continuation.Unclear},
		{"", "So you want the film with no subtitles?", "I want the film with subtitles", continuation.Unclear},
		{"", "So you want the film with no subtitles?", "yes, with subtitles", continuation.YesWithMore},
		{"", "Shall I cancel the order?", "yes, cancel it", continuation.Yes},
		{"", "Shall I cancel the order?", "cancel it", continuation.Yes},
		{"", "Shall I cancel the order?", "stop", continuation.No},
		{"", "Shall I cancel the order?", "no, don't cancel it", continuation.No},
		{"", "Shall I send the order?", "yes, cancel it", continuation.Unclear},
		{"", "Shall I delete main.go?", "yes, delete main.py", continuation.YesWithMore},
		{"", "Shall I delete main.go?", "delete main.go", continuation.Yes},
		{"", "Do you want me to reserve a room?", "yes, book it", continuation.Yes},
		{"", "", "archive it", continuation.Unclear},
	})
}

// TestReadDecisionGuards holds that the form of the question can make a bare
// yes unsafe.
func TestReadDecisionGuards(t *testing.T) {
	t.Parallel()
	checkDecisions(t, []decision{
		{"wh", "Which one should I read?", "yes", continuation.Unclear},
		{"wh after a preposition", "And at what time?", "sure", continuation.Unclear},
		{"wh asked politely", "Can you tell me which day suits you?", "yes", continuation.Unclear},
		{"wh with a file name", "What should I call main.go?", "yes", continuation.Unclear},
		{"relative clause", "Shall I take the one which is cheaper?", "yes", continuation.Yes},
		{"proposal", "How about Tuesday?", "sounds good", continuation.Yes},
		{"or", "Shall I merge it, or wait for Anna?", "yes", continuation.Unclear},
		{"or no", "Shall I merge it, or wait for Anna?", "no", continuation.Unclear},
		{"or not", "Shall I merge it or not?", "yes", continuation.Yes},
		{"mind", "Do you mind if I delete it?", "yes", continuation.Unclear},
		{"mind, no", "Do you mind if I delete it?", "no", continuation.Unclear},
		{"is that all", "Is that all?", "yes", continuation.Unclear},
		{"negative", "So you don't want subtitles?", "yes", continuation.Unclear},
		{"apology first", "Sorry, I could not get that room. Shall I try another?", "yes", continuation.Yes},
		{"anything else, weak", "Is there anything else I can do?", "great", continuation.Unclear},
		{"anything else, done", "Is there anything else I can do?", "that's it, thanks", continuation.No},
		{"two questions", "What is the title? Should I use the old address?", "yes", continuation.Unclear},
	})
}

func TestReadDecisionStrong(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]bool{
		"yes": true, "yeah": true, "approve": true, "go ahead": true, "ok, go ahead": true,
		"ok": false, "great": false, "no": false, "hmm": false,
	} {
		if got := continuation.ReadDecision("", reply).Strong; got != want {
			t.Errorf("ReadDecision(%q).Strong = %v, want %v", reply, got, want)
		}
	}
}

func TestReadDecisionTooLong(t *testing.T) {
	t.Parallel()
	reply := "yes" + strings.Repeat(" yes", 600)
	if got := continuation.ReadDecision("", reply).Verdict; got != continuation.Unclear {
		t.Errorf("a reply of %d characters reads as %v, want unclear", len(reply), got)
	}
}

func TestVerdictString(t *testing.T) {
	t.Parallel()
	want := []string{"unclear", "yes", "yes_with_more", "no", "no_with_more"}
	var got []string
	for v := continuation.Unclear; v <= continuation.NoWithMore; v++ {
		got = append(got, v.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestIsBlank(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"": true, "   ": true, "\n\t": true, "\u200b": true, "\ufeff\u00a0": true, "\u3164": true, "\u200d\ufe0f": true, "\u2800": true,
		"Neo4j": false, "?": false, "👍": false, "\xff": false,
	} {
		if got := continuation.IsBlank(s); got != want {
			t.Errorf("IsBlank(%q) = %v, want %v", s, got, want)
		}
	}
}

// TestVocabulary holds that the vocabulary is well formed, and that a phrase
// of consent reads as one by itself.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	if names := continuation.UnknownRoles(); names != nil {
		t.Errorf("roles that nobody defines: %v", names)
	}
	if n := continuation.Uncased(); n != 0 {
		t.Errorf("%d lists name no case", n)
	}
	for p := range continuation.Phrases() {
		if got := continuation.Normalise(p); got != p {
			t.Errorf("phrase %q is not folded: %q", p, got)
		}
	}
}
