package continuation

// Verdict is what a reply says to a yes/no question. Only [Yes] may run a
// stored action; every other verdict is safe to act on as text.
type Verdict uint8

// The five verdicts. Unclear is the zero value, and is always safe.
const (
	Unclear     Verdict = iota // neither a yes nor a no that can be trusted
	Yes                        // a yes, and nothing besides
	YesWithMore                // a yes that brings a condition, a value, a question
	No                         // a no, and nothing besides
	NoWithMore                 // a no that brings a new request or a correction
)

// String returns the name that logs, stored rows and the command line use.
func (v Verdict) String() string {
	switch v {
	case Yes:
		return "yes"
	case YesWithMore:
		return "yes_with_more"
	case No:
		return "no"
	case NoWithMore:
		return "no_with_more"
	default:
		return "unclear"
	}
}

// Reading is a verdict with the reason for it.
type Reading struct {
	Verdict Verdict
	// Reason is one short fixed sentence: for the log, and for the person who
	// asks why. It never quotes the reply.
	Reason string
	// Strong says that a yes rests on a word of consent ("yes", "approve",
	// "go ahead") and not only on a word of approval ("ok", "great").
	Strong bool
}

// Pick is one option taken from a list.
type Pick struct {
	Index int    // 0-based position in the options
	More  string // what the reply says after the pick, as typed; "" if nothing
}

// OfferKind says what kind of question, if any, an answer leaves open.
type OfferKind uint8

// The kinds of open question. OfferNone is the zero value.
const (
	OfferNone     OfferKind = iota // the answer opens nothing
	OfferQuestion                  // a question with a free answer
	OfferYesNo                     // an offer to act, or a request to confirm
	OfferChoice                    // a request to pick one of Options
)

// String returns the name that logs and the command line use.
func (k OfferKind) String() string {
	switch k {
	case OfferQuestion:
		return "question"
	case OfferYesNo:
		return "yes_no"
	case OfferChoice:
		return "choice"
	default:
		return "none"
	}
}

// Offer is what an answer leaves open.
type Offer struct {
	Kind OfferKind
	// Question is the closing question as text, without markup around it.
	Question string
	// Options holds the items on screen, as shown: what an OfferChoice picks
	// from, or the list shown together with a question of another kind.
	Options []string
}

// Reader reads replies and answers. The zero value reads English. A Reader is
// a value without state and is safe for concurrent use.
type Reader struct {
	// Lexicons adds languages. Empty means English only; a reply in a language
	// that is not listed reads as Unclear, never as its opposite.
	Lexicons []Lexicon
}

// ReadDecision reads a reply to a yes/no question with the zero [Reader].
func ReadDecision(question, reply string) Reading {
	return Reader{}.ReadDecision(question, reply)
}

// ReadChoice reads a reply to a list of options with the zero [Reader].
func ReadChoice(options []string, reply string) (Pick, bool) {
	return Reader{}.ReadChoice(options, reply)
}

// ReadAnswer classifies what an answer leaves open with the zero [Reader].
func ReadAnswer(answer string) Offer { return Reader{}.ReadAnswer(answer) }

// EndsOnQuestion reports, with the zero [Reader], whether an answer ends on a
// question to the person.
func EndsOnQuestion(answer string) bool { return Reader{}.EndsOnQuestion(answer) }

// OffersToProceed reports, with the zero [Reader], whether an answer ends on a
// question that a plain yes would answer.
func OffersToProceed(answer string) bool { return Reader{}.OffersToProceed(answer) }

// OfferedChoices returns, with the zero [Reader], the options that an answer
// asks the person to pick from, or nil.
func OfferedChoices(answer string) []string { return Reader{}.OfferedChoices(answer) }

// OffersToProceed reports whether an answer ends on a question that a plain
// yes would answer.
func (r Reader) OffersToProceed(answer string) bool {
	return r.ReadAnswer(answer).Kind == OfferYesNo
}

// OfferedChoices returns the options that an answer asks the person to pick
// from, as shown, or nil where it asks for no pick.
func (r Reader) OfferedChoices(answer string) []string {
	if o := r.ReadAnswer(answer); o.Kind == OfferChoice {
		return o.Options
	}
	return nil
}

// OptionsOf returns the options on screen whatever the closing question is:
// "B" is a frequent reply to "Shall I implement option A?".
func (r Reader) OptionsOf(answer string) []string { return r.ReadAnswer(answer).Options }
