package continuation

// readForeign is replaced below once lexicons are matched.
func (r Reader) readForeign(english Reading, norm []byte, toks []token) Reading { return english }
