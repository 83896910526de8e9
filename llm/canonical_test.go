package llm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/iris-harness/iris/llm"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		err            error
	}{
		{name: "nothing is the empty object", in: "", want: "{}"},
		{name: "space is the empty object", in: " \n", want: "{}"},
		{name: "canonical already", in: `{"a":1,"b":[true,null,"x"]}`, want: `{"a":1,"b":[true,null,"x"]}`},
		{name: "keys are sorted at every depth", in: `{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`, want: `{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`},
		{name: "space goes, but not in strings", in: "{ \"a\" :\t[ 1 , \" x  y \" ] }", want: `{"a":[1," x  y "]}`},
		{name: "a big integer keeps its digits", in: `{"id": 9007199254740993}`, want: `{"id":9007199254740993}`},
		{name: "numbers stay as written", in: `[1.0, 1e2, -0, 1E+2]`, want: `[1.0,1e2,-0,1E+2]`},
		{name: "strings stay as written", in: `["\u0041", "A", "\/", "é"]`, want: `["\u0041","A","\/","é"]`},
		{name: "keys are sorted by what they say", in: `{"\u0062":1,"a":2}`, want: `{"a":2,"\u0062":1}`},
		{name: "a bare value", in: ` 7 `, want: `7`},
		{name: "brackets in strings", in: `{"b":"},{","a":"[\"]"}`, want: `{"a":"[\"]","b":"},{"}`},
		{name: "the empty key", in: `{"a":1,"":2}`, want: `{"":2,"a":1}`},
		{name: "a key twice", in: `{"a":1,"a":1}`, err: llm.ErrDuplicateKey},
		{name: "a key twice, written differently", in: `{"a":1,"\u0061":2}`, err: llm.ErrDuplicateKey},
		{name: "a key twice, deep down", in: `[{"x":{"k":1,"j":2,"k":3}}]`, err: llm.ErrDuplicateKey},
		{name: "the empty key twice", in: `{"":1,"":2}`, err: llm.ErrDuplicateKey},
		{name: "cut off", in: `{"a":`, err: llm.ErrNotJSON},
		{name: "two values", in: `{} {}`, err: llm.ErrNotJSON},
		{name: "a leading zero", in: `[01]`, err: llm.ErrNotJSON},
		{name: "not UTF-8", in: "\"\xff\"", err: llm.ErrNotJSON},
		{name: "a control character in a string", in: "\"a\nb\"", err: llm.ErrNotJSON},
		{name: "a bad escape", in: `"\x41"`, err: llm.ErrNotJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := llm.Canonical(json.RawMessage(tt.in))
			if !errors.Is(err, tt.err) || string(got) != tt.want {
				t.Errorf("Canonical(%q) = %q, %v; want %q, %v", tt.in, got, err, tt.want, tt.err)
			}
		})
	}
}

func TestCanonicalIsItsOwn(t *testing.T) {
	t.Parallel()
	raw := json.RawMessage(`{"to":"A"}`)
	got, err := llm.Canonical(raw)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw, `{"to":"B"}`)
	if string(got) != `{"to":"A"}` {
		t.Errorf("the canonical form changed with what it was made of: %s", got)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	same := []string{`{"a":1,"b":"x"}`, `{"b":"x","a":1}`, " { \"b\" : \"x\" , \"a\" : 1 } "}
	for _, s := range same {
		if got, want := llm.Digest(json.RawMessage(s)), llm.Digest(json.RawMessage(same[0])); got != want {
			t.Errorf("Digest(%s) = %s, want %s", s, got, want)
		}
	}
	different := []string{`{"a":1}`, `{"a":1.0}`, `{"a":"1"}`, `{"a":9007199254740993}`, `{"a":9007199254740992}`, `{"a":`, ``}
	seen := map[string]string{}
	for _, s := range different {
		d := llm.Digest(json.RawMessage(s))
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have one digest", s, other)
		}
		seen[d] = s
	}
}

// randomJSON writes a random value with random space, and keys in random order.
func randomJSON(r *rand.Rand, depth int) string {
	space := func() string { return strings.Repeat(" ", r.IntN(2)) }
	switch n := r.IntN(7); {
	case n == 0 && depth > 0:
		var parts []string
		for _, i := range r.Perm(r.IntN(4)) {
			parts = append(parts, space()+fmt.Sprintf("%q", strings.Repeat("k", i%3)+string(rune('a'+i)))+space()+":"+randomJSON(r, depth-1))
		}
		return "{" + strings.Join(parts, ",") + space() + "}"
	case n == 1 && depth > 0:
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, space()+randomJSON(r, depth-1))
		}
		return "[" + strings.Join(parts, ",") + space() + "]"
	case n == 2:
		return fmt.Sprint(r.Int64())
	case n == 3:
		return fmt.Sprint(r.Float64())
	case n == 4:
		return []string{"true", "false", "null", `"\u00e9"`, `"a\"b"`}[r.IntN(5)]
	default:
		return `"` + strings.Repeat("é{", r.IntN(3)) + `"`
	}
}

// checkCanonical holds what is true of every canonical form; it is shared by the property test and the fuzzer.
func checkCanonical(t *testing.T, raw []byte) {
	t.Helper()
	got, err := llm.Canonical(raw)
	if err != nil {
		if !errors.Is(err, llm.ErrNotJSON) && !errors.Is(err, llm.ErrDuplicateKey) {
			t.Fatalf("Canonical(%q): untyped %v", raw, err)
		}
		return
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return
	}
	if !json.Valid(raw) || !json.Valid(got) {
		t.Fatalf("Canonical(%q) = %q: not JSON", raw, got)
	}
	if again, err := llm.Canonical(got); err != nil || !bytes.Equal(again, got) {
		t.Fatalf("the canonical form of %q is not canonical: %q then %q (%v)", raw, got, again, err)
	}
	if a, b := decodeNumbers(t, raw), decodeNumbers(t, got); !reflect.DeepEqual(a, b) {
		t.Fatalf("Canonical(%q) = %q means something else: %s", raw, got, cmp.Diff(a, b))
	}
	if llm.Digest(raw) != llm.Digest(got) {
		t.Fatalf("the digests of %q and of its canonical form differ", raw)
	}
}

func decodeNumbers(t *testing.T, raw []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("decode %q: %v", raw, err)
	}
	return v
}

func TestCanonicalMeansTheSame(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		raw := []byte(randomJSON(r, 4))
		checkCanonical(t, raw)
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			t.Fatalf("the generator wrote %q: %v", raw, err)
		}
		a, errA := llm.Canonical(raw)
		b, errB := llm.Canonical(compact.Bytes())
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("space changes the canonical form of %q: %q (%v), %q (%v)", raw, a, errA, b, errB)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1,{"d":2,"c":"\u0041"}]}`, `{"a":1,"a":2}`, ` `, `[1e5,-0.1]`, "\"\xff\"", `{"é":"x","z":{}}`, strings.Repeat("[", 40) + strings.Repeat("]", 40)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkCanonical(t, raw) })
}

func BenchmarkCanonical(b *testing.B) {
	for name, in := range map[string]string{"canonical": `{"limit":10,"path":"/tmp/downloads","recursive":true}`, "not": `{"path": "/tmp/downloads", "limit": 10, "recursive": true}`} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := llm.Canonical(json.RawMessage(in)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
