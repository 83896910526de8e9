package llm

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// isCanonical reports whether raw is surely in canonical form. It says no to some that are: [Canonical] then looks closer. It allocates nothing.
func isCanonical(raw json.RawMessage) bool {
	s := scan{b: raw}
	return s.value(maxQuickDepth) && s.i == len(raw) && (!s.high || utf8.Valid(raw))
}

// maxQuickDepth is how deep the quick look goes.
const maxQuickDepth = 32

// scan reads JSON that has no insignificant space. Each method reads one thing and reports whether it was there.
type scan struct {
	b    []byte
	i    int
	high bool // a byte beyond ASCII was seen
}

func (s *scan) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scan) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.i++
	return true
}

func (s *scan) value(depth int) bool {
	switch c := s.peek(); {
	case depth == 0:
		return false
	case c == '{':
		return s.object(depth - 1)
	case c == '[':
		return s.array(depth - 1)
	case c == '"':
		_, ok := s.str()
		return ok
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	default:
		return s.word("true") || s.word("false") || s.word("null")
	}
}

// object reads an object whose keys ascend and have no escapes.
func (s *scan) object(depth int) bool {
	s.i++
	if s.accept('}') {
		return true
	}
	var last []byte
	for first := true; ; first = false {
		key, ok := s.key()
		if !ok || !first && bytes.Compare(key, last) <= 0 {
			return false
		}
		last = key
		if !s.accept(':') || !s.value(depth) {
			return false
		}
		if s.accept('}') {
			return true
		}
		if !s.accept(',') {
			return false
		}
	}
}

func (s *scan) array(depth int) bool {
	s.i++
	if s.accept(']') {
		return true
	}
	for s.value(depth) {
		if s.accept(']') {
			return true
		}
		if !s.accept(',') {
			return false
		}
	}
	return false
}

func (s *scan) key() (key []byte, ok bool) {
	if s.peek() != '"' {
		return nil, false
	}
	key, ok = s.str()
	return key, ok && bytes.IndexByte(key, '\\') < 0
}

// str reads a string and returns its inside, as written.
func (s *scan) str() (inside []byte, ok bool) {
	start := s.i + 1
	for i := start; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			s.i = i + 1
			return s.b[start:i], true
		case c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			s.high = true
		case c == '\\':
			n := escapeLen(s.b[i:])
			if n == 0 {
				return nil, false
			}
			i += n - 1
		}
	}
	return nil, false
}

// escapeLen is the length of the escape that b begins with, or 0.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]) {
			return 6
		}
	}
	return 0
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scan) number() bool {
	s.accept('-')
	if !s.accept('0') && !s.digits() {
		return false
	}
	if s.accept('.') && !s.digits() {
		return false
	}
	if !s.accept('e') && !s.accept('E') {
		return true
	}
	if !s.accept('+') {
		s.accept('-')
	}
	return s.digits()
}

func (s *scan) digits() bool {
	start := s.i
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.i++
	}
	return s.i > start
}

func (s *scan) word(w string) bool {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return false
	}
	s.i += len(w)
	return true
}
