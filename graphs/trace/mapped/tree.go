package mapped

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs/trace"
)

// tree is a JSON value of a mapping file with its places.
type tree struct {
	kind    kind
	at      int
	raw     string // as it stands; of a string what it means
	members []member
	items   []*tree
}

type member struct {
	name  string
	at    int
	value *tree
}

// parseTree reads the text of a mapping file.
func parseTree(text []byte) (*tree, int, string) {
	s := scanner{text: text, end: len(text), at: len(text) - len(bytes.TrimPrefix(text, []byte(trace.ByteOrderMark)))}
	s.space()
	t := s.tree()
	if s.msg == "" {
		if s.space(); s.at < s.end {
			s.msg = "nothing is expected after the mapping"
		}
	}
	return t, s.at, s.msg
}

// tree goes past a value and returns it.
func (s *scanner) tree() *tree {
	t := &tree{at: s.at}
	switch s.peek() {
	case '{':
		t.kind = object
		s.object(func(name value) bool {
			at := int(name.from) - 1
			m := member{name: string(name.decode(nil, s.text)), at: at, value: s.tree()}
			t.members = append(t.members, m)
			return s.msg == ""
		})
	case '[':
		t.kind = array
		s.array(func(int) bool {
			t.items = append(t.items, s.tree())
			return s.msg == ""
		})
	default:
		v, ok := s.value()
		if !ok {
			return t
		}
		t.kind = v.kind
		if t.raw = string(v.raw(s.text)); v.kind == text {
			t.raw = string(v.decode(nil, s.text))
		}
	}
	return t
}

// place returns the line and column of a byte of a text.
func place(text []byte, at int) (line, column int) {
	before := text[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}

// failure is how reading a mapping ends early.
type failure struct{ err *trace.Error }

// fail ends the reading of a mapping.
func (p *parser) fail(at int, format string, args ...any) {
	line, column := place(p.text, at)
	panic(failure{&trace.Error{File: p.name, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}})
}
