package continuation

// EndsOnQuestion reports whether an answer ends on a question to the person.
func (r Reader) EndsOnQuestion(answer string) bool { return r.ReadAnswer(answer).Kind != OfferNone }

// ReadAnswer classifies what an answer leaves open.
func (r Reader) ReadAnswer(answer string) Offer { return Offer{} }
