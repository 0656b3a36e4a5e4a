package jaeger

import (
	"bytes"
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// Detect reports whether text that begins with head looks like Jaeger traces.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte("ID\"")) && !bytes.Contains(head, []byte("errors")) {
		return false
	}
	paths := jsonstream.Paths(head, 5)
	for _, at := range []string{"data[].", "", "[]."} {
		parts := paths[at+"spans"] || paths[at+"processes"]
		if paths[at+"spans[].spanID"] || paths[at+"traceID"] && parts {
			return true
		}
	}
	return paths["data"] && paths["errors"] && paths["total"]
}

// Read reads all traces of a source and closes it. Its errors are *trace.Error, or the error of
// ctx. With AllowTruncated, it drops a document that the end of a file cuts off.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, newDecoder)
}

// A decoder reads documents into spans.
type decoder struct {
	span.Decoder
	processes map[string]*process
	waiting   []string // processes that were named but not yet declared, in order

	// These parts of a span are not in span.Span.
	key      string // the key of its process
	duration uint64 // nanoseconds
	refs     []reference
}

func newDecoder(to span.Sink) span.Format { return &decoder{Decoder: span.Decoder{Sink: to}} }

// A process is a process of a trace: a resource.
type process struct {
	span.Origin
	declared bool
	named    jsonstream.Place // the first span that names it
}

// Read implements span.Format: a document is an answer, a trace, or an array of traces. An answer
// and a trace differ in their keys.
func (d *decoder) Read(r *jsonstream.Reader) error {
	d.Reader = r // the functions in the table use it
	trace := func() { d.trace(nil) }
	answer := span.Members{
		{"data", d.ArrayOf(trace)},
		{"total", d.Skip},
		{"limit", d.Skip},
		{"offset", d.Skip},
		{"errors", d.ArrayOf(d.failure)},
	}
	return d.Each(r, d.spanMembers, func() {
		if d.Kind() == '[' {
			d.Array(trace)
		} else {
			d.trace(answer)
		}
	})
}

// failure reports the error of a query.
func (d *decoder) failure() {
	place, msg := d.Next(), ""
	d.Object(func(key []byte) {
		if string(key) == "msg" {
			msg = d.String()
		} else {
			d.Skip()
		}
	})
	d.Stop(place.Errorf("the query service answered with an error: %s", trace.Quote(msg)))
}

// trace reads a trace, or an object that has the members in others instead. Process keys are local
// to a trace, so all that are named must be declared there.
func (d *decoder) trace(others span.Members) {
	d.processes = make(map[string]*process)
	d.waiting = d.waiting[:0]
	d.Members(append(others[:len(others):len(others)], span.Members{
		{"traceID", func() { d.TraceID() }},
		{"spans", d.ArrayOf(d.span)},
		{"processes", func() {
			d.Object(func(id []byte) {
				p := d.process(string(id))
				d.readProcess(&p.Origin)
				p.declared = d.Err() == nil
			})
		}},
		{"warnings", d.Skip},
	}...))
	for _, id := range d.waiting {
		if p := d.processes[id]; !p.declared {
			d.Stop(p.named.Errorf("the process %s of the span is not declared", trace.Quote(id)))
		}
	}
}

// process returns the process of the trace with that id.
func (d *decoder) process(id string) *process {
	p, ok := d.processes[id]
	if !ok {
		p = new(process)
		d.processes[id] = p
	}
	return p
}

// readProcess reads a process: a service and its tags.
func (d *decoder) readProcess(o *span.Origin) {
	d.Members(span.Members{
		{"serviceName", span.Into(&o.Service, d.String)},
		{"tags", d.Attributes(&o.Attributes, d.tag)},
	})
	if o.Service == "OTLPResourceNoServiceName" {
		o.Service = ""
	}
}

// span reads a span and adds it. The process that its key names may be declared before or after it.
func (d *decoder) span() {
	x := &d.X
	d.key, d.duration = "", 0
	d.refs = d.refs[:0]
	if !d.Span("traceID", "spanID") {
		return
	}
	if d.key == "" && x.Resource == nil {
		d.Stop(x.Place.Errorf("a span without processID"))
	}
	if d.EndAfter(d.duration); d.Err() != nil {
		return
	}
	if x.Start == 0 {
		x.End = 0
	}
	if x.Resource == nil {
		p := d.process(d.key)
		if !p.declared && p.named.Line == 0 {
			p.named = x.Place
			d.waiting = append(d.waiting, d.key)
		}
		x.Resource = &p.Origin
	}
	// The first CHILD_OF within the trace is the parent.
	found := false
	for _, ref := range d.refs {
		if ref.Trace == (span.TraceID{}) {
			ref.Trace = x.Trace
		}
		if ref.child && !found && ref.Trace == x.Trace {
			x.Parent, found = ref.ID, true
			continue
		}
		x.Links = append(x.Links, ref.Link)
	}
	translate(x)
	d.Stop(d.Add(x))
}

type reference struct {
	span.Link
	child bool
}

// spanMembers returns the members of a span: all spans are read into d.X.
func (d *decoder) spanMembers() span.Members {
	x := &d.X
	return span.Members{
		{"traceID", d.TraceOfSpan},
		{"spanID", span.Into(&x.ID, d.ID)},
		{"parentSpanID", span.Into(&x.Parent, d.ID)},
		{"operationName", span.Into(&x.Name, d.String)},
		{"references", d.ArrayOf(d.reference)},
		{"startTime", span.Into(&x.Start, d.Microseconds)},
		{"duration", span.Into(&d.duration, d.Microseconds)},
		{"tags", d.Attributes(&x.Attributes, d.tag)},
		{"logs", d.ArrayOf(d.log)},
		{"processID", span.Into(&d.key, d.String)},
		{"process", func() {
			o := new(span.Origin)
			d.readProcess(o)
			x.Resource = d.Origin(o)
		}},
		{"flags", d.Count},
		{"warnings", d.Skip},
	}
}

// reference reads a reference: the parent, or a link.
func (d *decoder) reference() {
	var ref reference
	place := d.Next()
	kind := ""
	d.Members(span.Members{
		{"refType", func() {
			if kind = d.String(); kind != "CHILD_OF" && kind != "FOLLOWS_FROM" {
				const msg = "%s is not a type of reference (known are CHILD_OF, FOLLOWS_FROM)"
				d.Fail(msg, trace.Quote(kind))
			}
		}},
		{"traceID", func() { ref.Trace, _ = d.TraceID() }},
		{"spanID", span.Into(&ref.ID, d.ID)},
	})
	if kind == "" {
		d.Stop(place.Errorf("a reference without refType"))
	}
	ref.child = kind == "CHILD_OF"
	d.refs = append(d.refs, ref)
}

// log reads a log as a span event, named by the field event.
func (d *decoder) log() {
	e := d.X.AddEvent()
	d.Members(span.Members{
		{"timestamp", span.Into(&e.Time, d.Microseconds)},
		{"fields", d.Attributes(&e.Attributes, d.tag)},
	})
	name := slices.IndexFunc(e.Attributes, func(a span.Attribute) bool {
		return a.Key == "event" && a.Value.Kind == graphs.String
	})
	if name >= 0 {
		e.Name = e.Attributes[name].Value.Text()
		e.Attributes = slices.Delete(e.Attributes, name, name+1)
	}
}

// The kinds and statuses in the tags span.kind and otel.status_code.
var (
	kinds = map[string]span.Kind{
		"internal": span.Internal, "server": span.Server, "client": span.Client,
		"producer": span.Producer, "consumer": span.Consumer,
	}
	statuses = map[string]span.Status{"unset": span.Unset, "ok": span.OK, "error": span.Error}
)

// translate moves tags with a special meaning from the attributes to the fields of the span.
func translate(x *span.Span) {
	kept := x.Attributes[:0]
	for _, a := range x.Attributes {
		text := a.Value.Text() // "" if the value is not a string
		switch a.Key {
		case "span.kind":
			if kind, ok := kinds[text]; ok {
				x.Kind = kind
				continue
			}
		case "otel.status_code":
			if status, ok := statuses[strings.ToLower(text)]; ok {
				x.Status = status
				continue
			}
		case "otel.status_description":
			if a.Value.Kind == graphs.String {
				x.Message = text
				continue
			}
		case "otel.library.name":
			a.Key = "otel.scope.name"
		case "otel.library.version":
			a.Key = "otel.scope.version"
		}
		kept = append(kept, a)
	}
	x.Attributes = kept
}

// tag reads a tag. The type may come after the value.
func (d *decoder) tag() span.Attribute {
	a := span.Attribute{Value: graphs.Str("")}
	place := d.Next()
	kind, given := "", ""
	quoted, some := true, false
	d.Object(func(key []byte) {
		switch string(key) {
		case "key":
			a.Key = d.String()
		case "type":
			kind = d.String()
		case "value":
			given, quoted = d.value()
			some = true
		default:
			d.Pass(key, "key", "type", "value")
		}
	})
	if a.Key == "" {
		d.Stop(place.Errorf("a tag without a key"))
	}
	if !some || d.Err() != nil {
		return a
	}
	v, ok := convert(kind, given, quoted)
	if !ok {
		tag := trace.Quote(a.Key)
		if slices.Contains(types, kind) {
			d.Stop(place.Errorf("%s of tag %s is not of type %s", trace.Quote(given), tag, kind))
		}
		hint := nearmiss.Hint(kind, types)
		d.Stop(place.Errorf("unknown type %s of tag %s%s", trace.Quote(kind), tag, hint))
	}
	a.Value = v
	return a
}

var types = []string{"string", "bool", "int64", "float64", "binary"}

// value reads a string, a number or a boolean, and returns its text.
func (d *decoder) value() (text string, quoted bool) {
	switch d.Kind() {
	case 't', 'f':
		return strconv.FormatBool(d.Bool()), false
	case '"':
		return d.String(), true
	}
	b, quoted := d.Number()
	return string(b), quoted
}

// convert converts a text to a value of the given type. Without a type, the JSON type of the value
// counts.
func convert(kind, text string, quoted bool) (graphs.Value, bool) {
	truth := text == "true" || text == "false"
	switch {
	case kind == "string", kind == "" && quoted:
		return graphs.Str(text), true
	case kind == "bool", kind == "" && truth:
		return graphs.Boolean(text == "true"), truth
	case kind == "int64":
		i, err := strconv.ParseInt(text, 10, 64)
		return graphs.Int(i), err == nil
	case kind == "float64", kind == "":
		if quoted && (text == "NaN" || text == "Infinity" || text == "-Infinity") {
			return graphs.Str(text), true
		}
		// An integer may also be written as Go does.
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return graphs.Int(i), true
		}
		return trace.ParseNumber(text)
	case kind == "binary":
		raw, err := base64.StdEncoding.DecodeString(text)
		return graphs.Str(base64.StdEncoding.EncodeToString(raw)), quoted && err == nil
	}
	return graphs.Value{}, false
}
