package split

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// spans takes documents apart: the lines of the input, if one of the first two is a
// document, or else the values that follow each other in it.
func (s *splitter) spans(r *bufio.Reader, one func(text []byte, line int) *trace.Error) error {
	document := func(text []byte, line int) error {
		if err := one(text, line); err != nil {
			return s.refuse(err, text)
		}
		return s.stopped
	}
	// Two lines decide: documents a line each begin so, and a document printed over several lines
	// does not have a whole value in either. The first line may be cut off by a rotation.
	first, long, err := s.line(r)
	var second []byte
	if err == nil && !long {
		second, long, err = s.line(r)
	}
	if err != nil && err != io.EOF {
		return s.errorAt(1, "%v", err)
	}
	whole := func(text []byte) bool { return jsontext.Value(bytes.TrimSpace(text)).IsValid() }
	// What was read to decide is put before the rest, so the input is read once and may be a
	// pipe.
	begun := io.MultiReader(bytes.NewReader(first), bytes.NewReader(second), r)
	if !long && (whole(first) || len(bytes.TrimSpace(first)) > 1 && first[0] == '{' && len(second) > 0 && second[0] == '{' && whole(second)) {
		return s.lines(bufio.NewReaderSize(begun, headSize), 1, document)
	}
	return s.documents(begun, document)
}

// documents calls one for the values that follow each other in an input.
func (s *splitter) documents(r io.Reader, one func(text []byte, line int) error) error {
	counting := &counter{r: r, most: int64(s.most)}
	d := jsontext.NewDecoder(counting)
	// The counter asks how far values have been read, as the decoder reads ahead.
	counting.read = d.InputOffset
	for {
		v, err := d.ReadValue()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			at := d.InputOffset()
			if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				at = wrong.ByteOffset
			}
			// The end of a broken value is unknown, so no later value can be trusted.
			e := s.syntax(nil, counting.line(at), err)
			e.Column = 0
			e.Msg += "; nothing after this line has been read"
			return e
		}
		// The offset of a value's first byte: InputOffset is after its last.
		if err := one(v, counting.line(d.InputOffset()-int64(len(v)))); err != nil {
			return err
		}
	}
}

// A counter counts the lines of its input.
type counter struct {
	r     io.Reader
	most  int64        // bytes that a value may have
	read  func() int64 // the offset up to which values have been read
	total int64
	ends  []int64 // offsets of line ends that have not been counted
	lines int     // line ends before
}

// Read implements io.Reader. It fails in the middle of a value that is too long.
func (c *counter) Read(p []byte) (int, error) {
	// The limit is per value and not per input: bytes handed out beyond the last complete value.
	if c.total-c.read() > c.most {
		return 0, fmt.Errorf("a document of more than %d bytes; write a document a line, or allow longer lines", c.most)
	}
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.total+int64(i))
		}
	}
	c.total += int64(n)
	return n, err
}

// line returns the line of an offset. Offsets may not fall from call to call.
func (c *counter) line(offset int64) int {
	i := 0
	// Each line end is dropped once counted, so memory is bounded by the read-ahead of the
	// decoder and all calls together are linear.
	for i < len(c.ends) && c.ends[i] < offset {
		i++
	}
	c.ends = append(c.ends[:0], c.ends[i:]...)
	c.lines += i
	return c.lines + 1
}

// gathered are the spans of one execution in a list.
type gathered struct {
	origin
	line  int
	spans []string
}

// gather brings together the spans in a list that are of one execution, in the order of
// their first ones. Where a span names none, it is of whole, or refused if that is "".
func (s *splitter) gather(list []member, key, whole string) (all []*gathered) {
	known := make(map[string]*gathered)
	for _, m := range list {
		o, err := s.trace(m, key, whole)
		if err != nil {
			// A bad span does not spoil the others of its list.
			if s.refuse(err, m.raw) != nil {
				return nil
			}
			continue
		}
		g := known[o.key]
		if g == nil {
			g = &gathered{origin: origin{key: o.key, name: o.name}, line: m.line}
			// Order of first appearance, so the same input gives the same pieces.
			known[o.key], all = g, append(all, g)
		}
		// One line, as a piece must be.
		g.spans = append(g.spans, compact(m.raw))
		g.foreign = g.foreign || o.foreign
		g.root = g.root || o.root
	}
	return all
}

// origin is what a span says of its execution.
type origin struct {
	key, name string
	foreign   bool // it has a link to another one
	root      bool // it has no parent
}

// trace returns the origin of a span. The key leads to the id of its trace: a name, or a path
// of two.
func (s *splitter) trace(m member, key, whole string) (o origin, wrong *trace.Error) {
	members, wrong := s.members(m.raw, m.line)
	if wrong != nil {
		return o, wrong
	}
	name := cmp.Or(s.text(members, key), whole)
	if name == "" {
		return o, s.errorAt(m.line, "a span whose %s is missing", key)
	}
	// Formats write ids differently; their canonical form is the key, so that pieces of several
	// inputs meet.
	o.key, o.name = canonical(name)
	o.root = true
	// The names of the parent in the four formats. An id of zeros means none.
	for _, path := range [...]string{"parentSpanId", "parentSpanID", "parentId", "Parent.SpanID"} {
		o.root = o.root && strings.Trim(s.text(members, path), "0") == ""
	}
	// Jaeger's references hold the parent as well, distinguished by its refType.
	for _, x := range members {
		if x.name != "links" && x.name != "references" && x.name != "Links" {
			continue
		}
		links, wrong := s.elements(x.raw, x.line)
		if wrong != nil {
			return o, wrong
		}
		for _, l := range links {
			members, wrong := s.members(l.raw, l.line)
			if wrong != nil {
				return o, wrong
			}
			// A link within the trace adds no other execution.
			if other, _ := canonical(s.text(members, key)); other != "" && other != o.key {
				o.foreign = true
			} else if s.text(members, "refType") == "CHILD_OF" {
				o.root = false
			}
		}
	}
	return o, nil
}

// text returns the text of a member, or for a path of two keys of a member of that; "" where
// there is none.
func (s *splitter) text(members []member, path string) string {
	// A path has two keys at most, so the recursion ends after one step.
	key, inner, deeper := strings.Cut(path, ".")
	for _, m := range members {
		switch {
		case m.name != key:
		case !deeper:
			return m.text()
		default:
			within, err := s.members(m.raw, m.line)
			if err != nil {
				return ""
			}
			return s.text(within, inner)
		}
	}
	return ""
}

// KeysOf returns the keys of the executions of a name: the name, as lines have it, and for an
// id of a trace written in another way the key of its spans.
func KeysOf(name string) []string {
	if key, _ := canonical(name); key != name {
		return []string{name, key}
	}
	return []string{name}
}

// canonical returns what all ways to write the id of a trace have in common, and the id as
// the readers of spans name it.
func canonical(text string) (key, name string) {
	if id, ok := span.ParseID([]byte(text)); ok {
		return fmt.Sprintf("%016x%016x", id.High, id.Low), strings.ToLower(text)
	}
	// Protobuf in JSON may write bytes in base64. Strict decoding and 16 bytes make an accident
	// unlikely.
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		if raw, err := encoding.Strict().DecodeString(text); err == nil && len(raw) == 16 {
			return hex.EncodeToString(raw), hex.EncodeToString(raw)
		}
	}
	return text, text
}

// compact returns a value in one line.
func compact(raw []byte) string {
	if bytes.IndexByte(raw, '\n') < 0 {
		return string(raw)
	}
	v := jsontext.Value(bytes.Clone(raw))
	_ = v.Compact() // it has been read as JSON
	return string(v)
}

// object writes an object of members, and of one more with an array.
func object(members []member, name string, elements ...string) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, m := range members {
		b.Write(m.quoted)
		b.WriteByte(':')
		b.WriteString(compact(m.raw))
		b.WriteByte(',')
	}
	fmt.Fprintf(&b, `"%s":[%s]}`, name, strings.Join(elements, ","))
	return b.String()
}

// without returns members but those of some names, and these.
func without(members []member, names ...string) (others, found []member) {
	for _, m := range members {
		if slices.Contains(names, m.name) {
			found = append(found, m)
		} else {
			others = append(others, m)
		}
	}
	return others, found
}

// otlp takes a document apart: resources, their scopes, and the spans of these.
func (s *splitter) otlp(text []byte, line int) *trace.Error {
	document, err := s.members(text, line)
	if err != nil {
		return err
	}
	others, lists := without(document, "resourceSpans")
	// Answers of Tempo hold spans below other keys; they would otherwise be an empty document.
	for _, m := range others {
		if m.name == "batches" || m.name == "result" || m.name == "trace" {
			return s.errorAt(m.line, "%s is of an answer to a query, which is read whole by itself; documents of OTLP have resourceSpans", trace.Quote(m.name))
		}
	}
	for _, list := range lists {
		resources, err := s.elements(list.raw, list.line)
		if err != nil {
			return err
		}
		for _, r := range resources {
			resource, err := s.members(r.raw, r.line)
			if err != nil {
				return err
			}
			about, scopes := without(resource, "scopeSpans", "instrumentationLibrarySpans")
			for _, list := range scopes {
				scopes, err := s.elements(list.raw, list.line)
				if err != nil {
					return err
				}
				for _, of := range scopes {
					// The resource and the scope are repeated around the spans of each piece,
					// since each piece is read alone.
					if err := s.scope(of, func(spans string) string {
						return object(others, "resourceSpans", object(about, list.name, spans))
					}); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// scope hands on the spans of a scope. Within writes the document around a scope.
func (s *splitter) scope(of member, within func(scope string) string) *trace.Error {
	scope, err := s.members(of.raw, of.line)
	if err != nil {
		return err
	}
	about, lists := without(scope, "spans", "instrumentationLibrarySpans")
	for _, list := range lists {
		spans, err := s.elements(list.raw, list.line)
		if err != nil {
			return err
		}
		s.pieces(spans, "traceId", "", "otlp", func(spans []string) string { return within(object(about, list.name, spans...)) })
	}
	return nil
}

// pieces hands on spans, those of each execution together in a document.
func (s *splitter) pieces(spans []member, key, whole, format string, document func(spans []string) string) {
	for _, g := range s.gather(spans, key, whole) {
		// A stop is checked before each piece: the callback must not be called after its error.
		if s.stopped != nil {
			return
		}
		_ = s.give(&Piece{ // s.stopped keeps the error
			Key:     g.key,
			Name:    g.name,
			Format:  format,
			Text:    document(g.spans),
			Line:    g.line,
			Foreign: g.foreign,
			Spans:   len(g.spans),
			Root:    g.root,
		})
	}
}

// jaeger takes a trace, an answer with traces, or an array of traces apart.
func (s *splitter) jaeger(text []byte, line int) *trace.Error {
	if jsontext.Value(text).Kind() == '[' {
		return s.each(text, line, s.jaeger)
	}
	document, err := s.members(text, line)
	if err != nil {
		return err
	}
	// Counts of a page of results would be wrong for a part of it, so they are left out.
	about, found := without(document, "spans", "data", "total", "limit", "offset")
	whole := ""
	for _, m := range about {
		// A trace names its id once for all of its spans, which need not repeat it.
		if m.name == "traceID" {
			whole = m.text()
		}
		if m.name == "errors" && compact(m.raw) != "[]" {
			return s.errorAt(m.line, "the query service answered with an error: %s", trace.Quote(compact(m.raw)))
		}
	}
	for _, m := range found {
		switch m.name {
		case "data":
			err = s.each(m.raw, m.line, s.jaeger)
		case "spans":
			var spans []member
			if spans, err = s.elements(m.raw, m.line); err == nil {
				s.pieces(spans, "traceID", whole, "jaeger", func(spans []string) string { return object(about, "spans", spans...) })
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls one for the elements of an array.
func (s *splitter) each(text []byte, line int, one func(text []byte, line int) *trace.Error) *trace.Error {
	list, err := s.elements(text, line)
	if err != nil {
		return err
	}
	for _, m := range list {
		if err := one(m.raw, m.line); err != nil {
			return err
		}
	}
	return nil
}

// zipkin takes a span, or arrays of them, apart.
func (s *splitter) zipkin(text []byte, line int) *trace.Error {
	if jsontext.Value(text).Kind() == '[' {
		return s.each(text, line, s.zipkin)
	}
	s.pieces([]member{{raw: text, line: line}}, "traceId", "", "zipkin", func(spans []string) string { return spans[0] })
	return nil
}

// stdouttrace takes a span.
func (s *splitter) stdouttrace(text []byte, line int) *trace.Error {
	s.pieces([]member{{raw: text, line: line}}, "SpanContext.TraceID", "", "stdouttrace", func(spans []string) string { return spans[0] })
	return nil
}
