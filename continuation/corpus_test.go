package continuation_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/iris-harness/iris/continuation"
)

// corpusDir names the environment variable with the directory of a corpus of
// real replies. The corpus is not part of this repository; where the variable
// is not set, the tests that need it are passed over.
const corpusDir = "IRIS_REPLIES_DIR"

type corpusRow struct {
	Question, Reply, Polarity string
	Options                   []string
	Label                     any
}

func readCorpus(t *testing.T, name string) []corpusRow {
	t.Helper()
	dir := os.Getenv(corpusDir)
	if dir == "" {
		t.Skipf("%s is not set", corpusDir)
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []corpusRow
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var r corpusRow
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestCorpusDecisions holds the floor that a change of the vocabulary must not
// fall through.
func TestCorpusDecisions(t *testing.T) {
	t.Parallel()
	var approve, plain, yes, wrong, reject, no, noRight, noClaims, more, moreNo int
	for _, r := range readCorpus(t, "dev.jsonl") {
		v := continuation.ReadDecision(r.Question, r.Reply).Verdict
		isNo := v == continuation.No || v == continuation.NoWithMore
		if v == continuation.Yes && r.Polarity != "approve" {
			wrong++
			t.Logf("false yes: %q to %q", r.Reply, r.Question)
		}
		if isNo {
			noClaims++
			noRight += btoi(r.Polarity == "reject")
		}
		switch {
		case r.Label == "approve":
			approve++
			plain += btoi(v == continuation.Yes)
			yes += btoi(v == continuation.Yes || v == continuation.YesWithMore)
		case r.Label == "reject":
			reject++
			no += btoi(isNo)
		case r.Label == "mixed" && r.Polarity == "reject":
			more++
			moreNo += btoi(isNo)
		}
	}
	atLeast(t, "recall of a plain yes", plain, approve, 0.78)
	atLeast(t, "recall of a yes", yes, approve, 0.94)
	atLeast(t, "precision of a no", noRight, noClaims, 0.94)
	atLeast(t, "recall of a no", no, reject, 0.90)
	atLeast(t, "recall of a no with more", moreNo, more, 0.68)
	if wrong > 1 {
		t.Errorf("%d false yeses, want at most 1", wrong)
	}
}

func TestCorpusChoices(t *testing.T) {
	t.Parallel()
	var picks, right, claims int
	for _, r := range readCorpus(t, "choices_dev.jsonl") {
		want, _ := r.Label.(float64)
		p, ok := continuation.ReadChoice(r.Options, r.Reply)
		hit := ok && p.Index+1 == int(want)
		picks += btoi(want > 0)
		claims += btoi(ok)
		right += btoi(hit)
	}
	atLeast(t, "precision of a pick", right, claims, 1)
	atLeast(t, "recall of a pick", right, picks, 0.66)
}

func atLeast(t *testing.T, what string, hits, of int, want float64) {
	t.Helper()
	if got := float64(hits) / float64(max(of, 1)); got < want {
		t.Errorf("%s: %.4f (%d of %d), want at least %.2f", what, got, hits, of, want)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
