package continuation

// readForeign is replaced below once lexicons are matched.
func (r Reader) readForeign(english Reading, norm []byte, toks []token) Reading { return english }

func (r Reader) foreignOrdinal(norm []byte, toks []token, n int) (int, bool) { return 0, false }

func (r Reader) foreignWh(norm []byte, toks []token) bool { return false }
