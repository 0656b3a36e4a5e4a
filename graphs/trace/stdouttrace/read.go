package stdouttrace

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// Detect reports whether text that begins with head looks like spans of the exporter.
func Detect(head []byte) bool {
	return bytes.Contains(head, []byte(`"SpanContext"`)) && jsonstream.Paths(head, 2)["SpanContext.TraceID"]
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or the error of
// ctx. With AllowTruncated, a document that the end of a file cuts off is dropped.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, newDecoder)
}

// decoder reads documents into spans.
type decoder struct {
	span.Decoder
	resource, scope span.Origin
}

// newDecoder returns a decoder that hands its spans to a sink.
func newDecoder(to span.Sink) span.Format { return &decoder{Decoder: span.Decoder{Sink: to}} }

// Read implements span.Format.
func (d *decoder) Read(r *jsonstream.Reader) error {
	return d.Each(r, d.spanMembers, d.span)
}

// span reads a span with its own copy of resource and scope, and adds it.
func (d *decoder) span() {
	d.resource, d.scope = span.Origin{}, span.Origin{}
	if !d.Span(d.Pass, "SpanContext.TraceID", "SpanContext.SpanID") {
		return
	}
	// The set keeps its first origin of a kind; the fields are for the next span.
	resource, scope := d.resource, d.scope
	d.X.Resource, d.X.Scope = d.Origin(&resource), d.Origin(&scope)
	d.Stop(d.Add(&d.X))
}

// spanMembers returns the members of all spans: they are read into the same one.
func (d *decoder) spanMembers() span.Members {
	x := &d.X
	return span.Members{
		{"Name", span.Into(&x.Name, d.String)},
		{"SpanContext", d.own},
		{"Parent", d.parent},
		{"SpanKind", d.kind},
		{"StartTime", span.Into(&x.Start, d.time)},
		{"EndTime", span.Into(&x.End, d.time)},
		{"Attributes", d.Attributes(&x.Attributes, d.attribute)},
		{"Events", d.ArrayOf(d.event)},
		{"Links", d.ArrayOf(d.link)},
		{"Status", d.status},
		{"Resource", d.readResource},
		{"InstrumentationScope", d.readScope},
		{"DroppedAttributes", d.Count},
		{"DroppedEvents", d.Count},
		{"DroppedLinks", d.Count},
		{"ChildSpanCount", d.Count},
		{"InstrumentationLibrary", d.readScope}, // before version 1.0 of the exporter
	}
}

// own reads the context of the span itself.
func (d *decoder) own() {
	c := d.context()
	x := &d.X
	x.Trace, x.TraceText = c.Trace, c.text
	x.ID = c.ID
	span.AddText(&x.Attributes, span.TraceState, c.state)
}

// parent reads the context of the parent.
func (d *decoder) parent() { d.X.Parent = d.context().ID }

// A spanContext tells a span from others.
type spanContext struct {
	span.Link
	text  string // the id of the trace as the input writes it
	state string
}

// context reads the context of a span.
func (d *decoder) context() (c spanContext) {
	d.Members(span.Members{
		{"TraceID", func() { c.Trace, c.text = d.TraceID() }},
		{"SpanID", span.Into(&c.ID, d.ID)},
		{"TraceState", span.Into(&c.state, d.String)},
		{"TraceFlags", d.text},
		{"Remote", d.Ignore},
	})
	return c
}

// text reads a text that says nothing here.
func (d *decoder) text() { d.Bytes() }

// kind reads a kind, a number of the SDK.
func (d *decoder) kind() {
	kind := d.Uint(8)
	if kind > uint64(span.Consumer) {
		const msg = "%d is not a kind of span: those are the numbers 0 to %d"
		d.Fail(msg, kind, span.Consumer)
	}
	d.X.Kind = span.Kind(kind)
}

// time reads a time and returns it in nanoseconds since 1970; one before is 0.
func (d *decoder) time() uint64 {
	text := d.Bytes()
	t, err := time.Parse(time.RFC3339Nano, string(text))
	switch {
	case err != nil:
		d.Fail("%s is not a time of RFC 3339", trace.Quote(text))
	case t.UTC().Year() > 2261:
		d.Fail("%s is beyond the last time", trace.Quote(text))
	case t.Unix() >= 0:
		return uint64(t.UnixNano())
	}
	return 0
}

// event reads a span event.
func (d *decoder) event() {
	e := d.X.AddEvent()
	d.Members(span.Members{
		{"Name", span.Into(&e.Name, d.String)},
		{"Time", span.Into(&e.Time, d.time)},
		{"Attributes", d.Attributes(&e.Attributes, d.attribute)},
		{"DroppedAttributeCount", d.Count},
	})
}

// link reads a link. Its attributes say nothing here.
func (d *decoder) link() {
	var c spanContext
	d.Members(span.Members{
		{"SpanContext", span.Into(&c, d.context)},
		{"Attributes", d.Skip},
		{"DroppedAttributeCount", d.Skip},
	})
	d.X.Links = append(d.X.Links, c.Link)
}

// codes are the names of status codes, by number.
var codes = []string{"Unset", "Ok", "Error"}

// status reads the status of a span.
func (d *decoder) status() {
	d.Members(span.Members{
		{"Code", d.code},
		{"Description", span.Into(&d.X.Message, d.String)},
	})
}

// code reads a status code by its name.
func (d *decoder) code() {
	code := d.String()
	i := slices.Index(codes, code)
	if i < 0 {
		d.Fail("%s is not a status code%s", trace.Quote(code), nearmiss.HintOrList(code, codes))
	}
	d.X.Status = span.Status(max(i, 0))
}

// readResource reads a resource, which is an array of attributes.
func (d *decoder) readResource() {
	var attrs []span.Attribute
	d.Attributes(&attrs, d.attribute)()
	d.resource.Describe(attrs)
}

// readScope reads a scope. All it has becomes attributes of its spans; a second scope, that of
// the older key, replaces the first.
func (d *decoder) readScope() {
	d.scope.Attributes = nil
	d.Members(span.Members{
		{"Name", d.Text(&d.scope.Attributes, span.Scope+"name")},
		{"Version", d.Text(&d.scope.Attributes, span.Scope+"version")},
		{"SchemaURL", d.text},
		{"Attributes", d.ScopeAttributes(&d.scope, d.attribute)},
	})
}

// attribute reads an attribute.
func (d *decoder) attribute() span.Attribute {
	return d.KeyValue("Key", "Value", d.value, d.Pass)
}

// value reads a value and its type, in either order.
func (d *decoder) value() graphs.Value {
	place := d.Next()
	kind, text := "", ""
	d.Object(func(key []byte) {
		switch string(key) {
		case "Type":
			kind = d.String()
		case "Value":
			text = d.JSON()
		default:
			d.Pass(key, "Type", "Value")
		}
	})
	v, ok := convert(kind, text)
	if !ok {
		d.Stop(place.Errorf("%s is not a value of type %s", trace.Quote(text), trace.Quote(kind)))
	}
	return v
}

// convert returns what a JSON text is as a value of a type.
func convert(kind, text string) (graphs.Value, bool) {
	switch kind {
	case "BOOL":
		return graphs.Boolean(text == "true"), text == "true" || text == "false"
	case "INT64", "FLOAT64":
		v, ok := trace.ParseNumber(text)
		if ok && kind == "FLOAT64" {
			v = graphs.Float(v.Float64())
		}
		return v, ok && (kind == "FLOAT64" || !v.Float)
	case "STRING":
		s, err := jsontext.AppendUnquote(nil, text)
		return graphs.Str(string(s)), err == nil
	}
	return graphs.Str(text), true
}
