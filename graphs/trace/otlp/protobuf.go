package otlp

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// A Span is a span of the model that all formats of spans share, with its ids, and its origins:
// its resource and its scope.
type (
	Span    = span.Span
	TraceID = span.TraceID
	SpanID  = span.ID
	Origin  = span.Origin
)

// ParseID reads the id of a trace: at most 32 hexadecimal digits in either case.
func ParseID(text []byte) (TraceID, bool) { return span.ParseID(text) }

// The types of fields, the lower three bits of a tag. The bits above are the number of the
// field in opentelemetry/proto/trace/v1/trace.proto and its imports.
const (
	varint    = uint64(protowire.VarintType)
	fixed64   = uint64(protowire.Fixed64Type)
	delimited = uint64(protowire.BytesType) // a string, bytes or a message
)

// A field is one of a message: its tag, with a number or a text.
type field struct {
	tag    uint64
	number uint64
	text   []byte
}

// A wire reads messages. It remembers the first error, and reads nothing more after it.
type wire struct{ err error }

func (w *wire) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// fields calls one for each field of a message, and one ignores unknown tags: those are fields
// of a later version, or known ones with a type that they do not have.
func (w *wire) fields(message []byte, one func(f field)) {
	for len(message) > 0 && w.err == nil {
		tag, n := protowire.ConsumeVarint(message)
		if n < 0 {
			w.fail(protowire.ParseError(n))
			return
		}
		number, kind := protowire.DecodeTag(tag)
		if !number.IsValid() {
			w.fail(errors.New("invalid field number"))
			return
		}
		message = message[n:]
		f := field{tag: tag}
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			f.text, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			w.fail(protowire.ParseError(n))
			return
		}
		message = message[n:]
		one(f)
	}
}

// string returns a text as a string; bytes that are not UTF-8 become U+FFFD.
func (f field) string() string { return strings.ToValidUTF8(string(f.text), "\ufffd") }

// UnmarshalProto returns the spans of a message TracesData, or of ExportTraceServiceRequest,
// its twin on the wire. A span may lack its trace id or its span id. The other cases that the
// package documentation refuses are errors.
//
// The time complexity of UnmarshalProto is O(bytes).
func UnmarshalProto(message []byte) (all []*Span, err error) {
	var w wire
	w.fields(message, func(f field) {
		if f.tag == 1<<3|delimited {
			w.resourceSpans(f.text, &all)
		}
	})
	return all, w.err
}

// resourceSpans appends the spans of one resource. The resource may stand after them in the
// message: the spans share the Origin that it completes.
func (w *wire) resourceSpans(message []byte, all *[]*Span) {
	resource := new(span.Origin)
	var attrs []span.Attribute
	w.fields(message, func(f field) {
		switch f.tag {
		case 1<<3 | delimited:
			w.fields(f.text, func(f field) { w.attribute(f, 1, "", &attrs) })
		case 2<<3 | delimited:
			w.scopeSpans(f.text, resource, all)
		}
	})
	resource.Describe(attrs)
}

// scopeSpans appends the spans of one scope, which may stand after them, too.
func (w *wire) scopeSpans(message []byte, resource *span.Origin, all *[]*Span) {
	scope := new(span.Origin)
	w.fields(message, func(f field) {
		switch f.tag {
		case 1<<3 | delimited:
			w.fields(f.text, func(f field) { w.scopeField(f, scope) })
		case 2<<3 | delimited:
			x := &Span{Resource: resource, Scope: scope}
			*all = append(*all, x)
			w.fields(f.text, func(f field) { w.spanField(f, x) })
		}
	})
}

// scopeField reads a field of a scope. Its name and version are attributes, as in JSON.
func (w *wire) scopeField(f field, scope *span.Origin) {
	switch f.tag {
	case 1<<3 | delimited:
		span.AddText(&scope.Attributes, span.Scope+"name", f.string())
	case 2<<3 | delimited:
		span.AddText(&scope.Attributes, span.Scope+"version", f.string())
	}
	w.attribute(f, 3, span.Scope, &scope.Attributes)
}

// spanField reads a field of a span.
func (w *wire) spanField(f field, x *Span) {
	switch f.tag {
	case 1<<3 | delimited:
		x.Trace = w.traceID(f.text)
	case 2<<3 | delimited:
		x.ID = w.spanID(f.text)
	case 3<<3 | delimited:
		span.AddText(&x.Attributes, span.TraceState, f.string())
	case 4<<3 | delimited:
		x.Parent = w.spanID(f.text)
	case 5<<3 | delimited:
		x.Name = f.string()
	case 6<<3 | varint:
		x.Kind = span.Kind(w.known("a kind of span", f.number, len(kinds)))
	case 7<<3 | fixed64:
		x.Start = f.number
	case 8<<3 | fixed64:
		x.End = f.number
	case 11<<3 | delimited:
		e := x.AddEvent()
		w.fields(f.text, func(f field) { w.eventField(f, e) })
	case 13<<3 | delimited:
		x.Links = append(x.Links, span.Link{})
		l := &x.Links[len(x.Links)-1]
		w.fields(f.text, func(f field) { w.linkField(f, l) })
	case 15<<3 | delimited:
		w.fields(f.text, func(f field) { w.statusField(f, x) })
	default:
		w.attribute(f, 9, "", &x.Attributes)
	}
}

// eventField reads a field of a span event.
func (w *wire) eventField(f field, e *span.Event) {
	switch f.tag {
	case 1<<3 | fixed64:
		e.Time = f.number
	case 2<<3 | delimited:
		e.Name = f.string()
	}
	w.attribute(f, 3, "", &e.Attributes)
}

// linkField reads a field of a link. Its attributes say nothing here.
func (w *wire) linkField(f field, l *span.Link) {
	switch f.tag {
	case 1<<3 | delimited:
		l.Trace = w.traceID(f.text)
	case 2<<3 | delimited:
		l.ID = w.spanID(f.text)
	}
}

// statusField reads a field of the status of a span.
func (w *wire) statusField(f field, x *Span) {
	switch f.tag {
	case 2<<3 | delimited:
		x.Message = f.string()
	case 3<<3 | varint:
		x.Status = span.Status(w.known("a status code", f.number, len(codes)))
	}
}

// known returns a number, and fails where it is none of the first ones.
func (w *wire) known(what string, number uint64, count int) uint64 {
	if number >= uint64(count) {
		const msg = "%d is not %s: those are the numbers 0 to %d"
		w.fail(fmt.Errorf(msg, int64(number), what, count-1))
	}
	return number
}

// traceID and spanID read ids. An empty one is missing; the sender of a span may have none.
func (w *wire) traceID(id []byte) TraceID {
	id = w.id(id, "trace", 16)
	return TraceID{High: binary.BigEndian.Uint64(id), Low: binary.BigEndian.Uint64(id[8:])}
}

func (w *wire) spanID(id []byte) SpanID { return SpanID(binary.BigEndian.Uint64(w.id(id, "span", 8))) }

// id returns an id of so many bytes, zeros for an empty one.
func (w *wire) id(id []byte, what string, size int) []byte {
	if len(id) > 0 && len(id) != size {
		w.fail(fmt.Errorf("a %s id has %d bytes, not %d", what, size, len(id)))
	}
	if len(id) != size {
		return make([]byte, size)
	}
	return id
}

// attribute appends the attribute in a field, where that has the number of attributes.
func (w *wire) attribute(f field, number uint64, prefix string, to *[]span.Attribute) {
	if f.tag != number<<3|delimited {
		return
	}
	key, v, _ := w.keyValue(f.text, 0)
	if key == "" {
		w.fail(errors.New("an attribute without a key"))
	}
	*to = append(*to, span.Attribute{Key: prefix + key, Value: v})
}

// keyValue reads a message KeyValue in lists down to a depth.
func (w *wire) keyValue(message []byte, depth int) (key string, v graphs.Value, is shape) {
	v = graphs.Str("")
	w.fields(message, func(f field) {
		switch f.tag {
		case 1<<3 | delimited:
			key = f.string()
		case 2<<3 | delimited:
			v, is = w.anyValue(f.text, depth)
		}
	})
	return key, v, is
}

// anyValue reads a message AnyValue. Of several values, the last counts.
func (w *wire) anyValue(message []byte, depth int) (v graphs.Value, is shape) {
	v = graphs.Str("")
	if depth > maxDepth {
		w.fail(errDepth)
		return v, is
	}
	w.fields(message, func(f field) {
		now := scalar
		switch f.tag {
		case 1<<3 | delimited:
			v = graphs.Str(f.string())
		case 2<<3 | varint:
			v = graphs.Boolean(f.number != 0)
		case 3<<3 | varint:
			v = graphs.Int(int64(f.number))
		case 4<<3 | fixed64:
			v = double(math.Float64frombits(f.number))
		case 5<<3 | delimited:
			now = nested
			v = w.arrayValue(f.text, depth+1)
		case 6<<3 | delimited:
			now = nested
			v = w.listValue(f.text, depth+1)
		case 7<<3 | delimited:
			v = graphs.Str(base64.StdEncoding.EncodeToString(f.text))
		default:
			return
		}
		is = now
	})
	return v, is
}

// double returns a number; one that is not finite is a string.
func double(f float64) graphs.Value {
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

// arrayValue and listValue return the JSON text of a message ArrayValue or KeyValueList, so that
// a value has the same text in both encodings.
func (w *wire) arrayValue(message []byte, depth int) graphs.Value {
	var elements []string
	w.fields(message, func(f field) {
		if f.tag == 1<<3|delimited {
			elements = append(elements, elementText(w.anyValue(f.text, depth)))
		}
	})
	return arrayText(elements)
}

func (w *wire) listValue(message []byte, depth int) graphs.Value {
	var members []member
	w.fields(message, func(f field) {
		if f.tag == 1<<3|delimited {
			key, v, is := w.keyValue(f.text, depth)
			members = append(members, member{key, elementText(v, is)})
		}
	})
	return listText(members)
}
