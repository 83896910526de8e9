package ops

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// show prints a result: v as JSON, or what text writes.
func (c *call) show(v any, text func(w io.Writer)) {
	if c.json {
		printJSON(c.out, v)
		return
	}
	text(c.out)
}

// table writes rows in columns; "nothing" where there are none.
func table(w io.Writer, nothing string, rows [][]string) {
	if len(rows) == 0 {
		fmt.Fprintln(w, nothing)
		return
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(tw, strings.TrimRight(strings.Join(r, "\t"), "\t "))
	}
	_ = tw.Flush() // a program that cannot print has nobody to tell
}

// when is a time in UTC, and how far from now it is.
func (c *call) when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC") + " (" + relative(t.Sub(c.now)) + ")"
}

// relative says how far away something is: "in 5m", "3d ago".
func relative(d time.Duration) string {
	switch span := around(d.Abs()); {
	case span == "":
		return "now"
	case d < 0:
		return span + " ago"
	default:
		return "in " + span
	}
}

// around is a duration in its largest unit; "" for less than a second.
func around(d time.Duration) string {
	switch {
	case d < time.Second:
		return ""
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// stamp is a time as JSON has it; nil where there is none.
func stamp(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// line is the first line of a text, at most 100 runes of it.
func line(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}

// indent moves every line of a text to the right.
func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// field prints one named value, and nothing where it is empty.
func field(w io.Writer, name, value string) {
	if value != "" {
		fmt.Fprintf(w, "%-10s %s\n", name+":", value)
	}
}
