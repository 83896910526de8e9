package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrNotJSON is returned by [Canonical] for bytes that are not one JSON value.
var ErrNotJSON = errors.New("llm: not a JSON value")

// ErrDuplicateKey is returned by [Canonical] for an object that names a key twice: two readers could disagree on its meaning.
var ErrDuplicateKey = errors.New("llm: duplicate key in JSON object")

// Canonical returns raw in the one form that is digested and pinned: keys sorted by their decoded text,
// insignificant space removed, numbers and strings as written. Empty input is the empty object. The result shares nothing with raw.
// It returns an error that wraps [ErrNotJSON] or [ErrDuplicateKey].
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	if isCanonical(raw) {
		return bytes.Clone(raw), nil
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return nil, ErrNotJSON
	}
	var buf bytes.Buffer
	buf.Grow(len(raw))
	if err := canonicalValue(&buf, raw); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Digest returns the SHA-256 of raw's canonical form as lower-case hex; of the bytes themselves where they have none.
func Digest(raw json.RawMessage) string {
	if !isCanonical(raw) {
		if c, err := Canonical(raw); err == nil {
			raw = c
		}
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// canonicalValue appends the canonical form of raw, which is valid JSON.
func canonicalValue(buf *bytes.Buffer, raw json.RawMessage) error {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '{':
		return canonicalObject(buf, raw)
	case '[':
		return canonicalArray(buf, raw)
	default:
		buf.Write(raw)
		return nil
	}
}

type field struct {
	name string // decoded, for ordering and comparing
	key  []byte // as written
	val  json.RawMessage
}

func canonicalObject(buf *bytes.Buffer, raw []byte) error {
	var fields []field
	err := members(raw, func(key, val []byte) error {
		var name string
		if err := json.Unmarshal(key, &name); err != nil {
			return fmt.Errorf("%w: %w", ErrNotJSON, err)
		}
		fields = append(fields, field{name, key, val})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	buf.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			if fields[i-1].name == f.name {
				return fmt.Errorf("%w: %q", ErrDuplicateKey, f.name)
			}
			buf.WriteByte(',')
		}
		buf.Write(f.key)
		buf.WriteByte(':')
		if err := canonicalValue(buf, f.val); err != nil {
			return err
		}
	}
	buf.WriteByte('}')
	return nil
}

func canonicalArray(buf *bytes.Buffer, raw []byte) error {
	buf.WriteByte('[')
	first := true
	err := members(raw, func(_, val []byte) error {
		if !first {
			buf.WriteByte(',')
		}
		first = false
		return canonicalValue(buf, val)
	})
	buf.WriteByte(']')
	return err
}

// members calls f for each member of a valid JSON object (key and value) or array (value alone), as written.
func members(raw []byte, f func(key, val []byte) error) error {
	inner := bytes.TrimSpace(raw[1 : len(raw)-1])
	for len(inner) > 0 {
		end := valueEnd(inner)
		item := bytes.TrimSpace(inner[:end])
		var key []byte
		if raw[0] == '{' {
			n := stringEnd(item)
			key = item[:n]
			rest := bytes.TrimSpace(item[n:])
			item = bytes.TrimSpace(rest[1:]) // past the colon
		}
		if err := f(key, item); err != nil {
			return err
		}
		if end == len(inner) {
			return nil
		}
		inner = inner[end+1:]
	}
	return nil
}

// valueEnd returns the index of the comma that ends the first member of b, or len(b).
func valueEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i += stringEnd(b[i:]) - 1
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

// stringEnd returns the length of the JSON string literal that b begins with.
func stringEnd(b []byte) int {
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
