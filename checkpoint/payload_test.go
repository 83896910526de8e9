package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/checkpoint"
	"github.com/iris-harness/iris/llm"
)

func step() checkpoint.Payload {
	return checkpoint.Payload{
		Base: []llm.Message{{Role: llm.System, Text: "be brief"}, {Role: llm.User, Text: "tidy <up> & \u2028", Attachments: []llm.Attachment{{URI: "file:1"}}}},
		Reply: &llm.Message{
			Role: llm.Assistant, Text: "hm", ProviderData: []byte{0, 255, 1},
			Calls: []llm.Call{{ID: "1", Name: "look", Args: json.RawMessage(`{"id":9007199254740993,"html":"<b>&"}`)}, {ID: "2", Name: "write", Args: json.RawMessage(`{}`)}},
		},
		Results: []checkpoint.Result{
			{CallID: "1", Tool: "look", State: checkpoint.ResultOK, Text: "42 files"},
			{CallID: "2", Tool: "write", State: checkpoint.ResultWaiting, Digest: "d", Effect: true, Key: "r/0/d/0"},
		},
		Note:  []llm.Message{{Role: llm.User, Text: "note"}},
		Usage: llm.Usage{Input: 1, Output: 2, Cost: 3},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]checkpoint.Payload{
		"everything": step(), "held before the model was asked": {Base: []llm.Message{{Role: llm.User, Text: "x"}}}, "held later": {},
		"an answer": {Reply: &llm.Message{Role: llm.Assistant, Text: "done"}}, "a note alone": {Note: []llm.Message{{Role: llm.User, Text: "rejected"}}},
	} {
		b, err := checkpoint.Encode(p)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := checkpoint.Decode(b)
		if err != nil {
			t.Fatalf("%s: %s: %v", name, b, err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestEncodeKeepsBytesAsTheyAre(t *testing.T) {
	t.Parallel()
	b, err := checkpoint.Encode(step())
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"id":9007199254740993,"html":"<b>&"}`; !bytes.Contains(b, []byte(want)) {
		t.Errorf("the arguments were written otherwise: %s", b)
	}
	if bytes.HasSuffix(b, []byte("\n")) {
		t.Error("a line break at the end")
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	room := checkpoint.MaxStep - len(`{"reply":{"role":"assistant","text":""}}`)
	text := func(n int) checkpoint.Payload {
		return checkpoint.Payload{Reply: &llm.Message{Role: llm.Assistant, Text: strings.Repeat("x", n)}}
	}
	if _, err := checkpoint.Encode(text(room - 1)); err != nil {
		t.Errorf("a step that just fits: %v", err)
	}
	if _, err := checkpoint.Encode(text(room + 1)); !errors.Is(err, checkpoint.ErrTooLarge) {
		t.Errorf("a byte too many: %v, want ErrTooLarge", err)
	}
	broken := checkpoint.Payload{Reply: &llm.Message{Calls: []llm.Call{{Args: json.RawMessage(`{`)}}}}
	if _, err := checkpoint.Encode(broken); err == nil {
		t.Error("arguments that are not JSON were encoded")
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing": "", "cut off": "{", "null": "null", "a list": "[]", "a string": `"x"`, "an empty shape": `{"usage":{}}`, "two values": "{}{}", "text after it": "{} x",
		"a wrong type": `{"results":{}}`, "a wrong type inside": `{"reply":{"calls":[{"id":7}]}}`,
		"more results than calls":   `{"results":[{"call_id":"1","tool":"x","state":"ok","text":""}]}`,
		"fewer results than calls":  `{"reply":{"role":"assistant","calls":[{"id":"1","name":"x"}]}}`,
		"results out of order":      `{"reply":{"role":"assistant","calls":[{"id":"1","name":"x"}]},"results":[{"call_id":"2","tool":"x","state":"ok","text":""}]}`,
		"a byte more than the most": `{"reply":{"role":"assistant","text":"` + strings.Repeat("x", checkpoint.MaxStep) + `"}}`,
		"provider data, not base64": `{"reply":{"role":"assistant","text":"x","provider_data":"%"}}`,
		"nested without end":        `{"reply":` + strings.Repeat(`[`, 100_000),
	} {
		if p, err := checkpoint.Decode([]byte(in)); !errors.Is(err, checkpoint.ErrUndecodable) {
			t.Errorf("%s: %+v, %v; want ErrUndecodable", name, p, err)
		}
	}
}

// TestDecodeReadsLater holds that a step of a later version, with fields that this one does not know, is read.
func TestDecodeReadsLater(t *testing.T) {
	t.Parallel()
	p, err := checkpoint.Decode([]byte(`{"reply":{"role":"assistant","text":"x","mood":"fine"},"later":1}`))
	if err != nil || p.Reply.Text != "x" {
		t.Errorf("%+v, %v", p, err)
	}
}

func FuzzDecode(f *testing.F) {
	b, err := checkpoint.Encode(step())
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{string(b), "", "{", "null", "[]", "{}", `{"reply":{"calls":[{"id":"1"}]},"results":[{"call_id":"1"}]}`, `{"base":[{}]} `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := checkpoint.Decode(raw)
		if err != nil {
			if !errors.Is(err, checkpoint.ErrUndecodable) {
				t.Fatalf("untyped: %v", err)
			}
			return
		}
		b, err := checkpoint.Encode(p)
		if errors.Is(err, checkpoint.ErrTooLarge) {
			return
		}
		if err != nil {
			t.Fatalf("%q was decoded and does not encode: %v", raw, err)
		}
		again, err := checkpoint.Decode(b)
		if err != nil && len(p.Base)+len(p.Note) == 0 && p.Reply == nil {
			return // an empty step that only carried usage
		}
		if err != nil || len(again.Results) != len(p.Results) || (again.Reply == nil) != (p.Reply == nil) {
			t.Fatalf("%q became %q: %v", raw, b, err)
		}
	})
}

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		e    checkpoint.Effect
		want bool
	}{
		{checkpoint.Effect{State: checkpoint.Started}, true},
		{checkpoint.Effect{State: checkpoint.Started, Idempotent: true}, false},
		{checkpoint.Effect{State: checkpoint.Finished}, false},
		{checkpoint.Effect{State: checkpoint.Settled}, false},
	} {
		if got := tt.e.Ambiguous(); got != tt.want {
			t.Errorf("%s, idempotent %v: Ambiguous = %v", tt.e.State, tt.e.Idempotent, got)
		}
	}
}

func TestErrorsSayWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"checkpoint: run r1 is held (epoch 3)":     &checkpoint.StateError{Run: checkpoint.Run{ID: "r1", State: checkpoint.Held, Epoch: 3}},
		"checkpoint: effect k of write is started": &checkpoint.EffectError{Effect: checkpoint.Effect{Key: "k", Tool: "write", State: checkpoint.Started}},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
