package continuation_test

import (
	"strings"
	"testing"

	"github.com/iris-harness/iris/continuation"
)

var languages = []continuation.Lexicon{
	continuation.Spanish, continuation.French, continuation.German, continuation.Portuguese, continuation.Italian,
	continuation.Dutch, continuation.Russian, continuation.Chinese, continuation.Japanese, continuation.Hindi, continuation.Arabic,
}

// TestLexiconEntries holds that each entry reads as what it is, in its own
// language and among all of them, and that a lexicon stays data of a size that
// a person can check.
func TestLexiconEntries(t *testing.T) {
	t.Parallel()
	const most = 60
	for _, l := range languages {
		t.Run(l.Tag, func(t *testing.T) {
			t.Parallel()
			if n := l.Entries(); n > most {
				t.Errorf("%d entries, want at most %d", n, most)
			}
			for _, r := range []continuation.Reader{{Lexicons: []continuation.Lexicon{l}}, {Lexicons: languages}} {
				checkEntries(t, r, l.Yes, l.Fillers, continuation.Yes)
				checkEntries(t, r, l.No, l.Fillers, continuation.No)
			}
			r := continuation.Reader{Lexicons: []continuation.Lexicon{l}}
			options := make([]string, len(l.Ordinals))
			for i, forms := range l.Ordinals {
				for form := range strings.SplitSeq(forms, "|") {
					if p, ok := r.ReadChoice(options, form); !ok || p.Index != i {
						t.Errorf("ReadChoice(%q) = %d, %v, want %d", form, p.Index, ok, i)
					}
				}
			}
		})
	}
}

func checkEntries(t *testing.T, r continuation.Reader, entries, fillers []string, want continuation.Verdict) {
	t.Helper()
	for _, e := range entries {
		if len([]rune(e)) == 1 && e[0] < 0x80 {
			t.Errorf("%q is a single letter", e)
		}
		for _, reply := range []string{e, strings.ToUpper(e), e + "!", e + ", " + fillers[0]} {
			if got := r.ReadDecision("", reply); got.Verdict != want {
				t.Errorf("%d languages: ReadDecision(%q) = %v (%s), want %v", len(r.Lexicons), reply, got.Verdict, got.Reason, want)
			}
		}
	}
}

// TestLexiconNotConfigured holds that another language is unclear to a reader
// of English, and never the opposite of what it says.
func TestLexiconNotConfigured(t *testing.T) {
	t.Parallel()
	for _, l := range languages {
		for _, e := range l.No {
			switch v := continuation.ReadDecision("", e).Verdict; v {
			case continuation.Yes, continuation.YesWithMore:
				t.Errorf("%s: %q reads as %v in English", l.Tag, e, v)
			}
		}
		for _, e := range l.Yes {
			switch v := continuation.ReadDecision("", e).Verdict; v {
			case continuation.No, continuation.NoWithMore:
				t.Errorf("%s: %q reads as %v in English", l.Tag, e, v)
			}
		}
	}
}

// TestLexiconClashes holds the messages that mean one thing in one language
// and another in the next, or both in one.
func TestLexiconClashes(t *testing.T) {
	t.Parallel()
	all := continuation.Reader{Lexicons: languages}
	luo := continuation.Lexicon{Tag: "luo", No: []string{"da"}}
	slovene := continuation.Lexicon{Tag: "sl", Yes: []string{"da"}}
	albanian := continuation.Lexicon{Tag: "sq", No: []string{"jo"}}
	english := continuation.Lexicon{Tag: "x", No: []string{"ok"}}
	tests := []struct {
		name   string
		reader continuation.Reader
		reply  string
		want   continuation.Verdict
	}{
		{"da in one language", continuation.Reader{Lexicons: []continuation.Lexicon{slovene}}, "da", continuation.Yes},
		{"da in two", continuation.Reader{Lexicons: []continuation.Lexicon{slovene, luo}}, "da", continuation.Unclear},
		{"da in Latin letters, shipped languages", all, "da", continuation.Unclear},
		{"jo, shipped languages", all, "jo", continuation.Unclear},
		{"jo in Albanian", continuation.Reader{Lexicons: []continuation.Lexicon{albanian}}, "jo", continuation.No},
		{"ne, Greek and Slavic", all, "ne", continuation.Unclear},
		{"a language against English", continuation.Reader{Lexicons: []continuation.Lexicon{english}}, "ok", continuation.Unclear},
		{"Russian: yes no", all, "да нет", continuation.Unclear},
		{"Chinese: good or not", all, "好不好", continuation.Unclear},
		{"Chinese: may not", all, "不可以", continuation.No},
		{"Japanese: un and uun", all, "ううん", continuation.No},
		{"Japanese: ii desu can be both", all, "いいです", continuation.Unclear},
		{"two languages in one message", all, "sí, nein", continuation.Unclear},
		{"a sentence is not a whole message of entries", all, "sí, pero mañana", continuation.Unclear},
		{"asked back", all, "sí?", continuation.Unclear},
		{"no spaces", all, "はいお願いします", continuation.Yes},
		{"accent as a mark of its own", all, "si\u0301, por favor", continuation.Yes},
		{"Arabic with vowel marks", all, "نَعَم", continuation.Yes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.reader.ReadDecision("", tt.reply); got.Verdict != tt.want {
				t.Errorf("ReadDecision(%q) = %v (%s), want %v", tt.reply, got.Verdict, got.Reason, tt.want)
			}
		})
	}
}

func TestLexiconQuestions(t *testing.T) {
	t.Parallel()
	all := continuation.Reader{Lexicons: languages}
	for q, want := range map[string]continuation.OfferKind{
		"¿Quieres que continúe?": continuation.OfferYesNo, "¿Cuándo quieres ir?": continuation.OfferQuestion,
		"要我继续吗？": continuation.OfferYesNo, "هل أتابع؟": continuation.OfferYesNo, "Soll ich weitermachen?": continuation.OfferYesNo,
		"Möchten Sie Tee oder Kaffee?": continuation.OfferQuestion, "続けましょうか？": continuation.OfferYesNo,
	} {
		if got := all.ReadAnswer(q).Kind; got != want {
			t.Errorf("ReadAnswer(%q).Kind = %v, want %v", q, got, want)
		}
	}
	if got := all.ReadDecision("¿Cuándo quieres ir?", "sí"); got.Verdict != continuation.Unclear {
		t.Errorf("a yes to a wh-question reads as %v", got.Verdict)
	}
}
