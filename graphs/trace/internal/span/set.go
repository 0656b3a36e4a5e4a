package span

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// A Set collects the spans of a source.
type Set struct {
	opts    trace.Options
	names   names
	traces  map[TraceID]int32
	texts   []string // trace ids as first written, hexadecimal ones in lower case
	spans   []*record
	events  int
	origins map[string]*Origin
	odd     *oddIDs // nil if there are none

	scratch []attribute
	sorted  []*record // the spans by trace, id and order; see index
}

// An attribute is an assignment to a variable, identified by its number.
type attribute struct {
	name  int32
	value graphs.Value
}

// A record is a span in a set.
type record struct {
	id, parent      ID
	start, end      uint64
	trace           int32
	sequence        int32 // the index in the input
	kind            Kind
	status          Status
	name, message   string
	resource, scope *Origin
	attrs           []attribute
	events          []event
	links           []Link
	place           jsonstream.Place

	process int32         // the process of the span in its execution
	first   graphs.Handle // the handle of the event start
}

type event struct {
	time  uint64
	name  string
	attrs []attribute
}

// NewSet returns an empty set.
func NewSet(opts trace.Options) *Set {
	s := &Set{
		opts:    opts,
		names:   names{wanted: opts.Variables, numbers: make(map[string]int32), ofKey: make(map[string]int32)},
		traces:  make(map[TraceID]int32),
		origins: make(map[string]*Origin),
	}
	for _, b := range builtins {
		s.names.number(b.name)
	}
	return s
}

// Len returns the number of spans.
func (s *Set) Len() int { return len(s.spans) }

// Truncate drops all spans after the first n.
func (s *Set) Truncate(n int) {
	for _, r := range s.spans[n:] {
		s.events -= len(r.events) + 2
	}
	s.spans = s.spans[:n]
}

// Add adds a span. It keeps the strings and origins of x, and copies the rest. The error is
// *trace.Error: a computation has less than 2³¹ events.
func (s *Set) Add(x *Span) error {
	s.events += len(x.Events) + 2
	if s.events > math.MaxInt32-2 {
		return x.Place.Errorf("more than %d events", math.MaxInt32-2)
	}
	number, ok := s.traces[x.Trace]
	if !ok {
		number = int32(len(s.texts))
		s.traces[x.Trace] = number
		text := cmp.Or(x.TraceText, x.Trace.String())
		if _, ok := ParseID([]byte(text)); ok {
			text = strings.ToLower(text)
		}
		s.texts = append(s.texts, text)
	}
	r := &record{
		id: x.ID, parent: x.Parent, start: x.Start, end: x.End,
		trace: number, sequence: int32(len(s.spans)),
		kind: x.Kind, status: x.Status, name: x.Name, message: x.Message,
		resource: x.Resource, scope: x.Scope,
		links: slices.Clone(x.Links), place: x.Place,
	}
	s.scratch = s.scratch[:0]
	for _, a := range x.Attributes {
		if a.Key == "error" && a.Value == graphs.Boolean(true) && r.status != OK {
			r.status = Error
			continue
		}
		s.scratch = append(s.scratch, s.names.attribute(a))
	}
	r.attrs = slices.Clone(s.scratch)
	r.events = make([]event, len(x.Events))
	for i, e := range x.Events {
		s.scratch = s.scratch[:0]
		for _, a := range e.Attributes {
			s.scratch = append(s.scratch, s.names.attribute(a))
		}
		r.events[i] = event{e.Time, e.Name, slices.Clone(s.scratch)}
	}
	if !slices.IsSortedFunc(r.events, byTime) {
		slices.SortStableFunc(r.events, byTime)
	}
	s.spans = append(s.spans, r)
	return nil
}

func byTime(e, f event) int { return cmp.Compare(e.time, f.time) }

// Origin returns the canonical origin that equals o; o must be complete. Spans added later should
// use the returned origin.
func (s *Set) Origin(o *Origin) *Origin {
	if o.same != nil {
		return o.same
	}
	key := o.key()
	same, ok := s.origins[key]
	if !ok {
		same = o
		same.clock = clockOf(o)
		s.origins[key] = o
		if o.Service != "" {
			o.attrs = append(o.attrs, s.names.attribute(Attribute{ServiceName, graphs.Str(o.Service)}))
		}
		for _, a := range o.Attributes {
			// These attributes describe how spans were recorded.
			part, _, below := strings.Cut(a.Key, ".")
			if below && (part == "telemetry" || part == "process" || part == "os") {
				continue
			}
			o.attrs = append(o.attrs, s.names.attribute(a))
		}
	}
	o.same = same
	return same
}

// key returns a text that equal origins have in common, regardless of the order of their
// attributes.
func (o *Origin) key() string {
	parts := make([]string, len(o.Attributes))
	for i, a := range o.Attributes {
		parts[i] = graphs.Str(a.Key).String() + ":" + a.Value.String()
	}
	slices.Sort(parts)
	return graphs.Str(o.Service).String() + "," + strings.Join(parts, ",")
}

// names numbers variable names.
type names struct {
	wanted  map[string]bool // the variables to keep, nil for all
	numbers map[string]int32
	ofKey   map[string]int32 // the number of the variable to which an attribute is assigned
	text    []string
	keep    []bool
}

// The numbers of the built-in variables.
const (
	activeName int32 = iota
	kindName
	operationName
	statusName
	messageName
	eventName
	serviceName
	startedName
	endedName
	durationName
	builtin
)

// builtins are the built-in variables by number.
var builtins = [builtin]struct {
	name string
	kind graphs.Kind
}{
	activeName:    {"active", graphs.Bool},
	kindName:      {"kind", graphs.String},
	operationName: {"operation", graphs.String},
	statusName:    {"status", graphs.String},
	messageName:   {"status.message", graphs.String},
	eventName:     {"event", graphs.String},
	serviceName:   {"service", graphs.String},
	startedName:   {"started", graphs.Number},
	endedName:     {"ended", graphs.Number},
	durationName:  {"duration", graphs.Number},
}

// number returns the number of a name, a new one if the name is new.
func (n *names) number(name string) int32 {
	i, ok := n.numbers[name]
	if !ok {
		i = int32(len(n.text))
		n.numbers[name] = i
		n.text = append(n.text, name)
		n.keep = append(n.keep, n.wanted == nil || n.wanted[name])
	}
	return i
}

// attribute returns a as an assignment. If the variable is not wanted, only the kind of the value
// is kept.
func (n *names) attribute(a Attribute) attribute {
	i, ok := n.ofKey[a.Key]
	if !ok {
		name := trace.VariableName(a.Key)
		if b, ok := n.numbers[name]; ok && b < builtin {
			name = "attribute." + name
		}
		i = n.number(name)
		n.ofKey[a.Key] = i
	}
	if !n.keep[i] {
		return attribute{i, graphs.Zero(a.Value.Kind)}
	}
	return attribute{i, a.Value}
}
