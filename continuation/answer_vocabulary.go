package continuation

import "sync"

// More classes of the forms of a question.
const (
	askPick  class = askOrSo + 1 + iota
	askFact        // wants information, whatever its form
	askYesNo       // wants a yes or a no
)

// Roles of the words of a pleasantry: "anything else", or "how can I help".
const (
	roleElse role = 1 << iota
	roleHow
	roleCan
	roleHelp
)

// forms compiles the forms of closing questions once.
var forms = sync.OnceValue(func() *grammar { return compile(formWords, formPhrases) })

// signOff compiles the words of closing pleasantries once.
var signOff = sync.OnceValue(func() *grammar { return compile(signOffWords, nil) })

// matchText matches the phrases of g at token i of a question, by its words.
func (g *grammar) matchText(q *question, i int) (class, int) {
	const window = 8
	var buf [window]token
	n := copy(buf[:], q.toks[i:q.to])
	for j := range buf[:n] {
		buf[j].word = g.lookup(buf[j].text(q.norm))
	}
	return g.match(buf[:n])
}

var formWords = []wordList{
	{roleIt, "this that it these those everything all anything", "does this look right?"},
	{roleI, "i we", "shall we"},
}

// formPhrases tells the form of a closing question. What is not listed is yes
// or no.
var formPhrases = []phraseList{
	{askPick, "which; any of these; any of those; any of them; any of the; one of these; one of those; one of them; one of the; choose; pick; select; either of; what would you like; what do you want; what would you prefer; what do you prefer; what should <i>; what shall <i>; how would you like; how should <i>; where should <i>; where shall <i>; what one; do you prefer; would you prefer; do you have a preference; your preference; do any of; does any of", "ADR-0106 §9: any of these, which one, choose"},
	{askFact, "any preference; any preferences; any questions; any thoughts; any ideas; any feedback; what do you think; how do you feel about; what say you; what do you say; can you; could you; will you; do you have; do you know; do you remember; do you recall; do you use; do you mean; do you see; do you get; do you still; did you; have you; are you using; are you running; are you trying; are you on; are you in; are you looking; is there; are there; has; was; were; had; does your; does the; is your; is the; are your; are the; is a; is an", "Can you tell me the number of tickets?"},
	{askYesNo, "can you confirm; could you confirm; can you please confirm; could you please confirm; do you agree; do you approve; is the plan; is the above; does the plan; does the above; is the following; are the details; are you ready; are you ok; are you okay; are you happy; are you sure; is <it>; are <it>; does <it>; do <it>", "Does this look right?"},
}

// signOffWords holds all the words that a closing pleasantry is made of.
var signOffWords = []wordList{
	{roleElse, "else further anything other", "Anything else?"},
	{roleHow, "how what", "How can I help you today?"},
	{roleCan, "can may could", "How can I help you today?"},
	{roleHelp, "help assist do", "What can I do for you?"},
	{0, "is there are any i we might helping assistance you your with for today now that need needing questions question would like want to me know information have will be further so and at the moment great please in way ways thing things this shall let on about", "Is there anything else I can help you with?"},
}
