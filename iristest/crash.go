package iristest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/continuation"
	"github.com/iris-harness/iris/iristest/faultstore"
	"github.com/iris-harness/iris/loop"
)

// CrashPoint is a write of a conversation at which its process stops.
type CrashPoint struct {
	Write int // counted from 1
	Mode  faultstore.Mode
}

// Crash runs a conversation script whose process stops at p. What is left is opened again by reopen, recovered, the command that was cut off
// is repeated once, and the script goes on to its end. It returns what does not hold then: see [Broken]. reached is false where the script has
// fewer writes.
func Crash(t testing.TB, file string, p CrashPoint, reopen func() iris.Store, opts ...Option) (broken []string, reached bool, err error) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, false, err
	}
	a := txtar.Parse(raw)
	c := newConversation(t, opts)
	for _, line := range strings.Split(string(archiveData(a, "setup")), "\n") {
		if err := c.setUp(line); err != nil {
			return nil, false, err
		}
	}
	fuse := faultstore.New(reopen(), p.Write, p.Mode)
	c.config.Store = fuse
	if err := c.start(); err != nil {
		return nil, false, err
	}
	recovered := false
	for _, line := range strings.Split(string(archiveData(a, "script")), "\n") {
		if strings.HasPrefix(line, ">") {
			continue
		}
		_, err := c.command(line)
		if !fuse.Blown() || recovered {
			if err != nil {
				return nil, recovered, fmt.Errorf("%q: %w", line, err)
			}
			continue
		}
		recovered = true
		c.config.Store = reopen()
		if err := c.restart(); err != nil {
			return nil, true, err
		}
		if _, err := c.h.RecoverAlone(context.Background()); err != nil {
			return nil, true, fmt.Errorf("recover: %w", err)
		}
		if broken := Broken(c.h, c.config.Store, c.clock.Now()); len(broken) > 0 {
			return broken, true, nil
		}
		if !strings.HasPrefix(line, "model ") && !strings.HasPrefix(line, "advance ") {
			if _, err := c.command(line); err != nil {
				return nil, true, fmt.Errorf("%q again: %w", line, err)
			}
		}
	}
	broken = Broken(c.h, c.config.Store, c.clock.Now())
	for _, key := range c.effects.twice() {
		broken = append(broken, "done twice: "+key)
	}
	return broken, recovered, nil
}

// Broken returns what does not hold of a store whose processes are idle and recovered: no run is running and no question is being answered; every
// paused run has its question put, or queued behind another; a question with a run behind it can be resumed; the audit is intact.
func Broken(h *iris.Harness, s iris.Store, now time.Time) []string {
	ctx := context.Background()
	var out []string
	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if _, err := h.Audit().Verify(ctx); err != nil {
		fault("audit: %v", err)
	}
	if turns, err := s.Sessions().OpenTurns(ctx, "", 1000); err != nil || len(turns) > 0 {
		fault("%d turns are open (%v)", len(turns), err)
	}
	rows, err := h.Continuations().List(ctx, continuation.Query{Limit: 1000})
	if err != nil {
		fault("questions: %v", err)
	}
	waits := map[string]string{} // session -> run of its pending question
	for i := range rows {
		c := &rows[i]
		switch c.Status {
		case continuation.Claimed:
			fault("question %q of %s is still being answered", c.Question, c.SessionID)
		case continuation.Pending:
			if run, twice := waits[c.SessionID]; twice {
				fault("session %s has two questions (runs %q and %q)", c.SessionID, run, c.RunID)
			}
			waits[c.SessionID] = c.RunID
			if c.Resumable() {
				out = append(out, brokenPause(ctx, s, c, now)...)
			}
		}
	}
	return append(out, brokenRuns(ctx, s, waits, now)...)
}

// brokenPause says what is wrong with the run behind a question.
func brokenPause(ctx context.Context, s iris.Store, c *continuation.Continuation, now time.Time) []string {
	run, err := s.Checkpoints().Get(ctx, c.RunID, now)
	if err != nil {
		return []string{fmt.Sprintf("question %q has no run: %v", c.Question, err)}
	}
	steps, err := s.Checkpoints().Steps(ctx, c.RunID, 0)
	if err == nil {
		_, err = loop.SeedOf(*run, steps)
	}
	if err != nil || run.State != checkpoint.Paused {
		return []string{fmt.Sprintf("question %q has a run that is %s: %v", c.Question, run.State, err)}
	}
	return nil
}

func brokenRuns(ctx context.Context, s iris.Store, waits map[string]string, now time.Time) []string {
	runs, err := s.Checkpoints().List(ctx, checkpoint.Query{Limit: 1000, Now: now})
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for i := range runs {
		r := &runs[i]
		_, waiting := waits[r.SessionID]
		switch {
		case r.State == checkpoint.Running:
			out = append(out, fmt.Sprintf("run %s is still running", r.ID))
		case r.State == checkpoint.Paused && !waiting:
			out = append(out, fmt.Sprintf("run %s is paused, and nothing asks its question", r.ID))
		case r.State == checkpoint.Held && r.ApprovalID == "":
			out = append(out, fmt.Sprintf("run %s is held, and waits for nothing", r.ID))
		}
	}
	return out
}
