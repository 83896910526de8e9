package iris

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/iris-harness/iris/pipeline"
	"github.com/iris-harness/iris/plugin"
)

// beatLimit bounds how long Tick waits for one heartbeat.
const beatLimit = 30 * time.Second

var errBeatGone = errors.New("the heartbeat ended its goroutine")

// beatState says when a heartbeat is due, and whether the last one is still running.
type beatState struct {
	due     time.Time
	running bool
}

// heartbeats runs those that are due, side by side: one that hangs delays no other. One that fails or panics costs only itself, and its plugin is
// degraded. One that is still running is not started again.
func (h *Harness) heartbeats(ctx context.Context) error {
	var all sync.WaitGroup
	for _, b := range h.dueBeats() {
		all.Go(func() {
			err := h.beat(pipeline.Marked(ctx), b)
			if err == nil || ctx.Err() != nil {
				return
			}
			h.host.Fault(b.Plugin, "heartbeat "+b.Name, err)
			h.c.Logger.WarnContext(ctx, "heartbeat", "name", b.Name, "err", err)
		})
	}
	all.Wait()
	return nil
}

func (h *Harness) dueBeats() []plugin.Heartbeat {
	now := h.c.Clock()
	h.mu.Lock()
	defer h.mu.Unlock()
	var due []plugin.Heartbeat
	for _, b := range h.host.Contributions().Heartbeats {
		state, known := h.beats[b.Name]
		if known && (now.Before(state.due) || state.running) {
			continue
		}
		h.beats[b.Name] = beatState{due: now.Add(b.Every), running: known}
		if known {
			due = append(due, b)
		}
	}
	return due
}

// beat runs one heartbeat on a goroutine of its own, and leaves it behind where it is not back in time.
func (h *Harness) beat(ctx context.Context, b plugin.Heartbeat) error {
	ctx, cancel := context.WithTimeout(ctx, beatLimit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		err := errBeatGone
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
			h.beatEnded(b.Name)
			done <- err
		}()
		err = b.Run(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *Harness) beatEnded(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	state := h.beats[name]
	state.running = false
	h.beats[name] = state
}
