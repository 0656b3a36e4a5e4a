package mapped

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// Lint reads a log as Read does with AllowTruncated, with the same errors, and returns findings
// beyond these, in the order of the lines:
//
//	(1) a receive for which there is no message that its clock knows to be sent, though
//	    one with that content is sent and not received
//	(2) a clock that lags: the event before it, or the send of a message that it
//	    receives, knows more
//	(3) a clock that leaps: it knows of events of another process that neither the
//	    event before it nor a message that it receives knows of
//	(4) a value before a write that is not the one written last
//
// Before all of these come the pointers that find nothing in any line, but for pointers in
// loops and of shipped mappings.
//
// (1), (2) and (3) are checked for mappings with clocks and messages, (3) only at events with a
// send for each receive. Processes that write elements of arrays with another index than their
// own may share memory; then (3) is not checked, and (4) only for variables that are no such
// elements on any process.
//
// The time complexity of Lint is that of Read.
func Lint(ctx context.Context, in *trace.Source, m *Mapping, opts trace.Options) ([]*trace.Error, error) {
	// Lint reads again with AllowTruncated, so that findings before the cut are not lost.
	opts = trace.Options{AllowTruncated: true, MaxLine: opts.MaxLine}
	l := &log{m: m, opts: opts, use: newUse(m)}
	if err := l.load(ctx, in); err != nil {
		return nil, err
	}
	if _, err := l.build(ctx); err != nil {
		return nil, err
	}
	o, err := l.sorted()
	if err != nil {
		return nil, err
	}
	k := &linter{ordered: o, elements: o.elements(), found: make([][]*trace.Error, len(l.events))}
	// Without messages or clocks there is nothing that an event could know from others.
	sends := func(s *source) bool { return len(s.messages) > 0 }
	if m.clocks && slices.ContainsFunc(m.sources, sends) {
		if err := k.clocks(); err != nil {
			return nil, err
		}
	}
	k.values()
	return slices.Concat(l.idle(in.Path), slices.Concat(k.found...)), nil
}

// use says what lines make use of.
type use struct {
	parts    []bool          // of the mapping, by number
	pointers map[string]bool // that lead to something
}

func newUse(m *Mapping) *use {
	return &use{make([]bool, len(m.parts)), make(map[string]bool)}
}

// idle returns what of the mapping finds nothing in the whole log: pointers, and then parts with
// their places in the mapping. Shipped mappings are for many programs, not all with all fields, so
// they are not checked.
func (l *log) idle(path string) (all []*trace.Error) {
	if l.use == nil || slices.Contains(names(), l.m.Name) {
		return nil
	}
	for _, s := range l.m.sources {
		// What no line has is found below as a whole, so its pointers are not named before.
		known := func(part int32, slots ...int32) {
			for _, slot := range slots {
				if slot >= 0 && !l.use.parts[part] {
					l.use.pointers[s.line.pointers[slot]] = true
				}
			}
		}
		for _, v := range s.variables {
			for _, r := range v.rules {
				known(v.part, r.slot)
			}
		}
		for _, label := range s.labels {
			known(label.part, label.name.slots...)
		}
		for _, m := range s.times {
			known(m.part, m.name.slots...)
		}
		for _, pointer := range s.line.pointers {
			if !l.use.pointers[pointer] {
				l.use.pointers[pointer] = true // once for all sources
				const msg = "the pointer %q of the mapping leads to nothing in any line"
				all = append(all, trace.Errorf(path, 0, msg, pointer))
			}
		}
	}
	for i, is := range l.use.parts {
		if p := l.m.parts[i]; !is && p.idle != "" {
			all = append(all, p.Errorf("%s", p.idle))
		}
	}
	return all
}

// A linter collects findings about a log.
type linter struct {
	*ordered
	elements map[string]bool
	found    [][]*trace.Error // by event, those of each in the order of the checks
}

// elements returns the names of variables that processes may share: elements of arrays, and
// these arrays, the names of the own elements of a process.
func (l *log) elements() map[string]bool {
	names := make(map[string]bool)
	for v, f := range l.facts {
		if f.element {
			name := string(l.variables.At(int32(v)))
			array, _, _ := strings.Cut(name, "[")
			names[name], names[array] = true, true
		}
	}
	return names
}

// at notes a finding.
func (k *linter) at(e int32, format string, args ...any) {
	k.found[e] = append(k.found[e], k.failAt(e, format, args...))
}

// clocks compares each clock with what the event can know.
func (k *linter) clocks() error {
	m, err := k.match()
	if err != nil {
		return err
	}
	// One send a key suffices for a hint.
	open := make(map[int32]int32) // by key: the first send that nobody receives
	for i, r := range m.recv {
		if key := k.sends[i].key; r < 0 {
			if _, known := open[key]; !known {
				open[key] = int32(i)
			}
		}
	}
	loose := make(map[int32]bool) // events with receives that have no send
	for _, i := range m.left {
		r := k.recvs[i]
		loose[r.event] = true
		if send, ok := open[r.key]; ok {
			s := k.sends[send]
			k.at(r.event, "a message is received that the clock does not know to be sent (%s:%d)", k.fileOf(s.event), s.line)
		}
	}
	got := make(map[int32][]int32) // by event: the sends of what it receives
	for i, r := range m.recv {
		if r >= 0 && k.recvs[r].kind != lost {
			e := k.recvs[r].event
			got[e] = append(got[e], k.sends[i].event)
		}
	}
	for i, e := range k.order {
		// Program order first: an event knows what the one before it knew.
		var from []int32
		if k.position(e) > 1 {
			from = append(from, k.order[i-1])
		}
		from = append(from, got[e]...)
		k.compare(e, from, loose[e] || len(k.elements) > 0)
	}
	return nil
}

// compare compares the clock of an event with those of the events it follows.
func (k *linter) compare(e int32, from []int32, loose bool) {
	can := make(map[int32]int32) // by name: what can be known
	for _, f := range from {
		own := entry{k.procNames[k.events[f].process], k.position(f)}
		for _, x := range append(slices.Clone(k.entriesOf(f)), own) {
			can[x.name] = max(can[x.name], x.count)
		}
	}
	delete(can, k.procNames[k.events[e].process])
	for _, x := range k.entriesOf(e) {
		switch {
		case x.count < can[x.name]:
			k.at(e, "the clock lags: it has %d for %q, but what the event follows knows %d", x.count, k.names.At(x.name), can[x.name])
		case x.count > can[x.name] && !loose:
			k.at(e, "the clock leaps: it has %d for %q, but what the event follows knows only %d", x.count, k.names.At(x.name), can[x.name])
		}
		delete(can, x.name)
	}
	for _, name := range slices.Sorted(maps.Keys(can)) {
		k.at(e, "the clock lags: it has nothing for %q, but what the event follows knows %d", k.names.At(name), can[name])
	}
}

// values compares the values before writes with those written last.
func (k *linter) values() {
	type write struct {
		value  graphs.Value
		event  int32
		shared bool
	}
	last := make([]write, len(k.owners))
	for i, o := range k.owners {
		last[i].shared = k.elements[string(k.variables.At(o.name))]
	}
	for _, e := range k.order {
		for _, x := range k.assignedBy(e) {
			v := k.value(x)
			w := &last[x.column]
			// A value before a write is compared; one that is set replaces the last.
			if x.how&^isFloat == begins {
				// Other processes may have written a shared variable in between.
				if w.shared {
					continue
				}
				if w.value.Kind != graphs.NoKind && w.value != v {
					k.at(e, "%s is written over %s, but the value was %s (%s:%d)", k.variables.At(k.owners[x.column].name), v, w.value, k.fileOf(w.event), k.events[w.event].line)
				}
				continue
			}
			w.value, w.event = v, e
		}
	}
}
