package loop

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/iris-harness/iris/llm"
)

// Agent answers tasks. [AgenticCore] is one; an application or a plugin may bring others.
type Agent interface {
	// Name is the agent's name: it owns the questions that its answers raise.
	Name() string
	// Stream runs t. The sequence is ranged over once. Its last event is a [Finished], unless an error ends it.
	// A consumer that stops ranging ends the task at its next step boundary; nothing is yielded after that.
	Stream(ctx context.Context, t Task) iter.Seq2[Event, error]
}

// Task is one thing for an agent to do.
type Task struct {
	SessionID string
	TurnID    string
	Agent     string // whose task it is
	Channel   string
	Sender    string // who spoke
	System    bool   // nobody spoke
	Intent    string
	Order     int // its place among the turn's tasks

	// Text is the task as composed: the message, or question and reply.
	Text        string
	Attachments []llm.Attachment
	// History is the conversation before this turn. It never ends on a call without its result.
	History []llm.Message
	// Selected is the option that the person picked, as it was on screen; nil where none was.
	Selected *Option

	// Seed is the run to take up; nil starts a new one.
	Seed *Seed
	// Journal makes the run durable; nil keeps nothing, and then a run can neither pause nor be held.
	Journal Journal
	// Asker puts questions that tools raise; nil refuses them.
	Asker Asker
}

// Option is one thing that can be picked.
type Option struct {
	Position int             `json:"position"`
	Text     string          `json:"text,omitempty"`
	Ref      json.RawMessage `json:"ref,omitempty"` // the asker's own JSON
}

// AgentFunc adapts a function that answers a task in one piece.
func AgentFunc(name string, run func(ctx context.Context, t Task) (string, error)) Agent {
	return agentFunc{name, run}
}

type agentFunc struct {
	name string
	run  func(ctx context.Context, t Task) (string, error)
}

func (a agentFunc) Name() string { return a.name }

func (a agentFunc) Stream(ctx context.Context, t Task) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		text, err := a.run(ctx, t)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(Finished{Text: text}, nil)
	}
}
