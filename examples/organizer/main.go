// Organizer is a plugin that moves files, and asks first: inline, and from a background job. It works on a real folder, a temporary one. It exits
// non-zero if any of what it tells does not hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/sqlite"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "organizer:", err)
		os.Exit(1)
	}
}

// story is the conversation, and the folder that it is about.
type story struct {
	h      *iris.Harness
	clock  *iristest.Clock
	folder string
	out    io.Writer
	errs   []error
}

func run(ctx context.Context, out io.Writer) error {
	root, err := os.MkdirTemp("", "organizer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	store, err := sqlite.Open(ctx, filepath.Join(root, "iris.db"))
	if err != nil {
		return err
	}
	s := &story{clock: iristest.NewClock(time.Time{}), folder: filepath.Join(root, "downloads"), out: out}
	planner := iristest.Model().Answer("I looked at your week. Would you like to proceed with this plan?").
		Answer("I am on it: the plan is in your calendar.").Answer("I know of nothing to go ahead with.")
	s.h, err = iris.New(iris.Config{
		Store: store, Clock: s.clock.Now, Agents: []iris.Agent{{Name: "planner", LLM: planner}},
		Plugins: []iris.Plugin{(&organizer{root: root}).plugin()},
		Deliver: iris.DeliverFunc(func(_ context.Context, d iris.Delivery) error {
			return s.print("(later, in "+d.SessionID+") iris> ", d.Text)
		}),
	})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	s.put("a.pdf", "b.jpg")
	s.tell(ctx)
	return errors.Join(append(s.errs, store.Close())...)
}

// tell tells the story.
func (s *story) tell(ctx context.Context) {
	s.print("", "A plan of 69 days ago, of another conversation, stays dead:")
	s.say(ctx, "monday", "organize downloads")
	s.clock.Advance(69 * 24 * time.Hour)
	s.say(ctx, "today", "plan my week")
	s.say(ctx, "today", "yes go head with the plan")
	s.expect("a.pdf", "b.jpg")

	s.print("", "\nWhat has changed since the question is not moved:")
	s.say(ctx, "today", "organize downloads")
	s.put("b.jpg")
	s.say(ctx, "today", "yes, do it")
	s.expect("a.pdf", "b.jpg")

	s.print("", "\nA yes moves the files; they can be put back:")
	s.say(ctx, "today", "organize downloads")
	s.say(ctx, "today", "yes, please")
	s.expect("jpg/b.jpg", "pdf/a.pdf")
	s.say(ctx, "today", "undo downloads")
	s.say(ctx, "today", "yes")
	s.expect("a.pdf", "b.jpg")

	s.print("", "\nA background job asks in the conversation that set it going:")
	s.say(ctx, "today", "watch downloads")
	s.put("c.txt")
	s.tick(ctx)
	s.say(ctx, "elsewhere", "go ahead")
	s.say(ctx, "today", "go ahead")
	s.expect("jpg/b.jpg", "pdf/a.pdf", "txt/c.txt")
}

func (s *story) say(ctx context.Context, session, text string) {
	r, err := s.h.Turn(ctx, iris.TurnRequest{SessionID: session, Channel: "terminal", Message: text})
	s.errs = append(s.errs, err, s.print("("+session+") you>  ", text), s.print("("+session+") iris> ", r.Text))
}

// tick lets two minutes pass, and does what Run does.
func (s *story) tick(ctx context.Context) {
	for range 2 {
		s.errs = append(s.errs, s.h.Tick(ctx))
		s.clock.Advance(2 * time.Minute)
	}
	s.errs = append(s.errs, s.h.Tick(ctx))
}

func (s *story) print(who, text string) error {
	_, err := fmt.Fprintln(s.out, who+strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(who))))
	return err
}

// put writes files that are a little longer than they were.
func (s *story) put(names ...string) {
	for _, name := range names {
		path := filepath.Join(s.folder, name)
		was, _ := os.ReadFile(path) // a new file has nothing in it
		s.errs = append(s.errs, os.MkdirAll(s.folder, 0o700), os.WriteFile(path, append(was, '.'), 0o600))
	}
}

// expect prints the files that there are, and fails the story if they are others.
func (s *story) expect(want ...string) {
	var got []string
	err := filepath.WalkDir(s.folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(s.folder, path)
			got = append(got, filepath.ToSlash(name))
		}
		return err
	})
	s.errs = append(s.errs, err, s.print("", fmt.Sprint("  files: ", got)))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.errs = append(s.errs, fmt.Errorf("files %v, want %v", got, want))
	}
}
