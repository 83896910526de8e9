// Oncall has an assistant that wants to restart a service: the run waits for a person, who answers with the operator's tool, from another process, on
// the same file. The first process goes on. It exits non-zero if any of what it tells does not hold.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/approval"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/sqlite"
)

func main() {
	tool := flag.String("iris", "", "the operator's tool; built from here where empty")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx, *tool, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oncall:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, tool string, out io.Writer) error {
	dir, err := os.MkdirTemp("", "oncall")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command := []string{tool}
	if tool == "" {
		command = []string{"go", "run", "github.com/iris-harness/iris/cmd/iris"}
	}
	s := &shift{db: filepath.Join(dir, "iris.db"), iris: command, out: out, told: make(chan string, 1)}
	store, err := sqlite.Open(ctx, s.db)
	if err != nil {
		return err
	}
	return errors.Join(s.tell(ctx, store), store.Close())
}

// shift is one night on call.
type shift struct {
	db       string
	iris     []string // the operator's tool, as it is called
	out      io.Writer
	told     chan string // what reaches the person outside of a turn
	restarts atomic.Int64
}

func (s *shift) tell(ctx context.Context, store iris.Store) error {
	restart := iris.NewTool(iris.ToolSpec{Name: "restart", Description: "restart a service", Effect: iris.Destructive},
		func(_ context.Context, in struct{ Service string }) (string, error) {
			s.restarts.Add(1)
			return in.Service + " is starting", nil
		})
	h, err := iris.New(iris.Config{
		Store: store, Tools: []iris.Tool{restart}, LLM: iristest.Model().Call("restart", `{"Service":"db-1"}`).Answer("db-1 is up again."),
		Channels: []iris.Channel{approval.NewTextChannel("pager", func(_ context.Context, m approval.TextMessage) error {
			return s.print("pager> ", m.Text)
		})},
		Deliver: iris.DeliverFunc(func(_ context.Context, d iris.Delivery) error {
			s.told <- d.Text
			return nil
		}),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { _ = h.Run(ctx) }) // it ends with ctx
	return s.night(ctx, h)
}

// night is the story: a halt, an answer from another process, and what comes of it in this one.
func (s *shift) night(ctx context.Context, h *iris.Harness) error {
	r, err := h.Turn(ctx, iris.TurnRequest{SessionID: "s1", Channel: "pager", Message: "db-1 does not answer, do something"})
	s.print("you>   ", "db-1 does not answer, do something")
	told, _, _ := strings.Cut(r.Text, "\nApproval ID:") // how to answer it, the pager says
	s.print("iris>  ", told)
	if err != nil || len(r.Approvals) != 1 || s.restarts.Load() != 0 {
		return fmt.Errorf("the run did not wait: %w", err)
	}
	if err := errors.Join(s.operate(ctx, "approvals", "list"), s.operate(ctx, "approvals", "approve", r.Approvals[0])); err != nil {
		return err
	}
	select {
	case text := <-s.told:
		s.print("iris>  ", text)
	case <-ctx.Done():
		return ctx.Err()
	}
	if n := s.restarts.Load(); n != 1 {
		return fmt.Errorf("it acted %d times, want once", n)
	}
	return s.operate(ctx, "audit", "verify")
}

// operate calls the operator's tool, as another process.
func (s *shift) operate(ctx context.Context, args ...string) error {
	all := append(append(append([]string{}, s.iris[1:]...), args...), "--db", s.db, "--as", "ann")
	out, err := exec.CommandContext(ctx, s.iris[0], all...).CombinedOutput()
	return errors.Join(err, s.print("ann$   ", "iris "+strings.Join(args, " ")+"\n"+strings.TrimSpace(string(out))))
}

var changing = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b|\d{4}-\d\d-\d\d \d\d:\d\d UTC`)

// print leaves out what is another every time: ids and times.
func (s *shift) print(who, text string) error {
	text = changing.ReplaceAllString(strings.TrimSpace(text), "…")
	_, err := fmt.Fprintln(s.out, who+strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(who))))
	return err
}
