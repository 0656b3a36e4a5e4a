package otlp

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// A member of a message has a key in JSON, a tag in protobuf, and a function that reads its value.
// The tag is 0 if the value is not needed, and protobuf need not read it.
type member struct {
	key  string
	tag  uint64
	read func()
}

// An encoding reads the values of messages sequentially. It remembers the first error, reads
// nothing after it, and then returns zero values.
type encoding interface {
	// message calls read for each known member, in the order of the input.
	message(known []member)
	// array reads a repeated member: in protobuf one element at a time.
	array(element func())
	// id reads an id of size bytes. An empty id is 0.
	id(what string, size int) span.TraceID
	// number reads an enumeration value. It is quoted if it is a name.
	number() (text []byte, quoted bool)
	// second fails if the encoding does not allow a second value for an attribute or element.
	second(what string)
	double() float64
	raw() []byte

	String() string
	Bool() bool
	Int() int64
	Uint(bits int) uint64

	Next() jsonstream.Place // the place of the next value; zero in protobuf
	Fail(format string, args ...any)
	Stop(err error)
	Err() error
}

// messages reads messages in an encoding and passes their spans to a sink.
type messages struct {
	encoding
	to        span.Sink
	anonymous bool // whether spans may lack their ids

	// Spans, events, pairs and values are read into these fields, so that each table is built only
	// once.
	spanMembers, eventMembers, pairMembers, valueMembers []member

	x     span.Span
	event span.Event
	pair  pair
	value value

	resource, scope *span.Origin
	depth           int // how many values are nested around the current position
}

// newMessages returns a message reader for an encoding.
func newMessages(in encoding, to span.Sink) *messages {
	m := &messages{encoding: in, to: to}
	x, e := &m.x, &m.event
	status := []member{
		{"message", 2<<3 | delimited, span.Into(&x.Message, m.String)},
		{"code", 3<<3 | varint, func() { m.enum("a status code", codes, (*uint8)(&x.Status)) }},
	}
	m.spanMembers = []member{
		{"traceId", 1<<3 | delimited, span.Into(&x.Trace, m.traceID)},
		{"spanId", 2<<3 | delimited, span.Into(&x.ID, m.spanID)},
		{"traceState", 3<<3 | delimited, m.text(&x.Attributes, span.TraceState)},
		{"parentSpanId", 4<<3 | delimited, span.Into(&x.Parent, m.spanID)},
		{"name", 5<<3 | delimited, span.Into(&x.Name, m.String)},
		{"kind", 6<<3 | varint, func() { m.enum("a kind of span", kinds, (*uint8)(&x.Kind)) }},
		{"startTimeUnixNano", 7<<3 | fixed64, span.Into(&x.Start, m.nanoseconds)},
		{"endTimeUnixNano", 8<<3 | fixed64, span.Into(&x.End, m.nanoseconds)},
		{"attributes", 9<<3 | delimited, m.attributes(&x.Attributes, "")},
		{"events", 11<<3 | delimited, m.each(m.readEvent)},
		{"links", 13<<3 | delimited, m.each(m.readLink)},
		{"status", 15<<3 | delimited, func() { m.message(status) }},
		{"flags", 0, m.count},
		{"droppedAttributesCount", 0, m.count},
		{"droppedEventsCount", 0, m.count},
		{"droppedLinksCount", 0, m.count},
	}
	m.eventMembers = []member{
		{"timeUnixNano", 1<<3 | fixed64, span.Into(&e.Time, m.nanoseconds)},
		{"name", 2<<3 | delimited, span.Into(&e.Name, m.String)},
		{"attributes", 3<<3 | delimited, m.attributes(&e.Attributes, "")},
		{"droppedAttributesCount", 0, m.count},
	}
	m.pairMembers = []member{
		{"key", 1<<3 | delimited, span.Into(&m.pair.key, m.String)},
		{"value", 2<<3 | delimited, span.Into(&m.pair.value, m.readValue)},
	}
	m.valueMembers = []member{
		{"stringValue", 1<<3 | delimited, m.is(scalar, func() graphs.Value { return graphs.Str(m.String()) })},
		{"boolValue", 2<<3 | varint, m.is(scalar, func() graphs.Value { return graphs.Boolean(m.Bool()) })},
		{"intValue", 3<<3 | varint, m.is(scalar, func() graphs.Value { return graphs.Int(m.Int()) })},
		{"doubleValue", 4<<3 | fixed64, m.is(scalar, m.float)},
		{"arrayValue", 5<<3 | delimited, m.is(nested, m.arrayText)},
		{"kvlistValue", 6<<3 | delimited, m.is(nested, m.listText)},
		{"bytesValue", 7<<3 | delimited, m.is(scalar, func() graphs.Value {
			return graphs.Str(base64.StdEncoding.EncodeToString(m.raw()))
		})},
	}
	return m
}

// each returns a function that reads a repeated member.
func (m *messages) each(element func()) func() { return func() { m.array(element) } }

// count reads a number that is not needed, such as that of dropped attributes.
func (m *messages) count() { m.Uint(32) }

func (m *messages) nanoseconds() uint64 { return m.Uint(64) }

func (m *messages) traceID() span.TraceID { return m.id("trace", 16) }

func (m *messages) spanID() span.ID { return span.ID(m.id("span", 8).Low) }

// number returns the id given by at most 16 bytes, in big-endian order.
func number(id []byte) span.TraceID {
	var whole [16]byte
	copy(whole[len(whole)-len(id):], id)
	return span.TraceID{High: binary.BigEndian.Uint64(whole[:]), Low: binary.BigEndian.Uint64(whole[8:])}
}

// text returns a function that reads a text as an attribute. An empty text yields no attribute.
func (m *messages) text(to *[]span.Attribute, key string) func() {
	return func() { span.AddText(to, key, m.String()) }
}

// enum reads a number, or the name of one, into *to. The names are those of the numbers from 0.
func (m *messages) enum(what string, names []string, to *uint8) {
	text, quoted := m.number()
	i := slices.Index(names, string(text))
	switch {
	case quoted && i < 0:
		m.Fail("%s is not %s%s", trace.Quote(text), what, nearmiss.Hint(string(text), names))
	case quoted:
		*to = uint8(i)
	default:
		n, err := strconv.ParseUint(string(text), 10, 31)
		if err != nil || int(n) >= len(names) {
			const msg = "%s is not %s: those are the numbers 0 to %d"
			m.Fail(msg, string(text), what, len(names)-1)
		}
		*to = uint8(n)
	}
}

// The names of kinds and status codes, by number.
var (
	kinds = []string{
		"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER",
		"SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER",
	}
	codes = []string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
)

// resourceSpans reads the spans of one resource. The resource may come after its spans, which then
// share the Origin that it completes.
func (m *messages) resourceSpans() {
	o := new(span.Origin)
	m.resource = o
	resource := func() {
		var attrs []span.Attribute
		m.message([]member{
			{"attributes", 1<<3 | delimited, m.attributes(&attrs, "")},
			{"droppedAttributesCount", 0, m.count},
		})
		o.Describe(attrs)
		m.resource = m.complete(o)
	}
	m.message([]member{
		{"resource", 1<<3 | delimited, resource},
		{"scopeSpans", 2<<3 | delimited, m.each(m.scopeSpans)},
		{librarySpans, 0, m.each(m.scopeSpans)},
		{"schemaUrl", 0, func() { _ = m.String() }},
	})
}

// librarySpans is the old name of scopeSpans and of spans in them, which old versions nest in each
// other.
const librarySpans = "instrumentationLibrarySpans"

// scopeSpans reads the spans of one scope, which may also come after them. Everything in a scope
// becomes an attribute of its spans.
func (m *messages) scopeSpans() {
	o := new(span.Origin)
	m.scope = o
	scope := func() {
		m.message([]member{
			{"name", 1<<3 | delimited, m.text(&o.Attributes, span.Scope+"name")},
			{"version", 2<<3 | delimited, m.text(&o.Attributes, span.Scope+"version")},
			{"attributes", 3<<3 | delimited, m.attributes(&o.Attributes, span.Scope)},
			{"droppedAttributesCount", 0, m.count},
		})
		m.scope = m.complete(o)
	}
	m.message([]member{
		{"scope", 1<<3 | delimited, scope},
		{"instrumentationLibrary", 0, scope},
		{"spans", 2<<3 | delimited, m.each(m.readSpan)},
		{librarySpans, 0, m.each(m.readSpan)},
		{"schemaUrl", 0, func() { _ = m.String() }},
	})
}

// complete returns the sink's origin for one that has been read.
func (m *messages) complete(o *span.Origin) *span.Origin {
	if m.Err() != nil {
		return o
	}
	return m.to.Origin(o)
}

// readSpan reads a span and adds it with its resource and scope.
func (m *messages) readSpan() {
	x := &m.x
	x.Reset()
	x.Place = m.Next()
	m.message(m.spanMembers)
	x.Resource, x.Scope = m.resource, m.scope
	if !m.anonymous && m.Err() == nil {
		m.Stop(x.CheckIDs("traceId", "spanId"))
	}
	if m.Err() == nil {
		m.Stop(m.to.Add(x))
	}
}

// readEvent reads a span event.
func (m *messages) readEvent() {
	e := m.x.AddEvent()
	m.event = *e
	m.message(m.eventMembers)
	*e = m.event
}

// readLink reads a link. It checks the attributes and drops them.
func (m *messages) readLink() {
	var l span.Link
	m.message([]member{
		{"traceId", 1<<3 | delimited, span.Into(&l.Trace, m.traceID)},
		{"spanId", 2<<3 | delimited, span.Into(&l.ID, m.spanID)},
		{"traceState", 0, func() { _ = m.String() }},
		{"attributes", 0, m.attributes(new([]span.Attribute), "")},
		{"flags", 0, m.count},
		{"droppedAttributesCount", 0, m.count},
	})
	m.x.Links = append(m.x.Links, l)
}

// attributes returns a function that reads attributes, prefixes their keys, and appends them to
// *to.
func (m *messages) attributes(to *[]span.Attribute, prefix string) func() {
	return m.each(func() {
		place := m.Next()
		p := m.readPair()
		if p.key == "" {
			m.Stop(place.Errorf("an attribute without a key"))
		}
		*to = append(*to, span.Attribute{Key: prefix + p.key, Value: p.value.Value})
	})
}

// A pair is a key and a value: an attribute, or an element of a key-value list.
type pair struct {
	key   string
	value value
}

// A value is of any type. Its shape determines how it is written as an element of an array or a
// list.
type value struct {
	graphs.Value
	shape
}

type shape uint8

const (
	missing shape = iota // written as null
	scalar               // written as JSON
	nested               // written as its text, the JSON of an array or a list
)

// noValue is the value of a key without one.
var noValue = value{graphs.Str(""), missing}

// json returns the JSON text of a value as an element.
func (v value) json() string {
	switch v.shape {
	case missing:
		return "null"
	case nested:
		return v.Text()
	}
	return v.String()
}

// maxDepth is how deep arrays and lists may be nested. The text of a value is copied once on each
// level.
const maxDepth = 100

var errDepth = fmt.Errorf("a value must have at most %d arrays and lists around it", maxDepth)

// readPair reads a key and a value.
func (m *messages) readPair() pair {
	around := m.pair
	m.pair = pair{value: noValue}
	m.message(m.pairMembers)
	read := m.pair
	m.pair = around
	return read
}

// readValue reads a value of any type, for an attribute or an element.
func (m *messages) readValue() value {
	if m.depth > maxDepth {
		m.Fail("%v", errDepth)
		return noValue
	}
	m.depth++
	around := m.value
	m.value = noValue
	m.message(m.valueMembers)
	read := m.value
	m.value = around
	m.depth--
	return read
}

// is returns a function that reads the content of a value of shape s.
func (m *messages) is(s shape, read func() graphs.Value) func() {
	return func() {
		v := read()
		switch {
		case m.value.shape == missing:
		case m.depth == 1:
			m.second("attribute")
		default:
			m.second("element")
		}
		m.value = value{v, s}
	}
}

// float reads a double. An infinity or NaN becomes a string.
func (m *messages) float() graphs.Value {
	f := m.double()
	switch {
	case math.IsNaN(f):
		return graphs.Str("NaN")
	case math.IsInf(f, 1):
		return graphs.Str("Infinity")
	case math.IsInf(f, -1):
		return graphs.Str("-Infinity")
	}
	return graphs.Float(f)
}

// values reads the elements of an array or a list.
func (m *messages) values(element func()) {
	m.message([]member{{"values", 1<<3 | delimited, m.each(element)}})
}

// arrayText reads an array and returns its JSON text.
func (m *messages) arrayText() graphs.Value {
	var texts []string
	m.values(func() { texts = append(texts, m.readValue().json()) })
	return graphs.Str("[" + strings.Join(texts, ",") + "]")
}

// listText reads a list of keys and values and returns its JSON text, an object with sorted keys.
func (m *messages) listText() graphs.Value {
	var pairs []pair
	m.values(func() { pairs = append(pairs, m.readPair()) })
	slices.SortStableFunc(pairs, func(p, q pair) int { return strings.Compare(p.key, q.key) })
	var texts []string
	for _, p := range pairs {
		texts = append(texts, graphs.Str(p.key).String()+":"+p.value.json())
	}
	return graphs.Str("{" + strings.Join(texts, ",") + "}")
}
