package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/iris-harness/iris/llm"
)

// AskUser is the name of the control action that stops a run to ask the person.
const AskUser = "ask_user"

const askUserDescription = `Ask the person a question and wait for the reply; the task goes on from here with it. ` +
	`Use it for every question your message would end on: a choice between ways to go on, a missing detail, a menu of what you could do next. ` +
	`A question written into a final answer instead is a question that nobody waits on. ` +
	`A courtesy that needs no reply ("let me know if you need anything else") is not a question: leave it in the final answer. ` +
	`Call it alone; nothing else in the same step runs.`

const askUserSchema = `{"type":"object","properties":{` +
	`"question":{"type":"string","description":"the question as the person will read it"},` +
	`"choices":{"type":"array","items":{"type":"string"},"description":"where the reply is one of a few: each of them, as shown"}},` +
	`"required":["question"],"additionalProperties":false}`

func askUserDef() llm.ToolDef {
	return llm.ToolDef{Name: AskUser, Description: askUserDescription, Schema: json.RawMessage(askUserSchema)}
}

type askUserArgs struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices,omitempty"`
}

var askUserFields, _ = flatFields(reflect.TypeFor[askUserArgs]())

// maxQuestion is the longest question that a continuation can hold, in bytes.
const maxQuestion = 16 << 10

// parseAskUser reads the action's arguments, which are canonical; an error is for the model to read.
func parseAskUser(args json.RawMessage) (askUserArgs, error) {
	var a askUserArgs
	if _, err := checkFlat(askUserFields, args); err != nil {
		return a, err
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return a, plainJSONError(err)
	}
	if strings.TrimSpace(a.Question) == "" {
		return a, errors.New("the question is empty")
	}
	if len(a.Question) > maxQuestion {
		return a, fmt.Errorf("the question is %d bytes, at most %d", len(a.Question), maxQuestion)
	}
	a.Choices = nonEmpty(a.Choices)
	return a, nil
}

func nonEmpty(in []string) []string {
	var out []string
	for _, s := range in {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
