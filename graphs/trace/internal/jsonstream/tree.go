package jsonstream

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonline"
)

// A Tree is a JSON value of a small document, such as a configuration file, with its
// place.
type Tree struct {
	Place
	Kind    jsontext.Kind
	Text    string   // the meaning of a string; the spelling of a number, true, false or null
	Members []Member // the members of an object, in order
	Items   []*Tree  // the elements of an array
}

// A Member is a name in an object with its place, and its value.
type Member struct {
	Place
	Name  string
	Value *Tree
}

// String returns what kind of value t is, for messages.
func (t *Tree) String() string { return kinds[t.Kind] }

// Member returns the member with a name, nil where there is none.
func (t *Tree) Member(name string) *Member {
	for i := range t.Members {
		if t.Members[i].Name == name {
			return &t.Members[i]
		}
	}
	return nil
}

// A TreeReader reads documents as trees, one after the other. The zero value is ready
// to use.
type TreeReader struct {
	r   Reader
	dec jsontext.Decoder
}

// Read reads a text that is one document, perhaps after a byte order mark. The text is of the
// file name and begins in the given line. Members that are null are kept. Errors are
// *trace.Error.
func (p *TreeReader) Read(name string, line int, text []byte, opts ...jsontext.Options) (*Tree, error) {
	var t *Tree
	if err := p.Text(name, line, text, func(r *Reader) { t = r.tree() }, opts...); err != nil {
		return nil, err
	}
	return t, nil
}

// Text reads a text that is one document, as Read does, with f. What a Reader returns of it stays
// valid.
func (p *TreeReader) Text(
	name string, line int, text []byte, f func(r *Reader), opts ...jsontext.Options,
) error {
	text = bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))
	// The decoder leaves what is in a bytes.Buffer where it is.
	p.dec.Reset(bytes.NewBuffer(text), opts...)
	p.r = Reader{
		ctx:  context.Background(),
		opts: new(trace.Options),
		name: name,
		dec:  &p.dec,
		text: lookback{kept: text, line: line, column: 1},
	}
	if f(&p.r); p.r.err != nil {
		return p.r.err
	}
	// The place is asked for before the token is read, as it is that of its beginning.
	end := p.r.Next()
	if _, err := p.dec.ReadToken(); err != io.EOF {
		return end.Errorf("text after the JSON value: nothing may follow it")
	}
	return nil
}

// tree reads a value.
func (r *Reader) tree() *Tree {
	t := &Tree{Place: r.Next(), Kind: r.dec.PeekKind()}
	if t.Kind != '{' && t.Kind != '[' {
		t.Text = text(r.Value())
		return t
	}
	r.token()
	// Members and items are read alike: an item is a member without a name.
	for r.err == nil {
		switch r.dec.PeekKind() {
		case '}', ']', jsontext.KindInvalid:
			r.token()
			return t
		}
		m := Member{}
		if t.Kind == '{' {
			m.Place = r.Next()
			m.Name = text(r.Value())
		}
		if m.Value = r.tree(); t.Kind == '{' {
			t.Members = append(t.Members, m)
		} else {
			t.Items = append(t.Items, m.Value)
		}
	}
	return t
}

// text returns the meaning of a string, and the spelling of another scalar.
func text(v jsontext.Value) string {
	switch {
	case v.Kind() != '"':
		return string(v)
	case bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v):
		return string(v[1 : len(v)-1])
	}
	b, _ := jsontext.AppendUnquote(nil, v) // the decoder has checked it, or allows its mistakes
	return string(b)
}

// A Checker turns trees into what they mean. It remembers the first thing that is wrong
// with them, and goes on.
type Checker struct{ err *trace.Error }

// Err returns the first error, nil for none.
func (c *Checker) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// A Placed is a place, or what has one: a Tree or a Member.
type Placed interface {
	Errorf(format string, args ...any) *trace.Error
}

// Fail notes that something is wrong at a place.
func (c *Checker) Fail(at Placed, format string, args ...any) {
	if c.err == nil {
		c.err = at.Errorf(format, args...)
	}
}

// FailIf is Fail under a condition.
func (c *Checker) FailIf(wrong bool, at Placed, format string, args ...any) {
	if wrong {
		c.Fail(at, format, args...)
	}
}

// Is reports whether t is of a kind, and makes an error for another one.
func (c *Checker) Is(t *Tree, kind jsontext.Kind, what string) bool {
	if t.Kind != kind {
		c.Fail(t, "%s is %s, not %v", what, kinds[kind], t)
	}
	return t.Kind == kind
}

// Fields calls a function with the value of each member of an object; known has those
// of the names that there may be.
func (c *Checker) Fields(t *Tree, what string, known map[string]func(*Tree)) {
	c.Is(t, '{', what)
	for _, m := range t.Members {
		if f := known[m.Name]; f != nil {
			f(m.Value)
			continue
		}
		names := slices.Sorted(maps.Keys(known))
		c.Fail(m, "unknown key %q in %s%s", m.Name, what, nearmiss.HintOrList(m.Name, names))
	}
}

// String returns the text of a string.
func (c *Checker) String(t *Tree, what string) string {
	c.Is(t, '"', what)
	return t.Text
}

// Bool returns whether t is true.
func (c *Checker) Bool(t *Tree, what string) bool {
	if t.Kind != 't' && t.Kind != 'f' {
		c.Fail(t, "%s is true or false, not %v", what, t)
	}
	return t.Kind == 't'
}

// Each calls f with each element of an array. An empty array is an error.
func (c *Checker) Each(t *Tree, what string, f func(*Tree)) {
	if c.Is(t, '[', what) && len(t.Items) == 0 {
		c.Fail(t, "%s must not be empty", what)
	}
	for _, item := range t.Items {
		f(item)
	}
}

// Paths returns what a document looks like from its beginning; that may stop
// anywhere: the keys in it with their colons, down to the given depth of nesting, each after the keys
// and arrays that it is in. The trace of Jaeger {"data":[{"traceID":"1"}]} has the
// paths data and data[].traceID. Of documents one after the other, it is the first
// one that has keys. Text that is not JSON has none.
//
// The time complexity of Paths is O(length of head).
func Paths(head []byte, depth int) map[string]bool {
	text := bytes.TrimPrefix(head, []byte(trace.ByteOrderMark))
	s := jsonline.Scanner{Text: text, Lenient: true}
	paths := make(map[string]bool)
	var walk func(at string, depth int)
	walk = func(at string, depth int) {
		switch b := s.Next(); {
		case b == '{' && depth > 0:
			s.Object(func(_ int, name jsonline.String) {
				key := string(s.AppendDecoded(nil, name))
				if at != "" {
					key = at + "." + key
				}
				paths[key] = true
				walk(key, depth-1)
			})
		case b == '[' && depth > 0:
			s.Array(func(int) { walk(at+"[]", depth-1) })
		default:
			s.Skip()
		}
	}
	for b := s.Next(); len(paths) == 0 && s.Err == nil && (b == '{' || b == '['); b = s.Next() {
		walk("", depth)
	}
	return paths
}
