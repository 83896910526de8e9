package continuation

// ReadChoice reads a reply to a list of options.
func (r Reader) ReadChoice(options []string, reply string) (Pick, bool) { return Pick{}, false }
