package zipkin

import (
	"bytes"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/internal/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
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

// Read reads all traces of a source and closes it. Errors are *trace.Error, or the error of
// ctx. With AllowTruncated, the span that the end of a file cuts off is dropped.
func Read(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, source, opts, newDecoder)
}

// decoder reads documents into spans.
type decoder struct {
	span.Decoder
	local, remote endpoint
	duration      uint64 // nanoseconds
}

// newDecoder returns a decoder that hands its spans to a sink.
func newDecoder(to span.Sink) span.Format { return &decoder{Decoder: span.Decoder{Sink: to}} }

type endpoint struct {
	service, ipv4, ipv6 string
	port                uint64
}

// Read implements span.Format: a document is a span, or an array of them, or an array of
// arrays.
func (d *decoder) Read(r *jsonstream.Reader) error {
	d.Reader = r
	for d.More() {
		if err := d.Elements(2, d.span); err != nil {
			return err
		}
	}
	return nil
}

// span reads a span and adds it.
func (d *decoder) span() error {
	d.local, d.remote = endpoint{}, endpoint{}
	d.duration = 0
	if err := d.Span(d.spanMember, "traceId", "id"); err != nil {
		return err
	}
	x := &d.X
	if err := d.EndAfter(d.duration); err != nil {
		return err
	}
	if x.Start == 0 || d.duration == 0 {
		x.End = 0
	}
	d.place()
	for _, a := range x.Attributes {
		if a.Key == "error" {
			x.Status = span.Error
		}
	}
	return d.Add(x)
}

// place makes resource and attributes of the endpoints.
func (d *decoder) place() {
	o := &span.Origin{Service: d.local.service}
	o.Attributes = appendText(o.Attributes, "net.host.ip", d.local.ipv4)
	o.Attributes = appendText(o.Attributes, "net.host.ip6", d.local.ipv6)
	d.X.Resource = d.Origin(o)
	attrs := appendPort(d.X.Attributes, "net.host.port", d.local.port)
	attrs = appendText(attrs, "peer.service", d.remote.service)
	attrs = appendText(attrs, "net.peer.ip", d.remote.ipv4)
	attrs = appendText(attrs, "net.peer.ip6", d.remote.ipv6)
	d.X.Attributes = appendPort(attrs, "net.peer.port", d.remote.port)
}

// appendText and appendPort append an attribute of an endpoint that has it.
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

// spanMember reads a member of a span.
func (d *decoder) spanMember(key []byte) (err error) {
	x := &d.X
	switch string(key) {
	case "traceId":
		x.Trace, x.TraceText, err = d.TraceID()
	case "id":
		x.ID, err = d.ID()
	case "parentId":
		x.Parent, err = d.ID()
	case "kind":
		x.Kind, err = d.kind()
	case "name":
		x.Name, err = d.String()
	case "timestamp":
		x.Start, err = d.Microseconds()
	case "duration":
		d.duration, err = d.Microseconds()
	case "localEndpoint":
		err = d.endpoint(&d.local)
	case "remoteEndpoint":
		err = d.endpoint(&d.remote)
	case "annotations":
		err = d.Array(d.annotation)
	case "tags":
		err = d.Object(func(key []byte) error {
			name := string(key)
			if name == "" {
				return d.Errorf("a tag without a key")
			}
			text, err := d.String()
			x.Attributes = append(x.Attributes, span.Attribute{Key: name, Value: graphs.Str(text)})
			return err
		})
	case "shared", "debug":
		_, err = d.Bool()
	case "binaryAnnotations":
		err = d.version1(key)
	default:
		err = d.Pass(key, "traceId", "id", "parentId", "kind", "name", "timestamp", "duration", "localEndpoint",
			"remoteEndpoint", "annotations", "tags", "shared", "debug")
	}
	return err
}

// version1 returns the error of a member of version 1.
func (d *decoder) version1(key []byte) error {
	return d.Errorf("%s is of version 1 of the format; only version 2 is read", key)
}

// The kinds that Zipkin knows.
var (
	kinds     = []span.Kind{span.Client, span.Server, span.Producer, span.Consumer}
	kindNames = []string{"CLIENT", "SERVER", "PRODUCER", "CONSUMER"}
)

// kind reads a kind by its name.
func (d *decoder) kind() (span.Kind, error) {
	text, err := d.Bytes()
	if err != nil {
		return 0, err
	}
	if i := slices.Index(kindNames, string(text)); i >= 0 {
		return kinds[i], nil
	}
	return 0, d.Errorf("%s is not a kind of span%s", trace.Quote(string(text)), nearmiss.Hint(string(text), kindNames))
}

// endpoint reads an endpoint.
func (d *decoder) endpoint(e *endpoint) error {
	return d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "serviceName":
			e.service, err = d.String()
		case "ipv4":
			e.ipv4, err = d.String()
		case "ipv6":
			e.ipv6, err = d.String()
		case "port":
			e.port, err = d.Uint(16)
		default:
			err = d.Pass(key, "serviceName", "ipv4", "ipv6", "port")
		}
		return err
	})
}

// annotation reads an annotation as a span event.
func (d *decoder) annotation() error {
	e := d.X.AddEvent()
	return d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "timestamp":
			e.Time, err = d.Microseconds()
		case "value":
			e.Name, err = d.String()
		case "endpoint":
			err = d.version1(key)
		default:
			err = d.Pass(key, "timestamp", "value")
		}
		return err
	})
}
