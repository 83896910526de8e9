package iristest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/iris-harness/iris"
)

// effects counts what a script's tools and executors did.
type effects struct {
	mu   sync.Mutex
	done []string
	keys map[string]int // how often each call was made, by its key
}

// once notes that the call or action named key was made.
func (e *effects) once(key string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.keys == nil {
		e.keys = map[string]int{}
	}
	e.keys[key]++
}

// twice returns the keys of what was done more than once.
func (e *effects) twice() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for k, n := range e.keys {
		if n > 1 {
			out = append(out, k)
		}
	}
	return out
}

func (e *effects) add(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done = append(e.done, what)
}

func (e *effects) list() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.done) == 0 {
		return []string{"none"}
	}
	return append([]string{}, e.done...)
}

// anything is the arguments of a script's tool.
type anything struct {
	Text string `json:"text,omitempty"`
}

func (e *effects) tool(name string, flags []string) iris.Tool {
	spec := iris.ToolSpec{Name: name, Description: "does what a script says"}
	for _, f := range flags {
		switch f {
		case "read":
			spec.Effect = iris.ReadOnly
		case "delete":
			spec.Effect = iris.Destructive
		case "idempotent":
			spec.Idempotent = true
		}
	}
	return iris.NewTool(spec, func(ctx context.Context, in anything) (string, error) {
		if key := iris.CallKey(ctx); key != "" && !spec.Idempotent {
			e.once(key)
		}
		e.add(name + " " + in.Text)
		return "ok", nil
	})
}

func (e *effects) executor(kind string) iris.ConfirmationExecutor { return &executor{kind, e} }

type executor struct {
	kind string
	e    *effects
}

func (x *executor) Kind() string { return x.kind }

func (x *executor) Execute(_ context.Context, payload json.RawMessage) (string, error) {
	x.e.once(x.kind + " " + string(payload))
	x.e.add(x.kind + " " + string(payload))
	return "Done.", nil
}

type confirmIn struct {
	Kind     string         `json:"kind"`
	Payload  map[string]any `json:"payload"`
	Question string         `json:"question"`
}

func confirmTool() iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: "confirm", Description: "asks before it acts", Effect: iris.ReadOnly},
		func(ctx context.Context, in confirmIn) (string, error) {
			return "asked", iris.Confirm(ctx, in.Kind, in.Payload, in.Question)
		})
}

type shortlistIn struct {
	Question string        `json:"question"`
	Options  []shortOption `json:"options"`
}

type shortOption struct {
	Text string `json:"text,omitempty"`
	Ref  string `json:"ref,omitempty"`
}

func shortlistTool() iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: "shortlist", Description: "asks which one", Effect: iris.ReadOnly},
		func(ctx context.Context, in shortlistIn) (string, error) {
			q := iris.Question{Text: in.Question}
			for _, o := range in.Options {
				opt := iris.Option{Text: o.Text}
				if o.Ref != "" {
					opt.Ref = json.RawMessage(fmt.Sprintf("%q", o.Ref))
				}
				q.Options = append(q.Options, opt)
			}
			return "asked", iris.Ask(ctx, q)
		})
}
