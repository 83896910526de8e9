package iris

import (
	"slices"

	"github.com/iris-harness/iris/intercept"
	"github.com/iris-harness/iris/pipeline"
)

// owners checks the one namespace of those who can own a question, across the application and its plugins: agents, intercepts, and the library's own.
// An intercept of a plugin may take the place of the application's row of its name; nothing else is named twice.
func (b *builder) owners() {
	taken := map[string]string{intercept.ConfirmationName: "the library's own", pipeline.ApprovalOwner: "the library's own"}
	take := func(what, name string) {
		switch was := taken[name]; {
		case name == "":
			b.fault("%s without a name", what)
		case was != "":
			b.fault("the name %q of %s is taken by %s: owners share one namespace", name, what, was)
		default:
			taken[name] = what
		}
	}
	for i := range b.c.Agents {
		take("an agent", b.c.Agents[i].Name)
	}
	for _, a := range b.parts.Agents {
		take("a plugin's agent", a.Name())
	}
	rows := names(b.c.Intercepts)
	for _, name := range rows {
		take("an intercept", name)
	}
	for _, name := range names(b.parts.Intercepts) {
		if !slices.Contains(rows, name) {
			take("a plugin's intercept", name)
		}
	}
}

func names(specs []Intercept) []string {
	out := make([]string, len(specs))
	for i := range specs {
		out[i] = specs[i].Name
	}
	return out
}
