package continuation

// Lexicon holds the whole-message vocabulary of one language. It is data: a
// reply is read through it only where the whole message is made of its
// entries. Entries are compared after the same folding as replies: case,
// accents, width.
type Lexicon struct {
	Tag           string   // BCP 47 language tag, such as "es"
	Yes           []string // words that consent
	No            []string // words that refuse
	Fillers       []string // please, thanks
	Ordinals      []string // first, second, ... in order; "a|b" lists forms of one
	QuestionWords []string // words that make a question more than a yes/no
	YesNoForms    []string // openings of an offer: "shall I", "would you like"
}
