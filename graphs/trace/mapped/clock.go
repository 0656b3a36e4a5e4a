package mapped

import (
	"cmp"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/clock"
)

// entry says that the first count events of a process happened before an event. name is the number of
// the process's name.
type entry struct{ name, count int32 }

// clock adds the vector clock of an event: an object of names and counts, or an array of pairs.
func (a *adding) clock(ev *event) {
	v := a.unquoted(a.row[a.s.clock])
	own := a.procNames[ev.process]
	// Later errors about the event point to its clock, if it has one.
	if v.kind > nullKind {
		ev.column = a.column(v.start())
	}
	s := v.inside(a.text)
	switch v.kind {
	case objectKind:
		s.object(func(name value) {
			a.scratch = a.clockName(a.scratch[:0], name)
			a.entry(ev, own, a.scratch, s.value())
		})
	case arrayKind:
		s.Array(func(int) { a.pair(ev, own, s.value()) })
	case absentKind, nullKind:
		pointer := a.s.line.pointers[a.s.clock]
		a.wrong(value{}, "the clock is missing: the line has no %s", pointer)
	default:
		const msg = "the clock is %s where an object or an array of pairs is expected"
		a.wrong(v, msg, v.kind)
	}
	// Without its own entry the event has no position on its process.
	if ev.own == 0 {
		a.wrong(v, "the clock of an event of %q has no entry of its own", a.names.At(own))
	}
}

// unquoted returns the object or the array in the text of a string v; otherwise it returns v.
func (a *adding) unquoted(v value) value {
	if v.kind != stringKind {
		return v
	}
	if v.style == escapes {
		// The decoded text is appended to the chunk's text, so that its values have offsets.
		from := len(a.text)
		a.text = v.decode(a.text, a.text)
		v.from, v.to = int32(from), int32(len(a.text))
	}
	s := v.inside(a.text)
	s.Next()
	inner := s.value()
	// The caller reports any other string.
	if s.Err != nil || !s.Ended() || inner.kind != objectKind && inner.kind != arrayKind {
		return a.row[a.s.clock]
	}
	return inner
}

// clockName appends the name of the process for a key of a clock, given its parts.
func (a *adding) clockName(dst []byte, keys ...value) []byte {
	parts := a.s.process.parts
	// The key has the parts of a name or the whole name; only parts need the format.
	if len(parts) != len(keys)+1 {
		return keys[0].decode(dst, a.text)
	}
	for i, k := range keys {
		dst = append(dst, parts[i]...)
		if k.kind == stringKind {
			dst = k.decode(dst, a.text)
		} else {
			dst = append(dst, k.raw(a.text)...)
		}
	}
	return append(dst, parts[len(keys)]...)
}

// pair adds the entry [key, count] of a clock. A key is a scalar, or an array of the parts of the
// name of a process.
func (a *adding) pair(ev *event, own int32, pair value) {
	const form = "an entry of a clock is a pair [process, count]"
	// The list is reused for the parts of the key, behind the pair.
	a.list = a.list[:0]
	if pair.kind == arrayKind {
		a.list = a.elements(a.list, pair)
	}
	if len(a.list) != 2 {
		a.wrong(pair, form)
		return
	}
	key, count := a.list[0], a.list[1]
	keys := a.list[:1]
	if key.kind == arrayKind {
		a.list = a.elements(a.list, key)
		keys = a.list[2:]
	}
	for _, k := range keys {
		if k.kind != stringKind && k.kind != numberKind {
			a.wrong(key, form)
			return
		}
	}
	if n, parts := len(keys), len(a.s.process.slots); n != parts && n != 1 {
		a.wrong(key, "the key of a clock has %d parts, the name of a process %d", n, parts)
		return
	}
	a.scratch = a.clockName(a.scratch[:0], keys...)
	a.entry(ev, own, a.scratch, count)
}

// entry adds an entry of a clock. The entry of the event's own process is the position of the event;
// entries of 0 are ignored.
func (a *adding) entry(ev *event, own int32, name []byte, v value) {
	count, ok := int64(0), false
	if v.kind == numberKind {
		// Only a whole number counts events; 2.0 is one.
		x, isNumber := trace.NumberOf(string(v.raw(a.text)))
		if ok = isNumber && !x.Float; ok {
			count = x.Int64()
		}
	}
	// Names in clocks and names of processes share a table, so a clock may name a process before its
	// first line.
	switch {
	case !ok:
		a.wrong(v, "the count of events of %q in the clock must be a whole number", name)
	case count < 0 || count > math.MaxInt32:
		const msg = "the clock has %d for %q: a count must be from 0 to %d"
		a.wrong(v, msg, count, name, math.MaxInt32)
	case count == 0:
	default:
		n := a.name(name)
		if n != own {
			a.entries.Add(entry{n, int32(count)})
			return
		}
		if ev.own != 0 {
			a.wrong(v, "the clock has two entries for %q", name)
		}
		ev.own = int32(count)
	}
}

// ordered is a log with the order of events on each process.
//
//	(1) order has the events in the order for a builder
//	(2) handles is its inverse
//	(3) the events of a process are in the order in which they happened
type ordered struct {
	*log
	order   []int32
	handles []graphs.Handle
	counts  []int32 // how many events each process has

	// the ids of events that end timers, and of later events of their processes, because the ends
	// must not change the default ids of lines
	ids map[int32][]byte
}

// sorted orders the events by line or, if there are clocks, process by process by their own clock
// entries, which must be 1, 2, 3, ….
func (l *log) sorted() (*ordered, error) {
	o := &ordered{
		log: l, order: make([]int32, len(l.events)), counts: make([]int32, len(l.procNames)),
	}
	for e, ev := range l.events {
		o.counts[ev.process]++
		o.order[e] = int32(e)
	}
	o.number()
	if !l.m.clocks {
		return o, nil
	}
	slices.SortStableFunc(o.order, func(e, f int32) int {
		return cmp.Compare(o.events[e].process, o.events[f].process)
	})
	own := func(e int32) int64 { return int64(o.events[e].own) }
	rest := o.order
	for p, n := range o.counts {
		if at, wrong := clock.Sort(rest[:n], own, string(o.process(int32(p)))); wrong != "" {
			return nil, o.failAt(rest[at], "%s", wrong)
		}
		rest = rest[n:]
	}
	o.number()
	return o, nil
}

// number gives the events their handles.
func (o *ordered) number() {
	o.handles = make([]graphs.Handle, len(o.events))
	for i, e := range o.order {
		o.handles[e] = graphs.Handle(i)
	}
}

// process returns the name of a process.
func (l *log) process(p int32) []byte { return l.names.At(l.procNames[p]) }

// knows reports whether the clock of an event says that another happened before it.
func (o *ordered) knows(e, other int32) bool {
	p := o.events[other].process
	if p == o.events[e].process {
		return o.events[other].own < o.events[e].own
	}
	name := o.procNames[p]
	// The search is linear: a clock has an entry for each process with an event before e.
	for _, x := range o.entries.Row(int(e)) {
		if x.name == name && x.count >= o.events[other].own {
			return true
		}
	}
	return false
}

// addClocks adds the causality that the clocks describe.
func (o *ordered) addClocks(b *graphs.Builder) error {
	// Handles are numbered process by process.
	starts := make([]graphs.Handle, len(o.counts)+1)
	for p, n := range o.counts {
		starts[p+1] = starts[p] + graphs.Handle(n)
	}
	var clocks clock.Clocks
	var list []entry
	for i, e := range o.order {
		ev := &o.events[e]
		list = append(list[:0], o.entries.Row(int(e))...)
		// Sorted, so that repeated names are neighbors and errors do not depend on the order in
		// the line.
		slices.SortFunc(list, func(x, y entry) int {
			return cmp.Or(cmp.Compare(x.name, y.name), cmp.Compare(x.count, y.count))
		})
		for k, x := range list {
			q := o.procs[x.name]
			name := o.names.At(x.name)
			switch {
			case k > 0 && list[k-1].name == x.name:
				return o.failAt(e, "the clock has two entries for %q", name)
			case q < 0:
				return o.failAt(e, "%v", admission.UnknownProcess.Broken(name, o.alone()))
			}
			// An entry beyond the events of its process means that its log is missing or cut off.
			if err := admission.Ahead(name, int(o.counts[q]), int64(x.count), ""); err != nil {
				return o.failAt(e, "%v", err)
			}
			previous := clocks.Add(graphs.Handle(i), ev.process, ev.own, q, x.count)
			if x.count < previous {
				return o.failAt(e, "%v", admission.Backwards.Broken(o.process(ev.process), name, int64(previous), int64(x.count)))
			}
		}
	}
	clocks.Edges(func(h graphs.Handle, q, k int32) { b.Order(starts[q]+graphs.Handle(k)-1, h) })
	return nil
}
