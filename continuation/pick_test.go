package continuation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/continuation"
)

var headlines = []string{"Rates rise", "Flood in Ghent: what we know", "New bridge opens", "Strike ends", "Cup final"}

func TestReadChoicePicks(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]int{
		"2": 2, "#2": 2, "2.": 2, "2)": 2, "(2)": 2, "**2**": 2, "２": 2, "②": 2, "2️⃣": 2, "2 👍": 2, "2, please": 2,
		"the 2nd one": 2, "second": 2, "the second one": 2, "the third one": 3, "two": 2, "option two": 2, "number 4": 4,
		"the last one": 5, "b": 2, "B.": 2, "option b": 2, "go with C": 3, "option: 2": 2, "my pick: 4": 4, "just go with the 1 st one": 1, "ok, 3": 3,
		"Just tell me more about the 4th news from your news list": 4, "give me more details on 3": 3, "expand on 3": 3,
		"what about 3": 3, "dig into 3": 3, "can you open 3?": 3, "the 3rd headline": 3, "3 looks good": 3, "tell me about number two": 2,
		"Flood in Ghent": 2, "the strike ends story": 4, "I'd like the cup final, please": 5, "I want the second": 2,
	} {
		got, ok := continuation.ReadChoice(headlines, reply)
		if !ok || got.Index+1 != want {
			t.Errorf("ReadChoice(%q) = %d, %v, want %d", reply, got.Index+1, ok, want)
		}
	}
}

func TestReadChoiceNone(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{
		"", "no", "yes", "0", "6", "99999999999999999999", "1 and 2", "1, 2", "1,2", "2 or 3", "1-3", "1/2", "the two", "both", "all of them",
		"show me 5 more", "2 more", "2 of these", "give me 3 headlines", "4 people are coming", "I need 4", "just one", "3 news",
		"What is the first day of the week?", "3.5", "10:30", "2pm", "at 5", "in 2", "on the 5th", "no, on the 5th", "2%", "$1",
		"just a second", "one second", "first, tell me about it", "first of all, no", "none of them", "not 2", "anything but 2",
		"2, no, 3", "2, wait", "2 please, not 3", "2 and 3", "2 and not 3", "2 then 3", "2 and maybe 3", "2 but not yet", "the first two", "second to last", "maybe 2", "明天 2 点", "v2", "the one", "i",
		"rates rise and strike ends", "Is the cup final today?", "not the cup final",
	} {
		if got, ok := continuation.ReadChoice(headlines, reply); ok {
			t.Errorf("ReadChoice(%q) = %d, want none", reply, got.Index+1)
		}
	}
	if _, ok := continuation.ReadChoice(nil, "1"); ok {
		t.Error("a pick from no options")
	}
}

func TestReadChoiceMore(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]string{
		"Option 1, then move on to finding 8": "then move on to finding 8",
		"option 2 but rename it":              "but rename it", "go with 2 and deploy it, please": "and deploy it, please",
		"3 - and hurry": "and hurry",
		"2. Thanks!":    "Thanks!",
		"Rates rise. And tell Anna, \u201cnow\u201d.": "And tell Anna, \u201cnow\u201d.",
		"the second": "",
	} {
		got, ok := continuation.ReadChoice(headlines, reply)
		if diff := cmp.Diff(want, got.More); diff != "" || !ok {
			t.Errorf("ReadChoice(%q), %v: more (-want +got):\n%s", reply, ok, diff)
		}
	}
}

func TestReadChoiceTitles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options []string
		reply   string
		want    int // 1-based, 0 is none
	}{
		{"a word that refuses, as an option", []string{"Merge", "Cancel"}, "cancel", 2},
		{"the longer title wins", []string{"New York", "New York City"}, "New York City please", 2},
		{"the name of something else", []string{"American", "Indian"}, "some latin american food", 0},
		{"plural", []string{"Sport", "Music"}, "I'd like sports", 1},
		{"twice the same title", []string{"Tea", "Tea"}, "tea", 0},
		{"a long reply only mentions it", []string{"Tea", "Coffee"}, "my aunt used to say that there is no better drink in the world than a cup of tea", 0},
		{"a number that another title opens with", []string{"2 people", "4 people"}, "2", 0},
		{"a number as a title", []string{"3", "4"}, "3", 1},
		{"a number of no title", []string{"4 people", "6 people"}, "1", 1},
		{"letter beyond the list", []string{"Tea", "Coffee"}, "c", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, ok := continuation.ReadChoice(tt.options, tt.reply)
			got := 0
			if ok {
				got = p.Index + 1
			}
			if got != tt.want {
				t.Errorf("ReadChoice(%q, %q) = %d, want %d", tt.options, tt.reply, got, tt.want)
			}
		})
	}
}
