package iristest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/iristest/memstore"
)

// RunScripts runs every conversation script that pattern matches, each as a subtest, and compares what it observed with what the script says.
// With update it writes what it observed instead: read the diff.
//
// A script is a txtar archive. Its comment is prose. The file "setup" says what there is, one line each; the file "script" is the conversation:
// commands, each followed by what was observed, in lines that begin with "> ".
//
//	-- setup --
//	agent planner plan trip          an agent, and the words that the classifier knows it by
//	tool write                       a tool with an effect; "read" and "delete" after its name make it ReadOnly or Destructive
//	executor calendar                an executor of confirmed actions
//	-- script --
//	model planner answer TEXT        the agent's model will answer so
//	model planner call TOOL JSON     … will call a tool
//	model planner ask Q | A | B      … will ask the person, with choices
//	model planner fail TEXT          … will fail
//	user TEXT                        a person speaks
//	system TEXT                      a message of nobody
//	press OPTION                     the person presses a button of the question that waits; "press first OPTION" of the first one ever asked
//	session s2                       the conversation that is spoken in from now on; "sender" and "message-id" likewise
//	advance 8d                       time passes
//	restart                          the process ends, and a new one opens the same store
//	recover                          what dead processes left is settled
//	approve, reject REASON           a person decides the newest approval on another surface; "approve first" the oldest
//	tick                             what happens outside of turns happens, and what was delivered is printed
//	pending, history, effects, approvals   print what waits, what became of questions, what was done, what was demanded
//	prompt planner                   prints the last message that the agent's model was given
//
// Two tools are always there: "confirm" asks an executable question {kind, payload, question}, "shortlist" asks a choice
// {question, options: [{text, ref}]}.
func RunScripts(t *testing.T, pattern string, update bool, opts ...Option) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("iristest: no script matches %s (%v)", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runScript(t, file, update, opts)
		})
	}
}

func runScript(t *testing.T, file string, update bool, opts []Option) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(raw)
	script := archiveFile(a, "script")
	if script == nil {
		t.Fatalf("%s: no file named script", file)
	}
	got, err := Conversation(t, string(archiveData(a, "setup")), string(script.Data), opts...)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if update {
		script.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(script.Data), got); diff != "" {
		t.Errorf("%s (-script +observed):\n%s", file, diff)
	}
}

func archiveFile(a *txtar.Archive, name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	return nil
}

func archiveData(a *txtar.Archive, name string) []byte {
	if f := archiveFile(a, name); f != nil {
		return f.Data
	}
	return nil
}

// Conversation runs the commands of one script and returns it with what was observed. An error is about the script itself.
func Conversation(t testing.TB, setup, script string, opts ...Option) (string, error) {
	t.Helper()
	c := newConversation(t, opts)
	for i, line := range strings.Split(setup, "\n") {
		if err := c.setUp(line); err != nil {
			return "", fmt.Errorf("setup line %d: %w", i+1, err)
		}
	}
	if err := c.start(); err != nil {
		return "", err
	}
	var out bytes.Buffer
	for i, line := range strings.Split(strings.TrimRight(script, "\n"), "\n") {
		if strings.HasPrefix(line, ">") {
			continue
		}
		out.WriteString(line + "\n")
		seen, err := c.command(line)
		if err != nil {
			return "", fmt.Errorf("script line %d: %w", i+1, err)
		}
		for _, s := range seen {
			out.WriteString(strings.TrimRight("> "+s, " ") + "\n")
		}
	}
	return out.String(), nil
}

// conversation is one script while it runs.
type conversation struct {
	t       testing.TB
	config  iris.Config
	h       *iris.Harness
	clock   *Clock
	models  map[string]*ScriptedModel
	effects effects
	sent    Deliveries
	first   string // the first question ever asked
	request iris.TurnRequest
}

func newConversation(t testing.TB, opts []Option) *conversation {
	c := &conversation{
		t: t, clock: NewClock(T0), models: map[string]*ScriptedModel{},
		request: iris.TurnRequest{SessionID: "s1", Channel: "test"},
	}
	c.config = iris.Config{Clock: c.clock.Now, Deliver: &c.sent, Approvals: iris.ApprovalConfig{Stderr: io.Discard}}
	for _, o := range opts {
		o(&c.config)
	}
	c.config.Tools = append(c.config.Tools, confirmTool(), shortlistTool())
	return c
}

func (c *conversation) start() error {
	if c.config.Store == nil {
		s := memstore.New()
		c.t.Cleanup(func() { _ = s.Close() })
		c.config.Store = s
	}
	return c.restart()
}

func (c *conversation) restart() error {
	if c.h != nil {
		c.h.Close()
	}
	h, err := iris.New(c.config)
	c.h = h
	return err
}

// setUp reads one line of the setup.
func (c *conversation) setUp(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] == "#" {
		return nil
	}
	if len(words) < 2 {
		return fmt.Errorf("%q: a name is missing", line)
	}
	name := words[1]
	switch words[0] {
	case "agent":
		m := Model()
		c.models[name] = m
		c.config.Agents = append(c.config.Agents, iris.Agent{Name: name, Topics: words[2:], LLM: m})
	case "tool":
		c.config.Tools = append(c.config.Tools, c.effects.tool(name, words[2:]))
	case "executor":
		c.config.Executors = append(c.config.Executors, c.effects.executor(name))
	default:
		return fmt.Errorf("%q: unknown", words[0])
	}
	return nil
}

// turn takes one message and says what came of it.
func (c *conversation) turn(r iris.TurnRequest) []string {
	reply, err := c.h.Turn(context.Background(), r)
	var te *iris.TurnError
	switch {
	case errors.As(err, &te):
		return append(lines(te.Text), "("+rootCause(err)+")")
	case err != nil:
		return []string{"(" + scrub(err.Error()) + ")"}
	}
	seen := lines(reply.Text)
	for _, q := range reply.Superseded {
		seen = append(seen, "(superseded: "+firstLine(q.Question)+")")
	}
	if reply.Repeated {
		seen = append(seen, "(from the record)")
	}
	if reply.Asked != nil {
		if c.first == "" {
			c.first = reply.Asked.ID
		}
		seen = append(seen, "(waits for "+reply.Asked.Owner+": "+reply.Asked.Kind+")")
	}
	return seen
}

// rootCause is the innermost sentence of an error.
func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return scrub(err.Error())
		}
		err = inner
	}
}
