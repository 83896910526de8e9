package governance

import (
	"encoding/json"

	"github.com/iris-harness/iris/llm"
)

// Verdict is the outcome of a decision. The zero value denies.
type Verdict uint8

// The verdicts.
const (
	VerdictDeny Verdict = iota
	VerdictAllow
	VerdictRequireApproval
	VerdictTransform
)

// String returns the verdict's recorded form.
func (v Verdict) String() string {
	switch v {
	case VerdictDeny:
		return "deny"
	case VerdictAllow:
		return "allow"
	case VerdictRequireApproval:
		return "require_approval"
	case VerdictTransform:
		return "transform"
	default:
		return "unknown"
	}
}

// Decision is a hook's answer. The zero value denies. Build one with [Allow], [Deny], [RequireApproval] or a Transform function.
type Decision struct {
	Verdict Verdict
	// Reason is for people and for the record: never put a prompt, an argument or a reply in it. It is cut at 300 bytes.
	Reason string
	// Signal names the signal that a post_step decision comes from, such as "budget".
	Signal string

	// What a Transform changes, exactly one of them, the one that belongs to the point.
	Request *llm.Request    // PreLLM
	Args    json.RawMessage // PreTool: a JSON object
	Result  json.RawMessage // PostTool, of a call that succeeded: a JSON value
	Text    *string         // PreTurn, PreResponse; PostTool of a call that failed: the error's message
}

// Allow lets the subject pass to the next hook, and in the end happen.
func Allow() Decision { return Decision{Verdict: VerdictAllow} }

// Deny stops it.
func Deny(reason string) Decision { return Decision{Reason: reason} }

// RequireApproval stops it until a person decides. It is possible at PreLLM, PreTool and PostStep where something
// can hold it; elsewhere it is a Deny that says so.
func RequireApproval(reason string) Decision {
	return Decision{Verdict: VerdictRequireApproval, Reason: reason}
}

// TransformRequest replaces the request at PreLLM.
func TransformRequest(r *llm.Request, reason string) Decision {
	return Decision{Verdict: VerdictTransform, Reason: reason, Request: r}
}

// TransformArgs replaces the arguments of a call at PreTool.
func TransformArgs(args json.RawMessage, reason string) Decision {
	return Decision{Verdict: VerdictTransform, Reason: reason, Args: args}
}

// TransformResult replaces the result of a call at PostTool.
func TransformResult(result json.RawMessage, reason string) Decision {
	return Decision{Verdict: VerdictTransform, Reason: reason, Result: result}
}

// TransformText replaces the message at PreTurn, the answer at PreResponse, or a tool error's message at PostTool.
func TransformText(text, reason string) Decision {
	return Decision{Verdict: VerdictTransform, Reason: reason, Text: &text}
}
