package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/sqlite"
)

// converse is a conversation in the terminal with an assistant that needs no network: it writes notes, and asks first.
func converse(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	note := iris.NewTool(iris.ToolSpec{Name: "note", Description: "keep a note"},
		func(_ context.Context, n struct{ Text string }) (string, error) { return "noted: " + n.Text, nil })
	h, err := iris.New(iris.Config{Store: store, LLM: llm.Func(noteTaker), Tools: []iris.Tool{note}})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	fmt.Fprintln(out, "Say something to note. Every question waits for you, even if you stop and start again with -db.")
	lines := bufio.NewScanner(in)
	for fmt.Fprint(out, "you>  "); lines.Scan(); fmt.Fprint(out, "you>  ") {
		reply, err := h.Turn(ctx, iris.TurnRequest{SessionID: "terminal", Message: lines.Text()})
		switch {
		case errors.Is(err, iris.ErrBlank):
		case err != nil:
			return errors.Join(err, store.Close())
		default:
			fmt.Fprintln(out, "iris>", reply.Text)
		}
	}
	return errors.Join(lines.Err(), store.Close())
}

// noteTaker stands in for a language model: it asks before it notes something, and does as the reply says.
func noteTaker(_ context.Context, req *llm.Request) (llm.Message, error) {
	last := req.Messages[len(req.Messages)-1]
	switch {
	case last.Role == llm.User:
		return llm.Message{Calls: []llm.Call{{Name: "ask_user", Args: quoted("question", "Shall I note that? Say it as it should read, or no.")}}}, nil
	case strings.HasPrefix(last.Text, "noted: "):
		return llm.Message{Text: "Kept: " + strings.TrimPrefix(last.Text, "noted: ")}, nil
	case strings.Contains(last.Text, "replied: no"):
		return llm.Message{Text: "Then I won't."}, nil
	}
	_, reply, _ := strings.Cut(last.Text, "replied: ")
	reply, _, _ = strings.Cut(reply, "\n")
	return llm.Message{Calls: []llm.Call{{Name: "note", Args: quoted("Text", reply)}}}, nil
}

func quoted(key, value string) []byte { return fmt.Appendf(nil, `{%q:%q}`, key, value) }
