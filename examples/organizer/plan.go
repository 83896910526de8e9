package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

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

func (p plan) question() string {
	var b strings.Builder
	for _, m := range p.Moves {
		fmt.Fprintf(&b, "%s -> %s\n", m.From, m.To)
	}
	return fmt.Sprintf("%sShall I move these %d files of %s?", b.String(), len(p.Moves), p.Folder)
}

// survey plans: every file goes to the folder of its kind.
func survey(root, folder string) (plan, error) {
	files, err := os.ReadDir(filepath.Join(root, folder))
	p := plan{Folder: folder}
	for _, f := range files {
		kind := strings.TrimPrefix(filepath.Ext(f.Name()), ".")
		if kind == "" || !f.Type().IsRegular() {
			continue
		}
		info, err := f.Info()
		if err != nil {
			return p, err
		}
		p.Moves = append(p.Moves, move{f.Name(), filepath.Join(kind, f.Name()), info.Size(), info.ModTime().UTC()})
	}
	return p, err
}

// check looks again, now that it counts: what was true when the question was asked has to be true still.
func (p plan) check(root *os.Root) error {
	for _, m := range p.Moves {
		if now, err := root.Stat(m.From); err != nil || now.Size() != m.Size || !now.ModTime().Equal(m.Modified) {
			return fmt.Errorf("%s has changed since I asked; nothing was moved", m.From)
		}
		if _, err := root.Stat(m.To); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s is there already; nothing was moved", m.To)
		}
	}
	return nil
}

// run moves the files within the folder, and returns the way back.
func (p plan) run(folder string) (back plan, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return back, err
	}
	defer root.Close()
	if err := p.check(root); err != nil {
		return back, err
	}
	back.Folder = p.Folder
	for _, m := range p.Moves {
		if err := errors.Join(root.MkdirAll(filepath.Dir(m.To), 0o700), root.Rename(m.From, m.To)); err != nil {
			return back, fmt.Errorf("%d of %d files were moved: %w", len(back.Moves), len(p.Moves), err)
		}
		back.Moves = append(back.Moves, move{m.To, m.From, m.Size, m.Modified})
	}
	return back, nil
}
