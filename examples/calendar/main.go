// Calendar asks before it invites anybody. The invitation is frozen in the store when the question is asked: a yes in another process, after a restart,
// writes a real .ics file. It exits non-zero if any of what it tells does not hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	ics "github.com/arran4/golang-ical"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/sqlite"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calendar:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "calendar")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	propose := func(title string) *iristest.ScriptedModel {
		return iristest.Model().Call("invite", invite{strings.ToLower(title), title, "2026-09-17T12:00:00Z", "1h", []string{"bob@example.com", "ann@example.com"}}).Answer("I found a time.")
	}
	err = errors.Join(
		process(ctx, dir, out, propose("Lunch"), "set up lunch with Bob and Ann on Thursday"),
		process(ctx, dir, out, nil, "yes, please", "yes"),
		process(ctx, dir, out, propose("Dinner"), "and dinner", "no, leave it"),
	)
	if err != nil {
		return err
	}
	return check(dir, out)
}

// process is a life of the program: it opens the file, takes what is said, and ends.
func process(ctx context.Context, dir string, out io.Writer, model *iristest.ScriptedModel, says ...string) error {
	if model == nil {
		model = iristest.Model().Answer("You are welcome.")
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, "iris.db"))
	if err != nil {
		return err
	}
	h, err := iris.New(iris.Config{
		Store: store, LLM: model, Tools: []iris.Tool{inviteTool()}, Executors: []iris.ConfirmationExecutor{&calendar{dir}},
	})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	fmt.Fprintln(out, "(a process starts)")
	for _, text := range says {
		r, terr := h.Turn(ctx, iris.TurnRequest{SessionID: "web-1", Channel: "web", Message: text})
		fmt.Fprintf(out, "you>  %s\niris> %s\n", text, strings.ReplaceAll(r.Text, "\n", "\n      "))
		err = errors.Join(err, terr)
	}
	return errors.Join(err, store.Close())
}

// inviteTool asks. It changes nothing: what a yes runs is the executor's.
func inviteTool() iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: "invite", Description: "propose an invitation", Effect: iris.ReadOnly}, func(ctx context.Context, in invite) (string, error) {
		question := fmt.Sprintf("Shall I invite %s to %q?", strings.Join(in.Guests, " and "), in.Title)
		return "asked", iris.Confirm(ctx, "calendar.invite", in, question)
	})
}

// check reads the files back, as a calendar would.
func check(dir string, out io.Writer) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.ics"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("%d invitations, want the one that was confirmed: %w", len(files), err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		return err
	}
	defer f.Close()
	cal, err := ics.ParseCalendar(f)
	if err != nil {
		return err
	}
	for _, e := range cal.Events() {
		start, err := e.GetStartAt()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s at %s, %d guests\n", filepath.Base(files[0]), e.GetProperty(ics.ComponentPropertySummary).Value, start.UTC(), len(e.Attendees()))
	}
	return nil
}
