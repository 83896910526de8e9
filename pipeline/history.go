package pipeline

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/session"
)

// historyBefore is the conversation before t, as a task sees it: whole messages of the log, oldest first. The log holds what was said
// and shown, never a call, so no window of it splits a call from its result.
func (p *Pipeline) historyBefore(ctx context.Context, t *Turn) ([]llm.Message, error) {
	out := []llm.Message{}
	if p.c.History < 0 {
		return out, nil
	}
	log, err := p.c.Stores.Sessions().Messages(ctx, t.Req.SessionID, "", p.c.History+1)
	if err != nil {
		return nil, fmt.Errorf("iris: history: %w", err)
	}
	for _, m := range log {
		if m.TurnID == t.ID || m.Text == "" && len(m.Attachments) == 0 {
			continue
		}
		out = append(out, historyMessage(m))
	}
	if len(out) > p.c.History {
		out = out[len(out)-p.c.History:]
	}
	return out, nil
}

func historyMessage(m session.Message) llm.Message {
	switch m.Role {
	case session.Answer, session.Notice:
		return llm.Message{Role: llm.Assistant, Text: m.Text}
	case session.System:
		return llm.Message{Role: llm.User, Text: "[not a person] " + m.Text}
	}
	text := m.Text
	if m.Sender != "" {
		text = m.Sender + ": " + text
	}
	return llm.Message{Role: llm.User, Text: text, Attachments: m.Attachments}
}
