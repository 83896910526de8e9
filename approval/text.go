package approval

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
)

// TextChannel brings requests to a surface that texts can be pushed to (a messenger, mail, a paging service), given a function that sends one.
type TextChannel struct {
	name string
	send func(ctx context.Context, m TextMessage) error
}

// TextMessage is one text for a surface.
type TextMessage struct {
	Key       string // stable: a surface that knows it can drop a second copy
	SessionID string
	Text      string
	// Buttons are the commands that the surface may offer; none for a notice.
	Buttons []string
}

var _ Channel = (*TextChannel)(nil)

// NewTextChannel returns a channel that sends with send.
func NewTextChannel(name string, send func(ctx context.Context, m TextMessage) error) *TextChannel {
	return &TextChannel{name, send}
}

// Name implements [Channel].
func (c *TextChannel) Name() string { return c.name }

// Notify implements [Channel].
func (c *TextChannel) Notify(ctx context.Context, r Request) error {
	return c.send(ctx, TextMessage{
		Key: "request/" + r.ID + "/" + c.name, SessionID: r.SessionID, Text: RequestText(&r),
		Buttons: []string{"/approve " + r.ID, "/reject " + r.ID},
	})
}

// NotifyTimeout implements [Channel]. It asks for nothing: a command would be refused.
func (c *TextChannel) NotifyTimeout(ctx context.Context, r Request) error {
	return c.send(ctx, TextMessage{Key: "lapse/" + r.ID + "/" + c.name, SessionID: r.SessionID, Text: LapseText(&r)})
}

// RequestText is a request as a person reads it on a text surface.
func RequestText(r *Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Approval needed: %s\n", r.Summary)
	for _, it := range r.Items {
		fmt.Fprintf(&b, "%d. %s\n", it.Position, it.Card)
	}
	if r.Destructive {
		b.WriteString("This cannot be undone.\n")
	}
	fmt.Fprintf(&b, "Open until %s. Answer with\n/approve %s\n/reject %s REASON", r.TimeoutAt.Format("2006-01-02 15:04 MST"), r.ID, r.ID)
	return b.String()
}

// Command is a decision that was typed.
type Command struct {
	Decision   Verdict
	ApprovalID string
	Reason     string
}

// ParseCommand reads "/approve ID" and "/reject ID REASON" from any text surface, before chat does. ok is false for any other text: only a
// message that begins with one of the two words is a command. An id may be missing: then it is "".
func ParseCommand(text string) (c Command, ok bool) {
	word, rest := firstWord(text)
	word, _, _ = strings.Cut(word, "@") // "/approve@some_bot", as group chats write it
	switch strings.ToLower(word) {
	case "/approve":
		c.Decision = Approve
	case "/reject":
		c.Decision = Reject
	default:
		return c, false
	}
	id, reason := firstWord(rest)
	c.ApprovalID, c.Reason = strings.ToUpper(id), reason
	return c, true
}

// firstWord splits text at its first white space, whatever kind it is.
func firstWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// Commands answers typed commands. It remembers, in memory, who has asked once for what cannot be undone.
type Commands struct {
	s  *Service
	mu sync.Mutex
	// once holds when a principal asked the first time, by principal and approval.
	once map[string]time.Time
}

// secondWithin is how long a first "/approve" of a destructive request is good for.
const secondWithin = 2 * time.Minute

// Commands returns the reader of typed commands of the service's requests.
func (s *Service) Commands() *Commands { return &Commands{s: s, once: map[string]time.Time{}} }

// Handle decides what text says, as by, and returns what to say back; handled is false where text is no command. pressed says that it came from a
// button, which is explicit: a typed "/approve" of a destructive request has to be typed twice.
func (c *Commands) Handle(ctx context.Context, by Principal, surface, text string, pressed bool) (reply string, handled bool) {
	cmd, ok := ParseCommand(text)
	if !ok {
		return "", false
	}
	if cmd.ApprovalID == "" {
		return "Which one? Write the approval's id after the command.", true
	}
	if cmd.Decision == Approve && !pressed && c.first(ctx, by, cmd.ApprovalID) {
		return "This cannot be undone. Send the same command again to approve it.", true
	}
	o, err := c.s.Respond(ctx, Answer{ApprovalID: cmd.ApprovalID, Decision: cmd.Decision, Reason: cmd.Reason, By: by, Surface: surface})
	if err != nil {
		return err.Error(), true
	}
	return o.String(), true
}

// first notes a first "/approve" of a destructive request and reports whether it was one.
func (c *Commands) first(ctx context.Context, by Principal, id string) bool {
	r, err := c.s.Get(ctx, id)
	if err != nil || !r.Destructive || r.Status != Pending {
		return false
	}
	key := by.ID + "\x00" + id
	now := c.s.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, at := range c.once {
		if now.Sub(at) > secondWithin {
			delete(c.once, k)
		}
	}
	if _, again := c.once[key]; again {
		delete(c.once, key)
		return false
	}
	c.once[key] = now
	return true
}
