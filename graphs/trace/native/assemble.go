package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace"
)

// maxEvents is how many events a Computation can number in addition to ⊥ and ⊤.
const maxEvents = math.MaxInt32 - 4

// An assembler feeds the lines of a trace to a Builder, in order. Forward references wait in
// references, messages, clocks and syncs until finish.
type assembler struct {
	opts    trace.Options
	builder graphs.Builder

	names     []string // the names of the files so far
	lines     int      // how many lines of the current file precede the current chunk
	inFile    bool     // whether the current file has had a line that is not blank
	places    places
	processes processes
	ids       references
	messages  messages
	variables variables
	clocks    clocks
	timers    timers
	syncs     syncs
	closed    dense.Set // the processes that have closed
}

// A fault is an error on a line. If column is 0, it is computed when the error is reported, as that
// of the op with the given kind and word.
type fault struct {
	where  place
	column int
	kind   opKind
	word   []byte
	err    error
}

// Error implements error. Read turns a fault into a *trace.Error.
func (f *fault) Error() string { return f.err.Error() }

// here returns a fault at a position of the current chunk.
func (a *assembler) here(c *chunk, l *line, at uint32, err error) *fault {
	return &fault{where: a.place(l.number), column: c.column(at), err: err}
}

// place returns the place of a line of the current chunk, given its number in the chunk.
func (a *assembler) place(number uint32) place {
	return place{len(a.names) - 1, a.lines + int(number) + 1}
}

// add adds the lines of a piece.
func (a *assembler) add(b *trace.Batch[*chunk]) error {
	if b.First {
		a.names = append(a.names, b.Name)
		a.lines, a.inFile = 0, false
	}

	// The symbols of names are looked up once per chunk, not once per line.
	c := b.Work
	a.processes.symbolOf = c.untranslated(a.processes.symbolOf)
	a.variables.symbolOf = c.untranslated(a.variables.symbolOf)

	// Tables address their text by 32 bits. Stop unless the whole piece fits.
	n := len(c.text) // any name of the chunk may go into any of the tables
	if !a.ids.symbols.Room(n) || !a.messages.symbols.Room(n) || !a.processes.symbols.Room(n) || !a.syncs.symbols.Room(n) {
		return trace.Errorf(b.Name, a.lines+1, "more than four gigabytes of distinct ids")
	}

	// Look up the messages of the whole chunk at once, so that the memory loads of many lookups
	// overlap.
	a.messages.ofLines(c)

	// c.ops holds the ops of all lines; each line has the end of its own.
	first := uint32(0)
	for i := range c.lines {
		l := &c.lines[i]
		if f := a.line(c, l, c.ops[first:l.ops]); f != nil {
			return f
		}
		first = l.ops
		a.inFile = true
	}

	// Report the mistake of scanning last, because an earlier line may have a mistake of another
	// kind.
	if c.err != nil {
		return &fault{
			where:  a.place(uint32(c.err.line)),
			column: c.column(uint32(c.err.at)),
			err:    errors.New(c.err.msg),
		}
	}
	// Update the count after the lines, because places are relative to the chunk.
	a.lines += c.count
	b.CutOff(&a.opts, a.lines+1)
	return b.Failed(a.lines + 1)
}

// line adds a line with its ops.
func (a *assembler) line(c *chunk, l *line, ops []op) *fault {
	switch l.kind {
	case eventLine:
		return a.event(c, l, a.processes.number(&a.builder, c, l.name), ops)
	case processLine:
		return a.declare(c, l, a.processes.number(&a.builder, c, l.name), ops)
	case sharedLine:
		for _, o := range ops {
			if err := a.variables.share(&a.builder, c, o); err != nil {
				return a.here(c, l, o.at, err)
			}
		}
	case closedLine:
		// A closed process exists, even if it has executed nothing.
		a.closed.Grow(a.processes.number(&a.builder, c, l.name))
	case edgeLine:
		from, to := a.ids.symbol(c.str(ops[0].bits)), a.ids.symbol(c.str(ops[1].bits))
		a.ids.edges = append(a.ids.edges, edgeReference{from, to, a.place(l.number)})
	case headerLine:
		// A header may follow only blank lines, because it says how to read the others.
		if a.inFile {
			return a.here(c, l, l.at, errLateHeader)
		}
		for _, o := range ops {
			if o.kind == opLowerBound {
				a.builder.SetLowerBound(string(c.str(o.bits)))
			}
		}
	}
	return nil
}

// declare adds a declaration of process p: initial values and its clock.
func (a *assembler) declare(c *chunk, l *line, p int, ops []op) *fault {
	// Initial values must come before the events that may read them.
	if a.builder.Count(p) > 0 {
		return a.here(c, l, l.at, admission.LateInitials.Broken(a.process(p)))
	}
	for _, o := range ops {
		var err error
		if o.kind == opClockID {
			err = a.clockID(p, c.str(o.bits), graphs.NoHandle)
		} else {
			err = a.variables.init(&a.builder, p, c, o)
		}
		if err != nil {
			return a.here(c, l, o.at, err)
		}
	}
	return nil
}

// event adds an event of process p.
func (a *assembler) event(c *chunk, l *line, p int, ops []op) *fault {
	// ⊥, ⊤ and NoHandle need numbers, too.
	if a.builder.NumEvents() == maxEvents {
		return a.here(c, l, l.at, fmt.Errorf("more than %d events", maxEvents))
	}
	if a.closed.Has(p) {
		return a.here(c, l, l.at, admission.HasClosed.Broken(a.process(p)))
	}
	if f := a.endTimers(c, l, p, ops); f != nil {
		return f
	}
	h := a.builder.Event(p)
	a.setPlace(h, a.place(l.number))

	// Without an entry for the process itself, a clock has no position to check.
	own := false // whether the clock has an entry for the process itself
	clock := uint32(math.MaxUint32)
	var id []byte
	starts := false // whether the event starts or cancels timers
	for i := range ops {
		o := &ops[i]
		var err error
		switch o.kind {
		case opSet:
			err = a.variables.set(&a.builder, p, h, c, *o)
		case opSend:
			err = a.messages.send(h, o.name, c.str(o.bits))
		case opRecv:
			err = a.messages.receive(h, o.name, c.str(o.bits))
		case opID:
			id = c.str(o.bits)
			err = a.ids.define(&a.builder, h, id)
		case opAfter:
			err = a.ids.after(&a.builder, h, c.str(o.bits))
		case opSync:
			err = a.syncs.join(h, c.str(o.bits))
		case opTo:
			a.messages.address(h, a.processes.in(c, o.name))
		case opClock:
			// An error about the clock is reported at its first entry.
			clock = min(clock, o.at)
			q := a.processes.in(c, o.name)
			own = own || a.processes.numbers[q] == int32(p)
			err = a.clocks.entry(a, h, a.processes.in(c, l.name), q, int64(o.bits))
		case opLabel:
			if a.opts.Names {
				a.builder.SetLabel(h, string(c.str(o.bits)))
			}
		case opClockID:
			err = a.clockID(p, c.str(o.bits), h)
		case opTimer, opCancel:
			starts = true
		}
		if err != nil {
			return a.here(c, l, o.at, err)
		}
	}

	if clock != math.MaxUint32 && !own {
		return a.here(c, l, clock, admission.NoOwnEntry.Broken(a.process(p), a.builder.PositionOf(h)))
	}
	// Named clocks need the times of their processes to order events.
	if a.opts.KeepTimes() || a.builder.Clock(p) != "" {
		if at := timeOf(c, ops); at != "" {
			a.builder.SetTime(h, at)
		}
	}
	a.timers.clocked = a.timers.clocked || clock != math.MaxUint32
	if a.timers.clocked && (starts || len(a.timers.of) > 0) {
		at := l.at
		if clock != math.MaxUint32 {
			at = clock
		}
		return a.here(c, l, at, admission.TimerAndClock.Broken())
	}
	if len(id) == 0 && (starts || a.timers.ended(p) > 0) {
		id = a.defaultID(p, h)
	}
	if starts {
		return a.startTimers(c, l, p, h, id, ops)
	}
	return nil
}

// setPlace records the place of event h, which must be the last one.
func (a *assembler) setPlace(h graphs.Handle, at place) {
	a.places.add(h, at)
	if a.opts.Places {
		a.builder.SetPlace(h, graphs.Place{File: a.names[at.file], Line: at.line})
	}
}

// clockID records the clock that a process reads its times from, which the line of event h or a
// declaration (h is NoHandle) names.
func (a *assembler) clockID(p int, id []byte, h graphs.Handle) error {
	before := a.builder.Clock(p)
	late := before == "" && h != graphs.NoHandle && a.builder.PositionOf(h) > 1
	if err := admission.ClockID(a.process(p), before, id, late); err != nil || before != "" {
		return err
	}
	a.builder.SetClock(p, string(id))
	return nil
}

// process returns the name of process p.
func (a *assembler) process(p int) string { return a.builder.Processes()[p] }

// timeText returns a time as spelled in the line, a string with its quotes. It may share the memory
// of the chunk, and is then valid only until the chunk is reused.
func timeText(c *chunk, o op) string {
	// Numbers keep their spelling, because a time in nanoseconds has more digits than a float64.
	text := c.str(o.bits)
	if o.value == valueString {
		offset := o.bits >> 32
		if int(offset) >= len(c.text) { // the string had escapes
			return graphs.Str(string(text)).String()
		}
		text = c.text[offset-1:][:len(text)+2]
	}
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// lost returns a possible explanation of a missing cause, if the log may be cut off or is of one
// process alone.
func (a *assembler) lost() string {
	switch {
	case a.opts.AllowTruncated:
		return " (was it lost with the end of a log that was cut off?)"
	case len(a.names) == 1 && len(a.builder.Processes()) == 1:
		return " (if this is the log of one process alone, give the directory that holds the logs of all)"
	}
	return ""
}

// finish resolves forward references and builds the computation.
func (a *assembler) finish(ctx context.Context, path string) (*graphs.Computation, error) {
	b := &a.builder
	if len(a.builder.Processes()) == 0 {
		return nil, trace.Errorf(path, 0, "%v", admission.NoProcess.Broken(a.lost()))
	}

	for p := range a.timers.of {
		if f := a.addEnds(p, a.timers.of[p].Rest()); f != nil {
			return nil, f
		}
	}

	// References need all events, and syncs all members.
	r := &resolver{assembler: a, why: a.lost()}
	// The order matters only for names of processes: messages may add receivers to which clocks
	// refer.
	a.ids.resolve(r)
	a.messages.resolve(r, a.opts.Names)
	a.clocks.resolve(r)
	a.syncs.resolve(r)
	// The resolver keeps the first fault in the trace, so the reported one does not depend on the
	// order of these calls.
	if r.fault != nil {
		return nil, r.fault
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	// The Builder has everything now, and needs the memory.
	a.ids, a.messages = references{}, messages{}
	a.clocks, a.syncs = clocks{}, syncs{}
	c, err := b.Build()
	if err != nil {
		return nil, a.buildFault(err)
	}
	return c, ctx.Err()
}

// A resolver resolves references after all lines were read, and keeps the first fault in the order
// of the trace.
type resolver struct {
	*assembler
	fault  *fault
	why    string                    // why something may be missing: the end of an error about it
	events dense.Rows[graphs.Handle] // the events of each process
}

// count returns how many events of process p have lines.
func (r *resolver) count(p int32) int {
	return r.builder.Count(int(p)) - int(r.timers.ended(int(p)))
}

// at returns the k-th event of process p that has a line, counting from 1.
func (r *resolver) at(p int32, k int32) graphs.Handle {
	// Made at the first use, because few traces refer to events by position.
	if r.events.Len() == 0 {
		r.events = dense.Group(len(r.builder.Processes()), func(add func(int, graphs.Handle)) {
			for h := range graphs.Handle(r.builder.NumEvents()) {
				if !r.timers.ends.Has(int(h)) {
					add(r.builder.ProcessOf(h), h)
				}
			}
		})
	}
	return r.events.Row(int(p))[k-1] // positions count from 1
}

// twice calls refuse for each event that is not the first of its process in its row.
func (r *resolver) twice(rows *dense.Rows[graphs.Handle], refuse func(row int, process string, h graphs.Handle)) {
	seen := make([]int, len(r.builder.Processes())) // the last row of each process, plus 1
	for row, h := range rows.All() {
		p := r.builder.ProcessOf(h)
		if seen[p] == row+1 {
			refuse(row, r.process(p), h)
		}
		seen[p] = row + 1
	}
}

// refuseEvent records a fault at the op with the given kind and word, on the line of event h.
func (r *resolver) refuseEvent(h graphs.Handle, kind opKind, word []byte, err error) {
	r.refuse(r.places.of(h), kind, word, err)
}

// refuse records a fault at the op with the given kind and word, on the line of a place.
func (r *resolver) refuse(at place, kind opKind, word []byte, err error) {
	f := r.fault
	if f == nil || at.file < f.where.file || at.file == f.where.file && at.line < f.where.line {
		// Of two faults on one line, the one found first is kept.
		r.fault = &fault{where: at, kind: kind, word: bytes.Clone(word), err: err}
	}
}

// buildFault turns an error of the Builder into a fault at one of its events.
func (a *assembler) buildFault(err error) error {
	var cycle *graphs.CycleError
	var unordered *graphs.UnorderedError
	switch {
	case errors.As(err, &cycle):
		// The last event of the cycle is the one that closed it.
		return &fault{where: a.places.of(slices.Max(cycle.Events)), column: 1, err: err}
	case errors.As(err, &unordered):
		return &fault{
			where: a.places.of(max(unordered.First, unordered.Other)),
			kind:  opSet,
			word:  []byte(unordered.Variable),
			err:   err,
		}
	}
	return err
}
