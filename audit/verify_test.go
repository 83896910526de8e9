package audit_test

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/iris-harness/iris/audit"
)

// rows is a log that a test can tamper with.
type rows []audit.Entry

func (r *rows) Append(_ context.Context, e audit.Entry) error {
	e.Seq, e.Prev = int64(len(*r)+1), ""
	for _, o := range *r {
		if o.SessionID == e.SessionID {
			e.Prev = o.Hash
		}
	}
	e.Hash = e.Sum(e.Prev)
	*r = append(*r, e)
	return nil
}

func (r *rows) Entries(_ context.Context, after int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		for _, e := range *r {
			if e.Seq > after && !yield(e, nil) {
				return
			}
		}
	}
}

var at = time.Date(2026, 9, 12, 10, 0, 0, 0, time.UTC)

// written is a log of two sessions, three rows each, one after the other.
func written(t *testing.T) *rows {
	t.Helper()
	var log rows
	for i := range 6 {
		e := audit.Entry{
			SessionID: []string{"s1", "s2"}[i%2], At: at.Add(time.Duration(i) * time.Second), Kind: audit.KindDecision, RunID: "r", StepID: i,
			TurnID: "t", Point: "pre_tool", Subject: "write", Verdict: "allow", By: "policy", Reason: "ok", Digest: "d",
		}
		if err := log.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	return &log
}

func TestVerify(t *testing.T) {
	t.Parallel()
	log := written(t)
	report, err := audit.Verify(t.Context(), log)
	if err != nil || report.Rows != 6 || len(report.Anchors) != 2 || report.Anchors["s1"].Rows != 3 || report.Anchors["s2"].Seq != 6 {
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := audit.Verify(t.Context(), log, report.Anchors["s1"], report.Anchors["s2"]); err != nil {
		t.Errorf("with its own anchors: %v", err)
	}
	early := report.Anchors["s1"]
	_ = log.Append(t.Context(), audit.Entry{SessionID: "s1", At: at, Kind: audit.KindDecided})
	if _, err := audit.Verify(t.Context(), log, early); err != nil {
		t.Errorf("with an anchor from before the last row: %v", err)
	}
	if report, err := audit.Verify(t.Context(), &rows{}); err != nil || report.Rows != 0 {
		t.Errorf("an empty log: %+v, %v", report, err)
	}
}

func TestVerifyFindsTampering(t *testing.T) {
	t.Parallel()
	rehash := func(r rows, from int) rows { // as somebody would who knows how it is done, for one row
		r[from].Hash = r[from].Sum(r[from].Prev)
		return r
	}
	for name, tt := range map[string]struct {
		tamper func(r rows) rows
		seq    int64
	}{
		"a row edited":                  {func(r rows) rows { r[2].Verdict = "deny"; return r }, 3},
		"a row edited and hashed again": {func(r rows) rows { r[2].Verdict = "deny"; return rehash(r, 2) }, 5},
		"a time edited":                 {func(r rows) rows { r[2].At = r[2].At.Add(time.Microsecond); return r }, 3},
		"a row removed":                 {func(r rows) rows { return slices.Delete(r, 2, 3) }, 5},
		"the first removed":             {func(r rows) rows { return slices.Delete(r, 0, 1) }, 3},
		"two rows swapped":              {func(r rows) rows { r[0], r[2] = r[2], r[0]; return r }, 3},
		"a row inserted": {func(r rows) rows {
			e := r[0]
			e.Seq, e.Prev = 7, r[0].Hash
			e.Hash = e.Sum(e.Prev)
			return slices.Insert(r, 2, e)
		}, 3},
		"a row of another session": {func(r rows) rows { r[2].SessionID = "s2"; return r }, 3},
		"a row twice":              {func(r rows) rows { return slices.Insert(r, 2, r[2]) }, 3},
		"its link cut":             {func(r rows) rows { r[2].Prev = ""; return rehash(r, 2) }, 3},
		"a hash edited":            {func(r rows) rows { r[4].Hash = strings.Repeat("0", 64); return r }, 5},
		"the end cut off":          {func(r rows) rows { return r[:5] }, 6},
		"a session's end cut off":  {func(r rows) rows { return slices.Delete(r, 4, 5) }, 5},
		"everything cut off":       {func(rows) rows { return nil }, 5},
		"written again from nought": {func(rows) rows {
			var n rows
			_ = n.Append(context.Background(), audit.Entry{SessionID: "s1"})
			return n
		}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := written(t)
			report, err := audit.Verify(t.Context(), log)
			if err != nil {
				t.Fatal(err)
			}
			broken := tt.tamper(slices.Clone(*log))
			_, err = audit.Verify(t.Context(), &broken, report.Anchors["s1"], report.Anchors["s2"])
			var found *audit.BrokenError
			if !errors.As(err, &found) {
				t.Fatalf("Verify: %v, want a BrokenError", err)
			}
			if found.Seq != tt.seq && !(tt.seq == 3 && found.Seq == 7) {
				t.Errorf("found at row %d, want %d (%v)", found.Seq, tt.seq, err)
			}
		})
	}
}

// TestACutTailNeedsAnAnchor says what a chain alone cannot show.
func TestACutTailNeedsAnAnchor(t *testing.T) {
	t.Parallel()
	cut := (*written(t))[:4]
	if _, err := audit.Verify(t.Context(), &cut); err != nil {
		t.Errorf("without an anchor a shorter log is a whole one: %v", err)
	}
}

// TestEveryFieldIsHashed holds that no field of a row can be edited unseen; a new one fails until it is hashed.
func TestEveryFieldIsHashed(t *testing.T) {
	t.Parallel()
	chain := []string{"Seq", "Prev", "Hash"} // the log's own
	base := audit.Entry{At: at}
	for i := range reflect.TypeFor[audit.Entry]().NumField() {
		e := base
		f := reflect.TypeFor[audit.Entry]().Field(i)
		switch v := reflect.ValueOf(&e).Elem().Field(i); v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Int, reflect.Int64:
			v.SetInt(7)
		default:
			e.At = at.Add(time.Microsecond)
		}
		if hashed := e.Sum("") != base.Sum(""); hashed == slices.Contains(chain, f.Name) {
			t.Errorf("%s: hashed %v", f.Name, hashed)
		}
	}
	if base.Sum("") == base.Sum("a") {
		t.Error("the hash before is not hashed")
	}
}

type failing struct{ rows }

func (f *failing) Entries(context.Context, int64) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) { yield(audit.Entry{}, errRead) }
}

var errRead = errors.New("cannot read")

func TestVerifyReturnsTheLogsError(t *testing.T) {
	t.Parallel()
	if _, err := audit.Verify(t.Context(), &failing{}); !errors.Is(err, errRead) {
		t.Errorf("Verify: %v", err)
	}
}
