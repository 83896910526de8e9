package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

func TestUnknownToolNamesTheToolsThereAre(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Call("Look", nil).Answer("done"))
	a.do(a.task())
	if want := `nothing ran: there is no tool "Look"; the tools are ask_user, delete, look, write`; a.prompt(1) != want {
		t.Errorf("the model is told %q, want %q", a.prompt(1), want)
	}
	if len(a.ran.list()) != 0 {
		t.Errorf("a name that is nearly right ran %v", a.ran.list())
	}
}

func TestArgumentsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ args, told string }{
		"not JSON":         {`{"text":`, `the arguments "{\"text\":": llm: not a JSON value`},
		"a list":           {`["a"]`, "they must be a JSON object"},
		"a key twice":      {`{"text":"a","text":"b"}`, "duplicate key"},
		"an unknown name":  {`{"txet":"a"}`, `there is no argument "txet"; the arguments are text`},
		"another case":     {`{"Text":"a"}`, `there is no argument "Text"`},
		"another type":     {`{"text":7}`, `argument "text": a number does not fit, it takes string`},
		"null for a value": {`{"text":null}`, `argument "text" must not be null`},
		"long":             {`[` + strings.Repeat("1,", 5000) + `1]`, "they must be a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Call("write", tt.args).Answer("done"))
			a.do(a.task())
			if got := a.prompt(1); !strings.HasPrefix(got, "nothing ran: ") || !strings.Contains(got, tt.told) || len(got) > 1000 {
				t.Errorf("the model is told %q, want %q in it", got, tt.told)
			}
			if len(a.ran.list()) != 0 || len(a.tape.effects) != 0 {
				t.Errorf("%v ran, the ledger has %v", a.ran.list(), a.ledger())
			}
		})
	}
}

func TestEmptyArgumentsAreNone(t *testing.T) {
	t.Parallel()
	a := newAgent(t, iristest.Model().Reply(multi(llm.Call{Name: "look"}, llm.Call{Name: "look", Args: json.RawMessage(" ")})).Answer("done"))
	a.do(a.task())
	if diff := cmp.Diff([]string{"look ", "look "}, a.ran.list()); diff != "" {
		t.Errorf("ran (-want +got):\n%s", diff)
	}
}

// TestReadsRunAtOnce holds that reads of one step overlap, a bounded number of them, and that effects come after them in order.
func TestReadsRunAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		var order calls
		busy := func(context.Context, string) (string, error) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			return "seen", nil
		}
		m := iristest.Model().Reply(multi(tcall("write", "1"), tcall("look", "1"), tcall("look", "2"), tcall("look", "3"), tcall("look", "4"), tcall("look", "5"), tcall("write", "2"))).Answer("done")
		a := newAgent(t, m, limits(loop.Limits{Concurrent: 3}), func(a *agent) {
			a.add(loop.ToolSpec{Name: "look", Effect: governance.ReadOnly}, busy)
			a.add(loop.ToolSpec{Name: "write"}, func(_ context.Context, text string) (string, error) {
				if now.Load() != 0 {
					t.Error("an effect ran beside a read")
				}
				order.add(text)
				return "written", nil
			})
		})
		began := time.Now()
		a.do(a.task())
		if most.Load() != 3 || time.Since(began) != 2*time.Second {
			t.Errorf("at most %d at once in %s, want 3 in 2s", most.Load(), time.Since(began))
		}
		if diff := cmp.Diff([]string{"1", "2"}, order.list()); diff != "" {
			t.Errorf("effects (-want +got):\n%s", diff)
		}
	})
}

func TestTimeoutOfOneTool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		want    time.Duration
	}{{"its own", 5 * time.Second, 5 * time.Second}, {"the default", 0, loop.DefaultToolTimeout}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAgent(t, iristest.Model().Call("slow", nil).Answer("done"), func(a *agent) {
					a.add(loop.ToolSpec{Name: "slow", Effect: governance.ReadOnly, Timeout: tt.timeout}, func(ctx context.Context, _ string) (string, error) {
						deadline, ok := ctx.Deadline()
						if left := time.Until(deadline); !ok || left != tt.want {
							t.Errorf("it is told that it has %s", left)
						}
						if ctx.Err() != nil {
							t.Error("its context has ended before it began")
						}
						<-ctx.Done()
						return "", ctx.Err()
					})
				})
				began := time.Now()
				fin := a.do(a.task())
				if took := time.Since(began); took != tt.want || fin.Text != "done" {
					t.Errorf("%q after %s, want the run to go on after %s", fin.Text, took, tt.want)
				}
			})
		})
	}
}

func TestACallEndsWithTheTaskAtTheLatest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t, iristest.Model().Call("look", nil), limits(loop.Limits{WallClock: time.Second}), func(a *agent) {
			a.add(loop.ToolSpec{Name: "look", Effect: governance.ReadOnly, Timeout: time.Hour}, func(ctx context.Context, _ string) (string, error) {
				if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) != time.Second {
					t.Errorf("it is told that it has %s", time.Until(deadline))
				}
				<-ctx.Done()
				return "", ctx.Err()
			})
		})
		a.do(a.task())
	})
}

// TestTransformedArgumentsAreValidated holds that what a hook puts in place of a call's arguments has to fit the tool like any other.
func TestTransformedArgumentsAreValidated(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{"plain": "", "full": `{"type":"object","properties":{"text":{"enum":["a"]}}}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := map[string]string{"plain": `{"text":[1]}`, "full": `{"text":"b"}`}[name]
			spec := loop.ToolSpec{Name: "x"}
			if schema != "" {
				spec.Schema = json.RawMessage(schema)
			}
			a := newAgent(t, iristest.Model().Call("x", `{"text":"a"}`).Answer("done"), func(a *agent) {
				a.add(spec, func(context.Context, string) (string, error) { return "ran", nil })
			}, hook(governance.PreTool, func(governance.Subject) governance.Decision {
				return governance.TransformArgs(json.RawMessage(to), "other")
			}))
			a.do(a.task())
			if len(a.ran.list()) != 0 {
				t.Errorf("it ran with %s", to)
			}
			if diff := cmp.Diff([]string{"x error"}, a.states(0)); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTheContextOfACall holds what a tool may rely on: values, a deadline, an end after the call, children of it.
func TestTheContextOfACall(t *testing.T) {
	t.Parallel()
	type key struct{}
	var kept context.Context
	a := newAgent(t, iristest.Model().Call("look", nil).Answer("done"), func(a *agent) {
		a.add(loop.ToolSpec{Name: "look", Effect: governance.ReadOnly}, func(ctx context.Context, _ string) (string, error) {
			if ctx.Value(key{}) != "v" {
				t.Error("the caller's value is gone")
			}
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			if child.Err() != nil {
				t.Error("a child of it has ended")
			}
			kept = ctx
			return "seen", nil
		})
	})
	if _, err := a.stream(context.WithValue(t.Context(), key{}, "v"), a.task()); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(kept.Err(), context.Canceled) {
		t.Errorf("after the call: %v", kept.Err())
	}
	<-kept.Done()
}

func TestOversizedResult(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("é", 100)
	for name, run := range map[string]func(context.Context, string) (string, error){
		"a result": func(context.Context, string) (string, error) { return big, nil },
		"an error": func(context.Context, string) (string, error) { return "", errors.New(big) },
		"a tool error": func(context.Context, string) (string, error) {
			return "", &governance.ToolError{Kind: governance.ToolFailed, Message: big}
		},
		"a panic": func(context.Context, string) (string, error) { panic(big) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Call("look", nil).Answer("done"), limits(loop.Limits{Result: 51}), func(a *agent) {
				a.add(loop.ToolSpec{Name: "look", Effect: governance.ReadOnly}, run)
			})
			a.do(a.task())
			got := a.prompt(1)
			if !strings.Contains(got, "bytes shown]") || !strings.Contains(got, "[truncated: ") || len(got) > 110 || strings.ContainsRune(got, '\uFFFD') {
				t.Errorf("the model is told %q", got)
			}
		})
	}
}

func TestResultsInEveryForm(t *testing.T) {
	t.Parallel()
	type shape struct {
		ID int64 `json:"id"`
	}
	spec := func(name string) loop.ToolSpec {
		return loop.ToolSpec{Name: name, Description: "x", Effect: governance.ReadOnly}
	}
	for want, tool := range map[string]loop.Tool{
		"plain \"text\"\n":        loop.NewTool(spec("x"), func(context.Context, struct{}) (string, error) { return "plain \"text\"\n", nil }),
		"<b>":                     loop.NewTool(spec("x"), func(context.Context, struct{}) (string, error) { return "<b>", nil }),
		`{"id":9007199254740993}`: loop.NewTool(spec("x"), func(context.Context, struct{}) (shape, error) { return shape{9007199254740993}, nil }),
		"null":                    loop.NewTool(spec("x"), func(context.Context, struct{}) (*shape, error) { return nil, nil }),
		"":                        loop.NewTool(spec("x"), func(context.Context, struct{}) (string, error) { return "", nil }),
		"its result does not encode as JSON: json: unsupported type: func()": loop.NewTool(spec("x"), func(context.Context, struct{}) (func(), error) { return func() {}, nil }),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Call("x", nil).Answer("done"), func(a *agent) { a.tools = append(a.tools, tool) })
			a.do(a.task())
			if a.prompt(1) != want {
				t.Errorf("the model is told %q, want %q", a.prompt(1), want)
			}
		})
	}
}

func TestPostToolHooks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		d      governance.Decision
		told   string
		ledger string
	}{
		"allowed":  {governance.Allow(), "did x", "did x"},
		"redacted": {governance.TransformResult(json.RawMessage(`{"n":1}`), "r"), `{"n":1}`, "did x"},
		"withheld": {governance.Deny("a secret"), "it ran, and its result is withheld: a secret", "did x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Call("write", `{"text":"x"}`).Answer("done"), hook(governance.PostTool, func(governance.Subject) governance.Decision { return tt.d }))
			a.do(a.task())
			if a.prompt(1) != tt.told || string(a.tape.effects[0].Result) != tt.ledger {
				t.Errorf("the model is told %q, the ledger %q; want %q and %q", a.prompt(1), a.tape.effects[0].Result, tt.told, tt.ledger)
			}
		})
	}
}

// TestEmbeddersPanic holds that code of the application costs its own call, and nothing else.
func TestEmbeddersPanic(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		with func(a *agent)
		told string
	}{
		"a tool": {func(a *agent) {
			a.add(loop.ToolSpec{Name: "x", Effect: governance.ReadOnly}, func(context.Context, string) (string, error) { panic("boom") })
		}, "the tool broke down: boom"},
		"a tool that ends its goroutine": {func(a *agent) {
			a.add(loop.ToolSpec{Name: "x", Effect: governance.ReadOnly}, func(context.Context, string) (string, error) { runtime.Goexit(); return "", nil })
		}, "the tool broke down: <nil>"},
		"arguments that decode themselves": {func(a *agent) {
			a.tools = append(a.tools, loop.NewTool(loop.ToolSpec{Name: "x", Description: "x", Schema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, explosive) (string, error) { return "", nil }))
		}, "nothing ran: the arguments do not decode: boom"},
		"a card": {func(a *agent) {
			a.add(loop.ToolSpec{Name: "x", Card: func(json.RawMessage) string { panic("boom") }}, func(context.Context, string) (string, error) { return "ran", nil })
		}, "ran"},
		"a pre_tool hook": {hook(governance.PreTool, func(governance.Subject) governance.Decision { panic("boom") }), "nothing ran: "},
		"a post_tool hook": {func(a *agent) {
			a.tool("x", governance.ReadOnly)
			hook(governance.PostTool, func(governance.Subject) governance.Decision { panic("boom") })(a)
		}, "it ran, and its result is withheld"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, iristest.Model().Call("x", nil).Answer("done"), tt.with)
			if fin := a.do(a.task()); fin.Text != "done" || !strings.HasPrefix(a.prompt(1), tt.told) {
				t.Errorf("%q; the model is told %q, want %q", fin.Text, a.prompt(1), tt.told)
			}
		})
	}
}

type explosive struct{}

func (*explosive) UnmarshalJSON([]byte) error { panic("boom") }

type askers struct{ got []string }

func (s *askers) Ask(_ context.Context, agent string, q loop.Question) error {
	s.got = append(s.got, agent+": "+q.Text)
	return nil
}

func TestToolAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := make(chan error, 1)
		a := newAgent(t, iristest.Model().Call("propose", nil).Call("late", nil).Answer("done"), func(a *agent) {
			a.add(loop.ToolSpec{Name: "propose", Effect: governance.ReadOnly}, func(ctx context.Context, _ string) (string, error) {
				return "asked", loop.Confirm(ctx, "cal.write", map[string]int{"id": 7}, "Shall I?")
			})
			a.add(loop.ToolSpec{Name: "late", Effect: governance.ReadOnly, Timeout: time.Second}, func(ctx context.Context, _ string) (string, error) {
				time.Sleep(time.Minute)
				late <- loop.Ask(ctx, loop.Question{Text: "Too late?"})
				return "", nil
			})
		})
		who := &askers{}
		task := a.task()
		task.Asker = who
		a.do(task)
		if diff := cmp.Diff([]string{"agent: Shall I?"}, who.got); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		if err := <-late; !errors.Is(err, loop.ErrNotInCall) {
			t.Errorf("a call that was cut off asks: %v", err)
		}
		if err := loop.Ask(t.Context(), loop.Question{Text: "Who?"}); !errors.Is(err, loop.ErrNotInCall) {
			t.Errorf("outside of a call: %v", err)
		}
	})
}

func TestFaultyTools(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, textIn) (string, error) { return "", nil }
	for name, tt := range map[string]struct {
		tool loop.Tool
		want string
	}{
		"no name":          {loop.NewTool(loop.ToolSpec{Description: "x"}, ok), "a name is 1 to 64"},
		"a bad name":       {loop.NewTool(loop.ToolSpec{Name: "a b", Description: "x"}, ok), "a name is 1 to 64"},
		"the loop's name":  {loop.NewTool(loop.ToolSpec{Name: "ask_user", Description: "x"}, ok), "is the loop's own"},
		"no description":   {loop.NewTool(loop.ToolSpec{Name: "x"}, ok), "a description is required"},
		"a bad effect":     {loop.NewTool(loop.ToolSpec{Name: "x", Description: "x", Effect: 9}, ok), "effect 9"},
		"a bad timeout":    {loop.NewTool(loop.ToolSpec{Name: "x", Description: "x", Timeout: -1}, ok), "a negative timeout"},
		"no function":      {loop.NewTool[textIn, string](loop.ToolSpec{Name: "x", Description: "x"}, nil), "no function"},
		"the zero Tool":    {loop.Tool{}, "the zero Tool"},
		"no struct":        {loop.NewTool(loop.ToolSpec{Name: "x", Description: "x"}, func(context.Context, string) (string, error) { return "", nil }), "must be a struct"},
		"no schema":        {loop.NewTool(loop.ToolSpec{Name: "x", Description: "x"}, func(context.Context, struct{ C chan int }) (string, error) { return "", nil }), "no schema can be inferred"},
		"a broken schema":  {loop.NewTool(loop.ToolSpec{Name: "x", Description: "x", Schema: json.RawMessage(`{"type":7}`)}, ok), "schema"},
		"a type of itself": {loop.NewTool(loop.ToolSpec{Name: "x", Description: "x"}, func(context.Context, tree) (string, error) { return "", nil }), "no schema can be inferred"},
	} {
		if err := tt.tool.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", name, err, tt.want)
		}
	}
}

type tree struct {
	Kids []tree `json:"kids,omitempty"`
}
