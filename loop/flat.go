package loop

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// flatField is one argument of a tool whose In is plain: a struct of scalars, of plain structs, and of lists of either.
type flatField struct {
	name     string
	at       int // its place in the struct
	required bool
	nullable bool
	items    *flatField   // of a list: what is true of each item
	fields   []flatField  // of a struct
	kind     reflect.Kind // Slice and Struct have the above, the others are scalars
}

// flatFields returns the arguments of t, a struct, and whether it is plain: then [checkFlat] and decoding say all that the inferred schema
// says. t does not contain itself: no schema could be inferred for it.
func flatFields(t reflect.Type) ([]flatField, bool) {
	if decodesItself(t) {
		return nil, false
	}
	var out []flatField
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, hasOpts := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() && !f.Anonymous || name == "-" && !hasOpts {
			continue
		}
		if name == "" {
			name = f.Name
		}
		field, ok := flatType(f.Type)
		taken := slices.ContainsFunc(out, func(o flatField) bool { return strings.EqualFold(o.name, name) })
		if !ok || f.Anonymous || taken || strings.Contains(opts, "string") || len(out) == 64 {
			return nil, false
		}
		field.name, field.at, field.required = name, i, !strings.Contains(opts, "omitempty") && !strings.Contains(opts, "omitzero")
		out = append(out, field)
	}
	return out, true
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler)
}

func flatType(t reflect.Type) (f flatField, ok bool) {
	if decodesItself(t) {
		return f, false
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return flatField{kind: t.Kind()}, true
	case reflect.Pointer:
		f, ok = flatType(t.Elem())
		ok = ok && !f.nullable // no pointer to a pointer or to a list
		f.nullable = true
		return f, ok
	case reflect.Slice:
		items, ok := flatType(t.Elem())
		return flatField{kind: reflect.Slice, nullable: true, items: &items}, ok && items.kind != reflect.Slice && t.Elem().Kind() != reflect.Uint8
	case reflect.Struct:
		fields, ok := flatFields(t)
		return flatField{kind: reflect.Struct, fields: fields}, ok
	default:
		return f, false
	}
}

// errNotObject is what checkFlat says of arguments that are not one object in canonical form.
var errNotObject = errors.New("the arguments must be a JSON object")

// checkFlat checks that args is an object with all required fields, no unknown ones, names compared exactly, and null only where it may be.
// sure reports that every value is also seen to fit its type; where it is not, decoding says so.
func checkFlat(fields []flatField, args json.RawMessage) (sure bool, err error) {
	if len(args) < 2 || args[0] != '{' || args[len(args)-1] != '}' {
		return false, errNotObject
	}
	var seen uint64
	sure = true
	for rest := []byte(args[1 : len(args)-1]); len(rest) > 0; {
		key, val, tail, ok := nextField(rest)
		if !ok {
			return false, errNotObject
		}
		rest = tail
		i := slices.IndexFunc(fields, func(f flatField) bool { return f.name == string(key) })
		if i < 0 {
			return false, fmt.Errorf("there is no argument %q; the arguments are %s", key, fieldNames(fields))
		}
		fits, err := fields[i].check(val)
		if err != nil {
			return false, err
		}
		sure = sure && fits
		seen |= 1 << i
	}
	for i := range fields {
		if fields[i].required && seen&(1<<i) == 0 {
			return false, fmt.Errorf("argument %q is missing", fields[i].name)
		}
	}
	return sure, nil
}

// check is checkFlat for one value.
func (f *flatField) check(val []byte) (sure bool, err error) {
	switch {
	case string(val) == "null" && !f.nullable:
		return false, fmt.Errorf("argument %q must not be null", f.name)
	case string(val) == "null":
		return true, nil
	case f.kind == reflect.Slice:
		return f.checkItems(val)
	case f.kind == reflect.Struct:
		if sure, err = checkFlat(f.fields, val); err != nil {
			return false, fmt.Errorf("argument %q: %w", f.name, err)
		}
		return sure, nil
	}
	return f.surely(val), nil
}

func (f *flatField) checkItems(val []byte) (sure bool, err error) {
	if len(val) < 2 || val[0] != '[' {
		return false, nil
	}
	item := *f.items
	item.name = f.name
	sure = true
	for rest := val[1 : len(val)-1]; len(rest) > 0; {
		n := valueLen(rest)
		fits, err := item.check(rest[:n])
		if err != nil {
			return false, err
		}
		sure = sure && fits
		rest = rest[min(n+1, len(rest)):]
	}
	return sure, nil
}

// surely reports whether the value of a scalar is seen to fit without decoding it.
func (f *flatField) surely(val []byte) bool {
	switch f.kind {
	case reflect.String:
		return len(val) > 0 && val[0] == '"'
	case reflect.Bool:
		return string(val) == "true" || string(val) == "false"
	case reflect.Float64:
		return len(val) < 16 && plainNumber(val, true)
	case reflect.Int, reflect.Int64:
		return math.MaxInt > math.MaxInt32 && len(val) < 16 && plainNumber(val, false)
	default:
		return false
	}
}

// plainNumber reports whether a JSON value is a number without exponent, and without fraction unless that may be.
func plainNumber(val []byte, fraction bool) bool {
	if len(val) == 0 {
		return false
	}
	for i, c := range val {
		if (c < '0' || c > '9') && !(c == '-' && i == 0) && !(c == '.' && fraction) {
			return false
		}
	}
	return true
}

// nextField splits the first member off the inside of a canonical object. It reports false where there is none.
func nextField(b []byte) (key, val, rest []byte, ok bool) {
	end := stringLen(b)
	if end < 2 || end >= len(b) || b[end] != ':' {
		return nil, nil, nil, false
	}
	key, b = b[1:end-1], b[end+1:]
	if slices.Contains(key, '\\') {
		var plain string
		if err := json.Unmarshal([]byte(`"`+string(key)+`"`), &plain); err != nil {
			return nil, nil, nil, false
		}
		key = []byte(plain)
	}
	n := valueLen(b)
	return key, b[:n], b[min(n+1, len(b)):], true
}

// valueLen is the length of the value that b begins with: up to a comma that is not inside of it.
func valueLen(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i += max(stringLen(b[i:])-1, 0)
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}

// stringLen is the length of the string literal that b begins with, or 0.
func stringLen(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

func fieldNames(fields []flatField) string {
	if len(fields) == 0 {
		return "none"
	}
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	return strings.Join(names, ", ")
}
