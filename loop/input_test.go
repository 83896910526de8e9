package loop_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/iris-harness/iris/llm"
	"github.com/iris-harness/iris/loop"
)

// everyKind has an argument of each kind that is checked without the schema.
type everyKind struct {
	S     string   `json:"s"`
	B     bool     `json:"b,omitempty"`
	I     int      `json:"i,omitempty"`
	I8    int8     `json:"i8,omitempty"`
	U     uint64   `json:"u,omitempty"`
	F     float64  `json:"f,omitempty"`
	F32   float32  `json:"f32,omitzero"`
	P     *string  `json:"p,omitempty"`
	L     []string `json:"l,omitempty"`
	PL    []*int   `json:"pl,omitempty"`
	Named named    `json:"named,omitzero"`
	Subs  []named  `json:"subs,omitempty"`
	PS    *named   `json:"ps,omitempty"`
	//lint:ignore SA5008 a name of "-" is the case
	Dash  string `json:"-,omitempty"`
	Skip  string `json:"-"`
	Plain string
	local string
}

type named struct {
	Name string `json:"name"`
	N    int64  `json:"n,omitempty"`
}

// bySchema is what the inferred schema and strict decoding say, without any short cut.
func bySchema(t testing.TB) func(args []byte) error {
	t.Helper()
	s, err := jsonschema.For[everyKind](nil)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(args []byte) error {
		var v any
		if err := json.Unmarshal(args, &v); err != nil {
			return err
		}
		if err := resolved.Validate(v); err != nil {
			return err
		}
		dec := json.NewDecoder(strings.NewReader(string(args)))
		dec.DisallowUnknownFields()
		return dec.Decode(new(everyKind))
	}
}

func everyTool() loop.Tool {
	return loop.NewTool(loop.ToolSpec{Name: "x", Description: "x"}, func(_ context.Context, in everyKind) (string, error) { return in.local, nil })
}

var argumentSeeds = []string{
	`{"s":"x","Plain":""}`, `{"s":"x","Plain":"y","b":true,"i":-7,"i8":127,"u":18446744073709551615,"f":1.5,"f32":3e5,"p":null,"l":["a","b"],"pl":[1,null],"named":{"name":"n","n":9007199254740993},"subs":[{"name":"a"},{"name":"b","n":1}],"ps":{"name":"c"},"-":"dash"}`,
	`{}`, `{"s":"x"}`, `{"s":null,"Plain":""}`, `{"s":"x","Plain":"","l":[null]}`, `{"s":"x","Plain":"","l":null}`, `{"s":"x","Plain":"","l":[["a"]]}`,
	`{"s":"x","Plain":"","i8":128}`, `{"s":"x","Plain":"","i":1.0}`, `{"s":"x","Plain":"","i":1e2}`, `{"s":"x","Plain":"","u":-1}`, `{"s":"x","Plain":"","f":1e999}`,
	`{"s":"x","Plain":"","i":9223372036854775808}`, `{"S":"x","Plain":""}`, `{"s":"x","plain":""}`, `{"s":"x","Plain":"","Skip":"y"}`, `{"s":"x","Plain":"","local":"y"}`,
	`{"\u0073":"x","Plain":""}`, `{"s":"\ud800","Plain":""}`, `{"s":"x","Plain":"","named":{"n":1}}`, `{"s":"x","Plain":"","named":null}`, `{"s":"x","Plain":"","subs":[null]}`,
	`{"s":"x","Plain":"","subs":[{"name":"a","x":1}]}`, `{"s":"x","Plain":"","ps":null}`, `{"s":"x","Plain":"","p":7}`, `{"s":"x","Plain":"","pl":["a"]}`, `{"s":{},"Plain":[]}`,
	`[]`, `"x"`, `7`, `{"s":"},{","Plain":"[\"]"}`, `{"s":"x","Plain":"","l":[],"subs":[],"pl":[]}`, `{"s":"x","Plain":"","b":1}`, `{"s":"x","Plain":"","b":"true"}`,
}

func checkArguments(t *testing.T, check func(args []byte) error, tool loop.Tool, raw []byte) {
	t.Helper()
	args, err := llm.Canonical(raw)
	if err != nil {
		_ = tool.Validate(raw) // any bytes: it must not panic
		return
	}
	want, got := check(args), tool.Validate(args)
	if (want == nil) != (got == nil) {
		t.Fatalf("%s: by its schema %v, by the short cut %v", args, want, got)
	}
}

// TestTheShortCutSaysWhatTheSchemaSays compares the check of plain arguments with the schema that the model is told.
func TestTheShortCutSaysWhatTheSchemaSays(t *testing.T) {
	t.Parallel()
	check, tool := bySchema(t), everyTool()
	if err := tool.Err(); err != nil {
		t.Fatal(err)
	}
	fit := 0
	for _, s := range argumentSeeds {
		checkArguments(t, check, tool, []byte(s))
		if tool.Validate(json.RawMessage(s)) == nil {
			fit++
		}
	}
	if fit < 5 {
		t.Errorf("only %d of the examples fit: they compare too little", fit)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range argumentSeeds {
		f.Add([]byte(s))
	}
	check, tool := bySchema(f), everyTool()
	f.Fuzz(func(t *testing.T, raw []byte) { checkArguments(t, check, tool, raw) })
}

func TestSchemaOfOnesOwn(t *testing.T) {
	t.Parallel()
	tool := loop.NewTool(loop.ToolSpec{Name: "x", Description: "x", Schema: json.RawMessage(
		`{"type":"object","properties":{"s":{"enum":["a","b"]},"i":{"minimum":1},"more":{}},"required":["s"]}`)},
		func(context.Context, everyKind) (string, error) { return "", nil })
	for args, want := range map[string]string{
		`{"s":"a"}`:          "",
		`{"i":1,"s":"b"}`:    "",
		`{"s":"c"}`:          "enum",
		`{"i":0,"s":"a"}`:    "minimum",
		`{"i":1}`:            "required",
		`{"more":1,"s":"a"}`: "unknown field",
		`{"l":7,"s":"a"}`:    "does not fit",
	} {
		err := tool.Validate(json.RawMessage(args))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestValidateNeverPanics(t *testing.T) {
	t.Parallel()
	tool := everyTool()
	for _, s := range []string{"", "{", "}", "{ }", "{1}", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a"}`, `{"a":1`, `{"s":"x"]`, `{"l":[}`, `{"l":"}`, `{"subs":[{]}`, "null", "\x00", `{"\u00":1}`} {
		if tool.Validate(json.RawMessage(s)) == nil {
			t.Errorf("%q fits", s)
		}
	}
}
