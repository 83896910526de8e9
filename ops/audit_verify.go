package ops

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/iris-harness/iris/audit"
)

func auditVerify() command {
	return command{
		name: "audit verify", args: "[--anchors FILE] [--export FILE]", summary: "check every chain of the audit: an edited, removed, inserted or reordered row is found",
		setup: func(fs *flag.FlagSet) runFunc {
			anchors := fs.String("anchors", "", "heads that an earlier --export wrote: they must lie on their chains")
			export := fs.String("export", "", "write the heads of the chains there, to be kept elsewhere")
			return func(ctx context.Context, c *call) error { return c.verify(ctx, *anchors, *export) }
		},
	}
}

// verifyView is what a verification found.
type verifyView struct {
	OK      bool           `json:"ok"`
	Rows    int            `json:"rows"`
	Chains  int            `json:"chains"`
	Anchors []audit.Anchor `json:"anchors,omitempty"`
	Broken  *brokenView    `json:"broken,omitempty"`
}

type brokenView struct {
	Seq       int64  `json:"seq"`
	SessionID string `json:"session_id"`
	Problem   string `json:"problem"`
}

func (c *call) verify(ctx context.Context, anchors, export string) error {
	known, err := readAnchors(anchors)
	if err != nil {
		return err
	}
	report, err := c.h.Audit().Verify(ctx, known...)
	v := verifyView{OK: err == nil, Rows: report.Rows, Chains: len(report.Anchors)}
	var broken *audit.BrokenError
	switch {
	case errors.As(err, &broken):
		v.Broken = &brokenView{broken.Seq, broken.SessionID, broken.Problem}
		c.show(v, func(w io.Writer) {
			fmt.Fprintf(w, "broken: row %d of session %q: %s\n", broken.Seq, broken.SessionID, broken.Problem)
		})
		return errShown
	case err != nil:
		return err
	}
	v.Anchors = sorted(report)
	if err := writeAnchors(export, v.Anchors); err != nil {
		return err
	}
	c.show(v, func(w io.Writer) { fmt.Fprintf(w, "intact: rows %d, chains %d\n", v.Rows, v.Chains) })
	return nil
}

func sorted(r audit.Report) []audit.Anchor {
	out := make([]audit.Anchor, 0, len(r.Anchors))
	for _, a := range r.Anchors {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b audit.Anchor) int { return strings.Compare(a.SessionID, b.SessionID) })
	return out
}

func readAnchors(file string) (anchors []audit.Anchor, err error) {
	if file == "" {
		return nil, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--anchors: %w", err)
	}
	if err := json.Unmarshal(b, &anchors); err != nil {
		return nil, fmt.Errorf("--anchors: %s: %w", file, err)
	}
	return anchors, nil
}

func writeAnchors(file string, anchors []audit.Anchor) error {
	if file == "" {
		return nil
	}
	b, err := json.MarshalIndent(anchors, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("--export: %w", err)
	}
	return nil
}
