// Mailbox reads mail from an mbox file. An ambiguous wish opens a shortlist that carries the mails' ids; a pick out of it reads that mail, and
// anything else takes the list back. It exits non-zero if any of what it tells does not hold.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/sqlite"
)

func main() {
	path := "testdata/mail.mbox"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	if err := run(context.Background(), path, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mailbox:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string, out io.Writer) error {
	box, err := readBox(path)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, sqlite.Memory)
	if err != nil {
		return err
	}
	h, err := iris.New(iris.Config{Store: store, Agents: []iris.Agent{
		{Name: "mail", Topics: []string{"read", "mail"}, LLM: llm.Func(clerk), Tools: []iris.Tool{find(box), read(box)}},
		{Name: "weather", LLM: llm.Func(func(context.Context, *llm.Request) (llm.Message, error) { return llm.Message{Text: "Sunny."}, nil })},
	}})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	var errs []error
	for _, turn := range []struct{ say, want string }{
		{"read the mail about lunch", "The place at the corner"},
		{"read the mail about the invoice", "Which one"},
		{"just go with the 1 st one", "Please pay 120 euros"},
		{"read the mail about the invoice", "Which one"},
		{"actually, what's the weather?", "Sunny."},
		{"2", "I cannot help with that."},
	} {
		r, err := h.Turn(ctx, iris.TurnRequest{SessionID: "web-1", Channel: "web", Message: turn.say})
		fmt.Fprintf(out, "you>  %s\n%s> %s\n", turn.say, r.Agent, strings.ReplaceAll(r.Text, "\n", "\n      "))
		if r.Asked != nil {
			for _, o := range r.Asked.Options {
				fmt.Fprintf(out, "      (option %s is mail %s)\n", o.Value, o.Ref)
			}
		}
		if !strings.Contains(r.Text, turn.want) {
			errs = append(errs, fmt.Errorf("%q was answered by %q, want %q in it", turn.say, r.Text, turn.want))
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, store.Close())...)
}

// find looks for mails about something. Where there are several it asks which one: the options carry the ids, so that nobody has to guess them later.
func find(box []letter) iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: "find", Description: "find mail", Effect: iris.ReadOnly}, func(ctx context.Context, in struct{ About string }) (string, error) {
		q := iris.Question{Text: "Which one should I read?"}
		for _, l := range box {
			if strings.Contains(strings.ToLower(l.Subject), in.About) {
				id, err := json.Marshal(l.ID)
				if err != nil {
					return "", err
				}
				q.Options = append(q.Options, iris.Option{Text: l.Subject + ", from " + l.From, Ref: id})
			}
		}
		switch len(q.Options) {
		case 0:
			return "there is none", nil
		case 1:
			return "id " + string(q.Options[0].Ref), nil
		}
		for i, o := range q.Options {
			q.Text += fmt.Sprintf("\n%d. %s", i+1, o.Text)
		}
		return "several; asked which", iris.Ask(ctx, q)
	})
}

// read returns one mail.
func read(box []letter) iris.Tool {
	return iris.NewTool(iris.ToolSpec{Name: "read", Description: "read one mail", Effect: iris.ReadOnly}, func(_ context.Context, in struct{ ID string }) (string, error) {
		for _, l := range box {
			if l.ID == in.ID {
				return l.From + " writes: " + l.Body, nil
			}
		}
		return "", fmt.Errorf("there is no mail %s", in.ID)
	})
}

var id = regexp.MustCompile(`"[^"\s]+@[^"\s]+"`)

// clerk stands in for a language model: it reads the task, or the result of the tool before.
func clerk(_ context.Context, req *llm.Request) (llm.Message, error) {
	text := req.Messages[len(req.Messages)-1].Text
	switch found := id.FindString(text); {
	case found != "":
		return llm.Message{Calls: []llm.Call{{Name: "read", Args: json.RawMessage(`{"ID":` + found + `}`)}}}, nil
	case strings.HasPrefix(text, "read the mail about "):
		about, err := json.Marshal(map[string]string{"About": strings.TrimPrefix(strings.TrimPrefix(text, "read the mail about "), "the ")})
		return llm.Message{Calls: []llm.Call{{Name: "find", Args: about}}}, err
	case strings.Contains(text, " writes: "):
		return llm.Message{Text: text}, nil
	case text == "several; asked which":
		return llm.Message{Text: "More than one mail is about that."}, nil
	}
	return llm.Message{Text: "I cannot help with that."}, nil
}
