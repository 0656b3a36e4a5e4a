package otlp

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// signals are the keys of documents, and what they hold.
var signals = map[string]string{
	"resourceSpans": "spans", "resourceMetrics": "metrics", "resourceLogs": "logs", "resourceProfiles": "profiles",
}

// Detect reports whether text that begins with head is OTLP in JSON, of whatever
// signal.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte("esource")) {
		return false
	}
	paths := jsonstream.Paths(head, 2)
	for _, at := range []string{"", "[].", "result."} {
		for key := range signals {
			if paths[at+key] || paths[at+snake(key)] {
				return true
			}
		}
	}
	return false
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or that of
// ctx. With AllowTruncated, what the end of a file cuts off is dropped: a span, and
// all spans of a resource or scope that did not appear.
func Read(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	set := span.NewSet(opts)
	d := &decoder{add: set.Add, origin: set.Origin, other: make(map[string]bool)}
	err := jsonstream.Each(ctx, source, func(r *jsonstream.Reader) error {
		d.r = r
		d.pending = -1
		d.count = set.Len
		err := d.documents()
		if opts.AllowTruncated && jsonstream.CutOff(err) {
			opts.CutOff(err)
			if d.pending >= 0 {
				set.Truncate(d.pending)
			}
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if set.Len() == 0 {
		return nil, span.NoSpans(source, d.found())
	}
	return set.Executions(ctx)
}

// found says what there is instead of spans.
func (d *decoder) found() string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(d.other)) {
		names = append(names, fmt.Sprintf("%s (%s)", signals[key], key))
	}
	if names == nil {
		return ""
	}
	return "there are only " + strings.Join(names, ", ")
}

// decoder reads documents into spans.
type decoder struct {
	r      *jsonstream.Reader
	add    func(x *span.Span) error
	origin func(o *span.Origin) *span.Origin
	count  func() int // of spans added
	other  map[string]bool

	// pending is how many spans were added before those whose resource or scope has
	// not appeared, -1 where there are none.
	pending         int
	resource, scope *span.Origin
	x               span.Span
}

func (d *decoder) documents() error {
	one := func() error { return d.r.Object(d.answer) }
	for d.r.More() {
		var err error
		if d.r.Kind() == '[' {
			err = d.r.Array(one)
		} else {
			err = one()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answer reads a member of a document, which may be in the result of a query.
func (d *decoder) answer(key []byte) error {
	if string(key) == "result" {
		return d.r.Object(d.document)
	}
	return d.document(key)
}

func (d *decoder) document(key []byte) error {
	switch string(key) {
	case "resourceSpans":
		return d.r.Array(d.resourceSpans)
	case "resourceMetrics", "resourceLogs", "resourceProfiles":
		d.other[string(key)] = true
		return d.r.Skip()
	}
	return d.unknown(key, "resourceSpans")
}

// unknown skips the value of a key that is none of the known ones. It refuses those in
// snake_case.
func (d *decoder) unknown(key []byte, known ...string) error {
	for _, k := range known {
		if string(key) == snake(k) && snake(k) != k {
			return d.r.Errorf("%s is not OTLP in JSON, which has %s", trace.Quote(string(key)), trace.Quote(k))
		}
	}
	return d.r.Skip()
}

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

// group reads an object of an origin and what has it. It keeps pending right: spans
// read before the origin wait for it.
func (d *decoder) group(place **span.Origin, prefix string, origin func(o *span.Origin) error, member func(key []byte) (bool, error)) error {
	before, pending := d.count(), d.pending
	o := &span.Origin{}
	*place = o
	if pending < 0 {
		d.pending = before
	}
	err := d.r.Object(func(key []byte) error {
		if string(key) == prefix || prefix == "scope" && string(key) == "instrumentationLibrary" {
			if err := origin(o); err != nil {
				return err
			}
			*place = d.origin(o)
			if d.pending == before && pending < 0 {
				d.pending = -1
			}
			return nil
		}
		known, err := member(key)
		if known || err != nil {
			return err
		}
		return d.unknown(key, "scopeSpans", "schemaUrl", "instrumentationLibrary", "instrumentationLibrarySpans")
	})
	if err == nil {
		d.pending = pending
	}
	return err
}

func (d *decoder) resourceSpans() error {
	return d.group(&d.resource, "resource", d.readResource, func(key []byte) (bool, error) {
		switch string(key) {
		case "scopeSpans", "instrumentationLibrarySpans":
			return true, d.r.Array(d.scopeSpans)
		case "schemaUrl":
			_, err := d.r.Bytes()
			return true, err
		}
		return false, nil
	})
}

func (d *decoder) scopeSpans() error {
	return d.group(&d.scope, "scope", d.readScope, func(key []byte) (bool, error) {
		switch string(key) {
		case "spans", "instrumentationLibrarySpans":
			return true, d.r.Array(d.span)
		case "schemaUrl":
			_, err := d.r.Bytes()
			return true, err
		}
		return false, nil
	})
}

func (d *decoder) readResource(o *span.Origin) error {
	return d.r.Object(func(key []byte) error {
		switch string(key) {
		case "attributes":
			attrs, err := d.attributes(nil)
			for _, a := range attrs {
				if a.Key == "service.name" && a.Value.Kind == graphs.String {
					o.Service = a.Value.Text()
				}
			}
			o.Attributes = slices.DeleteFunc(attrs, func(a span.Attribute) bool {
				return a.Key == "service.name" && a.Value.Kind == graphs.String
			})
			return err
		case "droppedAttributesCount":
			_, err := d.r.Uint(32)
			return err
		}
		return d.unknown(key, "droppedAttributesCount", "entityRefs")
	})
}

func (d *decoder) readScope(o *span.Origin) error {
	return d.r.Object(func(key []byte) error {
		switch string(key) {
		case "name", "version":
			name := "otel.scope." + string(key)
			text, err := d.r.String()
			if text != "" {
				o.Attributes = append(o.Attributes, span.Attribute{Key: name, Value: graphs.Str(text)})
			}
			return err
		case "attributes":
			attrs, err := d.attributes(nil)
			for _, a := range attrs {
				o.Attributes = append(o.Attributes, span.Attribute{Key: "otel.scope." + a.Key, Value: a.Value})
			}
			return err
		case "droppedAttributesCount":
			_, err := d.r.Uint(32)
			return err
		}
		return d.unknown(key, "droppedAttributesCount")
	})
}

func (d *decoder) span() error {
	x := &d.x
	x.Reset()
	x.Place = d.r.Next()
	x.Resource, x.Scope = d.resource, d.scope
	if err := d.r.Object(d.spanMember); err != nil {
		return err
	}
	switch {
	case x.Trace == span.TraceID{}:
		return x.Place.Errorf("a span whose traceId is missing or zero")
	case x.ID == 0:
		return x.Place.Errorf("a span whose spanId is missing or zero")
	}
	return d.add(x)
}

func (d *decoder) spanMember(key []byte) (err error) {
	x := &d.x
	switch string(key) {
	case "traceId":
		x.Trace, x.TraceText, err = d.traceID()
	case "spanId":
		x.ID, err = d.spanID()
	case "parentSpanId":
		x.Parent, err = d.spanID()
	case "name":
		x.Name, err = d.r.String()
	case "kind":
		var kind int
		kind, err = d.enum("a kind of span", kinds)
		x.Kind = span.Kind(kind)
	case "startTimeUnixNano":
		x.Start, err = d.r.Uint(64)
	case "endTimeUnixNano":
		x.End, err = d.r.Uint(64)
	case "attributes":
		x.Attributes, err = d.attributes(x.Attributes)
	case "events":
		err = d.r.Array(d.event)
	case "links":
		err = d.r.Array(d.link)
	case "status":
		err = d.status()
	case "traceState":
		var text string
		text, err = d.r.String()
		if text != "" {
			x.Attributes = append(x.Attributes, span.Attribute{Key: "w3c.tracestate", Value: graphs.Str(text)})
		}
	case "flags", "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount":
		_, err = d.r.Uint(32)
	default:
		err = d.unknown(key, "traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano", "traceState",
			"droppedAttributesCount", "droppedEventsCount", "droppedLinksCount")
	}
	return err
}

// traceID reads a trace id and returns it as it is written, too; "" is none.
func (d *decoder) traceID() (span.TraceID, string, error) {
	text, err := d.r.Bytes()
	if err != nil || len(text) == 0 {
		return span.TraceID{}, "", err
	}
	id, ok := span.ParseID(text)
	if !ok || len(text) != 32 {
		return id, "", d.notID(text, "trace", 16)
	}
	return id, string(text), nil
}

// spanID reads a span id; "" is none.
func (d *decoder) spanID() (span.ID, error) {
	text, err := d.r.Bytes()
	if err != nil || len(text) == 0 {
		return 0, err
	}
	id, ok := span.ParseID(text)
	if !ok || len(text) != 16 {
		return 0, d.notID(text, "span", 8)
	}
	return span.ID(id.Low), nil
}

// notID returns the error of an id, which has so many bytes.
func (d *decoder) notID(text []byte, what string, size int) error {
	quoted, hint := trace.Quote(string(text)), ""
	if raw, err := base64.StdEncoding.DecodeString(string(text)); err == nil && len(raw) == size {
		hint = " but in base64, which OTLP in JSON does not have there"
	}
	return d.r.Errorf("%s is not a %s id of %d hexadecimal digits%s", quoted, what, 2*size, hint)
}

func (d *decoder) event() error {
	e := d.x.AddEvent()
	return d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "timeUnixNano":
			e.Time, err = d.r.Uint(64)
		case "name":
			e.Name, err = d.r.String()
		case "attributes":
			e.Attributes, err = d.attributes(e.Attributes)
		case "droppedAttributesCount":
			_, err = d.r.Uint(32)
		default:
			err = d.unknown(key, "timeUnixNano", "droppedAttributesCount")
		}
		return err
	})
}

func (d *decoder) link() error {
	d.x.Links = append(d.x.Links, span.Link{})
	l := &d.x.Links[len(d.x.Links)-1]
	return d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "traceId":
			l.Trace, _, err = d.traceID()
		case "spanId":
			l.ID, err = d.spanID()
		case "traceState":
			_, err = d.r.Bytes()
		case "attributes":
			_, err = d.attributes(nil)
		case "flags", "droppedAttributesCount":
			_, err = d.r.Uint(32)
		default:
			err = d.unknown(key, "traceId", "spanId", "traceState", "droppedAttributesCount")
		}
		return err
	})
}

func (d *decoder) status() error {
	return d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "code":
			var code int
			code, err = d.enum("a status code", codes)
			d.x.Status = span.Status(code)
		case "message":
			d.x.Message, err = d.r.String()
		default:
			err = d.r.Skip()
		}
		return err
	})
}

// The names of kinds and status codes, by number.
var (
	kinds = []string{"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"}
	codes = []string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
)
