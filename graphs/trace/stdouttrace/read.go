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

// Read reads all traces of a source and closes it. Its errors are *trace.Error, or the error of
// ctx. With AllowTruncated, it drops a document that the end of a file cuts off.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, func(to span.Sink) span.Format {
		return &decoder{Decoder: span.Decoder{Sink: to}}
	})
}

// A decoder reads documents into spans.
type decoder struct {
	span.Decoder
	resource, scope span.Origin
}

// Read implements span.Format. Each span has its own copy of resource and scope.
func (d *decoder) Read(r *jsonstream.Reader) error {
	return d.Each(r, d.spanMembers, func() {
		d.resource, d.scope = span.Origin{}, span.Origin{}
		if d.Span("SpanContext.TraceID", "SpanContext.SpanID") {
			// Copy them: the sink may keep an origin, and the fields are reused for the next span.
			resource, scope := d.resource, d.scope
			d.X.Resource, d.X.Scope = d.Origin(&resource), d.Origin(&scope)
			d.Stop(d.Add(&d.X))
		}
	})
}

// spanMembers returns the members of a span: all spans are read into d.X.
func (d *decoder) spanMembers() span.Members {
	x := &d.X
	return span.Members{
		{"Name", span.Into(&x.Name, d.String)},
		{"SpanContext", func() {
			c := d.context()
			x.Trace, x.TraceText = c.Trace, c.text
			x.ID = c.ID
			span.AddText(&x.Attributes, span.TraceState, c.state)
		}},
		{"Parent", func() { x.Parent = d.context().ID }},
		{"SpanKind", span.Into(&x.Kind, d.kind)},
		{"StartTime", span.Into(&x.Start, d.time)},
		{"EndTime", span.Into(&x.End, d.time)},
		{"Attributes", d.Attributes(&x.Attributes, d.attribute)},
		{"Events", d.ArrayOf(d.event)},
		{"Links", d.ArrayOf(d.link)},
		{"Status", d.status},
		{"Resource", func() {
			var attrs []span.Attribute
			d.Attributes(&attrs, d.attribute)()
			d.resource.Describe(attrs)
		}},
		{"InstrumentationScope", d.readScope},
		{"DroppedAttributes", d.Count},
		{"DroppedEvents", d.Count},
		{"DroppedLinks", d.Count},
		{"ChildSpanCount", d.Count},
		{"InstrumentationLibrary", d.readScope}, // the name before version 1.0 of the exporter
	}
}

// A spanContext identifies a span.
type spanContext struct {
	span.Link
	text  string // the trace id as the input writes it
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

// text reads a text that is not needed.
func (d *decoder) text() { d.Bytes() }

// kind reads a kind, a number of the SDK.
func (d *decoder) kind() span.Kind {
	kind := d.Uint(8)
	if kind > uint64(span.Consumer) {
		const msg = "%d is not a kind of span: those are the numbers 0 to %d"
		d.Fail(msg, kind, span.Consumer)
	}
	return span.Kind(kind)
}

// time reads a time and returns it in nanoseconds since 1970; a time before 1970 is 0.
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

// link reads a link. It skips the attributes.
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
		{"Code", func() {
			code := d.String()
			i := slices.Index(codes, code)
			if i < 0 {
				d.Fail("%s is not a status code%s", trace.Quote(code), nearmiss.HintOrList(code, codes))
			}
			d.X.Status = span.Status(max(i, 0))
		}},
		{"Description", span.Into(&d.X.Message, d.String)},
	})
}

// readScope reads a scope, which becomes attributes of its spans. A second scope, under the older
// key, replaces the first.
func (d *decoder) readScope() {
	to := &d.scope.Attributes
	*to = nil
	d.Members(span.Members{
		{"Name", func() { span.AddText(to, span.Scope+"name", d.String()) }},
		{"Version", func() { span.AddText(to, span.Scope+"version", d.String()) }},
		{"SchemaURL", d.text},
		{"Attributes", d.Attributes(to, func() span.Attribute {
			a := d.attribute()
			a.Key = span.Scope + a.Key
			return a
		})},
	})
}

// attribute reads an attribute; without a value, it is an empty string.
func (d *decoder) attribute() span.Attribute {
	a := span.Attribute{Value: graphs.Str("")}
	place := d.Next()
	// Attributes are the most frequent objects, so do not build a table for each.
	d.Object(func(key []byte) {
		switch string(key) {
		case "Key":
			a.Key = d.String()
		case "Value":
			a.Value = d.value()
		default:
			d.Pass(key, "Key", "Value")
		}
	})
	if a.Key == "" {
		d.Stop(place.Errorf("an attribute without a key"))
	}
	return a
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
	v, ok := graphs.Str(text), true
	switch kind {
	case "BOOL":
		v, ok = graphs.Boolean(text == "true"), text == "true" || text == "false"
	case "INT64":
		v, ok = trace.ParseNumber(text)
		ok = ok && !v.Float
	case "FLOAT64":
		if v, ok = trace.ParseNumber(text); ok {
			v = graphs.Float(v.Float64())
		}
	case "STRING":
		s, err := jsontext.AppendUnquote(nil, text)
		v, ok = graphs.Str(string(s)), err == nil
	}
	if !ok {
		d.Stop(place.Errorf("%s is not a value of type %s", trace.Quote(text), trace.Quote(kind)))
	}
	return v
}
