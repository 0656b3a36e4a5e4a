// Package spans buffers the spans of executions until they are over.
//
// # Definitions
//
// An execution is the spans of one trace id. A program sends a span when the span has ended, so
// that spans arrive in any order, children before their parents. The root of an execution is a
// span without a parent. An execution is over when none of its spans has arrived for a while:
// for the grace time if its root has arrived, else for the idle time, a longer one. It is
// decided whole, once. A span is late if it arrives after that.
//
// # Bounds
//
// Spans that come over the network are kept as they were decoded, those of lines as pieces in
// their own format; both become one set of spans when their execution is over. All spans
// together have a limit in bytes: a request that does not fit is refused as a whole, so that
// its sender keeps it. An execution that takes more than its share loses its spans, and so does
// one with spans in two formats; Lost says why. The table remembers the ids of a number of
// executions that ended last, to recognize late spans. A span of an older execution begins it
// anew.
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
	Grace time.Duration // how long to wait for a span after the root has arrived
	Idle  time.Duration // how long to wait for a span before that
	Bytes int           // for all spans
	Share int           // bytes for the spans of one execution
	Over  int           // executions remembered after they are over
}

// Add and AddPiece return ErrFull where the sender should try again later, and ErrClosed after
// Close.
var (
	ErrFull   = errors.New("too many spans are waiting for their executions to end; send them again later")
	ErrClosed = errors.New("pota is ending; send the spans again later")
)

// A Table holds open executions. It must not be used by several goroutines at once.
//
//	(1) an execution is in waiting[1] if its root has arrived, else in waiting[0]
//	(2) the executions of either list are in the order of their latest arrivals
//	(3) bytes is the sum of those of open executions, and grows up to options.Bytes
//	(4) over and order hold the same ids, none of them open
type Table struct {
	options Options
	open    map[otlp.TraceID]*list.Element // of *execution
	waiting [2]list.List
	bytes   int
	over    map[otlp.TraceID]bool // whether a late span was reported
	order   []otlp.TraceID        // of over, oldest at next
	next    int
	closed  bool
}

// An Execution is the part of an execution that has arrived.
type Execution struct {
	ID     string // of the trace, in hexadecimal
	Spans  int    // number of them
	Root   bool   // has arrived
	Format string // of the spans, as package format names it
	Lost   string // why the spans were dropped, "" if they were not

	spans     []*otlp.Span // from the network
	documents []byte       // in Format, a line each
}

// Computation reads the spans of the execution. The error is Lost where the spans were dropped,
// else an error of the reader of their format, with the name of the execution.
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
		NoSharedClock: true, // as otlp.ReadParts does; who decides orders by clocks
	})
	if err != nil {
		return nil, err
	}
	return only(all).Computation, nil
}

// only returns the execution of spans of one trace id.
func only[T any](all []T) T {
	if len(all) != 1 {
		panic("this cannot happen, because spans of one trace id are one execution")
	}
	return all[0]
}

// otlpFormat is what package format calls OTLP.
const otlpFormat = "otlp"

// execution is one that is open, or the part of one that a request brings.
type execution struct {
	Execution
	trace otlp.TraceID
	ids   map[otlp.SpanID]bool // of the spans from the network, nil where they were dropped
	bytes int                  // of memory, about
	last  time.Time            // of an arrival
}

// overhead is the memory of an execution beside its spans, in bytes, about.
const overhead = 500

// An Outcome counts spans by their fate.
type Outcome struct {
	Taken      int            // accepted
	Invalid    int            // without a trace id or a span id
	Again      int            // duplicates
	Late       int            // of executions that are over
	Unreported []otlp.TraceID // those executions that were not reported before
}

// New returns an empty table.
func New(o Options) *Table {
	return &Table{
		options: o,
		open:    make(map[otlp.TraceID]*list.Element),
		over:    make(map[otlp.TraceID]bool),
	}
}

// Bound changes Options.Bytes. Spans that are in the table stay.
func (t *Table) Bound(bytes int) { t.options.Bytes = bytes }

// Add adds spans that arrive now: all of them, or none where the error is ErrFull or ErrClosed.
// The time complexity of Add is O(bytes).
func (t *Table) Add(now time.Time, spans []*otlp.Span) (Outcome, error) {
	var out Outcome
	parts := t.split(spans, &out)
	return t.addAll(now, parts, out)
}

// addAll adds parts, if there is room for all of them. Out counts the spans that are in none.
func (t *Table) addAll(now time.Time, parts []*execution, out Outcome) (Outcome, error) {
	need := 0
	for _, p := range parts {
		need += overhead
		if p.bytes <= t.options.Share { // or else its spans are dropped
			need += p.bytes
		}
	}
	switch {
	case t.closed:
		return Outcome{}, ErrClosed
	case need > 0 && t.bytes+need > t.options.Bytes:
		return Outcome{}, ErrFull
	}
	// Only now there are changes.
	for _, p := range parts {
		t.add(now, p)
		out.Taken += p.Spans
	}
	for _, id := range out.Unreported {
		t.over[id] = true
	}
	return out, nil
}

// ParseID reads the id of a trace: 32 hexadecimal digits.
func ParseID(text string) (id otlp.TraceID, ok bool) {
	if id, ok = otlp.ParseID([]byte(text)); len(text) != 2*lenOfID {
		return otlp.TraceID{}, false
	}
	return id, ok
}

// AddPiece adds the spans of a piece of a document, of one execution, that arrives now, as Add
// does. Its key must be an id of a trace in 32 hexadecimal digits, else its spans are Invalid.
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

// late counts the spans of an execution that is over, and notes its id if that has not been reported. It
// returns false if the execution is not over.
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

// split puts the spans that are to be kept into parts, in the order of their first spans.
func (t *Table) split(spans []*otlp.Span, out *Outcome) []*execution {
	var all []*execution
	of := make(map[otlp.TraceID]*execution)
	for _, x := range spans {
		p := of[x.Trace]
		var before map[otlp.SpanID]bool // ids that have arrived
		if e := t.open[x.Trace]; e != nil {
			before = e.Value.(*execution).ids
		}
		switch {
		case x.Trace == otlp.TraceID{} || x.ID == 0:
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
		// Spans that follow each other mostly share their origins.
		if n := len(p.spans); n == 0 || x.Resource != p.spans[n-1].Resource || x.Scope != p.spans[n-1].Scope {
			p.bytes += x.Resource.Size() + x.Scope.Size()
		}
		p.spans = append(p.spans, x)
		p.bytes += x.Size()
	}
	return all
}

// None reports whether there has never been an execution.
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

// drop drops the spans of an execution.
func (t *Table) drop(x *execution, why string) {
	t.bytes -= x.bytes - overhead
	x.bytes = overhead
	x.ids, x.spans, x.documents = nil, nil, nil
	x.Lost = why
}

// list returns the list of an open execution.
func (t *Table) list(x *execution) *list.List {
	if x.Root {
		return &t.waiting[1]
	}
	return &t.waiting[0]
}

// Over removes and returns an execution that is over, the first one that was. If there is none,
// ok is false, and wait is how long to wait before one may be over, the idle time at most. The
// time complexity of Over is O(1).
func (t *Table) Over(now time.Time) (x Execution, wait time.Duration, ok bool) {
	wait = t.options.Idle
	// By (2) only the first of each list can be over.
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

// past notes that an execution is over.
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

// Close removes and returns all executions, first the ones with a root that has arrived. The table
// accepts no span afterwards.
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

// Len returns how many executions are open, and how many bytes they take.
func (t *Table) Len() (executions, bytes int) {
	return len(t.open), t.bytes
}

// End removes and returns the open execution of an id in hexadecimal, if there is one.
func (t *Table) End(id string) (x Execution, ok bool) {
	trace, _ := ParseID(id) // no execution has the id that it is for another text
	e := t.open[trace]
	if e == nil {
		return Execution{}, false
	}
	return t.end(e), true
}

// IsOpen reports whether the execution of an id is open.
func (t *Table) IsOpen(id otlp.TraceID) bool { return t.open[id] != nil }

// lenOfID is how many bytes an id takes.
const lenOfID = 16

// Past returns the ids of the remembered executions, the first to end first. AddPast
// reads them.
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
