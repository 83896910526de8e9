package continuation

// ReadDecision reads a reply to a yes/no question.
func (r Reader) ReadDecision(question, reply string) Reading { return Reading{} }
