package zipkin

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/nearmiss"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// Detect reports whether text that begins with head looks like spans of Zipkin, of
// version 1, too.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte(`"traceId"`)) {
		return false
	}
	paths := jsonstream.Paths(head, 3)
	for _, at := range []string{"[].", "", "[][]."} {
		if !paths[at+"traceId"] || !paths[at+"id"] {
			continue
		}
		if at != "" {
			return true
		}
		if paths["process"] { // an event of the native format, with a wrong key
			return false
		}
		for _, key := range []string{"name", "kind", "timestamp", "duration", "localEndpoint", "annotations", "binaryAnnotations", "tags"} {
			if paths[at+key] {
				return true
			}
		}
	}
	return false
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or that of
// ctx. With AllowTruncated, the span that the end of a file cuts off is dropped.
func Read(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	set := span.NewSet(opts)
	d := &decoder{add: set.Add, origin: set.Origin}
	err := jsonstream.Each(ctx, source, func(r *jsonstream.Reader) error {
		d.r = r
		err := d.documents()
		if opts.AllowTruncated && jsonstream.CutOff(err) {
			opts.CutOff(err)
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if set.Len() == 0 {
		return nil, span.NoSpans(source, "")
	}
	return set.Executions(ctx)
}

// decoder reads documents into spans.
type decoder struct {
	r      *jsonstream.Reader
	add    func(x *span.Span) error
	origin func(o *span.Origin) *span.Origin

	x             span.Span
	local, remote endpoint
	duration      uint64 // nanoseconds
}

type endpoint struct {
	service, ipv4, ipv6 string
	port                uint64
}

func (d *decoder) documents() error {
	for d.r.More() {
		if err := d.spans(2); err != nil {
			return err
		}
	}
	return nil
}

// spans reads a span, or an array of them, nested so deep at most.
func (d *decoder) spans(depth int) error {
	if depth > 0 && d.r.Kind() == '[' {
		return d.r.Array(func() error { return d.spans(depth - 1) })
	}
	return d.span()
}

func (d *decoder) span() error {
	x := &d.x
	x.Reset()
	x.Place = d.r.Next()
	d.local, d.remote, d.duration = endpoint{}, endpoint{}, 0
	if err := d.r.Object(d.spanMember); err != nil {
		return err
	}
	switch {
	case x.Trace == span.TraceID{}:
		return x.Place.Errorf("a span whose traceId is missing or zero")
	case x.ID == 0:
		return x.Place.Errorf("a span whose id is missing or zero")
	case d.duration > math.MaxUint64-x.Start:
		return x.Place.Errorf("a span whose duration is too long")
	}
	if x.Start > 0 && d.duration > 0 {
		x.End = x.Start + d.duration
	}
	d.place()
	for _, a := range x.Attributes {
		if a.Key == "error" {
			x.Status = span.Error
		}
	}
	return d.add(x)
}

// place makes resource and attributes of the endpoints.
func (d *decoder) place() {
	o := &span.Origin{Service: d.local.service}
	o.Attributes = appendText(o.Attributes, "net.host.ip", d.local.ipv4)
	o.Attributes = appendText(o.Attributes, "net.host.ip6", d.local.ipv6)
	d.x.Resource = d.origin(o)
	attrs := appendPort(d.x.Attributes, "net.host.port", d.local.port)
	attrs = appendText(attrs, "peer.service", d.remote.service)
	attrs = appendText(attrs, "net.peer.ip", d.remote.ipv4)
	attrs = appendText(attrs, "net.peer.ip6", d.remote.ipv6)
	d.x.Attributes = appendPort(attrs, "net.peer.port", d.remote.port)
}

func appendText(attrs []span.Attribute, key, text string) []span.Attribute {
	if text == "" {
		return attrs
	}
	return append(attrs, span.Attribute{Key: key, Value: graphs.Str(text)})
}

func appendPort(attrs []span.Attribute, key string, port uint64) []span.Attribute {
	if port == 0 {
		return attrs
	}
	return append(attrs, span.Attribute{Key: key, Value: graphs.Int(int64(port))})
}

func (d *decoder) spanMember(key []byte) (err error) {
	x := &d.x
	switch string(key) {
	case "traceId":
		x.Trace, x.TraceText, err = span.ReadTraceID(d.r)
	case "id":
		x.ID, err = span.ReadID(d.r)
	case "parentId":
		x.Parent, err = span.ReadID(d.r)
	case "kind":
		x.Kind, err = d.kind()
	case "name":
		x.Name, err = d.r.String()
	case "timestamp":
		x.Start, err = span.ReadMicroseconds(d.r)
	case "duration":
		d.duration, err = span.ReadMicroseconds(d.r)
	case "localEndpoint":
		err = d.endpoint(&d.local)
	case "remoteEndpoint":
		err = d.endpoint(&d.remote)
	case "annotations":
		err = d.r.Array(d.annotation)
	case "tags":
		err = d.r.Object(func(key []byte) error {
			name := string(key)
			if name == "" {
				return d.r.Errorf("a tag without a key")
			}
			text, err := d.r.String()
			x.Attributes = append(x.Attributes, span.Attribute{Key: name, Value: graphs.Str(text)})
			return err
		})
	case "shared", "debug":
		_, err = d.r.Bool()
	case "binaryAnnotations":
		err = d.version1(key)
	default:
		err = d.r.Unknown(key, "traceId", "id", "parentId", "kind", "name", "timestamp", "duration", "localEndpoint",
			"remoteEndpoint", "annotations", "tags", "shared", "debug")
	}
	return err
}

func (d *decoder) version1(key []byte) error {
	return d.r.Errorf("%s is of version 1 of the format; only version 2 is read", key)
}

// The kinds that Zipkin knows.
var (
	kinds     = []span.Kind{span.Client, span.Server, span.Producer, span.Consumer}
	kindNames = []string{"CLIENT", "SERVER", "PRODUCER", "CONSUMER"}
)

func (d *decoder) kind() (span.Kind, error) {
	text, err := d.r.Bytes()
	if err != nil {
		return 0, err
	}
	if i := slices.Index(kindNames, string(text)); i >= 0 {
		return kinds[i], nil
	}
	return 0, d.r.Errorf("%s is not a kind of span%s", trace.Quote(string(text)), nearmiss.Hint(string(text), kindNames))
}

func (d *decoder) endpoint(e *endpoint) error {
	return d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "serviceName":
			e.service, err = d.r.String()
		case "ipv4":
			e.ipv4, err = d.r.String()
		case "ipv6":
			e.ipv6, err = d.r.String()
		case "port":
			e.port, err = d.r.Uint(16)
		default:
			err = d.r.Unknown(key, "serviceName", "ipv4", "ipv6", "port")
		}
		return err
	})
}

func (d *decoder) annotation() error {
	e := d.x.AddEvent()
	return d.r.Object(func(key []byte) (err error) {
		switch string(key) {
		case "timestamp":
			e.Time, err = span.ReadMicroseconds(d.r)
		case "value":
			e.Name, err = d.r.String()
		case "endpoint":
			err = d.version1(key)
		default:
			err = d.r.Unknown(key, "timestamp", "value")
		}
		return err
	})
}
