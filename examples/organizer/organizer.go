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

// plan is what a yes runs: frozen when it is asked, and looked at once more when it runs.
type plan struct {
	Folder string
	Moves  []move
}

type move struct {
	From, To string // within the folder
	Size     int64
	Modified time.Time
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
	p, err := o.survey(folder)
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
		p, err := o.survey(folder)
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
	b, err := os.ReadFile(filepath.Join(o.root, "."+folder+".undo"))
	if err != nil || json.Unmarshal(b, &p) != nil {
		return "There is nothing to undo in " + folder + ".", nil
	}
	question := fmt.Sprintf("Shall I put %d files of %s back?", len(p.Moves), folder)
	return question, o.s.Continuations.Confirm(ctx, "undo", "organize", p, question)
}

func (p plan) question() string {
	var b strings.Builder
	for _, m := range p.Moves {
		fmt.Fprintf(&b, "%s -> %s\n", m.From, m.To)
	}
	return fmt.Sprintf("%sShall I move these %d files of %s?", b.String(), len(p.Moves), p.Folder)
}

// survey plans: every file goes to the folder of its kind.
func (o *organizer) survey(folder string) (plan, error) {
	files, err := os.ReadDir(filepath.Join(o.root, folder))
	p := plan{Folder: folder}
	for _, f := range files {
		if kind := strings.TrimPrefix(filepath.Ext(f.Name()), "."); kind != "" && f.Type().IsRegular() {
			m, err := o.moveOf(folder, f.Name(), filepath.Join(kind, f.Name()))
			if err != nil {
				return p, err
			}
			p.Moves = append(p.Moves, m)
		}
	}
	return p, err
}

func (o *organizer) moveOf(folder, from, to string) (move, error) {
	info, err := os.Stat(filepath.Join(o.root, folder, from))
	if err != nil {
		return move{}, err
	}
	return move{from, to, info.Size(), info.ModTime().UTC()}, nil
}

// Kind says what the organizer executes.
func (o *organizer) Kind() string { return "organize" }

// Execute moves the files, all or none: what was true when the question was asked is looked at again now.
func (o *organizer) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	var p plan
	if err := json.Unmarshal(payload, &p); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(filepath.Join(o.root, filepath.Base(p.Folder)))
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, m := range p.Moves {
		if now, err := root.Stat(m.From); err != nil || now.Size() != m.Size || !now.ModTime().Equal(m.Modified) {
			return "", fmt.Errorf("%s has changed since I asked; nothing was moved", m.From)
		}
		if _, err := root.Stat(m.To); !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%s is there already; nothing was moved", m.To)
		}
	}
	back := plan{Folder: p.Folder}
	for _, m := range p.Moves {
		if err := errors.Join(root.MkdirAll(filepath.Dir(m.To), 0o700), root.Rename(m.From, m.To)); err != nil {
			return "", fmt.Errorf("%d of %d files were moved: %w", len(back.Moves), len(p.Moves), err)
		}
		back.Moves = append(back.Moves, move{m.To, m.From, m.Size, m.Modified})
	}
	b, err := json.Marshal(back)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Moved %d files of %s.", len(back.Moves), p.Folder), os.WriteFile(filepath.Join(o.root, "."+filepath.Base(p.Folder)+".undo"), b, 0o600)
}
