package loop

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// input decodes and validates the arguments of one tool.
type input[In any] struct {
	schema json.RawMessage
	full   *jsonschema.Resolved // nil where decoding and the flat check say all that the schema says
	fields []flatField
}

// flatField is one argument of a tool whose In is flat: a struct of scalars and lists of scalars.
type flatField struct {
	name     string
	required bool
	nullable bool
}

func newInput[In any](override json.RawMessage) (*input[In], error) {
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("its arguments are a %v; they must be a struct, so that each has a name", t)
	}
	schema, err := inferSchema[In](override)
	if err != nil {
		return nil, err
	}
	in := &input[In]{}
	if in.schema, err = json.Marshal(schema); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	fields, flat := flatFields(t)
	if flat && override == nil {
		in.fields = fields
		return in, nil
	}
	if in.full, err = schema.Resolve(nil); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return in, nil
}

func inferSchema[In any](override json.RawMessage) (*jsonschema.Schema, error) {
	if override == nil {
		s, err := jsonschema.For[In](nil)
		if err != nil {
			return nil, fmt.Errorf("no schema can be inferred: %w", err)
		}
		return s, nil
	}
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(override, s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return s, nil
}

// validate says what is wrong with args, which are canonical JSON, as the model is to read it.
func (in *input[In]) validate(args json.RawMessage) error {
	_, err := in.decode(args)
	return err
}

// decode reads args strictly.
func (in *input[In]) decode(args json.RawMessage) (*In, error) {
	v := new(In)
	if in.full == nil {
		if err := checkFlat(in.fields, args); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(args, v); err != nil {
			return nil, plainJSONError(err)
		}
		return v, nil
	}
	var instance any
	if err := json.Unmarshal(args, &instance); err != nil {
		return nil, plainJSONError(err)
	}
	if err := in.full.Validate(instance); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return nil, plainJSONError(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("the arguments are more than one value")
	}
	return v, nil
}

// plainJSONError says a decoding error in the model's words: argument and types, not Go's names.
func plainJSONError(err error) error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) && te.Field != "" {
		return fmt.Errorf("argument %q: a %s does not fit, it takes %v", te.Field, te.Value, te.Type)
	}
	return fmt.Errorf("the arguments do not decode: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// checkFlat checks that args is an object with all required fields and no unknown ones, names compared exactly.
func checkFlat(fields []flatField, args json.RawMessage) error {
	if len(args) < 2 || args[0] != '{' {
		return errors.New("the arguments must be a JSON object")
	}
	var seen uint64
	rest := args[1 : len(args)-1]
	for len(rest) > 0 {
		key, val, tail := nextField(rest)
		i := slices.IndexFunc(fields, func(f flatField) bool { return f.name == string(key) })
		if i < 0 {
			return fmt.Errorf("there is no argument %q; the arguments are %s", key, fieldNames(fields))
		}
		if !fields[i].nullable && string(val) == "null" {
			return fmt.Errorf("argument %q must not be null", key)
		}
		seen |= 1 << i
		rest = tail
	}
	for i, f := range fields {
		if f.required && seen&(1<<i) == 0 {
			return fmt.Errorf("argument %q is missing", f.name)
		}
	}
	return nil
}

// nextField splits the first member off the inside of a canonical object.
func nextField(b []byte) (key, val, rest []byte) {
	end := skipString(b)
	key = b[1 : end-1]
	b = b[end+1:] // past the colon
	depth, i := 0, 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i += skipString(b[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if b[i] == ',' && depth == 0 {
			return key, b[:i], b[i+1:]
		}
	}
	return key, b, nil
}

func skipString(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

func fieldNames(fields []flatField) string {
	if len(fields) == 0 {
		return "none"
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// flatFields returns t's arguments, and whether t is flat: then strict decoding says all that the inferred schema says.
func flatFields(t reflect.Type) ([]flatField, bool) {
	if t.NumField() > 64 {
		return nil, false
	}
	var out []flatField
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && opts == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		nullable, ok := flatType(f.Type)
		if !ok || f.Anonymous || strings.Contains(opts, "string") {
			return nil, false
		}
		optional := strings.Contains(opts, "omitempty") || strings.Contains(opts, "omitzero")
		out = append(out, flatField{name: name, required: !optional, nullable: nullable})
	}
	return out, true
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func flatType(t reflect.Type) (nullable, ok bool) {
	if reflect.PointerTo(t).Implements(jsonUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler) {
		return false, false
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return false, true
	case reflect.Pointer:
		_, ok = flatType(t.Elem())
		return true, ok && t.Elem().Kind() != reflect.Slice
	case reflect.Slice:
		_, ok = flatType(t.Elem())
		return true, ok && t.Elem().Kind() != reflect.Slice && t.Elem().Kind() != reflect.Uint8
	default:
		return false, false
	}
}
