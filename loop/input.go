package loop

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// input decodes and validates the arguments of one tool.
type input[In any] struct {
	schema json.RawMessage
	full   *jsonschema.Resolved // nil where decoding and the flat check say all that the schema says
	fields []flatField          // of a plain In
	plain  bool                 // all of them are scalars
	strict bool                 // the schema is not In's own: it may let in what In has no place for
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
	in.strict = override != nil
	fields, plain := flatFields(t)
	if plain {
		in.fields, in.plain = fields, plainOnly(t, fields)
	}
	if plain && !in.strict {
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

// validate says what is wrong with args, which are canonical JSON, as the model is to read it. It runs code of In where In decodes itself.
func (in *input[In]) validate(args json.RawMessage) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the arguments do not decode: %v", v)
		}
	}()
	if err := in.fits(args); err != nil {
		return err
	}
	if in.fields != nil {
		if sure, err := checkFlat(in.fields, args); sure && err == nil {
			return nil
		}
	}
	_, err = in.decodeFitting(args, in.strict)
	return err
}

// decode reads args strictly. checked says that they were validated before.
func (in *input[In]) decode(args json.RawMessage, checked bool) (*In, error) {
	if checked {
		return in.decodeChecked(args)
	}
	if err := in.fits(args); err != nil {
		return nil, err
	}
	return in.decodeFitting(args, in.strict)
}

// decodeChecked decodes what was validated before.
func (in *input[In]) decodeChecked(args json.RawMessage) (*In, error) {
	if in.plain {
		if v := new(In); decodePlain(in.fields, args, reflect.ValueOf(v).Elem()) {
			return v, nil
		}
	}
	return in.decodeFitting(args, false)
}

// decodeFitting decodes what fits the schema. strict refuses what In has no place for.
func (in *input[In]) decodeFitting(args json.RawMessage, strict bool) (*In, error) {
	v := new(In)
	if !strict {
		if err := json.Unmarshal(args, v); err != nil {
			return nil, plainJSONError(err)
		}
		return v, nil
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

// fits checks args against the schema, as far as decoding does not.
func (in *input[In]) fits(args json.RawMessage) error {
	if in.full == nil {
		_, err := checkFlat(in.fields, args)
		return err
	}
	var instance any
	if err := json.Unmarshal(args, &instance); err != nil {
		return plainJSONError(err)
	}
	return in.full.Validate(instance)
}

// plainJSONError says a decoding error in the model's words: argument and types, not Go's names.
func plainJSONError(err error) error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) && te.Field != "" {
		return fmt.Errorf("argument %q: a %s does not fit, it takes %v", te.Field, te.Value, te.Type)
	}
	return fmt.Errorf("the arguments do not decode: %s", strings.TrimPrefix(err.Error(), "json: "))
}
