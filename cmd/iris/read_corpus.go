package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/iris-harness/iris/continuation"
)

// maxRow is the longest row of a corpus, in bytes.
const maxRow = 4 << 20

// A row is one labelled reply. A row with options is a choice: its label is
// the number of the option, or "none".
type row struct {
	Question string          `json:"question"`
	Reply    string          `json:"reply"`
	Options  []string        `json:"options"`
	Label    json.RawMessage `json:"label"`
	Polarity string          `json:"polarity"`
}

// A share is a fraction that is still being counted.
type share struct{ hits, of int }

func (s *share) add(hit bool) {
	s.of++
	if hit {
		s.hits++
	}
}

// value returns the fraction; a share of nothing is 0.
func (s share) value() float64 {
	if s.of == 0 {
		return 0
	}
	return float64(s.hits) / float64(s.of)
}

// MarshalJSON writes the fraction.
func (s share) MarshalJSON() ([]byte, error) { return json.Marshal(s.value()) }

// decisionFigures says how well a corpus of decisions is read.
type decisionFigures struct {
	N                 int   `json:"n"`
	PlainYes          int   `json:"plain_yes"`           // replies read as a plain Yes
	PlainYesPrecision share `json:"plain_yes_precision"` // of these: polarity approve
	PlainYesRecall    share `json:"plain_yes_recall"`    // of label approve: read as Yes
	YesRecall         share `json:"yes_recall"`          // of label approve: read as Yes or YesWithMore
	MoreAsPlainYes    share `json:"more_as_plain_yes"`   // of mixed, polarity approve: read as Yes
	NoneAsPlainYes    share `json:"none_as_plain_yes"`   // of label none: read as Yes
	NoneAsYesWithMore share `json:"none_as_yes_with_more"`
	NoPrecision       share `json:"no_precision"`        // of replies read as No or NoWithMore: polarity reject
	NoRecall          share `json:"no_recall"`           // of label reject: read as No or NoWithMore
	NoWithMoreRecall  share `json:"no_with_more_recall"` // of mixed, polarity reject: likewise
	NoneAsNo          share `json:"none_as_no"`          // of label none: likewise
}

// add counts one decision.
func (f *decisionFigures) add(label, polarity string, v continuation.Verdict) {
	plain := v == continuation.Yes
	more := v == continuation.YesWithMore
	no := v == continuation.No || v == continuation.NoWithMore
	f.N++
	if plain {
		f.PlainYes++
		f.PlainYesPrecision.add(polarity == "approve")
	}
	if no {
		f.NoPrecision.add(polarity == "reject")
	}
	switch {
	case label == "approve":
		f.PlainYesRecall.add(plain)
		f.YesRecall.add(plain || more)
	case label == "reject":
		f.NoRecall.add(no)
	case label == "mixed" && polarity == "approve":
		f.MoreAsPlainYes.add(plain)
	case label == "mixed" && polarity == "reject":
		f.NoWithMoreRecall.add(no)
	case label == "none":
		f.NoneAsPlainYes.add(plain)
		f.NoneAsYesWithMore.add(more)
		f.NoneAsNo.add(no)
	}
}

// choiceFigures says how well a corpus of picks is read.
type choiceFigures struct {
	N               int   `json:"n"`
	ChoicePrecision share `json:"choice_precision"` // of replies read as a pick: the labelled one
	ChoiceRecall    share `json:"choice_recall"`    // of labelled picks: read as that pick
}

// add counts one pick; want is 1-based, 0 where none is picked.
func (f *choiceFigures) add(want int, p continuation.Pick, picked bool) {
	f.N++
	right := picked && p.Index+1 == want
	if picked {
		f.ChoicePrecision.add(right)
	}
	if want > 0 {
		f.ChoiceRecall.add(right)
	}
}

// measure reads a corpus and returns its figures: *decisionFigures, or
// *choiceFigures where the rows have options.
func measure(r io.Reader) (any, error) {
	var decisions decisionFigures
	var choices choiceFigures
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxRow)
	for n := 1; sc.Scan(); n++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		if err := measureRow(sc.Bytes(), &decisions, &choices); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	switch err := sc.Err(); {
	case err != nil:
		return nil, err
	case decisions.N > 0 && choices.N > 0:
		return nil, errors.New("rows with and without options in one corpus")
	case choices.N > 0:
		return &choices, nil
	}
	return &decisions, nil
}

// measureRow reads one row of a corpus.
func measureRow(line []byte, decisions *decisionFigures, choices *choiceFigures) error {
	var r row
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	if len(r.Options) > 0 {
		var want int // stays 0 for the label "none"
		_ = json.Unmarshal(r.Label, &want)
		p, ok := continuation.ReadChoice(r.Options, r.Reply)
		choices.add(want, p, ok)
		return nil
	}
	var label string
	if err := json.Unmarshal(r.Label, &label); err != nil {
		return err
	}
	decisions.add(label, r.Polarity, continuation.ReadDecision(r.Question, r.Reply).Verdict)
	return nil
}

// printTable prints figures, one on each line.
func printTable(w io.Writer, figures any) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	switch f := figures.(type) {
	case *decisionFigures:
		fmt.Fprintf(tw, "replies\t%d\nread as a plain yes\t%d\n", f.N, f.PlainYes)
		printShare(tw, "plain yes: precision", f.PlainYesPrecision)
		printShare(tw, "plain yes: recall", f.PlainYesRecall)
		printShare(tw, "yes, plain or with more: recall", f.YesRecall)
		printShare(tw, "yes with more, read as plain yes", f.MoreAsPlainYes)
		printShare(tw, "no answer, read as plain yes", f.NoneAsPlainYes)
		printShare(tw, "no answer, read as yes with more", f.NoneAsYesWithMore)
		printShare(tw, "no: precision", f.NoPrecision)
		printShare(tw, "no: recall", f.NoRecall)
		printShare(tw, "no with more: recall", f.NoWithMoreRecall)
		printShare(tw, "no answer, read as no", f.NoneAsNo)
	case *choiceFigures:
		fmt.Fprintf(tw, "replies\t%d\n", f.N)
		printShare(tw, "pick: precision", f.ChoicePrecision)
		printShare(tw, "pick: recall", f.ChoiceRecall)
	}
	return tw.Flush()
}

// printShare prints one share in per cent, with its counts.
func printShare(w io.Writer, name string, s share) {
	fmt.Fprintf(w, "%s\t%.2f %%\t%d of %d\n", name, 100*s.value(), s.hits, s.of)
}
