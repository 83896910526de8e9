package pipeline

import (
	"context"

	"github.com/iris-harness/iris/continuation"
)

// steer says that the turn goes to the owner of the question that it answers, and how it answers it.
type steer struct {
	c      continuation.Continuation
	answer answer
	agent  string // who gets it, once route has found out
}

// route finds the agent of a steered turn: the owner if it is an agent, else the asker, else the classified agent,
// each time with the same task.
func route(ctx context.Context, t *Turn) error {
	if t.steer == nil {
		return nil
	}
	for _, name := range []string{t.steer.c.Owner, t.steer.c.Asker} {
		if t.p.agents[name] != nil {
			t.steer.agent = name
			t.intent = Intent{Agent: name, Name: t.steer.c.Intent}
			return nil
		}
	}
	if err := t.classifyAfresh(ctx); err != nil {
		return err
	}
	t.steer.agent = t.intent.Agent
	return nil
}
