// Package spans buffers the spans of executions until they are over.
//
// # Definitions
//
// An execution is the spans of one trace id. A program sends a span when the span has ended, so
// spans arrive in any order, children before their parents. The root of an execution is a span
// without a parent. An execution is over when none of its spans has arrived for a while: for the
// grace time if its root has arrived, else for the longer idle time. It is decided whole, once. A
// span is late if it arrives after that.
//
// # Bounds
//
// Spans from the network are kept as they were decoded, and spans of documents as pieces in their
// own format; both become one set of spans when their execution is over. All spans together have a
// limit in bytes: a request that does not fit is refused as a whole, so that its sender keeps it.
// An execution that exceeds its share loses its spans, and so does one with spans in two formats;
// Lost says why. The table remembers the ids of the executions that ended last, up to Options.Over,
// to recognize late spans. A span of an older execution starts a new execution.
package spans

import (
	"bytes"
	"container/list"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/otlp"
	"github.com/pota-project/pota/graphs/trace/split"
)

// Options are the bounds of a table.
type Options struct {
	Grace time.Duration // how long to wait for another span after the root has arrived
	Idle  time.Duration // how long to wait for another span before that
	Bytes int           // the limit for all spans together
	Share int           // the limit for the spans of one execution, in bytes
	Over  int           // how many executions to remember after they are over
}

// Add and AddPiece return ErrFull if the sender should try again later, and ErrClosed after Close.
var (
	ErrFull   = errors.New("too many spans are waiting for their executions to end; send them again later")
	ErrClosed = errors.New("pota is ending; send the spans again later")
)

// A Table holds open executions. It must not be used by several goroutines at once.
//
//	(1) an execution is in waiting[1] if its root has arrived, else in waiting[0]
//	(2) the executions of either list are in the order of their latest arrivals
//	(3) bytes is the sum over all open executions, and is at most options.Bytes when it grows
//	(4) over and order hold the same ids, none of them open
type Table struct {
	options Options
	open    map[otlp.TraceID]*list.Element // open executions; the values are of type *execution
	waiting [2]list.List
	bytes   int
	over    map[otlp.TraceID]bool // the executions that are over; true if a late span was reported
	order   []otlp.TraceID        // the keys of over, oldest at next
	next    int
	closed  bool
}

// An Execution is the part of an execution that has arrived.
type Execution struct {
	ID     string // the trace id, in hexadecimal
	Spans  int    // how many spans have arrived
	Root   bool   // whether the root has arrived
	Format string // the format of the spans, as package format names it
	Lost   string // why the spans were dropped, "" if they were not

	spans     []*otlp.Span // the spans from the network
	documents []byte       // documents in Format, one per line
}

// Computation reads the spans of the execution. The error is Lost if the spans were dropped, else
// an error of the reader of their format, with the name of the execution.
func (x *Execution) Computation(ctx context.Context, opts trace.Options) (*graphs.Computation, error) {
	if x.Lost != "" {
		return nil, errors.New(x.Lost)
	}
	name := "execution " + x.ID
	documents := bytes.NewReader(x.documents)
	if x.Format == otlpFormat {
		all, err := otlp.ReadParts(ctx, name, documents, x.spans, opts)
		if err != nil {
			return nil, err
		}
		return only(all).Computation, nil
	}
	all, err := format.Read(ctx, name, format.Options{
		Options:       opts,
		Input:         x.Format,
		From:          documents,
		NoSharedClock: true, // as otlp.ReadParts does; the caller decides whether clocks order events
	})
	if err != nil {
		return nil, err
	}
	return only(all).Computation, nil
}

// only returns the single execution of spans with one trace id.
func only[T any](all []T) T {
	if len(all) != 1 {
		panic("this cannot happen, because spans of one trace id are one execution")
	}
	return all[0]
}

// otlpFormat is the name of OTLP in package format.
const otlpFormat = "otlp"

// An execution is open, or is the part of one that a request brings.
type execution struct {
	Execution
	trace otlp.TraceID
	ids   map[otlp.SpanID]bool // ids of the spans from the network, nil if the spans were dropped
	bytes int                  // the approximate memory
	last  time.Time            // when a span last arrived
}

// overhead is the approximate memory of an execution in addition to its spans, in bytes.
const overhead = 500

// An Outcome counts spans by their fate.
type Outcome struct {
	Taken      int            // spans that were accepted
	Invalid    int            // spans without a trace id or a span id
	Again      int            // duplicates
	Late       int            // spans of executions that are over
	Unreported []otlp.TraceID // executions with late spans that were not reported before
}

// New returns an empty table.
func New(o Options) *Table {
	return &Table{
		options: o,
		open:    make(map[otlp.TraceID]*list.Element),
		over:    make(map[otlp.TraceID]bool),
	}
}

// Bound changes Options.Bytes. Spans that are already in the table stay.
func (t *Table) Bound(bytes int) { t.options.Bytes = bytes }

// Add adds spans that arrive now. If it returns ErrFull or ErrClosed, it adds none of them. The
// time complexity of Add is O(bytes).
func (t *Table) Add(now time.Time, spans []*otlp.Span) (Outcome, error) {
	var out Outcome
	parts := t.split(spans, &out)
	return t.addAll(now, parts, out)
}

// addAll adds all parts if there is room for them. Out counts the spans that belong to no part.
func (t *Table) addAll(now time.Time, parts []*execution, out Outcome) (Outcome, error) {
	need := 0
	for _, p := range parts {
		need += overhead
		if p.bytes <= t.options.Share { // add drops the spans of a larger part
			need += p.bytes
		}
	}
	switch {
	case t.closed:
		return Outcome{}, ErrClosed
	case need > 0 && t.bytes+need > t.options.Bytes:
		return Outcome{}, ErrFull
	}
	// Nothing has changed up to here.
	for _, p := range parts {
		t.add(now, p)
		out.Taken += p.Spans
	}
	for _, id := range out.Unreported {
		t.over[id] = true
	}
	return out, nil
}

// ParseID reads the id of a trace: 32 hexadecimal digits, not all of them 0.
func ParseID(text string) (id otlp.TraceID, ok bool) {
	if id, ok = otlp.ParseID([]byte(text)); len(text) != 2*lenOfID {
		return otlp.TraceID{}, false
	}
	return id, ok && id != otlp.TraceID{}
}

// AddPiece adds the spans of a piece, which belong to one execution and arrive now, as Add does.
// The key of the piece must be a trace id that ParseID reads, else its spans are Invalid.
// AddPiece does not recognize duplicates.
func (t *Table) AddPiece(now time.Time, piece *split.Piece) (out Outcome, err error) {
	id, ok := ParseID(piece.Key)
	switch {
	case !ok:
		return t.addAll(now, nil, Outcome{Invalid: piece.Spans})
	case t.late(id, piece.Spans, &out):
		return t.addAll(now, nil, out)
	}
	p := &execution{trace: id, bytes: len(piece.Text) + 1}
	p.Spans, p.Root = piece.Spans, piece.Root
	p.Format = piece.Format
	p.documents = append([]byte(piece.Text), '\n')
	return t.addAll(now, []*execution{p}, out)
}

// late counts the spans of an execution that is over, and records its id unless that has been
// reported. It returns false if the execution is not over.
func (t *Table) late(id otlp.TraceID, count int, out *Outcome) bool {
	reported, over := t.over[id]
	if !over {
		return false
	}
	out.Late += count
	if !reported && !slices.Contains(out.Unreported, id) {
		out.Unreported = append(out.Unreported, id)
	}
	return true
}

// split groups the spans to keep into parts, in the order of their first spans.
func (t *Table) split(spans []*otlp.Span, out *Outcome) []*execution {
	var all []*execution
	of := make(map[otlp.TraceID]*execution)
	for _, x := range spans {
		p := of[x.Trace]
		var before map[otlp.SpanID]bool // the ids that have arrived before
		if e := t.open[x.Trace]; e != nil {
			before = e.Value.(*execution).ids
		}
		switch {
		case x.CheckIDs("traceId", "spanId") != nil:
			out.Invalid++
			continue
		case t.late(x.Trace, 1, out):
			continue
		case before[x.ID], p != nil && p.ids[x.ID]:
			out.Again++
			continue
		case p == nil:
			p = &execution{trace: x.Trace, ids: make(map[otlp.SpanID]bool)}
			p.Format = otlpFormat
			of[x.Trace] = p
			all = append(all, p)
		}
		p.ids[x.ID] = true
		p.Root = p.Root || x.Parent == 0
		p.Spans++
		// Consecutive spans mostly share their resource and scope.
		if n := len(p.spans); n == 0 || x.Resource != p.spans[n-1].Resource || x.Scope != p.spans[n-1].Scope {
			p.bytes += x.Resource.Size() + x.Scope.Size()
		}
		p.spans = append(p.spans, x)
		p.bytes += x.Size()
	}
	return all
}

// None reports whether the table is empty: no execution is open or remembered.
func (t *Table) None() bool { return len(t.open)+len(t.over) == 0 }

// add adds a part to its execution. There must be room for it.
func (t *Table) add(now time.Time, p *execution) {
	var x *execution
	if e := t.open[p.trace]; e != nil {
		x = e.Value.(*execution)
		t.list(x).Remove(e)
	} else {
		x = &execution{
			Execution: Execution{ID: p.trace.String()},
			trace:     p.trace,
			ids:       make(map[otlp.SpanID]bool),
			bytes:     overhead,
		}
		t.bytes += overhead
	}
	x.Spans += p.Spans
	x.Root = x.Root || p.Root
	x.last = now
	switch {
	case x.Lost != "":
	case x.bytes+p.bytes > t.options.Share:
		t.drop(x, fmt.Sprintf("its spans take more than %d KiB", t.options.Share>>10))
	case x.Format != "" && x.Format != p.Format:
		t.drop(x, fmt.Sprintf("its spans came as %s and as %s", x.Format, p.Format))
	default:
		maps.Copy(x.ids, p.ids)
		x.Format = p.Format
		x.spans = append(x.spans, p.spans...)
		x.documents = append(x.documents, p.documents...)
		x.bytes += p.bytes
		t.bytes += p.bytes
	}
	t.open[p.trace] = t.list(x).PushBack(x)
}

// drop drops the spans of an execution and records why.
func (t *Table) drop(x *execution, why string) {
	t.bytes -= x.bytes - overhead
	x.bytes = overhead
	x.ids = nil
	x.spans, x.documents = nil, nil
	x.Lost = why
}

// list returns the list of an open execution.
func (t *Table) list(x *execution) *list.List {
	if x.Root {
		return &t.waiting[1]
	}
	return &t.waiting[0]
}

// Over removes and returns the execution that has been over for longest. If none is over, ok is
// false, and wait is how long to wait before one may be over, at most the idle time. The time
// complexity of Over is O(1).
func (t *Table) Over(now time.Time) (x Execution, wait time.Duration, ok bool) {
	wait = t.options.Idle
	// By (2), only the first execution of each list can be over.
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

// end removes an execution.
func (t *Table) end(e *list.Element) Execution {
	x := e.Value.(*execution)
	t.list(x).Remove(e)
	delete(t.open, x.trace)
	t.bytes -= x.bytes
	t.past(x.trace)
	return x.Execution
}

// past records that an execution is over.
func (t *Table) past(trace otlp.TraceID) {
	if len(t.order) < t.options.Over {
		t.order = append(t.order, trace)
	} else {
		delete(t.over, t.order[t.next])
		t.order[t.next] = trace
		t.next = (t.next + 1) % len(t.order)
	}
	t.over[trace] = false
}

// Close removes and returns all executions, first those whose root has arrived. The table accepts
// no spans afterwards.
func (t *Table) Close() []Execution {
	t.closed = true
	var all []Execution
	for _, l := range []*list.List{&t.waiting[1], &t.waiting[0]} {
		for l.Len() > 0 {
			all = append(all, t.end(l.Front()))
		}
	}
	return all
}

// Len returns how many executions are open, and how many bytes they use.
func (t *Table) Len() (executions, bytes int) {
	return len(t.open), t.bytes
}

// End removes and returns the open execution with a trace id in hexadecimal, if there is one.
func (t *Table) End(id string) (x Execution, ok bool) {
	trace, _ := ParseID(id) // an invalid text yields the zero id, which no execution has
	e := t.open[trace]
	if e == nil {
		return Execution{}, false
	}
	return t.end(e), true
}

// IsOpen reports whether the execution with that id is open.
func (t *Table) IsOpen(id otlp.TraceID) bool { return t.open[id] != nil }

// lenOfID is the length of a trace id in bytes.
const lenOfID = 16

// Past returns the ids of the remembered executions, oldest first, in the form that AddPast reads.
func (t *Table) Past() (ids []byte) {
	for _, id := range slices.Concat(t.order[t.next:], t.order[:t.next]) {
		ids = binary.BigEndian.AppendUint64(ids, id.High)
		ids = binary.BigEndian.AppendUint64(ids, id.Low)
	}
	return ids
}

// AddPast adds ids that Past returned, in the same order.
func (t *Table) AddPast(ids []byte) {
	for id := range slices.Chunk(ids, lenOfID) {
		t.past(otlp.TraceID{
			High: binary.BigEndian.Uint64(id),
			Low:  binary.BigEndian.Uint64(id[8:]),
		})
	}
}
