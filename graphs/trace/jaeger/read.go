package jaeger

import (
	"bytes"
	"context"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// Detect reports whether text that begins with head looks like traces of Jaeger.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte("ID\"")) && !bytes.Contains(head, []byte("errors")) {
		return false
	}
	paths := jsonstream.Paths(head, 5)
	for _, at := range []string{"data[].", "", "[]."} {
		if paths[at+"spans[].spanID"] || paths[at+"traceID"] && (paths[at+"spans"] || paths[at+"processes"]) {
			return true
		}
	}
	return paths["data"] && paths["errors"] && paths["total"]
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or the error of
// ctx. With AllowTruncated, what the end of a file cuts off is dropped: a span, and
// those whose processes did not appear.
func Read(ctx context.Context, source *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, source, opts, newDecoder)
}

// decoder reads documents into spans.
type decoder struct {
	span.Decoder
	complete int // how many spans have their processes

	processes map[string]*process
	waiting   []string // processes that have been named and not yet declared, in order
	s         spanParts
}

// newDecoder returns a decoder that hands its spans to a sink.
func newDecoder(to span.Sink) span.Format { return &decoder{Decoder: span.Decoder{Sink: to}} }

// process is a process of a trace: a resource.
type process struct {
	span.Origin
	declared bool
	named    jsonstream.Place // the first span that names it
}

// Read implements span.Format: a document is an answer, a trace, or an array of traces.
func (d *decoder) Read(r *jsonstream.Reader) error {
	d.Reader = r
	d.complete = d.Len()
	for d.More() {
		read := d.document
		if d.Kind() == '[' {
			read = func() error { return d.Array(d.trace) }
		}
		if err := read(); err != nil {
			return err
		}
		d.complete = d.Len()
	}
	return nil
}

// Complete implements span.Format: spans wait for the processes of their trace.
func (d *decoder) Complete() int {
	if d.finish() != nil {
		return d.complete
	}
	return d.Len()
}

// document reads an answer or a trace. Its keys tell one from the other.
func (d *decoder) document() error {
	d.begin()
	err := d.Object(func(key []byte) error {
		switch string(key) {
		case "data":
			return d.Array(d.trace)
		case "total", "limit", "offset":
			return d.Skip()
		case "errors":
			return d.Array(d.failure)
		}
		return d.traceMember(key, "data", "total", "limit", "offset", "errors")
	})
	if err != nil {
		return err
	}
	return d.finish()
}

// failure reads what went wrong with a query.
func (d *decoder) failure() error {
	place, msg := d.Next(), ""
	err := d.Object(func(key []byte) (err error) {
		if string(key) == "msg" {
			msg, err = d.String()
			return err
		}
		return d.Skip()
	})
	if err != nil {
		return err
	}
	return place.Errorf("the query service answered with an error: %s", trace.Quote(msg))
}

// trace reads a trace.
func (d *decoder) trace() error {
	d.begin()
	err := d.Object(func(key []byte) error { return d.traceMember(key) })
	if err == nil {
		err = d.finish()
	}
	if err == nil {
		d.complete = d.Len()
	}
	return err
}

// begin begins a trace: processes have their keys in one trace only.
func (d *decoder) begin() {
	d.processes = make(map[string]*process)
	d.waiting = d.waiting[:0]
}

// finish checks that all processes were declared.
func (d *decoder) finish() error {
	for _, id := range d.waiting {
		if p := d.processes[id]; !p.declared {
			return p.named.Errorf("the process %s of the span is not declared", trace.Quote(id))
		}
	}
	return nil
}

// traceMember reads a member of a trace; others are the keys that its caller knows besides.
func (d *decoder) traceMember(key []byte, others ...string) (err error) {
	switch string(key) {
	case "traceID":
		_, _, err = d.TraceID()
	case "spans":
		err = d.Array(d.span)
	case "processes":
		err = d.Object(func(key []byte) error {
			p := d.process(string(key))
			err := d.readProcess(&p.Origin)
			p.declared = err == nil
			return err
		})
	case "warnings":
		err = d.Skip()
	default:
		err = d.Pass(key, append(others, "traceID", "spans", "processes", "warnings")...)
	}
	return err
}

// process returns the process of the trace that has an id.
func (d *decoder) process(id string) *process {
	p, ok := d.processes[id]
	if !ok {
		p = new(process)
		d.processes[id] = p
	}
	return p
}

// readProcess reads a process: a service and its tags.
func (d *decoder) readProcess(o *span.Origin) error {
	return d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "serviceName":
			o.Service, err = d.String()
			if o.Service == "OTLPResourceNoServiceName" {
				o.Service = ""
			}
		case "tags":
			o.Attributes, err = d.Attributes(o.Attributes, d.tag)
		default:
			err = d.Pass(key, "serviceName", "tags")
		}
		return err
	})
}

// span reads a span and adds it. Its process may be given by a key, before or after it.
func (d *decoder) span() error {
	x, s := &d.X, &d.s
	*s = spanParts{refs: s.refs[:0]}
	if err := d.Span(d.spanMember, "traceID", "spanID"); err != nil {
		return err
	}
	if s.process == "" && x.Resource == nil {
		return x.Place.Errorf("a span without processID")
	}
	if err := d.EndAfter(s.duration); err != nil {
		return err
	}
	if x.Start == 0 {
		x.End = 0
	}
	if x.Resource == nil {
		p := d.process(s.process)
		if !p.declared && p.named.Line == 0 {
			p.named = x.Place
			d.waiting = append(d.waiting, s.process)
		}
		x.Resource = &p.Origin
	}
	x.Parent = s.parent
	refer(x, s.refs)
	translate(x)
	return d.Add(x)
}

// spanParts is what a span has that is not in the model.
type spanParts struct {
	parent   span.ID
	process  string
	duration uint64 // nanoseconds
	refs     []reference
}

type reference struct {
	span.Link
	child bool
}

// spanMember reads a member of a span.
func (d *decoder) spanMember(key []byte) (err error) {
	x, s := &d.X, &d.s
	switch string(key) {
	case "traceID":
		x.Trace, x.TraceText, err = d.TraceID()
	case "spanID":
		x.ID, err = d.ID()
	case "parentSpanID":
		s.parent, err = d.ID()
	case "operationName":
		x.Name, err = d.String()
	case "references":
		err = d.Array(d.reference)
	case "startTime":
		x.Start, err = d.Microseconds()
	case "duration":
		s.duration, err = d.Microseconds()
	case "tags":
		x.Attributes, err = d.Attributes(x.Attributes, d.tag)
	case "logs":
		err = d.Array(d.log)
	case "processID":
		s.process, err = d.String()
	case "process":
		x.Resource = new(span.Origin)
		err = d.readProcess(x.Resource)
		x.Resource = d.Origin(x.Resource)
	case "flags":
		_, err = d.Uint(32)
	case "warnings":
		err = d.Skip()
	default:
		err = d.Pass(key, "traceID", "spanID", "parentSpanID", "operationName", "references", "startTime", "duration",
			"tags", "logs", "processID", "process", "flags", "warnings")
	}
	return err
}

// reference reads a reference: the parent, or a link.
func (d *decoder) reference() error {
	var ref reference
	place := d.Next()
	kind := ""
	err := d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "refType":
			kind, err = d.String()
			if err == nil && kind != "CHILD_OF" && kind != "FOLLOWS_FROM" {
				err = d.Errorf("%s is not a type of reference (known are CHILD_OF, FOLLOWS_FROM)", trace.Quote(kind))
			}
		case "traceID":
			ref.Trace, _, err = d.TraceID()
		case "spanID":
			ref.ID, err = d.ID()
		default:
			err = d.Pass(key, "refType", "traceID", "spanID")
		}
		return err
	})
	if err == nil && kind == "" {
		err = place.Errorf("a reference without refType")
	}
	ref.child = kind == "CHILD_OF"
	d.s.refs = append(d.s.refs, ref)
	return err
}

// refer makes a parent and links of the references.
func refer(x *span.Span, refs []reference) {
	found := false
	for _, ref := range refs {
		if ref.Trace == (span.TraceID{}) {
			ref.Trace = x.Trace
		}
		if ref.child && !found && ref.Trace == x.Trace {
			x.Parent, found = ref.ID, true
			continue
		}
		x.Links = append(x.Links, ref.Link)
	}
}

// log reads a log as a span event, with a name in the field event.
func (d *decoder) log() error {
	e := d.X.AddEvent()
	return d.Object(func(key []byte) (err error) {
		switch string(key) {
		case "timestamp":
			e.Time, err = d.Microseconds()
		case "fields":
			if e.Attributes, err = d.Attributes(e.Attributes, d.tag); err != nil {
				return err
			}
			for i, a := range e.Attributes {
				if a.Key == "event" && a.Value.Kind == graphs.String {
					e.Name = a.Value.Text()
					e.Attributes = append(e.Attributes[:i], e.Attributes[i+1:]...)
					break
				}
			}
		default:
			err = d.Pass(key, "timestamp", "fields")
		}
		return err
	})
}

// translate takes tags that stand for something else out of the attributes.
func translate(x *span.Span) {
	kept := x.Attributes[:0]
	for _, a := range x.Attributes {
		text := a.Value.Text() // "" for what is not a string
		switch a.Key {
		case "span.kind":
			if kind := kindOf(text); kind != span.Unspecified {
				x.Kind = kind
				continue
			}
		case "otel.status_code":
			if status, ok := statusOf(text); ok {
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

// statusOf returns the status in a tag otel.status_code.
func statusOf(text string) (span.Status, bool) {
	for s := span.Unset; s <= span.Error; s++ {
		if strings.EqualFold(s.String(), text) {
			return s, true
		}
	}
	return 0, false
}

// kindOf returns the kind in a tag span.kind, Unspecified for another text.
func kindOf(text string) span.Kind {
	for k := span.Internal; k <= span.Consumer; k++ {
		if k.String() == text {
			return k
		}
	}
	return span.Unspecified
}
