// Package llm is the vocabulary between the loop and a language model: messages, calls, requests, chunks.
//
// It names no vendor and imports nothing of this module. An application adapts its own client by
// implementing [Model], one method that streams, or by wrapping a plain function in [Func].
//
// Arguments of calls travel as exact bytes ([encoding/json.RawMessage]), so a 64-bit integer keeps its digits.
// [Canonical] gives the one form that is compared and digested.
package llm
