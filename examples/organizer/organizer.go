package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/plugin"
)

// organizer is a plugin that sorts the files of a folder into folders by their kind. It asks first, and it is its own executor.
type organizer struct {
	root    string
	s       plugin.Services
	mu      sync.Mutex
	watched map[string]plugin.SessionRef // by folder: whose session is asked
}

func (o *organizer) plugin() iris.Plugin {
	return iris.Plugin{Name: "organizer", Version: "v1", Register: func(r *plugin.Registrar, s plugin.Services) error {
		o.s, o.watched = s, map[string]plugin.SessionRef{}
		r.Intercept(command("organize", o.organize))
		r.Intercept(command("undo", o.undo))
		r.Intercept(command("watch", o.watch))
		r.Executor(o)
		r.Heartbeat(plugin.Heartbeat{Name: "organizer", Every: time.Minute, Run: o.look})
		return nil
	}}
}

// command is an intercept that takes "VERB FOLDER". It resolves no confirmation: a yes is the confirmation intercept's.
func command(verb string, f func(ctx context.Context, folder string) (string, error)) intercept.Spec {
	return intercept.Spec{Name: verb, Confirmation: intercept.Never, Handler: func(ctx context.Context, m intercept.Message) (*intercept.Reply, error) {
		folder, ok := strings.CutPrefix(m.Text, verb+" ")
		if !ok || folder != filepath.Base(folder) {
			return nil, nil
		}
		text, err := f(ctx, folder)
		return &intercept.Reply{Text: text}, err
	}}
}

// organize asks inline, in the turn at hand.
func (o *organizer) organize(ctx context.Context, folder string) (string, error) {
	p, err := survey(o.root, folder)
	if err != nil || len(p.Moves) == 0 {
		return "There is nothing to organize in " + folder + ".", nil
	}
	return p.question(), o.s.Continuations.Confirm(ctx, "organize", "organize", p, p.question())
}

// watch remembers whose session to ask when files turn up later.
func (o *organizer) watch(ctx context.Context, folder string) (string, error) {
	ref, _ := o.s.CurrentSession(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watched[folder] = ref
	return "I will ask when something new is in " + folder + ".", nil
}

// look is the background job: it asks in the session that had it watch.
func (o *organizer) look(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for folder, ref := range o.watched {
		p, err := survey(o.root, folder)
		if err != nil || len(p.Moves) == 0 {
			continue
		}
		if err := o.s.Continuations.ConfirmIn(ctx, ref, "organize", "organize", p, p.question()); err != nil {
			return err
		}
		delete(o.watched, folder)
	}
	return nil
}

// undo asks to run the last plan backwards.
func (o *organizer) undo(ctx context.Context, folder string) (string, error) {
	var p plan
	b, err := os.ReadFile(o.undoFile(folder))
	if err != nil || json.Unmarshal(b, &p) != nil {
		return "There is nothing to undo in " + folder + ".", nil
	}
	question := fmt.Sprintf("Shall I put %d files of %s back?", len(p.Moves), folder)
	return question, o.s.Continuations.Confirm(ctx, "undo", "organize", p, question)
}

// Kind says what the organizer executes.
func (o *organizer) Kind() string { return "organize" }

// Execute runs a plan that somebody said yes to, and keeps the way back.
func (o *organizer) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	var p plan
	if err := json.Unmarshal(payload, &p); err != nil {
		return "", err
	}
	back, err := p.run(filepath.Join(o.root, filepath.Base(p.Folder)))
	if len(back.Moves) > 0 {
		err = errors.Join(err, o.keep(back))
	}
	return fmt.Sprintf("Moved %d files of %s.", len(back.Moves), p.Folder), err
}

// keep writes the way back down, of half a plan, too.
func (o *organizer) keep(back plan) error {
	b, err := json.Marshal(back)
	return errors.Join(err, os.WriteFile(o.undoFile(back.Folder), b, 0o600))
}

func (o *organizer) undoFile(folder string) string {
	return filepath.Join(o.root, "."+filepath.Base(folder)+".undo")
}
