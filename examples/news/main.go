// News offers five headlines in prose, and a pick out of them reaches who offered them. It exits non-zero if any of what it tells does not hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/iris-harness/iris"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/sqlite"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "news:", err)
		os.Exit(1)
	}
}

// headlines are what the paper has today.
var headlines = []string{
	"Rates rise", "Storm ahead", "New museum", "Bridge reopens", "Cup final", "Trains late", "Harvest early", "Library open", "Ferry sold", "Snow likely",
}

// editor stands in for a language model. It reads nothing but the task that the harness composed for it.
func editor(_ context.Context, req *llm.Request) (llm.Message, error) {
	task := req.Messages[len(req.Messages)-1].Text
	_, picked, _ := strings.Cut(task, "They picked: ")
	picked, _, _ = strings.Cut(picked, "\n")
	answer := ""
	switch {
	case picked != "":
		answer = "About “" + picked + "”: the mayor spoke of a good day for the town. Do you want full articles, more sources, or a short briefing on any one story?"
	case strings.Contains(task, "They replied: Key quotes") && strings.HasPrefix(task, "You asked: Do you want full articles"):
		answer = "“A good day for the town”, said the mayor."
	case strings.Contains(task, "5 more"):
		answer = offer(headlines[5:])
	case strings.Contains(task, "headlines"):
		answer = offer(headlines[:5])
	default:
		answer = "I have nothing on that."
	}
	return llm.Message{Text: answer}, nil
}

func forecaster(context.Context, *llm.Request) (llm.Message, error) {
	return llm.Message{Text: "Snow is likely."}, nil
}

// offer is prose: nobody declares that it is a list of options.
func offer(list []string) string {
	var b strings.Builder
	b.WriteString("Today:\n")
	for i, h := range list {
		fmt.Fprintf(&b, "%d. %s\n", i+1, h)
	}
	return b.String() + "Want me to open any of these?"
}

func run(ctx context.Context, out io.Writer) error {
	store, err := sqlite.Open(ctx, sqlite.Memory)
	if err != nil {
		return err
	}
	h, err := iris.New(iris.Config{Store: store, Agents: []iris.Agent{
		{Name: "weather", LLM: llm.Func(forecaster)}, // whoever says nothing of headlines gets the weather
		{Name: "news", Topics: []string{"headlines"}, LLM: llm.Func(editor)},
	}})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	var errs []error
	for _, turn := range []struct{ say, want string }{
		{"any headlines today?", "5. Cup final"},
		{"Just tell me more about the 4th news from your news list", "About “Bridge reopens”"},
		{"Key quotes", "said the mayor"},
		{"headlines again, please", "5. Cup final"},
		{"show me 5 more headlines", "5. Snow likely"},
		{"the last one", "About “Snow likely”"},
		{"full articles", "I have nothing on that."},
		{"and tomorrow?", "Snow is likely."},
	} {
		r, err := h.Turn(ctx, iris.TurnRequest{SessionID: "web-1", Channel: "web", Message: turn.say})
		fmt.Fprintf(out, "you>  %s\n%s> %s\n", turn.say, r.Agent, strings.ReplaceAll(r.Text, "\n", "\n      "))
		if r.Asked != nil {
			fmt.Fprintf(out, "      (%s waits for a %s with %d options)\n", r.Asked.Owner, r.Asked.Kind, len(r.Asked.Options))
		}
		if !strings.Contains(r.Text, turn.want) {
			errs = append(errs, fmt.Errorf("%q was answered by %q, want %q in it", turn.say, r.Text, turn.want))
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, store.Close())...)
}
