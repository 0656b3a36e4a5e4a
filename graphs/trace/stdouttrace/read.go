package stdouttrace

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/internal/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// Detect reports whether text that begins with head looks like spans of the exporter.
func Detect(head []byte) bool {
	return bytes.Contains(head, []byte(`"SpanContext"`)) && jsonstream.Paths(head, 2)["SpanContext.TraceID"]
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or the error of
// ctx. With AllowTruncated, the span that the end of a file cuts off is dropped.
func Read(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, source, opts, newDecoder)
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
	d.Reader = r
	for d.More() {
		if err := d.span(); err != nil {
			return err
		}
	}
	return nil
}

// span reads a span with its own copy of resource and scope, and adds it.
func (d *decoder) span() error {
	d.resource, d.scope = span.Origin{}, span.Origin{}
	if err := d.Span(d.spanMember, "SpanContext.TraceID", "SpanContext.SpanID"); err != nil {
		return err
	}
	// The set keeps its first origin of a kind; the fields are for the next span.
	resource, scope := d.resource, d.scope
	d.X.Resource, d.X.Scope = d.Origin(&resource), d.Origin(&scope)
	return d.Add(&d.X)
}

// spanMember reads a member of a span.
func (d *decoder) spanMember(key []byte) (err error) {
	x := &d.X
	switch string(key) {
	case "Name":
		x.Name, err = d.String()
	case "SpanContext":
		var state string
		x.Trace, x.TraceText, x.ID, state, err = d.context()
		if state != "" {
			x.Attributes = append(x.Attributes, span.Attribute{Key: "w3c.tracestate", Value: graphs.Str(state)})
		}
	case "Parent":
		_, _, x.Parent, _, err = d.context()
	case "SpanKind":
		err = d.kind()
	case "StartTime":
		x.Start, err = d.time()
	case "EndTime":
		x.End, err = d.time()
	case "Attributes":
		x.Attributes, err = d.Attributes(x.Attributes, d.attribute)
	case "Events":
		err = d.Array(d.event)
	case "Links":
		err = d.Array(d.link)
	case "Status":
		err = d.status()
	case "Resource":
		err = d.readResource()
	case "InstrumentationScope", "InstrumentationLibrary":
		err = d.readScope()
	case "DroppedAttributes", "DroppedEvents", "DroppedLinks", "ChildSpanCount":
		_, err = d.Uint(32)
	default:
		err = d.Pass(key, "Name", "SpanContext", "Parent", "SpanKind", "StartTime", "EndTime", "Attributes", "Events", "Links",
			"Status", "Resource", "InstrumentationScope", "DroppedAttributes", "DroppedEvents", "DroppedLinks", "ChildSpanCount")
	}
	return err
}

// context reads what tells a span from others.
func (d *decoder) context() (id span.TraceID, text string, of span.ID, state string, err error) {
	err = d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "TraceID":
			id, text, err = d.TraceID()
		case "SpanID":
			of, err = d.ID()
		case "TraceState":
			state, err = d.String()
		case "TraceFlags":
			_, err = d.Bytes()
		case "Remote":
			_, err = d.Bool()
		default:
			err = d.Pass(key, "TraceID", "SpanID", "TraceState", "TraceFlags", "Remote")
		}
		return err
	})
	return id, text, of, state, err
}

// kind reads a kind, a number of the SDK.
func (d *decoder) kind() error {
	kind, err := d.Uint(8)
	if err != nil {
		return err
	}
	if kind > uint64(span.Consumer) {
		return d.Errorf("%d is not a kind of span: those are the numbers 0 to %d", kind, span.Consumer)
	}
	d.X.Kind = span.Kind(kind)
	return nil
}

// time reads a time and returns it in nanoseconds since 1970; one before is 0.
func (d *decoder) time() (uint64, error) {
	text, err := d.Bytes()
	if err != nil {
		return 0, err
	}
	t, err := time.Parse(time.RFC3339Nano, string(text))
	switch {
	case err != nil:
		return 0, d.Errorf("%s is not a time of RFC 3339", trace.Quote(string(text)))
	case t.UTC().Year() > 2261:
		return 0, d.Errorf("%s is beyond the last time", trace.Quote(string(text)))
	case t.Unix() < 0:
		return 0, nil
	}
	return uint64(t.UnixNano()), nil
}

// event reads a span event.
func (d *decoder) event() error {
	e := d.X.AddEvent()
	return d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "Name":
			e.Name, err = d.String()
		case "Time":
			e.Time, err = d.time()
		case "Attributes":
			e.Attributes, err = d.Attributes(e.Attributes, d.attribute)
		case "DroppedAttributeCount":
			_, err = d.Uint(32)
		default:
			err = d.Pass(key, "Name", "Time", "Attributes", "DroppedAttributeCount")
		}
		return err
	})
}

// link reads a link. Its attributes say nothing here.
func (d *decoder) link() error {
	var l span.Link
	err := d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "SpanContext":
			l.Trace, _, l.ID, _, err = d.context()
		case "Attributes", "DroppedAttributeCount":
			err = d.Skip()
		default:
			err = d.Pass(key, "SpanContext", "Attributes", "DroppedAttributeCount")
		}
		return err
	})
	d.X.Links = append(d.X.Links, l)
	return err
}

// codes are the names of status codes, by number.
var codes = []string{"Unset", "Ok", "Error"}

// status reads the status of a span, by name.
func (d *decoder) status() error {
	return d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "Code":
			var code string
			code, err = d.String()
			i := slices.Index(codes, code)
			if err == nil && i < 0 {
				err = d.Errorf("%s is not a status code%s", trace.Quote(code), nearmiss.HintOrList(code, codes))
			}
			d.X.Status = span.Status(max(i, 0))
		case "Description":
			d.X.Message, err = d.String()
		default:
			err = d.Pass(key, "Code", "Description")
		}
		return err
	})
}

// readResource reads a resource, which is an array of attributes: the service is one of them.
func (d *decoder) readResource() error {
	attrs, err := d.Attributes(nil, d.attribute)
	for _, a := range attrs {
		if a.Key == "service.name" && a.Value.Kind == graphs.String {
			d.resource.Service = a.Value.Text()
		} else {
			d.resource.Attributes = append(d.resource.Attributes, a)
		}
	}
	return err
}

// readScope reads a scope. All it has becomes attributes of its spans; a second scope, that of
// the older key, replaces the first.
func (d *decoder) readScope() error {
	d.scope.Attributes = nil
	add := func(name string, v graphs.Value) {
		d.scope.Attributes = append(d.scope.Attributes, span.Attribute{Key: "otel.scope." + name, Value: v})
	}
	return d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "Name", "Version":
			name := strings.ToLower(string(key))
			text, err := d.String()
			if text != "" {
				add(name, graphs.Str(text))
			}
			return err
		case "Attributes":
			attrs, err := d.Attributes(nil, d.attribute)
			for _, a := range attrs {
				add(a.Key, a.Value)
			}
			return err
		case "SchemaURL":
			_, err = d.Bytes()
		default:
			err = d.Pass(key, "Name", "Version", "SchemaURL", "Attributes")
		}
		return err
	})
}

// attribute reads an attribute.
func (d *decoder) attribute() (span.Attribute, error) {
	a := span.Attribute{Value: graphs.Str("")}
	place := d.Next()
	err := d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "Key":
			a.Key, err = d.String()
		case "Value":
			a.Value, err = d.value()
		default:
			err = d.Pass(key, "Key", "Value")
		}
		return err
	})
	if err == nil && a.Key == "" {
		err = place.Errorf("an attribute without a key")
	}
	return a, err
}

// value reads a value and its type, in either order.
func (d *decoder) value() (graphs.Value, error) {
	place := d.Next()
	kind, text := "", ""
	err := d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "Type":
			kind, err = d.String()
		case "Value":
			text, err = d.JSON()
		default:
			err = d.Pass(key, "Type", "Value")
		}
		return err
	})
	if err != nil {
		return graphs.Value{}, err
	}
	v, ok := convert(kind, text)
	if !ok {
		err = place.Errorf("%s is not a value of type %s", trace.Quote(text), trace.Quote(kind))
	}
	return v, err
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
