package iristest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/llm"
)

// command runs one line of a script and returns what was observed.
func (c *conversation) command(line string) ([]string, error) {
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "", "#":
		return nil, nil
	case "model":
		return nil, c.script(rest)
	case "user", "system":
		r := c.request
		r.Message, r.System = unescape(rest), name == "system"
		c.request.MessageID = ""
		return c.turn(r), nil
	case "press":
		return c.press(rest)
	case "session":
		c.request.SessionID = rest
	case "sender":
		c.request.Sender = rest
	case "message-id":
		c.request.MessageID = rest
	case "advance":
		d, err := parseDuration(rest)
		c.clock.Advance(d)
		return nil, err
	case "restart":
		return nil, c.restart()
	case "recover":
		return c.recover()
	case "approve", "reject":
		return c.decide(name, rest)
	case "approvals":
		return c.approvals()
	case "tick":
		err := c.h.Tick(context.Background())
		return c.delivered(), err
	case "pending", "history":
		return c.look(name)
	case "effects":
		return c.effects.list(), nil
	case "prompt":
		return c.prompt(rest)
	default:
		return nil, fmt.Errorf("unknown command %q", name)
	}
	return nil, nil
}

// script adds a step to an agent's model.
func (c *conversation) script(rest string) error {
	words := strings.SplitN(rest, " ", 3)
	if len(words) < 3 || c.models[words[0]] == nil {
		return fmt.Errorf("model AGENT answer|call|ask|fail …: %q", rest)
	}
	m, text := c.models[words[0]], words[2]
	if words[1] != "call" { // arguments are JSON, with escapes of their own
		text = unescape(text)
	}
	switch words[1] {
	case "answer":
		m.Answer(text)
	case "fail":
		m.Fail(errors.New(text))
	case "ask":
		parts := strings.Split(text, "|")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		m.AskUser(parts[0], parts[1:]...)
	case "call":
		var calls []llm.Call
		for _, one := range strings.Split(text, " && ") {
			tool, args, _ := strings.Cut(one, " ")
			calls = append(calls, ToolCall("", tool, args))
		}
		m.Reply(llm.Message{Calls: calls})
	default:
		return fmt.Errorf("model %s: unknown", words[1])
	}
	return nil
}

func (c *conversation) press(rest string) ([]string, error) {
	id := ""
	if first, ok := strings.CutPrefix(rest, "first "); ok {
		id, rest = c.first, first
	} else if v, err := c.h.Session(context.Background(), c.request.SessionID); err != nil {
		return nil, err
	} else if v.Waiting != nil {
		id = v.Waiting.ID
	}
	r := c.request
	r.Press = &iris.Press{ContinuationID: id, Option: rest}
	return c.turn(r), nil
}

// decide answers the newest approval, or with "first" the oldest, as a person on another surface.
func (c *conversation) decide(verdict, rest string) ([]string, error) {
	rows, err := c.h.Approvals().List(context.Background(), approval.Query{})
	if err != nil || len(rows) == 0 {
		return []string{"no approval"}, err
	}
	id := rows[0].ID
	if reason, ok := strings.CutPrefix(rest, "first"); ok {
		id, rest = rows[len(rows)-1].ID, strings.TrimSpace(reason)
	}
	by := c.request.Sender
	if by == "" {
		by = "u1"
	}
	o, err := c.h.Approvals().Respond(context.Background(), iris.Answer{
		ApprovalID: id, Decision: approval.Verdict(verdict), Reason: rest, By: iris.Principal{ID: by}, Surface: "elsewhere",
	})
	if err != nil {
		return []string{"(" + scrub(err.Error()) + ")"}, nil
	}
	return append([]string{scrub(o.String())}, c.delivered()...), nil
}

func (c *conversation) approvals() ([]string, error) {
	rows, err := c.h.Approvals().List(context.Background(), approval.Query{})
	if len(rows) == 0 {
		return []string{"none"}, err
	}
	var seen []string
	for i := len(rows) - 1; i >= 0; i-- {
		r := rows[i]
		line := fmt.Sprintf("%s at %s: %s", r.Status, r.Point, r.Summary)
		if r.Principal != "" {
			line += " (by " + r.Principal + ")"
		}
		if r.Overdue(c.clock.Now()) {
			line += " (overdue)"
		}
		seen = append(seen, line)
	}
	return seen, err
}

// delivered returns what was delivered outside of turns since the last look.
func (c *conversation) delivered() []string {
	if err := c.h.Tick(context.Background()); err != nil {
		return []string{"(" + scrub(err.Error()) + ")"}
	}
	var seen []string
	for _, d := range c.sent.take() {
		for _, l := range lines(d.Text) {
			seen = append(seen, d.Channel+"/"+d.SessionID+": "+l)
		}
	}
	return seen
}

func (c *conversation) recover() ([]string, error) {
	done, err := c.h.RecoverAlone(context.Background())
	var seen []string
	for _, r := range done {
		seen = append(seen, fmt.Sprintf("%s: released %d, unknown %d, failed %d, ambiguous %d", r.SessionID, len(r.Released), len(r.Unknown), len(r.Failed), len(r.Ambiguous)))
	}
	return seen, err
}

func (c *conversation) look(what string) ([]string, error) {
	v, err := c.h.Session(context.Background(), c.request.SessionID)
	if err != nil {
		return nil, err
	}
	var seen []string
	if what == "history" {
		for i := len(v.History) - 1; i >= 0; i-- {
			q := v.History[i]
			seen = append(seen, strings.TrimSpace(fmt.Sprintf("%s %s %q: %s %s %s", q.Owner, q.Kind, firstLine(q.Question), q.Status, q.Why, q.Outcome)))
		}
		return seen, nil
	}
	if v.Waiting == nil {
		return []string{"nothing waits"}, nil
	}
	seen = append(seen, fmt.Sprintf("%s waits: %q", v.Waiting.Owner, v.Waiting.Question))
	for _, o := range v.Waiting.Options {
		seen = append(seen, fmt.Sprintf("  [%s] %s", o.Value, o.Text))
	}
	return append(seen, "  until "+v.Waiting.ExpiresAt.Format(time.RFC3339)), nil
}

func (c *conversation) prompt(agent string) ([]string, error) {
	m := c.models[agent]
	if m == nil {
		return nil, fmt.Errorf("no agent %q", agent)
	}
	return lines(m.Prompt(m.Calls() - 1)), nil
}

// unescape lets a line hold several: \n is a line break.
func unescape(s string) string { return strings.ReplaceAll(s, `\n`, "\n") }

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(scrub(s), "\n")
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

var ulids = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)

// scrub takes what differs between runs out of a text.
func scrub(s string) string { return ulids.ReplaceAllString(s, "ID") }

// parseDuration reads what time.ParseDuration does, and days.
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}
