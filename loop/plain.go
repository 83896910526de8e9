package loop

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// plainOnly reports whether [decodePlain] may know every one of fields.
func plainOnly(t reflect.Type, fields []flatField) bool {
	return !slices.ContainsFunc(fields, func(f flatField) bool {
		return f.nullable || f.kind == reflect.Struct || t.Field(f.at).Type == reflect.TypeFor[json.Number]()
	})
}

// decodePlain sets the fields of v to what args say, which were checked before: what the JSON decoder does, without what it has to find out
// first. It reports false where it meets anything but plain text, numbers and booleans: then the decoder has to do it.
func decodePlain(fields []flatField, args []byte, v reflect.Value) bool {
	if len(args) < 2 {
		return false
	}
	for rest := args[1 : len(args)-1]; len(rest) > 0; {
		key, val, tail, ok := nextField(rest)
		if !ok {
			return false
		}
		rest = tail
		i := slices.IndexFunc(fields, func(f flatField) bool { return f.name == string(key) })
		if i < 0 || !fields[i].set(v.Field(fields[i].at), val) {
			return false
		}
	}
	return true
}

// set sets v, of f's kind, to the value of a scalar. It reports false for one that is not surely of that kind.
func (f *flatField) set(v reflect.Value, val []byte) bool {
	if !f.surely(val) {
		return false
	}
	switch f.kind {
	case reflect.String:
		return setText(v, val[1:len(val)-1])
	case reflect.Bool:
		v.SetBool(val[0] == 't')
		return true
	case reflect.Float64:
		n, err := strconv.ParseFloat(string(val), 64)
		v.SetFloat(n)
		return err == nil
	default:
		n, err := strconv.ParseInt(string(val), 10, 64)
		v.SetInt(n)
		return err == nil
	}
}

// setText sets v to the inside of a string literal that stands for itself.
func setText(v reflect.Value, inside []byte) bool {
	if slices.Contains(inside, '\\') || !utf8.Valid(inside) {
		return false
	}
	v.SetString(string(inside))
	return true
}
