package approval_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/iris-harness/iris/approval"
)

func TestParseCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want approval.Command
		ok   bool
	}{
		{"/approve 01abc", approval.Command{Decision: approval.Approve, ApprovalID: "01ABC"}, true},
		{"  /APPROVE@iris_bot 01ABC ", approval.Command{Decision: approval.Approve, ApprovalID: "01ABC"}, true},
		{"/reject 01ABC not during business hours", approval.Command{Decision: approval.Reject, ApprovalID: "01ABC", Reason: "not during business hours"}, true},
		{"/approve", approval.Command{Decision: approval.Approve}, true},
		{"please /approve 01ABC", approval.Command{}, false},
		{"/approved 01ABC", approval.Command{}, false},
		{"approve 01ABC", approval.Command{}, false},
		{"", approval.Command{}, false},
	}
	for _, tt := range tests {
		if got, ok := approval.ParseCommand(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%q: %+v, %t; want %+v, %t", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParseCommand(f *testing.F) {
	for _, s := range []string{"/approve 01ABC", "/reject x y", "/approve", "yes", "/approve@bot\x00 \xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := approval.ParseCommand(text)
		switch {
		case !ok && c != (approval.Command{}):
			t.Errorf("%q: no command, and %+v", text, c)
		case ok && c.Decision != approval.Approve && c.Decision != approval.Reject:
			t.Errorf("%q: %+v", text, c)
		case ok && !strings.HasPrefix(strings.TrimSpace(text), "/"):
			t.Errorf("%q is a command", text)
		case ok && utf8.ValidString(text) && !utf8.ValidString(c.ApprovalID+c.Reason):
			t.Errorf("%q: %+q", text, c)
		}
	})
}

func TestRouter(t *testing.T) {
	t.Parallel()
	channel := func(name string) approval.Channel { return approval.NewTextChannel(name, nil) }
	var out bytes.Buffer
	tests := []struct {
		name   string
		c      approval.RouterConfig
		origin string
		want   []string
	}{
		{"its own surface", approval.RouterConfig{Channels: []approval.Channel{channel("telegram")}}, "telegram", []string{"telegram"}},
		{"the web records", approval.RouterConfig{Channels: []approval.Channel{channel("telegram")}}, "web", []string{"web"}},
		{"the web, with a copy", approval.RouterConfig{Channels: []approval.Channel{channel("telegram")}, CopyTo: "telegram"}, "web", []string{"web", "telegram"}},
		{"no copy of others", approval.RouterConfig{Channels: []approval.Channel{channel("telegram"), channel("mail")}, CopyTo: "telegram"}, "mail", []string{"mail"}},
		{"nowhere", approval.RouterConfig{Channels: []approval.Channel{channel("telegram")}}, "", []string{"stderr"}},
		{"unregistered", approval.RouterConfig{Channels: []approval.Channel{channel("telegram")}}, "slack", []string{"stderr"}},
		{"off-box", approval.RouterConfig{Channels: []approval.Channel{channel("telegram")}, OffBox: "telegram"}, "slack", []string{"telegram"}},
		{"a forced terminal first", approval.RouterConfig{Channels: []approval.Channel{channel("telegram"), channel("terminal")}, OffBox: "telegram", Terminal: "terminal"}, "", []string{"terminal"}},
	}
	for _, tt := range tests {
		tt.c.Stderr = &out
		r, err := approval.NewRouter(tt.c)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := r.Targets(tt.origin); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	for name, c := range map[string]approval.RouterConfig{
		"two of one name": {Channels: []approval.Channel{channel("a"), channel("a")}},
		"a taken name":    {Channels: []approval.Channel{channel("stderr")}},
		"no name":         {Channels: []approval.Channel{channel("")}},
		"off-box unknown": {OffBox: "pager"},
		"copy unknown":    {CopyTo: "pager"},
	} {
		if _, err := approval.NewRouter(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]approval.Status{
		"yes\n": approval.Approved, "no\n": approval.Rejected, "maybe\n": approval.Pending, "": approval.Pending,
	} {
		d := newDesk(t)
		r := d.request(t, "01A", approval.DefaultTimeout)
		var out bytes.Buffer
		c := approval.NewTerminalChannel(strings.NewReader(typed), &out, by, func(ctx context.Context, a approval.Answer) error {
			o, err := d.Respond(ctx, a)
			if err == nil && (o.Resumed || o.Reason != approval.NotResumedLater && a.Decision == approval.Approve) {
				return errors.New("it was taken up here")
			}
			return err
		})
		if err := c.Notify(t.Context(), r); err != nil {
			t.Errorf("%q: %v", typed, err)
		}
		if got := d.row(t, r.ID).Status; got != want {
			t.Errorf("%q: %s, want %s", typed, got, want)
		}
	}
}
