package continuation

import "strings"

// Normalise exposes normalise to the tests.
func Normalise(s string) string { return string(normalise(nil, s)) }

// RawOffset exposes rawOffset to the tests.
func RawOffset(s string, off int) int { return rawOffset(s, off) }

// Phrases returns every phrase of the English vocabulary that is made of plain
// words, with its class.
func Phrases() map[string]uint8 {
	out := map[string]uint8{}
	eachPhrase(func(p string, c class) { out[p] = uint8(c) })
	return out
}

// UnknownRoles returns the role names that phrases use and nobody defines.
func UnknownRoles() []string {
	var out []string
	eachPlace(func(name string) {
		if _, ok := roleNames[name]; !ok {
			out = append(out, name)
		}
	})
	return out
}

// Uncased returns the word lists and phrase lists without a case.
func Uncased() int {
	n := 0
	for _, l := range wordLists {
		if l.asked == "" {
			n++
		}
	}
	for _, l := range phraseLists {
		if l.asked == "" {
			n++
		}
	}
	return n
}

// Entries returns how many entries a lexicon has.
func (l Lexicon) Entries() int {
	return len(l.Yes) + len(l.No) + len(l.Fillers) + len(l.Ordinals) + len(l.QuestionWords) + len(l.YesNoForms)
}

func eachPhrase(f func(p string, c class)) {
	for _, l := range phraseLists {
		for p := range strings.SplitSeq(l.phrases, ";") {
			if p = strings.TrimSpace(p); p != "" && !strings.ContainsAny(p, "<?*") {
				f(p, l.class)
			}
		}
	}
}

func eachPlace(f func(name string)) {
	for _, lists := range [][]phraseList{phraseLists, questionPhrases, formPhrases} {
		for _, l := range lists {
			for w := range strings.FieldsSeq(l.phrases) {
				if strings.HasPrefix(w, "<") {
					f(strings.TrimRight(w, "?*;"))
				}
			}
		}
	}
}
