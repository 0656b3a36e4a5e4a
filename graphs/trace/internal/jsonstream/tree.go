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
	Text    string   // a decoded string; the spelling of a number, true, false or null
	Members []Member // the members of an object, in order
	Items   []*Tree  // the elements of an array
}

// A Member is a member of an object: its name, the place of the name, and its value.
type Member struct {
	Place
	Name  string
	Value *Tree
}

// String returns the kind of t, for messages.
func (t *Tree) String() string { return kinds[t.Kind] }

// Member returns the member with that name, or nil if there is none.
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

// Read reads a text that is one document, possibly after a byte order mark. name is the file of the
// text, which begins in the given line. Read keeps members that are null. Errors are *trace.Error.
func (p *TreeReader) Read(name string, line int, text []byte, opts ...jsontext.Options) (*Tree, error) {
	var t *Tree
	if err := p.Text(name, line, text, func(r *Reader) { t = r.tree() }, opts...); err != nil {
		return nil, err
	}
	return t, nil
}

// Text calls f to read a text that is one document, as in Read. Bytes that the Reader returns
// without decoding are part of the text, and stay valid.
func (p *TreeReader) Text(
	name string, line int, text []byte, f func(r *Reader), opts ...jsontext.Options,
) error {
	text = bytes.TrimPrefix(text, []byte(trace.ByteOrderMark))
	// The decoder does not copy the content of a bytes.Buffer.
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
	// Get the place before reading the token, because it is that of its beginning.
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
	// Members and items are read in the same way: an item is a member without a name.
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

// text returns the decoded string, or the spelling of another scalar.
func text(v jsontext.Value) string {
	switch {
	case v.Kind() != '"':
		return string(v)
	case bytes.IndexByte(v, '\\') < 0 && utf8.Valid(v):
		return string(v[1 : len(v)-1])
	}
	b, _ := jsontext.AppendUnquote(nil, v) // the decoder has accepted v
	return string(b)
}

// A Checker helps to interpret trees. It keeps the first error in them, and continues.
type Checker struct{ err *trace.Error }

// Err returns the first error, or nil.
func (c *Checker) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// A Placed has a place: it is a Place, a Tree or a Member.
type Placed interface {
	Errorf(format string, args ...any) *trace.Error
}

// Fail records an error at a place, unless there is one already.
func (c *Checker) Fail(at Placed, format string, args ...any) {
	if c.err == nil {
		c.err = at.Errorf(format, args...)
	}
}

// FailIf calls Fail if wrong is true.
func (c *Checker) FailIf(wrong bool, at Placed, format string, args ...any) {
	if wrong {
		c.Fail(at, format, args...)
	}
}

// Is reports whether t is of that kind, and records an error if not.
func (c *Checker) Is(t *Tree, kind jsontext.Kind, what string) bool {
	if t.Kind != kind {
		c.Fail(t, "%s is %s, not %v", what, kinds[kind], t)
	}
	return t.Kind == kind
}

// Fields calls, with the value of each member of an object, the function for its name in known.
// Other names are errors.
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

// Bool returns the value of a Boolean.
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

// Paths returns the paths of the keys of a document, down to the given depth of nesting: each key
// after the keys and arrays around it. The Jaeger trace {"data":[{"traceID":"1"}]} has the paths
// data and data[].traceID. head is the beginning of the document and may end anywhere; a key counts
// once its colon is there. If head has several documents, the first one with keys counts. Text that
// is not JSON has no paths.
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
