package iris

import (
	"context"
	"strings"
	"unicode"

	"github.com/iris-harness/iris/pipeline"
)

// topics is the default classifier. It calls no model: the agent whose name or topic occurs in the message as a word, most
// occurrences first, else the first agent.
type topics struct{ words map[string][]string }

func newTopics(agents []Agent) topics {
	t := topics{map[string][]string{}}
	for _, a := range agents {
		for _, w := range append([]string{a.Name}, a.Topics...) {
			t.words[a.Name] = append(t.words[a.Name], strings.ToLower(w))
		}
	}
	return t
}

// Classify implements [Classifier].
func (t topics) Classify(_ context.Context, m pipeline.Inbound) (pipeline.Intent, error) {
	text := " " + strings.Join(strings.FieldsFunc(strings.ToLower(m.Text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}), " ") + " "
	best, most := m.Agents[0], 0
	for _, name := range m.Agents {
		n := 0
		for _, w := range t.of(name) {
			n += strings.Count(text, " "+w+" ")
		}
		if n > most {
			best, most = name, n
		}
	}
	return pipeline.Intent{Agent: best}, nil
}

// of returns the words that an agent is known by. A plugin's agent, or one without topics, is known by its name.
func (t topics) of(name string) []string {
	if w := t.words[name]; w != nil {
		return w
	}
	return []string{strings.ToLower(name)}
}
