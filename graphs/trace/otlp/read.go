package otlp

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// signals are the keys of documents, and what they hold.
var signals = map[string]string{
	"resourceSpans": "spans", "resourceMetrics": "metrics",
	"resourceLogs": "logs", "resourceProfiles": "profiles",
}

// Detect reports whether text that begins with head is OTLP in JSON, of whatever
// signal.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte("esource")) {
		return false
	}
	paths := jsonstream.Paths(head, 2)
	for _, at := range []string{"", "[].", "result.", "trace."} {
		if paths[at+"batches"] {
			return true
		}
		for key := range signals {
			if paths[at+key] || paths[at+snake(key)] {
				return true
			}
		}
	}
	return false
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or the error of
// ctx. With AllowTruncated, a document that the end of a file cuts off is dropped.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, newDecoder)
}

// UnmarshalJSON returns the spans of a request in JSON. A span may lack its trace id or its
// span id. The other cases that the package documentation refuses are a *trace.Error.
//
// The time complexity of UnmarshalJSON is O(bytes).
func UnmarshalJSON(text []byte) ([]*Span, error) {
	to := new(span.List)
	f := newDecoder(to)
	f.Shared().Anonymous = true
	in := bytes.NewReader(text)
	err := jsonstream.One(context.Background(), "body", in, new(trace.Options), f.Read)
	return to.Spans, err
}

// ReadParts reads the spans of one source that come in parts: documents in JSON, and then spans that
// UnmarshalProto or UnmarshalJSON returned. Errors are those of Read, which name the source.
func ReadParts(
	ctx context.Context, name string, documents io.Reader, spans []*Span, opts trace.Options,
) ([]trace.Execution, error) {
	source := trace.From(name, documents)
	return span.ReadAll(ctx, source, opts, newDecoder, func(to span.Sink) error {
		own := make(map[*Origin]*Origin)
		// Spans of several sources may share an origin, and each source notes its own facts there.
		origin := func(o *Origin) *Origin {
			if own[o] == nil {
				own[o] = to.Origin(&Origin{Service: o.Service, Attributes: o.Attributes})
			}
			return own[o]
		}
		for _, shared := range spans {
			x := *shared
			x.Place = jsonstream.Place{File: name}
			x.Resource, x.Scope = origin(x.Resource), origin(x.Scope)
			if err := to.Add(&x); err != nil {
				return err
			}
		}
		return nil
	})
}

// decoder reads documents into spans.
type decoder struct {
	span.Decoder
	other map[string]bool // keys of documents of other signals

	// Events are read into the same one, so that their table is made once.
	eventMembers span.Members
	happened     span.Event

	resource, scope *span.Origin
	depth           int // of the value that is being read
}

// newDecoder returns a decoder that hands its spans to a sink.
func newDecoder(to span.Sink) span.Format {
	return &decoder{Decoder: span.Decoder{Sink: to}, other: make(map[string]bool)}
}

// Read implements span.Format.
func (d *decoder) Read(r *jsonstream.Reader) error {
	d.Reader = r
	d.eventMembers = span.Members{
		{"timeUnixNano", span.Into(&d.happened.Time, d.nanoseconds)},
		{"name", span.Into(&d.happened.Name, d.String)},
		{"attributes", d.Attributes(&d.happened.Attributes, d.attribute)},
		{"droppedAttributesCount", d.Count},
	}
	return d.Each(r, d.spanMembers, func() {
		d.Elements(1, func() { d.Object(d.answer) })
	})
}

// Found implements span.Format.
func (d *decoder) Found() string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(d.other)) {
		names = append(names, fmt.Sprintf("%s (%s)", signals[key], key))
	}
	if names == nil {
		return ""
	}
	return "there are only " + strings.Join(names, ", ")
}

// answer reads a member of a document or of an answer to a query. Jaeger has the document in
// result, Tempo in trace.
func (d *decoder) answer(key []byte) {
	if k := string(key); k == "result" || k == "trace" {
		d.Object(d.document)
	} else {
		d.document(key)
	}
}

// document reads a member of a document. Tempo calls resourceSpans batches.
func (d *decoder) document(key []byte) {
	switch string(key) {
	case "resourceSpans", "batches":
		d.Array(d.resourceSpans)
	case "resourceMetrics", "resourceLogs", "resourceProfiles":
		d.other[string(key)] = true
		d.Skip()
	default:
		d.unknown(key, "resourceSpans")
	}
}

// unknown skips the value of a key that is none of the known ones. It refuses those in
// snake_case.
func (d *decoder) unknown(key []byte, known ...string) {
	for _, k := range known {
		if string(key) == snake(k) && snake(k) != k {
			d.Fail("%s is not OTLP in JSON, which has %s", trace.Quote(key), trace.Quote(k))
		}
	}
	d.Skip()
}

// object reads an object of known members.
func (d *decoder) object(known span.Members) { d.MembersOr(known, d.unknown) }

// snake returns a name in snake_case.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// The keys of origins, and of arrays of what has them. Old versions call the scope a library.
type groupKeys struct{ origin, elements []string }

var (
	resourceKeys = groupKeys{[]string{"resource"}, []string{"scopeSpans", librarySpans}}
	scopeKeys    = groupKeys{[]string{"scope", "instrumentationLibrary"}, []string{"spans", librarySpans}}
)

const librarySpans = "instrumentationLibrarySpans"

// group reads an object of an origin, which becomes *place, and of arrays of elements that have
// it, and may come before it.
func (d *decoder) group(place **span.Origin, origin func(o *span.Origin), element func(), keys groupKeys) {
	o := &span.Origin{}
	*place = o
	d.Object(func(key []byte) {
		switch k := string(key); {
		case slices.Contains(keys.origin, k):
			if origin(o); d.Err() == nil {
				*place = d.Origin(o)
			}
		case slices.Contains(keys.elements, k):
			d.Array(element)
		case k == "schemaUrl":
			d.Bytes()
		default:
			d.unknown(key, "scopeSpans", "schemaUrl", "instrumentationLibrary", librarySpans)
		}
	})
}

// resourceSpans reads the spans of one resource.
func (d *decoder) resourceSpans() {
	d.group(&d.resource, d.readResource, d.scopeSpans, resourceKeys)
}

// scopeSpans reads the spans of one scope. Old versions call the scope a library, and nest
// instrumentationLibrarySpans in each other.
func (d *decoder) scopeSpans() {
	d.group(&d.scope, d.readScope, d.span, scopeKeys)
}

// readResource reads a resource: the service and its other attributes.
func (d *decoder) readResource(o *span.Origin) {
	var attrs []span.Attribute
	d.object(span.Members{
		{"attributes", d.Attributes(&attrs, d.attribute)},
		{"droppedAttributesCount", d.Count},
		{"entityRefs", d.Skip},
	})
	o.Describe(attrs)
}

// readScope reads a scope. All it has becomes attributes of its spans.
func (d *decoder) readScope(o *span.Origin) {
	d.object(span.Members{
		{"name", d.Text(&o.Attributes, span.Scope+"name")},
		{"version", d.Text(&o.Attributes, span.Scope+"version")},
		{"attributes", d.ScopeAttributes(o, d.attribute)},
		{"droppedAttributesCount", d.Count},
	})
}

// span reads a span and adds it with its resource and scope, complete or not.
func (d *decoder) span() {
	if d.Span(d.unknown, "traceId", "spanId") {
		d.X.Resource, d.X.Scope = d.resource, d.scope
		d.Stop(d.Add(&d.X))
	}
}

// spanMembers returns the members of all spans.
func (d *decoder) spanMembers() span.Members {
	x := &d.X
	status := span.Members{
		{"code", func() { d.enum("a status code", codes, (*uint8)(&x.Status)) }},
		{"message", span.Into(&x.Message, d.String)},
	}
	return span.Members{
		{"traceId", func() { x.Trace, x.TraceText = d.traceID() }},
		{"spanId", span.Into(&x.ID, d.spanID)},
		{"parentSpanId", span.Into(&x.Parent, d.spanID)},
		{"name", span.Into(&x.Name, d.String)},
		{"kind", func() { d.enum("a kind of span", kinds, (*uint8)(&x.Kind)) }},
		{"startTimeUnixNano", span.Into(&x.Start, d.nanoseconds)},
		{"endTimeUnixNano", span.Into(&x.End, d.nanoseconds)},
		{"attributes", d.Attributes(&x.Attributes, d.attribute)},
		{"events", d.ArrayOf(d.event)},
		{"links", d.ArrayOf(d.link)},
		{"status", func() { d.object(status) }},
		{"traceState", d.Text(&x.Attributes, span.TraceState)},
		{"flags", d.Count},
		{"droppedAttributesCount", d.Count},
		{"droppedEventsCount", d.Count},
		{"droppedLinksCount", d.Count},
	}
}

func (d *decoder) nanoseconds() uint64 { return d.Uint(64) }

// traceID reads a trace id and returns it in hexadecimal digits, too; "" is none.
func (d *decoder) traceID() (span.TraceID, string) {
	text := d.Bytes()
	if id, ok := span.ParseID(text); ok && len(text) == 32 {
		return id, string(text)
	}
	raw := d.unbase64(text, "trace", 16)
	if raw == nil {
		return span.TraceID{}, ""
	}
	id := new(wire).traceID(raw)
	return id, id.String()
}

// spanID reads a span id; "" is none.
func (d *decoder) spanID() span.ID {
	text := d.Bytes()
	if id, ok := span.ParseID(text); ok && len(text) == 16 {
		return span.ID(id.Low)
	}
	return new(wire).spanID(d.unbase64(text, "span", 8))
}

// base64s are both alphabets, each byte in its only spelling.
var base64s = []*base64.Encoding{base64.StdEncoding.Strict(), base64.URLEncoding.Strict()}

// Base64 returns the bytes of an id of so many, which Protobuf in JSON may write in base64; nil for
// another text. That is never as long as their hexadecimal digits.
func Base64(text []byte, size int) []byte {
	for _, encoding := range base64s {
		if raw, err := encoding.AppendDecode(nil, text); err == nil && len(raw) == size {
			return raw
		}
	}
	return nil
}

// unbase64 reads an id in base64, and fails on another text; "" is none.
func (d *decoder) unbase64(text []byte, what string, size int) []byte {
	raw := Base64(text, size)
	if raw == nil && len(text) > 0 {
		const msg = "%s is not a %s id, which is %d hexadecimal digits, or %d bytes in base64"
		d.Fail(msg, trace.Quote(text), what, 2*size, size)
	}
	return raw
}

// event reads a span event.
func (d *decoder) event() {
	e := d.X.AddEvent()
	d.happened = *e
	d.object(d.eventMembers)
	*e = d.happened
}

// link reads a link. Its attributes are checked, and say nothing here.
func (d *decoder) link() {
	var l span.Link
	d.object(span.Members{
		{"traceId", func() { l.Trace, _ = d.traceID() }},
		{"spanId", span.Into(&l.ID, d.spanID)},
		{"traceState", d.Text(new([]span.Attribute), "")},
		{"attributes", d.Attributes(new([]span.Attribute), d.attribute)},
		{"flags", d.Count},
		{"droppedAttributesCount", d.Count},
	})
	d.X.Links = append(d.X.Links, l)
}

// The names of kinds and status codes, by number.
var (
	kinds = []string{
		"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER",
		"SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER",
	}
	codes = []string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
)
