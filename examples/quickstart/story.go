package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/sqlite"
)

// story is one part of the program: a process that opens the file, talks, and ends.
type story struct {
	path  string
	out   io.Writer
	moved int // files moved by the organizer
	mu    sync.Mutex
}

// open is what a process does when it starts. clock is nil for now.
func (s *story) open(ctx context.Context, clock func() time.Time, agents ...iris.Agent) (*iris.Harness, func() error, error) {
	store, err := sqlite.Open(ctx, s.path)
	if err != nil {
		return nil, nil, err
	}
	h, err := iris.New(iris.Config{Store: store, Clock: clock, Agents: agents, Executors: []iris.ConfirmationExecutor{s}})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return h, store.Close, nil
}

// Kind and Execute make the story the executor of the organizer's plans.
func (s *story) Kind() string { return "organize" }

func (s *story) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved++
	return fmt.Sprintf("Moved the files of %s.", payload), nil
}

// say takes a turn and prints both sides of it.
func (s *story) say(ctx context.Context, h *iris.Harness, session, text string) (iris.Reply, error) {
	reply, err := h.Turn(ctx, iris.TurnRequest{SessionID: session, Channel: "terminal", Message: text})
	fmt.Fprintf(s.out, "  you>  %s\n  iris> %s\n", text, reply.Text)
	return reply, err
}

// organizer proposes a plan as an executable question: its yes would move files.
func organizer() iris.Agent {
	propose := iris.NewTool(iris.ToolSpec{Name: "propose", Description: "propose a plan", Effect: iris.ReadOnly},
		func(ctx context.Context, in struct{ Folder string }) (string, error) {
			return "proposed", iris.Confirm(ctx, "organize", in, "Shall I move 214 files out of ~/Downloads?")
		})
	model := iristest.Model().Call("propose", `{"Folder":"~/Downloads"}`).Answer("Here is how I would organize your downloads.")
	return iris.Agent{Name: "organizer", Topics: []string{"organize"}, LLM: model, Tools: []iris.Tool{propose}}
}

// incident: a yes reaches whoever asked, and not a plan of 69 days ago in another conversation.
func incident(ctx context.Context, s *story) error {
	fmt.Fprintln(s.out, "1. A yes has an owner")
	clock := iristest.NewClock(time.Time{})
	model := iristest.Model().Answer("I looked at your week. Would you like to proceed with this plan?").Answer("I am on it: the plan is in your calendar.")
	h, closeStore, err := s.open(ctx, clock.Now, iris.Agent{Name: "planner", LLM: model}, organizer())
	if err != nil {
		return err
	}
	_, err1 := s.say(ctx, h, "854830335274", "organize my downloads")
	clock.Advance(69 * 24 * time.Hour)
	fmt.Fprintln(s.out, "  … 69 days later, in another session:")
	_, err2 := s.say(ctx, h, "854830335275", "plan my week")
	reply, err3 := s.say(ctx, h, "854830335275", "yes go head with the plan")
	fmt.Fprintf(s.out, "  the answer reached the %s; files moved: %d\n", reply.Agent, s.moved)
	if reply.Agent != "planner" || s.moved != 0 {
		return errors.New("the yes went to the wrong owner")
	}
	return errors.Join(err1, err2, err3, closeStore())
}

// restart: a run asks in the middle, the process ends, and the answer resumes the same run in a new one.
func restart(ctx context.Context, s *story) error {
	fmt.Fprintln(s.out, "\n2. A question survives a restart")
	h, closeStore, err := s.open(ctx, nil, iris.Agent{Name: "research", LLM: iristest.Model().AskUser("Neo4j or Stardog?")})
	if err != nil {
		return err
	}
	asked, err := s.say(ctx, h, "web-1", "compare graph databases")
	if err := errors.Join(err, closeStore()); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "  … the process ends; a new one opens the same file:")
	model := iristest.Model().Answer("Stardog it is: the comparison goes on from where it stopped.")
	if h, closeStore, err = s.open(ctx, nil, iris.Agent{Name: "research", LLM: model}); err != nil {
		return err
	}
	reply, err := s.say(ctx, h, "web-1", "use Stardog")
	seen := model.Requests()[0].Messages
	fmt.Fprintf(s.out, "  same run: %t; its model saw %d messages, the first of them %q\n", reply.Runs[0] == asked.Runs[0], len(seen), seen[0].Text)
	if reply.Runs[0] != asked.Runs[0] || seen[0].Text != "compare graph databases" {
		return errors.New("the run was not resumed with its history")
	}
	return errors.Join(err, closeStore())
}

// race: two answers at once to one question; one of them acts.
func race(ctx context.Context, s *story) error {
	fmt.Fprintln(s.out, "\n3. Two answers at once, one effect")
	h, closeStore, err := s.open(ctx, nil, organizer())
	if err != nil {
		return err
	}
	asked, err := s.say(ctx, h, "web-2", "organize my downloads")
	if err != nil {
		return err
	}
	other, closeOther, err := s.open(ctx, nil, organizer())
	if err != nil {
		return err
	}
	press := iris.TurnRequest{SessionID: "web-2", Press: &iris.Press{ContinuationID: asked.Asked.ID, Option: "approve"}}
	var won, late int
	var both sync.WaitGroup
	for _, harness := range []*iris.Harness{h, other} {
		both.Go(func() {
			_, err := harness.Turn(ctx, press)
			s.mu.Lock()
			defer s.mu.Unlock()
			if err == nil {
				won++
			} else if errors.Is(err, iris.ErrAnswered) {
				late++
			}
		})
	}
	both.Wait()
	fmt.Fprintf(s.out, "  answered: %d; already answered: %d; files moved: %d time(s)\n", won, late, s.moved)
	if won != 1 || late != 1 || s.moved != 1 {
		return errors.New("an answer was acted on more or less than once")
	}
	return errors.Join(closeStore(), closeOther())
}
