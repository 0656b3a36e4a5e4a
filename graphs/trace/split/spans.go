package split

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
	"github.com/pota-project/pota/graphs/trace/jaeger"
	"github.com/pota-project/pota/graphs/trace/otlp"
	"github.com/pota-project/pota/graphs/trace/stdouttrace"
	"github.com/pota-project/pota/graphs/trace/zipkin"
)

// spans splits an input into documents: the lines, if one of the first two is a document, or else
// the values that follow each other.
func (s *splitter) spans(r *bufio.Reader, f *format) error {
	document := func(text []byte, line int) error {
		if err := s.document(f, text, line); err != nil {
			return s.refuse(err, text)
		}
		return s.stopped
	}
	// Two lines decide: documents with one line each begin this way, and neither line of a document
	// printed over several lines is a whole value. Log rotation may have cut off the first line.
	first, long, err := s.line(r)
	var second []byte
	if err == nil && !long {
		second, long, err = s.line(r)
	}
	if err != nil && err != io.EOF {
		return s.errorAt(1, "%v", err)
	}
	whole := func(text []byte) bool { return jsontext.Value(bytes.TrimSpace(text)).IsValid() }
	// The lines read so far are put back in front of the rest, so that the input is read once and
	// may be a pipe.
	begun := io.MultiReader(bytes.NewReader(first), bytes.NewReader(second), r)
	if !long && (whole(first) || len(bytes.TrimSpace(first)) > 1 && first[0] == '{' && len(second) > 0 && second[0] == '{' && whole(second)) {
		return s.lines(bufio.NewReaderSize(begun, headSize), 1, document)
	}
	return s.documents(begun, document)
}

// documents calls one for each of the consecutive values in an input.
func (s *splitter) documents(in io.Reader, one func(text []byte, line int) error) error {
	return jsonstream.One(s.ctx, s.name, in, &trace.Options{MaxLine: s.opts.MaxLine}, func(r *jsonstream.Reader) error {
		for r.More() {
			at := r.Next()
			v := r.Value()
			err := r.Err()
			if wrong, ok := errors.AsType[*trace.Error](err); ok {
				// The end of a broken value is unknown, so no later value can be trusted.
				wrong.Msg += "; nothing after this line has been read"
			}
			if err == nil {
				err = one(v, at.Line)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// pieces makes a piece of the spans of each execution in a list, in the order of their first spans.
// Document writes spans with the surrounding text.
func (s *splitter) pieces(f *format, list []member, document func(spans ...string) string) {
	type gathered struct {
		*Piece
		spans []string
	}
	known := make(map[string]*gathered)
	// In order of first appearance, so that the same input yields the same pieces.
	var all []*gathered
	for _, m := range list {
		p, err := s.span(m, f)
		if err != nil {
			// A bad span does not spoil the other spans of its list.
			if s.refuse(err, m.raw) != nil {
				return
			}
			continue
		}
		g := known[p.Key]
		if g == nil {
			g = &gathered{Piece: p}
			known[p.Key], all = g, append(all, g)
		}
		// A piece must be one line.
		g.spans = append(g.spans, compact(m.raw))
		g.Foreign = g.Foreign || p.Foreign
		g.Root = g.Root || p.Root
	}
	for _, g := range all {
		// Check before each piece: the callback must not be called after it returned an error.
		if s.stopped != nil {
			return
		}
		g.Format, g.Spans = f.name, len(g.spans)
		g.Text = document(g.spans...)
		_ = s.give(g.Piece) // s.stopped keeps the error
	}
}

// span returns a piece with the facts about one span, without its text.
func (s *splitter) span(m member, f *format) (*Piece, *trace.Error) {
	members, wrong := s.members(m.raw, m.line)
	if wrong != nil {
		return nil, wrong
	}
	p := &Piece{Line: m.line, Root: true}
	// Formats write ids differently; the key is their canonical form, so that pieces from several
	// inputs match.
	p.Key, p.Name = canonical(s.text(members, f.key))
	switch {
	case isNone(p.Key):
		return nil, s.errorAt(m.line, "a span whose %s is missing or zero", f.key)
	case isNone(s.text(members, f.id)):
		return nil, s.errorAt(m.line, "a span whose %s is missing or zero", f.id)
	}
	// These are the names of the parent in the four formats.
	for _, path := range [...]string{"parentSpanId", "parentSpanID", "parentId", "Parent.SpanID"} {
		p.Root = p.Root && isNone(s.text(members, path))
	}
	// Jaeger's references contain the parent as well, distinguished by its refType.
	_, lists := without(members, "links", "references", "Links")
	for _, list := range lists {
		links, wrong := s.elements(list.raw, list.line)
		if wrong != nil {
			return nil, wrong
		}
		for _, l := range links {
			members, wrong := s.members(l.raw, l.line)
			if wrong != nil {
				return nil, wrong
			}
			// A link within the trace adds no other execution.
			if other, _ := canonical(s.text(members, f.key)); !isNone(other) && other != p.Key {
				p.Foreign = true
			} else if s.text(members, "refType") == "CHILD_OF" {
				p.Root = false
			}
		}
	}
	return p, nil
}

// text returns the text of a member. The path is its key, or two keys with a dot between them, for
// a nested member. The text is "" if there is no such member.
func (s *splitter) text(members []member, path string) string {
	// A path has at most two keys, so the recursion ends after one step.
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

// isNone reports whether a text is no id: in all formats, an id of only zeros is as good as none.
func isNone(id string) bool { return strings.Trim(id, "0") == "" }

// KeysOf returns the keys that an execution of that name may have: the name itself, for lines, and
// if it is a trace id, the key of its spans.
func KeysOf(name string) []string {
	if key, _ := canonical(name); key != name {
		return []string{name, key}
	}
	return []string{name}
}

// canonical returns a key that is the same for all spellings of a trace id, and the name that
// readers of spans give the trace.
func canonical(text string) (key, name string) {
	if id, ok := span.ParseID([]byte(text)); ok {
		return fmt.Sprintf("%016x%016x", id.High, id.Low), strings.ToLower(text)
	}
	// Other text is unlikely to decode to exactly 16 bytes.
	if raw := otlp.Base64([]byte(text), 16); raw != nil {
		text = fmt.Sprintf("%x", raw)
	}
	return text, text
}

// compact returns a value on one line.
func compact(raw []byte) string {
	if bytes.IndexByte(raw, '\n') < 0 {
		return string(raw)
	}
	v := jsontext.Value(bytes.Clone(raw))
	_ = v.Compact() // raw was read as JSON
	return string(v)
}

// object writes an object with some members and an array as one more member.
func object(members []member, name string, elements ...string) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, m := range members {
		b.Write(m.quoted())
		b.WriteByte(':')
		b.WriteString(compact(m.raw))
		b.WriteByte(',')
	}
	fmt.Fprintf(&b, `"%s":[%s]}`, name, strings.Join(elements, ","))
	return b.String()
}

// without divides members into those with other names and those with one of the names.
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

// A format of spans says where spans are in a document.
type format struct {
	name   string // the name in package format
	detect func(head []byte) bool
	// the names of nested lists that lead to spans, outermost first; nil if a document is a span
	lists   [][]string
	key, id string // the paths of the trace id and the span id; see splitter.text
	arrays  bool   // whether a document may be an array of documents
}

// formats are the formats of spans, in the order of detection.
var formats = []format{
	{"otlp", otlp.Detect, [][]string{
		{"resourceSpans"},
		{"scopeSpans", "instrumentationLibrarySpans"},
		{"spans", "instrumentationLibrarySpans"},
	}, "traceId", "spanId", false},
	{"stdouttrace", stdouttrace.Detect, nil, "SpanContext.TraceID", "SpanContext.SpanID", false},
	{"jaeger", jaeger.Detect, [][]string{{"spans", "data"}}, "traceID", "spanID", true},
	{"zipkin", zipkin.Detect, nil, "traceId", "id", true},
}

// formatOf returns the format of spans with that name, or nil.
func formatOf(name string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &formats[i]
}

// document splits a document, or an array of documents.
func (s *splitter) document(f *format, text []byte, line int) *trace.Error {
	if f.arrays && jsontext.Value(text).Kind() == '[' {
		return s.each(member{raw: text, line: line}, func(m member) *trace.Error { return s.document(f, m.raw, m.line) })
	}
	alone := func(spans ...string) string { return spans[0] }
	m := member{raw: text, line: line}
	if f.lists != nil {
		return s.descend(f, f.lists, m, alone)
	}
	s.pieces(f, []member{m}, alone)
	return nil
}

// each calls one for the elements of an array.
func (s *splitter) each(array member, one func(m member) *trace.Error) *trace.Error {
	elements, err := s.elements(array.raw, array.line)
	for _, m := range elements {
		if err == nil {
			err = one(m)
		}
	}
	return err
}

// descend follows the lists that lead to spans. The other members of the object are repeated around
// the spans of each piece, because each piece is read alone; within writes the text around the
// object.
func (s *splitter) descend(f *format, lists [][]string, m member, within func(inner ...string) string) *trace.Error {
	members, err := s.members(m.raw, m.line)
	if err != nil {
		return err
	}
	// Drop the counts of a page of results, which would be wrong for a part of it.
	members, _ = without(members, "total", "limit", "offset")
	about, found := without(members, lists[0]...)
	if len(lists) == len(f.lists) {
		if err := s.answer(f, about); err != nil {
			return err
		}
	}
	for _, list := range found {
		around := func(inner ...string) string { return within(object(about, list.name, inner...)) }
		switch {
		case list.name == "data": // each trace in an answer is a document
			err = s.each(list, func(m member) *trace.Error { return s.document(f, m.raw, m.line) })
		case len(lists) > 1:
			err = s.each(list, func(m member) *trace.Error { return s.descend(f, lists[1:], m, around) })
		default:
			var spans []member
			if spans, err = s.elements(list.raw, list.line); err == nil {
				s.pieces(f, spans, around)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answer refuses an answer of a query service that is not a document.
func (s *splitter) answer(f *format, about []member) *trace.Error {
	for _, m := range about {
		switch f.name + " " + m.name {
		// Tempo puts spans below other keys, so its answers would look like empty documents.
		case "otlp batches", "otlp result", "otlp trace":
			return s.errorAt(m.line, "%s belongs to an answer to a query, which is read whole by itself; documents of OTLP have resourceSpans", trace.Quote(m.name))
		case "jaeger errors":
			if text := compact(m.raw); text != "[]" {
				return s.errorAt(m.line, "the query service answered with an error: %s", trace.Quote(text))
			}
		}
	}
	return nil
}
