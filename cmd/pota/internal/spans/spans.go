// Package spans keeps the spans of executions that have not ended.
//
// # Definitions
//
// Spans of one trace id are of one execution. A program sends a span when it has ended, so
// that they arrive in any order, children before their parents. The root of an execution is a
// span without a parent. An execution is over when none of its spans has arrived for a while:
// for the grace time if its root has, else for the idle time, which is longer. It is decided
// whole, once. A span is late if it arrives after that.
//
// # Bounds
//
// Spans that come over the network are kept as OTLP in protobuf, and become JSON when their
// execution is over; those of lines are kept as pieces in their own format. All of them take no
// more than a number of bytes; what does not fit is refused as a whole, so that its sender
// keeps it. An execution that takes more than its share of that loses its spans, and so does one
// whose spans come in two formats; why, it is told when it is over. Of executions that are over a number of ids is kept, the
// last ones, to tell which spans are late. Those of an execution before them begin it anew.
package spans

import (
	"container/list"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/pota-project/pota/graphs/trace/split"
)

// Options are the bounds of a table.
type Options struct {
	Grace, Idle time.Duration
	Bytes       int // that all spans may take
	Share       int // and those of one execution
	Over        int // ids of executions that are over
}

// ErrFull says that there is no room for spans now, and ErrClosed that there will be none.
var (
	ErrFull   = errors.New("too many spans are waiting for their executions to end; send them again later")
	ErrClosed = errors.New("pota is ending; send the spans again later")
)

// A Table keeps open executions. All methods are safe for concurrent use.
//
//	(1) an execution is in waiting[1] if its root has arrived, else in waiting[0]
//	(2) the executions of either list are in the order in which spans arrived last
//	(3) bytes is the sum of those of open executions, and grows up to options.Bytes
//	(4) over and order hold the same ids, none of them open
type Table struct {
	options Options

	mu      sync.Mutex
	open    map[pcommon.TraceID]*list.Element // of *execution
	waiting [2]list.List
	bytes   int
	over    map[pcommon.TraceID]bool // whether a late span has been told
	order   []pcommon.TraceID        // of over, oldest at next
	next    int
	ended   uint64 // how many ids have ever been in it
	closed  bool
}

// An Execution is what arrived of one.
type Execution struct {
	ID     string // of the trace, in hexadecimal
	Spans  int
	Root   bool   // has arrived
	Format string // of the spans, as package format names it
	Lost   string // why its spans are gone, "" where they are not

	parts []text
}

// text is of spans: a document of their format in a line, or OTLP as protobuf.
type text struct {
	data   []byte
	binary bool
}

// Reader returns a reader of its spans, a document a line.
func (x *Execution) Reader() io.Reader { return &reader{parts: x.parts} }

// reader reads parts one after the other, as lines.
type reader struct {
	parts []text
	text  []byte // not read yet
}

func (r *reader) Read(p []byte) (int, error) {
	if len(r.text) == 0 {
		if len(r.parts) == 0 {
			return 0, io.EOF
		}
		var err error
		if r.text, err = r.parts[0].line(); err != nil {
			return 0, err
		}
		r.parts = r.parts[1:]
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// line returns a text as a line.
func (t text) line() ([]byte, error) {
	if !t.binary {
		return t.data, nil
	}
	spans, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(t.data)
	if err != nil {
		panic("this cannot happen, because they were written by Add: " + err.Error())
	}
	line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(spans)
	if err != nil {
		return nil, fmt.Errorf("spans cannot be written as JSON: %w", err)
	}
	return append(line, '\n'), nil
}

// execution is one that is open.
type execution struct {
	Execution
	trace pcommon.TraceID
	ids   map[pcommon.SpanID]bool // of those of the network, nil where they are lost
	bytes int
	last  time.Time // when spans of it arrived
}

// beside is what an execution takes beside the text of its spans, and besideSpan what a span
// does, in bytes, about.
const beside, besideSpan = 500, 40

// An Outcome says what came of spans.
type Outcome struct {
	Taken   int
	Invalid int      // without a trace id or a span id
	Again   int      // that have arrived before
	Late    int      // of executions that are over
	Told    []string // ids of those executions, each once
}

// New returns an empty table.
func New(o Options) *Table {
	return &Table{options: o, open: make(map[pcommon.TraceID]*list.Element), over: make(map[pcommon.TraceID]bool)}
}

// Bound sets how many bytes all spans may take. Those that take more stay.
func (t *Table) Bound(bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.options.Bytes = bytes
}

// part is what a request has of an execution.
type part struct {
	trace  pcommon.TraceID
	ids    map[pcommon.SpanID]bool
	root   bool
	count  int    // of spans
	format string // of the text
	text

	spans           ptrace.Traces // what the text is to be made of
	resource, scope int           // of the request, to which the last ones of spans belong
}

// Add takes spans that arrive now: all, or none where the error is ErrFull or ErrClosed. They
// must not be used afterwards. The time complexity of Add is O(bytes).
func (t *Table) Add(now time.Time, spans ptrace.Traces) (out Outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return Outcome{}, ErrClosed
	}
	parts := t.split(spans, &out)
	need := 0
	for _, p := range parts {
		var err error
		if p.data, err = (&ptrace.ProtoMarshaler{}).MarshalTraces(p.spans); err != nil {
			return Outcome{}, fmt.Errorf("spans cannot be written as protobuf: %w", err)
		}
		p.count = len(p.ids)
		need += t.need(p)
	}
	if t.bytes+need > t.options.Bytes {
		return Outcome{}, ErrFull
	}
	for _, p := range parts {
		t.take(now, p)
	}
	for _, id := range out.Told {
		var trace pcommon.TraceID
		hex.Decode(trace[:], []byte(id)) //nolint:errcheck // it is what split encoded
		t.over[trace] = true
	}
	return out, nil
}

// IsID reports whether a text is the id of a trace: 32 hexadecimal digits.
func IsID(text string) bool {
	id, err := hex.DecodeString(text)
	return err == nil && len(id) == len(pcommon.TraceID{})
}

// AddPiece takes the spans of a piece of a document, of one execution, that arrives now; Add
// says the rest. Its key must be an id of a trace in 32 hexadecimal digits, else its spans are
// Invalid. Spans that have arrived before are taken again.
func (t *Table) AddPiece(now time.Time, piece *split.Piece) (out Outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &part{count: piece.Spans, root: piece.Root, format: piece.Format, text: text{data: append([]byte(piece.Text), '\n')}}
	isID := IsID(piece.Key)
	if isID {
		hex.Decode(p.trace[:], []byte(piece.Key)) //nolint:errcheck // it is an id
	}
	told, over := t.over[p.trace]
	switch {
	case t.closed:
		return Outcome{}, ErrClosed
	case !isID:
		return Outcome{Invalid: p.count}, nil
	case over:
		if out.Late = p.count; !told {
			t.over[p.trace] = true
			out.Told = []string{piece.Key}
		}
		return out, nil
	case t.bytes+t.need(p) > t.options.Bytes:
		return Outcome{}, ErrFull
	}
	t.take(now, p)
	return Outcome{Taken: p.count}, nil
}

func (p *part) bytes() int { return len(p.data) + besideSpan*len(p.ids) }

// need returns for how many bytes there must be room for a part.
func (t *Table) need(p *part) int {
	if p.bytes() > t.options.Share {
		return beside
	}
	return p.bytes() + beside
}

// split moves the spans that are to be kept into parts, in the order of their first spans.
func (t *Table) split(spans ptrace.Traces, out *Outcome) []*part {
	var all []*part
	of := make(map[pcommon.TraceID]*part)
	resources := spans.ResourceSpans()
	for i := range resources.Len() {
		resource := resources.At(i)
		for j := range resource.ScopeSpans().Len() {
			scope := resource.ScopeSpans().At(j)
			for k := range scope.Spans().Len() {
				span := scope.Spans().At(k)
				trace, id := span.TraceID(), span.SpanID()
				told, over := t.over[trace]
				p := of[trace]
				switch {
				case trace.IsEmpty() || id.IsEmpty():
					out.Invalid++
					continue
				case over:
					if name := hex.EncodeToString(trace[:]); !told && !slices.Contains(out.Told, name) {
						out.Told = append(out.Told, name)
					}
					out.Late++
					continue
				case p != nil && p.ids[id] || t.has(trace, id):
					out.Again++
					continue
				case p == nil:
					p = &part{trace: trace, ids: make(map[pcommon.SpanID]bool), format: "otlp", text: text{binary: true}, spans: ptrace.NewTraces(), resource: -1}
					of[trace] = p
					all = append(all, p)
				}
				out.Taken++
				p.ids[id] = true
				p.root = p.root || span.ParentSpanID().IsEmpty()
				span.MoveTo(p.room(i, j, resource, scope))
			}
		}
	}
	return all
}

// None reports whether there has never been an execution.
func (t *Table) None() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open) == 0 && t.ended == 0
}

func (t *Table) has(trace pcommon.TraceID, id pcommon.SpanID) bool {
	e := t.open[trace]
	return e != nil && e.Value.(*execution).ids[id]
}

// room returns a new span of a part, in the copies of its resource and scope, which are the
// i-th and its j-th of the request.
func (p *part) room(i, j int, resource ptrace.ResourceSpans, scope ptrace.ScopeSpans) ptrace.Span {
	all := p.spans.ResourceSpans()
	if p.resource != i {
		r := all.AppendEmpty()
		resource.Resource().CopyTo(r.Resource())
		p.resource, p.scope = i, -1
	}
	scopes := all.At(all.Len() - 1).ScopeSpans()
	if p.scope != j {
		s := scopes.AppendEmpty()
		scope.Scope().CopyTo(s.Scope())
		p.scope = j
	}
	return scopes.At(scopes.Len() - 1).Spans().AppendEmpty()
}

// take adds a part to its execution, for which there is room.
func (t *Table) take(now time.Time, p *part) {
	var x *execution
	if e := t.open[p.trace]; e != nil {
		x = e.Value.(*execution)
		t.list(x).Remove(e)
	} else {
		x = &execution{Execution: Execution{ID: hex.EncodeToString(p.trace[:])}, trace: p.trace, ids: make(map[pcommon.SpanID]bool), bytes: beside}
		t.bytes += beside
	}
	x.Spans += p.count
	x.Root = x.Root || p.root
	x.last = now
	switch {
	case x.Lost != "":
	case x.bytes+p.bytes() > t.options.Share:
		t.lose(x, fmt.Sprintf("its spans take more than %d KiB", t.options.Share>>10))
	case x.Format != "" && x.Format != p.format:
		t.lose(x, fmt.Sprintf("its spans came as %s and as %s", x.Format, p.format))
	default:
		maps.Copy(x.ids, p.ids)
		x.parts, x.Format = append(x.parts, p.text), p.format
		x.bytes += p.bytes()
		t.bytes += p.bytes()
	}
	t.open[p.trace] = t.list(x).PushBack(x)
}

// lose forgets the spans of an execution.
func (t *Table) lose(x *execution, why string) {
	t.bytes -= x.bytes - beside
	x.bytes, x.ids, x.parts, x.Lost = beside, nil, nil, why
}

func (t *Table) list(x *execution) *list.List {
	if x.Root {
		return &t.waiting[1]
	}
	return &t.waiting[0]
}

// Over takes out an execution that is over, of those the one that has been for longest. Where
// there is none it returns how long it is until one may be, the idle time at most. The time
// complexity of Over is O(1).
func (t *Table) Over(now time.Time) (x Execution, wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	wait = t.options.Idle
	var first *list.Element
	for i, patience := range []time.Duration{t.options.Idle, t.options.Grace} {
		e := t.waiting[i].Front()
		if e == nil {
			continue
		}
		if left := patience - now.Sub(e.Value.(*execution).last); left <= wait {
			first, wait = e, left
		}
	}
	if first == nil || wait > 0 {
		return Execution{}, wait, false
	}
	return t.end(first), 0, true
}

// end takes out an execution.
func (t *Table) end(e *list.Element) Execution {
	x := e.Value.(*execution)
	t.list(x).Remove(e)
	delete(t.open, x.trace)
	t.bytes -= x.bytes
	t.past(x.trace)
	return x.Execution
}

// past notes that an execution is over.
func (t *Table) past(trace pcommon.TraceID) {
	t.ended++
	if len(t.order) < t.options.Over {
		t.order = append(t.order, trace)
	} else {
		delete(t.over, t.order[t.next])
		t.order[t.next] = trace
		t.next = (t.next + 1) % len(t.order)
	}
	t.over[trace] = false
}

// Close takes out all executions, those first whose root has arrived. No span is taken
// afterwards.
func (t *Table) Close() []Execution {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	var all []Execution
	for _, l := range []*list.List{&t.waiting[1], &t.waiting[0]} {
		for l.Len() > 0 {
			all = append(all, t.end(l.Front()))
		}
	}
	return all
}

// Len returns how many executions are open, and how many bytes they take.
func (t *Table) Len() (executions, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open), t.bytes
}
