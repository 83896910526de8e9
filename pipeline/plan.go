package pipeline

import (
	"context"
	"fmt"

	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/loop"
)

// plan makes the turn's tasks. A reply is never decomposed by the planner: it is one task for the question's owner.
func plan(ctx context.Context, t *Turn) error {
	switch {
	case t.resume != nil:
		return t.planResume(ctx)
	case t.steer != nil:
		return t.planReply(ctx)
	}
	in, err := t.inbound(ctx)
	if err != nil {
		return err
	}
	waves, err := guarded("planner", func() ([][]PlannedTask, error) { return t.p.c.Planner.Plan(t.scoped(ctx, ""), in, t.intent) })
	if err != nil {
		return err
	}
	order := 0
	for _, wave := range waves {
		var tasks []loop.Task
		for _, pt := range wave {
			task, err := t.plannedTask(ctx, pt, order)
			if err != nil {
				return err
			}
			tasks = append(tasks, task)
			order++
		}
		if len(tasks) > 0 {
			t.waves = append(t.waves, tasks)
		}
	}
	if len(t.waves) == 0 {
		return fmt.Errorf("iris: the planner made no task")
	}
	return nil
}

func (t *Turn) plannedTask(ctx context.Context, pt PlannedTask, order int) (loop.Task, error) {
	if pt.Agent == "" {
		pt.Agent = t.intent.Agent
	}
	if t.p.agents[pt.Agent] == nil {
		return loop.Task{}, fmt.Errorf("iris: the planner named an agent that there is not: %q", pt.Agent)
	}
	return t.task(ctx, pt.Agent, pt.Text, order)
}

// task is the frame of every task of this turn.
func (t *Turn) task(ctx context.Context, agent, text string, order int) (loop.Task, error) {
	in, err := t.inbound(ctx)
	if err != nil {
		return loop.Task{}, err
	}
	return loop.Task{
		SessionID: t.Req.SessionID, TurnID: t.ID, Channel: t.Req.Channel, Sender: t.Req.Sender, System: !t.person,
		Agent: agent, Intent: t.intent.Name, Order: order, Text: text, Attachments: t.Req.Attachments, History: in.History,
		Journal: t.journal, Asker: (*asker)(t),
	}, nil
}

// planReply makes the one task of a turn that answers a question. It restates the question (ADR-0106 D3).
func (t *Turn) planReply(ctx context.Context) error {
	s := t.steer
	task, err := t.task(ctx, s.agent, replyText(&s.c, &s.answer, t.text), 0)
	if err != nil {
		return err
	}
	if s.answer.pick != nil {
		task.Selected = &loop.Option{Position: s.answer.pick.Position, Text: s.answer.pick.Text, Ref: s.answer.pick.Ref}
	}
	if s.answer.kind == resumes {
		if err := t.seedReply(ctx, &task); err != nil {
			return err
		}
	}
	t.waves = [][]loop.Task{{task}}
	return nil
}

// replyText is the task that a reply becomes.
func replyText(c *continuation.Continuation, a *answer, reply string) string {
	switch a.kind {
	case picks:
		option := a.pick.Text
		if option == "" {
			option = fmt.Sprintf("number %d", a.pick.Position)
		}
		if a.pick.Ref != nil {
			option += " (" + string(a.pick.Ref) + ")"
		}
		return continuation.ChoiceTask(c.Question, option, reply)
	case decides, decidesYes:
		return continuation.DecisionTask(c.Question, a.reading.Verdict, reply)
	default:
		return continuation.QuestionTask(c.Question, reply)
	}
}
