package llm

import "encoding/json"

// Role says who a message is from.
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Call is one native tool call that a model asks for.
type Call struct {
	// ID names the call within its message. The loop replaces an empty or repeated id.
	ID string `json:"id"`
	// Name is the tool's name, matched exactly.
	Name string `json:"name"`
	// Args is a JSON object as the model wrote it; empty means {}.
	Args json.RawMessage `json:"args,omitempty"`
}

// Message is one entry of a conversation.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`
	// Calls are the tool calls of an Assistant message.
	Calls []Call `json:"calls,omitempty"`
	// CallID names the call that a Tool message answers.
	CallID string `json:"call_id,omitempty"`
	// Attachments are references; the bytes stay with the application.
	Attachments []Attachment `json:"attachments,omitempty"`
	// ProviderData is opaque to iris and kept byte for byte across checkpoints (signatures, thinking blocks, cache keys).
	ProviderData []byte `json:"provider_data,omitempty"`
}

// Attachment refers to a file that came with a message.
type Attachment struct {
	Name      string `json:"name,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	// URI is whatever lets the application find the bytes again.
	URI string `json:"uri"`
}

// ToolDef describes a tool to the model.
type ToolDef struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // a JSON Schema object
}

// Request is what a model is asked: the whole conversation and the tools it may call.
// A model must not keep or change it.
type Request struct {
	Messages []Message `json:"messages"`
	Tools    []ToolDef `json:"tools,omitempty"`
}

// Usage counts the tokens of one reply. Cost is in millionths of the application's currency unit.
type Usage struct {
	Input  int64 `json:"input,omitempty"`
	Output int64 `json:"output,omitempty"`
	Cost   int64 `json:"cost,omitempty"`
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Output: u.Output + v.Output, Cost: u.Cost + v.Cost}
}

// Chunk is a piece of a reply. The pieces of a reply are joined in order: texts are concatenated, calls appended.
// A call is given whole, in one chunk. The bytes that a chunk refers to are not changed once it was given.
type Chunk struct {
	Text         string
	Calls        []Call
	ProviderData []byte // the last non-nil value counts
	Usage        *Usage // summed over the chunks
}
