package governance

// Digest returns the SHA-256 of what is decided on, as lower-case hex: of the canonical arguments at PreTool, of the
// request at PreLLM, of the result or error at PostTool, of the reply at PostStep, of the text elsewhere.
func (s Subject) Digest() string { return "" }
