package governance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/iris-harness/iris/llm"
)

// Digest returns the SHA-256 of what is decided on, as lower-case hex: of the canonical arguments at PreTool, of the
// request's JSON at PreLLM, of the result or the error's JSON at PostTool, of the reply's JSON at PostStep, of the text
// elsewhere. "" where there is none of it.
func (s Subject) Digest() string {
	switch s.Point {
	case PreTool:
		return digestArgs(s.Call.Args)
	case PreLLM:
		return digestOf(s.request)
	case PostTool:
		if s.ToolErr != nil {
			return digestOf(s.ToolErr)
		}
		return llm.Digest(s.Result)
	case PostStep:
		if s.Step == nil {
			return ""
		}
		return digestOf(&s.Step.Reply)
	default:
		sum := sha256.Sum256([]byte(s.Text))
		return hex.EncodeToString(sum[:])
	}
}

// digestArgs is llm.Digest of arguments that are in canonical form, as a subject's are, without making them so again.
func digestArgs(args json.RawMessage) string {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	sum := sha256.Sum256(args)
	return hex.EncodeToString(sum[:])
}

// digestOf digests v's JSON. Bytes in v that are not JSON leave nothing to digest but the fact.
func digestOf[T any](v *T) string {
	if v == nil {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte(err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
