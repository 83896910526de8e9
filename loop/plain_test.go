package loop_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/governance"
	"github.com/iris-harness/iris/iristest"
	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

type word string

// scalars has an argument of each kind that is decoded without the decoder, and some that only look as if they were.
type scalars struct {
	Skip string  `json:"-"`
	S    string  `json:"s"`
	W    word    `json:"w,omitempty"`
	B    bool    `json:"b,omitempty"`
	I    int     `json:"i,omitempty"`
	I64  int64   `json:"i64,omitempty"`
	I8   int8    `json:"i8,omitempty"`
	U    uint    `json:"u,omitempty"`
	F    float64 `json:"f,omitempty"`
	//lint:ignore U1000 an unexported field is the case
	local int
	Bare  string `json:",omitempty"`
}

var scalarSeeds = []string{
	`{"s":"x"}`, `{"s":""}`, `{"b":true,"f":-1.5,"i":-7,"i64":12,"s":"ü","w":"word"}`, `{"Bare":"y","b":false,"s":"x"}`, `{"s":"a\"b"}`, `{"s":"\u00e9\ud83d\ude00"}`,
	`{"s":"\ud800"}`, `{"i":9223372036854775807,"s":"x"}`, `{"i":-0,"s":"x"}`, `{"f":-0,"s":"x"}`, `{"f":1e3,"s":"x"}`, `{"f":0.1,"s":"x"}`, `{"f":123456789012.345678,"s":"x"}`,
	`{"i8":7,"s":"x","u":7}`, `{"s":"},\":{"}`, `{"\u0073":"x"}`, `{ "s" : "x" , "i" : 1 }`, "{\"s\":\"\u2028\x7f\"}", `{"s":"x","w":"\n"}`,
}

// decodesAlike holds that a tool gets what the decoder makes of its arguments.
func decodesAlike(t *testing.T, raw []byte) {
	t.Helper()
	var got []scalars
	tool := loop.NewTool(loop.ToolSpec{Name: "x", Description: "x", Effect: governance.ReadOnly}, func(_ context.Context, in scalars) (string, error) {
		got = append(got, in)
		return "", nil
	})
	args, err := llm.Canonical(raw)
	if err != nil || tool.Validate(args) != nil {
		return
	}
	call := llm.Message{Calls: []llm.Call{{Name: "x", Args: raw}}}
	a := newAgent(t, iristest.Model().Reply(call).Answer("Done."), func(a *agent) { a.tools = append(a.tools, tool) })
	a.do(a.task())
	var want scalars
	if err := json.Unmarshal(args, &want); err != nil {
		t.Fatalf("%s fits, and does not decode: %v", raw, err)
	}
	if diff := cmp.Diff([]scalars{want}, got, cmp.AllowUnexported(scalars{})); diff != "" {
		t.Errorf("%s (-decoder +tool):\n%s", raw, diff)
	}
}

func TestPlainArgumentsDecodeAsTheDecoderSays(t *testing.T) {
	t.Parallel()
	for _, s := range scalarSeeds {
		decodesAlike(t, []byte(s))
	}
}

func FuzzPlainArguments(f *testing.F) {
	for _, s := range scalarSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(decodesAlike)
}

// TestANumberIsNotText holds that a json.Number, which is a string to Go, is left to the decoder.
func TestANumberIsNotText(t *testing.T) {
	t.Parallel()
	ran := false
	tool := loop.NewTool(loop.ToolSpec{Name: "x", Description: "x", Effect: governance.ReadOnly}, func(context.Context, struct {
		N json.Number `json:"n"`
	}) (string, error) {
		ran = true
		return "", nil
	})
	a := newAgent(t, iristest.Model().Call("x", json.RawMessage(`{"n":"seven"}`)).Answer("Done."), func(a *agent) { a.tools = append(a.tools, tool) })
	a.do(a.task())
	if ran {
		t.Error("it is taken for a number")
	}
}
