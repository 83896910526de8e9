package continuation_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/iris-harness/iris/continuation"
)

// isYes reports whether a verdict is a yes of any kind.
func isYes(v continuation.Verdict) bool {
	return v == continuation.Yes || v == continuation.YesWithMore
}

// governing are the words that no plain yes may hold, outside the idioms that
// name no refusal.
var governing = map[string]bool{
	"no": true, "not": true, "never": true, "dont": true, "cannot": true, "cant": true, "wont": true, "nope": true, "isnt": true,
	"doesnt": true, "unless": true, "except": true, "without": true, "nothing": true, "cancel": true, "wait": true,
}

var idioms = strings.NewReplacer(
	"no problems", "", "no problem", "", "no prob", "", "no worries", "", "no doubt", "", "not bad", "", "no biggie", "", "not a problem", "",
	"no issues", "", "no issue", "", "no hurry", "", "no rush", "", "no need to wait", "", "no objections", "", "no objection", "",
	"why not", "", "no matter", "", "without a doubt", "", "cant wait", "", "barely wait", "")

// holdsNegation reports whether the folded reply holds a governing negation.
func holdsNegation(reply string) bool {
	kept := make([]string, 0, 8)
	for line := range strings.SplitSeq(continuation.Normalise(reply), "\n") {
		if !strings.HasPrefix(line, ">") { // a quoted line is not the person's own
			kept = append(kept, line)
		}
	}
	words := strings.FieldsFunc(strings.Join(kept, "\n"), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	for _, w := range strings.Fields(idioms.Replace(strings.Join(words, " "))) {
		if governing[w] {
			return true
		}
	}
	return false
}

func seedReplies(f *testing.F) {
	for _, reply := range []string{
		"yes", "no", "yes, but not now", "ok thanks, what's my calendar?", "no problem, go ahead", "don\u2019t do it", "👍🏽", "y\u200bes",
		"> quoted\nyes", "Option 1, then move on", "①", "\xff\xfe", "~~yes~~", "a.m. yes", ":) :d ;p", "1,770.5:30/2", "yes yes yes", "はい、お願いします",
	} {
		f.Add("Shall I apply #1 and #3?", reply)
	}
}

func FuzzReadDecision(f *testing.F) {
	seedReplies(f)
	all := continuation.Reader{Lexicons: languages}
	f.Fuzz(func(t *testing.T, question, reply string) {
		got := continuation.ReadDecision(question, reply)
		if again := continuation.ReadDecision(question, reply); again != got {
			t.Fatalf("two readings: %+v and %+v", got, again)
		}
		if got.Reason == "" || got.Verdict > continuation.NoWithMore || got.Strong && !isYes(got.Verdict) {
			t.Fatalf("malformed: %+v", got)
		}
		if got.Verdict == continuation.Yes && holdsNegation(reply) {
			t.Fatalf("%q holds a negation and reads as yes: %s", reply, got.Reason)
		}
		if continuation.IsBlank(reply) && got.Verdict != continuation.Unclear {
			t.Fatalf("blank %q reads as %v", reply, got.Verdict)
		}
		foreign := all.ReadDecision(question, reply).Verdict
		if isYes(got.Verdict) && (foreign == continuation.No || foreign == continuation.NoWithMore) ||
			isYes(foreign) && (got.Verdict == continuation.No || got.Verdict == continuation.NoWithMore) {
			t.Fatalf("%q is %v in English and %v with all languages", reply, got.Verdict, foreign)
		}
	})
}

// FuzzAppendedNo holds that a clause that refuses never turns a reading into a
// yes.
func FuzzAppendedNo(f *testing.F) {
	seedReplies(f)
	f.Fuzz(func(t *testing.T, question, reply string) {
		for _, clause := range []string{"\nno", "\nno, don't", "\nnot approved", "\ndo not go ahead"} {
			if got := continuation.ReadDecision(question, reply+clause); got.Verdict == continuation.Yes {
				t.Fatalf("%q reads as yes: %s", reply+clause, got.Reason)
			}
		}
	})
}

func FuzzReadChoice(f *testing.F) {
	seedReplies(f)
	all := continuation.Reader{Lexicons: languages}
	f.Fuzz(func(t *testing.T, options, reply string) {
		list := strings.Split(options, "#")
		for _, r := range []continuation.Reader{{}, all} {
			p, ok := r.ReadChoice(list, reply)
			if !ok {
				if p != (continuation.Pick{}) {
					t.Fatalf("no pick, but %+v", p)
				}
				continue
			}
			if p.Index < 0 || p.Index >= len(list) {
				t.Fatalf("%q picks %d of %d", reply, p.Index, len(list))
			}
			if !strings.HasSuffix(strings.TrimSpace(reply), p.More) {
				t.Fatalf("more %q is not the end of %q", p.More, reply)
			}
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	for _, answer := range []string{
		"Shall I go on?", newsList + "Which one?", "```\nx?\n```", "“Are you?”", "A or B?", "## Option A: x\n## Option B: y\nWhich?", "1️⃣ a\n2️⃣ b\nWhich?",
		"Sound right? If so I'll start.", "Shall I?\n\nSources:\n- [a](b)", "Proceed? [y/n]", "a;\nα;", "\xff?", "- \n- \n?",
	} {
		f.Add(answer)
	}
	all := continuation.Reader{Lexicons: languages}
	f.Fuzz(func(t *testing.T, answer string) {
		o := continuation.ReadAnswer(answer)
		if (o.Kind != continuation.OfferNone) != continuation.EndsOnQuestion(answer) {
			t.Fatalf("%q: kind %v, ends on a question %v", answer, o.Kind, continuation.EndsOnQuestion(answer))
		}
		if o.Kind == continuation.OfferChoice && len(o.Options) < 2 {
			t.Fatalf("a choice of %q", o.Options)
		}
		if o.Kind == continuation.OfferNone && (o.Question != "" || o.Options != nil) {
			t.Fatalf("nothing opens, but %+v", o)
		}
		all.ReadAnswer(answer)
	})
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"Yes", "ＹＥＳ", "①", "～~", "e\u0301", "İ", "\xff", "👍🏽", "й", "¿Qué?", "1️⃣", "K\u212a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := continuation.Normalise(s)
		if twice := continuation.Normalise(once); twice != once {
			t.Fatalf("%q folds to %q, then to %q", s, once, twice)
		}
		if !utf8.ValidString(once) {
			t.Fatalf("%q folds to invalid %q", s, once)
		}
		if off := continuation.RawOffset(s, len(once)); off != len(s) {
			t.Fatalf("the end of %q is at %d, want %d", s, off, len(s))
		}
	})
}

// FuzzComposedReply builds replies out of the vocabulary itself, and the words
// of the question, where random bytes would seldom find a word.
func FuzzComposedReply(f *testing.F) {
	parts := slices.Sorted(maps.Keys(continuation.Phrases()))
	parts = append(parts, "the report", "archive", "it", "archive it", "report", "for", "the old one", "two", "me", "to", "on monday", "unless", "without", "cannot")
	joints := []string{" ", ", ", ". ", " and ", " but ", "! ", "? ", "\n", " - "}
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte("any bytes will do for a seed"))
	f.Fuzz(func(t *testing.T, picks []byte) {
		const most = 8
		var b strings.Builder
		for i := 0; i+2 < len(picks) && i < 3*most; i += 3 {
			b.WriteString(parts[(int(picks[i])<<8|int(picks[i+1]))%len(parts)])
			b.WriteString(joints[int(picks[i+2])%len(joints)])
		}
		reply := b.String()
		for _, question := range []string{"", offer, confirm, "Is there anything else?", "Which report?", "Shall I archive it, or wait?", "Do you mind?"} {
			got := continuation.ReadDecision(question, reply)
			if got.Verdict == continuation.Yes && holdsNegation(reply) {
				t.Fatalf("%q: %q holds a negation and reads as yes: %s", question, reply, got.Reason)
			}
			if got.Verdict == continuation.Yes && (question == "Which report?" || question == "Shall I archive it, or wait?") {
				t.Fatalf("%q: %q reads as yes", question, reply)
			}
			for _, clause := range []string{"\nno", "\nnot now", "\nplease don't", "\nwait"} {
				if after := continuation.ReadDecision(question, reply+clause); after.Verdict == continuation.Yes {
					t.Fatalf("%q: %q reads as yes: %s", question, reply+clause, after.Reason)
				}
			}
		}
	})
}
