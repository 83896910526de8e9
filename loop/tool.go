package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/internal/gate"
	"github.com/iris-harness/iris/llm"
)

// ToolSpec says what a tool is. It is data: the function is sealed beside it by [NewTool].
type ToolSpec struct {
	Name        string // Required: letters, digits, '_', '-' and '.', at most 64; unique in a harness.
	Description string // Required: what the model is told.

	// Effect is what the tool does to the world; the zero value is governance.Write.
	Effect governance.Effect
	// Idempotent says that running the same call twice does what running it once does.
	Idempotent bool
	// Probe, where set, finds out whether an effect that was cut off happened. key is what the call saw as [CallKey].
	Probe func(ctx context.Context, key string, args json.RawMessage) (happened bool, err error)
	// Card, where set, renders a call for the person who is to approve it. It is the place to hide secrets.
	Card func(args json.RawMessage) string
	// Timeout bounds one call; 30 s where zero.
	Timeout time.Duration
	// Schema, where set, replaces the inferred JSON Schema. Arguments are then validated against it in full.
	Schema json.RawMessage
}

// DefaultToolTimeout bounds a call of a tool whose spec does not say.
const DefaultToolTimeout = 30 * time.Second

// Tool is a tool as it is handed to a harness. Make one with [NewTool].
type Tool struct {
	spec   ToolSpec
	schema json.RawMessage
	check  func(args json.RawMessage) error
	raw    gate.Raw
	err    error
}

// NewTool makes a tool of a function. The schema of its arguments is inferred from In, a struct; a result that is a string is
// given to the model as it is, any other as JSON. An In that no schema can be inferred for, or a faulty spec, is reported when a harness is made of it.
//
// run may return an error that wraps [ErrOutcomeUnknown] to say that nobody knows whether its effect happened.
func NewTool[In, Out any](spec ToolSpec, run func(ctx context.Context, in In) (Out, error)) Tool {
	t := Tool{spec: spec}
	in, err := newInput[In](spec.Schema)
	if err != nil {
		t.err = fmt.Errorf("tool %q: %w", spec.Name, err)
		return t
	}
	t.schema, t.check = in.schema, in.validate
	t.err = checkSpec(spec, run != nil)
	t.raw = gate.Wrap(func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		v, err := in.decode(args, checkedBefore(ctx, args))
		if err != nil {
			return nil, &governance.ToolError{Kind: governance.InvalidArguments, Message: err.Error()}
		}
		out, err := run(ctx, *v)
		if err != nil {
			return nil, err
		}
		return encodeResult(out)
	})
	return t
}

// Name returns the tool's name.
func (t Tool) Name() string { return t.spec.Name }

// Spec returns what the tool was made with.
func (t Tool) Spec() ToolSpec { return t.spec }

// Def returns what the model is told of the tool.
func (t Tool) Def() llm.ToolDef {
	return llm.ToolDef{Name: t.spec.Name, Description: t.spec.Description, Schema: t.schema}
}

// Err returns what is wrong with the tool, or nil.
func (t Tool) Err() error {
	if t.check == nil && t.err == nil {
		return errors.New("tool: the zero Tool; make one with NewTool")
	}
	return t.err
}

// Validate says what is wrong with the arguments of a call, which are canonical JSON (llm.Canonical).
func (t Tool) Validate(args json.RawMessage) error {
	if t.check == nil {
		return t.Err()
	}
	return t.check(args)
}

// Raw returns the tool's function in a form that only the gate can call.
func (t Tool) Raw() gate.Raw { return t.raw }

func checkSpec(s ToolSpec, hasRun bool) error {
	var errs []error
	if !validName(s.Name) {
		errs = append(errs, errors.New("a name is 1 to 64 letters, digits, '_', '-' or '.'"))
	}
	if s.Name == AskUser {
		errs = append(errs, fmt.Errorf("the name %q is the loop's own", AskUser))
	}
	if s.Description == "" {
		errs = append(errs, errors.New("a description is required: it is all the model knows"))
	}
	if s.Effect > governance.Destructive {
		errs = append(errs, fmt.Errorf("effect %d", s.Effect))
	}
	if s.Timeout < 0 {
		errs = append(errs, errors.New("a negative timeout"))
	}
	if !hasRun {
		errs = append(errs, errors.New("no function"))
	}
	if len(errs) == 0 {
		return nil
	}
	return fmt.Errorf("tool %q: %w", s.Name, errors.Join(errs...))
}

func validName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, r := range s {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.' {
			return false
		}
	}
	return true
}

// encodeResult gives a tool's result the form the gate carries: a JSON string or any other JSON value.
func encodeResult(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, &governance.ToolError{Kind: governance.ToolFailed, Message: "its result does not encode as JSON: " + err.Error()}
	}
	return b, nil
}

// resultText is what the model reads of a result: a string as it is, anything else as JSON.
func resultText(raw json.RawMessage) string {
	if len(raw) > 1 && raw[0] == '"' {
		if inside := raw[1 : len(raw)-1]; bytes.IndexByte(inside, '\\') < 0 {
			return string(inside)
		}
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return string(raw)
}

// rawResult is a result again of what the model read of it.
func rawResult(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	b, _ := json.Marshal(text) // a string always encodes
	return b
}

// truncate cuts s to limit bytes at a rune's edge and says so. What is not UTF-8 is replaced: it would not survive being stored.
func truncate(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return fmt.Sprintf("%s\n[truncated: %d of %d bytes shown]", s[:cut], cut, len(s))
}
