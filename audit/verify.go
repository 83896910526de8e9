package audit

import (
	"context"
	"fmt"
)

// Anchor is the head of one session's chain at some moment. Kept outside the store, it shows that rows were cut off the end.
type Anchor struct {
	SessionID string `json:"session_id"`
	Seq       int64  `json:"seq"`
	Rows      int    `json:"rows"`
	Hash      string `json:"hash"`
}

// Report is the result of [Verify].
type Report struct {
	Rows    int               // rows read
	Anchors map[string]Anchor // the head of each session's chain, by session id
}

// BrokenError is returned by [Verify] at the first row that does not fit its chain, or for an anchor that no row bears out.
type BrokenError struct {
	Seq       int64
	SessionID string
	Problem   string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("audit: row %d of session %q: %s", e.Seq, e.SessionID, e.Problem)
}

// Verify reads the whole log and checks every chain, and that each given anchor lies on its chain.
// It returns a *BrokenError for the first fault found, or the log's own error.
func Verify(ctx context.Context, log Log, anchors ...Anchor) (Report, error) {
	r := Report{Anchors: map[string]Anchor{}}
	seen := map[Anchor]bool{}
	for _, a := range anchors {
		seen[a] = false
	}
	for e, err := range log.Entries(ctx, 0) {
		if err != nil {
			return r, fmt.Errorf("audit: verify: %w", err)
		}
		head := r.Anchors[e.SessionID]
		if e.Prev != head.Hash {
			return r, &BrokenError{e.Seq, e.SessionID, "does not follow the row before it"}
		}
		if e.Hash != e.Sum(e.Prev) {
			return r, &BrokenError{e.Seq, e.SessionID, "its content does not match its hash"}
		}
		head = Anchor{e.SessionID, e.Seq, head.Rows + 1, e.Hash}
		r.Anchors[e.SessionID] = head
		r.Rows++
		if _, ok := seen[head]; ok {
			seen[head] = true
		}
	}
	for _, a := range anchors {
		if !seen[a] {
			return r, &BrokenError{a.Seq, a.SessionID, "an anchor was taken here, and the row is gone"}
		}
	}
	return r, nil
}
