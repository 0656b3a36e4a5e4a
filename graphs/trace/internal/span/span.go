package span

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// A TraceID is 128 bits; 0 means none.
type TraceID struct{ High, Low uint64 }

// String returns the id as 32 hexadecimal digits.
func (id TraceID) String() string { return fmt.Sprintf("%016x%016x", id.High, id.Low) }

// An ID is the id of a span in its trace; 0 means none.
type ID uint64

// String returns the id as 16 hexadecimal digits.
func (id ID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// ParseID reads 1 to 32 hexadecimal digits in either case. It reports false for any other text.
func ParseID(text []byte) (TraceID, bool) {
	// A uint64 has 16 digits.
	half := max(len(text)-16, 0)
	low, err := strconv.ParseUint(string(text[half:]), 16, 64)
	if err != nil || half == 0 {
		return TraceID{Low: low}, err == nil
	}
	high, err := strconv.ParseUint(string(text[:half]), 16, 64)
	if err != nil || half > 16 {
		return TraceID{}, false
	}
	return TraceID{high, low}, true
}

// A Kind says which part a span plays in a call.
type Kind uint8

// The kinds of spans, with their numbers in OTLP.
const (
	Unspecified Kind = iota
	Internal
	Server
	Client
	Producer
	Consumer
)

func (k Kind) String() string {
	return [...]string{"unspecified", "internal", "server", "client", "producer", "consumer"}[k]
}

// A Status is how an operation ended.
type Status uint8

// The states, with their numbers in OTLP.
const (
	Unset Status = iota
	OK
	Error
)

func (s Status) String() string { return [...]string{"unset", "ok", "error"}[s] }

// An Attribute is a name and a value of some kind.
type Attribute struct {
	Key   string
	Value graphs.Value
}

// An Origin describes many spans: it is their resource or their scope. A scope has no service.
type Origin struct {
	Service    string // "" if unknown
	Attributes []Attribute

	same  *Origin // the canonical equal origin, possibly itself; nil before it is known
	attrs []attribute
	clock string // the name of the clock of its spans
}

// An Event is a span event.
type Event struct {
	Time       uint64 // nanoseconds since 1970 UTC, 0 if unknown
	Name       string
	Attributes []Attribute
}

// A Link names another span.
type Link struct {
	Trace TraceID
	ID    ID
}

// A Span is an operation. Resource and Scope may be completed after the span was added to a Set;
// Scope may be nil.
type Span struct {
	Trace      TraceID
	TraceText  string // the trace id as the input writes it, "" if it has 32 hexadecimal digits
	ID, Parent ID
	Kind       Kind
	Name       string
	Start, End uint64 // nanoseconds since 1970 UTC, 0 if unknown
	Status     Status
	Message    string // the message of the status
	Resource   *Origin
	Scope      *Origin
	Attributes []Attribute
	Events     []Event
	Links      []Link
	Place      jsonstream.Place
}

// Size returns the approximate memory of x in bytes, excluding its origins.
func (x *Span) Size() int {
	n := 320 + len(x.Name) + len(x.Message) + 32*len(x.Links) + sizeOf(x.Attributes)
	for _, e := range x.Events {
		n += 64 + len(e.Name) + sizeOf(e.Attributes)
	}
	return n
}

// Size returns the approximate memory of o in bytes.
func (o *Origin) Size() int { return 100 + len(o.Service) + sizeOf(o.Attributes) }

func sizeOf(attrs []Attribute) int {
	n := 0
	for _, a := range attrs {
		n += 64 + len(a.Key) + len(a.Value.Text())
	}
	return n
}

// Reset empties x and keeps its memory for reuse.
func (x *Span) Reset() {
	*x = Span{Attributes: x.Attributes[:0], Events: x.Events[:0], Links: x.Links[:0]}
}

// AddEvent adds an empty event, which reuses the memory of an event from before Reset.
func (x *Span) AddEvent() *Event {
	n := len(x.Events)
	x.Events = slices.Grow(x.Events, 1)[:n+1]
	e := &x.Events[n]
	*e = Event{Attributes: e.Attributes[:0]}
	return e
}

// A List is a Sink that keeps copies of spans. Their resource and scope may be completed after they
// were added.
type List struct{ Spans []*Span }

// Add implements Sink.
func (l *List) Add(x *Span) error {
	own := *x
	own.Attributes = slices.Clone(x.Attributes)
	own.Events = slices.Clone(x.Events)
	for i := range own.Events {
		own.Events[i].Attributes = slices.Clone(own.Events[i].Attributes)
	}
	own.Links = slices.Clone(x.Links)
	l.Spans = append(l.Spans, &own)
	return nil
}

// Origin implements Sink.
func (l *List) Origin(o *Origin) *Origin { return o }

// Len implements Sink.
func (l *List) Len() int { return len(l.Spans) }
