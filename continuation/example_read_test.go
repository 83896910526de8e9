package continuation_test

import (
	"fmt"

	"github.com/iris-harness/iris/continuation"
)

func ExampleReadDecision() {
	const question = "Would you like me to archive the report?"
	for _, reply := range []string{"yup, archive it", "yes, but rename it first", "not now", "ok, what is on my calendar?"} {
		r := continuation.ReadDecision(question, reply)
		fmt.Printf("%s: %s\n", r.Verdict, r.Reason)
	}
	// Output:
	// yes: it says yes and nothing besides
	// yes_with_more: it says yes and brings something more
	// no: it puts the decision off
	// unclear: a word of approval only opens it
}

func ExampleReadChoice() {
	options := []string{"Rates rise", "Flood in Ghent", "New bridge opens"}
	for _, reply := range []string{"the second one", "Option 3, then stop", "give me 3 headlines"} {
		p, ok := continuation.ReadChoice(options, reply)
		if !ok {
			fmt.Println("no pick")
			continue
		}
		fmt.Printf("%s (%q)\n", options[p.Index], p.More)
	}
	// Output:
	// Flood in Ghent ("")
	// New bridge opens ("then stop")
	// no pick
}

func ExampleReadAnswer() {
	o := continuation.ReadAnswer("I found two drafts:\n\n1. spring.md\n2. summer.md\n\n**Which one should I open?**")
	fmt.Println(o.Kind, o.Question)
	fmt.Println(o.Options)
	// Output:
	// choice Which one should I open?
	// [spring.md summer.md]
}

func ExampleReader() {
	r := continuation.Reader{Lexicons: []continuation.Lexicon{continuation.Spanish, continuation.Japanese}}
	for _, reply := range []string{"sí, por favor", "いいえ", "oui"} {
		fmt.Println(r.ReadDecision("", reply).Verdict)
	}
	// Output:
	// yes
	// no
	// unclear
}

func ExampleQuestionTask() {
	fmt.Println(continuation.QuestionTask("How long should the timer run?", "5 minutes"))
	// Output:
	// You asked: How long should the timer run?
	// They replied: 5 minutes
	// If the reply does not answer the question, drop the question and address the reply instead.
}
