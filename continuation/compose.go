package continuation

import "strings"

// DecisionTask is the task an owner gets when its yes/no question is answered:
// the question, the decision as it was read, and the person's own words.
func DecisionTask(question string, v Verdict, reply string) string {
	return labelled("You asked", question) +
		labelled("They decided", decisions[v]) +
		labelled("Their words", reply) +
		decisionAdvice(v)
}

// decisions words each verdict for the owner of the question.
var decisions = [...]string{
	Unclear:     "nothing that can be relied on",
	Yes:         "yes",
	YesWithMore: "yes, and they add something",
	No:          "no",
	NoWithMore:  "no, and they add something",
}

// decisionAdvice tells the owner what the decision asks of it.
func decisionAdvice(v Verdict) string {
	switch v {
	case Yes:
		return "Carry on with what the question proposed."
	case YesWithMore:
		return "Take in what they add before doing anything: it may change what was proposed."
	case No:
		return "Do not do what the question proposed. Acknowledge briefly."
	case NoWithMore:
		return "Do not do what the question proposed. Turn to what they add."
	default:
		return "Do not do what the question proposed. Find out what they want."
	}
}

// ChoiceTask is the task an owner gets when an option of its list is picked.
func ChoiceTask(question, option, reply string) string {
	return labelled("You offered a list and asked", question) +
		labelled("They picked", option) +
		labelled("Their words", reply) +
		"Act on the picked item, as their words ask, and on no other."
}

// QuestionTask is the task an owner gets when its open question draws a reply.
// Whether the reply answers it is left to the owner.
func QuestionTask(question, reply string) string {
	return labelled("You asked", question) +
		labelled("They replied", reply) +
		"If the reply does not answer the question, drop the question and address the reply instead."
}

// ResumeObservation is what a paused run sees as the result of its ask_user
// call.
func ResumeObservation(question, reply string) string {
	return labelled("You asked the person", question) +
		labelled("They replied", reply) +
		"If this reply does not answer the question, give up the task you were on and address the reply instead."
}

// Restate puts a yes/no question once more, for a yes that came too late to be
// acted on as it stands.
func Restate(question string) string {
	q := strings.TrimSpace(question)
	if action, ok := offeredAction(q); ok {
		return "Earlier I asked whether to " + action + ". Is it still a yes?"
	}
	return "Earlier I asked: " + q + " Is it still a yes?"
}

// offerLeads are the openings that Restate can turn into "whether to ...":
// what follows each is a bare verb.
var offerLeads = []string{
	"would you like me to ", "do you want me to ", "want me to ", "shall i ", "should i ",
	"ok to ", "okay to ", "may i ", "can i ",
}

// offeredAction returns what a one-sentence offer proposes, as a bare verb
// phrase without the question mark.
func offeredAction(q string) (string, bool) {
	body, ok := strings.CutSuffix(q, "?")
	if !ok || strings.ContainsAny(body, "?!\n") || strings.Contains(body, ". ") {
		return "", false
	}
	for _, lead := range offerLeads {
		if len(body) > len(lead) && strings.EqualFold(body[:len(lead)], lead) {
			return strings.TrimSpace(body[len(lead):]), true
		}
	}
	return "", false
}

// labelled puts one part of a task on a line of its own.
func labelled(label, text string) string {
	return label + ": " + strings.TrimSpace(text) + "\n"
}
