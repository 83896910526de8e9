package pipeline

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/iris-harness/iris/loop"
)

// execute runs the tasks, wave by wave. A single task streams to the consumer as it runs; the tasks of a wave run at the same time,
// and their events reach the consumer through this goroutine.
func execute(ctx context.Context, t *Turn) error {
	for _, wave := range t.waves {
		if len(wave) == 1 {
			t.results = append(t.results, t.runTask(ctx, wave[0], t.emit))
		} else {
			t.results = append(t.results, t.runWave(ctx, wave)...)
		}
		if t.gone || ctx.Err() != nil {
			break
		}
	}
	return t.failure()
}

// runTask runs one task and passes its events to emit.
func (t *Turn) runTask(ctx context.Context, task loop.Task, emit func(Event) bool) result {
	r := result{task: task}
	agent := t.p.agents[task.Agent]
	emit(loop.Activity{Agent: task.Agent, Text: "working on it"})
	for ev, err := range contained(task.Agent, agent.Stream(t.scoped(ctx, task.Agent), task)) {
		if err != nil {
			r.err = err
			break
		}
		if fin, ok := ev.(loop.Finished); ok {
			if r.fin = fin; fin.Live != nil {
				t.p.runs.keep(fin.Live)
			}
			continue
		}
		if !emit(ev) {
			// The loop stops at its next step boundary; its end is on record.
			r.err = fmt.Errorf("%w: nobody is listening", loop.ErrInterrupted)
			break
		}
	}
	return r
}

// contained makes a panic of an agent an error. It never catches one of the consumer's own code.
func contained(name string, events iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		outside, more := false, true
		defer func() {
			if outside {
				return
			}
			if v := recover(); v != nil && more {
				yield(nil, fmt.Errorf("iris: agent %q panicked: %v", name, v))
			}
		}()
		for ev, err := range events {
			outside = true
			more = yield(ev, err)
			outside = false
			if !more {
				return
			}
		}
	}
}

// runWave runs several tasks at the same time, a bounded number at once.
func (t *Turn) runWave(ctx context.Context, wave []loop.Task) []result {
	out := make([]result, len(wave))
	events := make(chan Event)
	stop := make(chan struct{})
	slots := make(chan struct{}, t.p.c.Parallel)
	var running sync.WaitGroup
	for i, task := range wave {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = t.runTask(ctx, task, func(ev Event) bool {
				select {
				case events <- ev:
					return true
				case <-stop:
					return false
				}
			})
		})
	}
	go func() { running.Wait(); close(events) }()
	defer func() { // a consumer that panics leaves no task behind
		close(stop)
		running.Wait()
	}()
	for ev := range events {
		if !t.emit(ev) {
			break
		}
	}
	return out
}
