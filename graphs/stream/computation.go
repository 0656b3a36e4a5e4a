package stream

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A Window is the computation from G to a moment.
type Window struct {
	Computation *graphs.Computation
	stream      *Stream
	first       []int32 // by process, how many of its events stand for G: 1 or 0
}

// Future is the variable of each process of an open window that becomes true with an event still to come. Its name,
// and those of other variables that an open window adds, are not UTF-8, so no line can have them.
const Future = "\xff still to come"

const (
	settled = "\xff last assignment of "
	anybody = "\xff any process"
)

// Settled returns the name of the variable of an open window that becomes true with the last assignment of a shared
// variable, and its process. It returns ok = false if the window has no assignment of the shared variable.
func (w *Window) Settled(shared string) (name string, process int, ok bool) {
	v := w.Computation.Variable(graphs.Shared, shared)
	if v.Len() == 0 {
		return "", 0, false
	}
	return settled + shared, w.Computation.VariablesNamed(settled + shared)[0].Process, true
}

// Window returns the computation from G to a moment.
//
// An open window has one more event of each process that has not closed, which happens after the earlier events of its
// process only. If more processes may appear, it also has an event of another process.
// To the view, any future of the execution looks like one of the cuts of an open window.
//
// Errors come from graphs.Builder. The time complexity of Window is O(|V|+|edges|).
func (s *Stream) Window(at Mark, open bool) (*Window, error) {
	w, count := &s.window, at.Kept
	var b graphs.Builder
	for _, name := range s.names {
		b.Process(name)
	}
	columns := make(map[*variable]*graphs.Variable)
	for _, v := range s.variables {
		if v.seen && v.known {
			x := b.Variable(int(v.process), v.name)
			b.Init(x, v.base)
			columns[v] = x
		}
	}

	// Each process that sent messages in transit at G has one event that stands for its past and sends them. The
	// initial cut of the computation contains these events.
	made := &Window{stream: s, first: make([]int32, len(s.names))}
	var messages []*message
	var sends []graphs.Handle
	sent := func(m *message, h graphs.Handle) {
		m.number = int32(len(messages)) + 1
		messages, sends = append(messages, m), append(sends, h)
	}
	b.Grow(count + len(s.names) + 1)
	base := make(map[int32]graphs.Handle)
	for _, m := range w.flying {
		h, ok := base[m.from.process]
		if !ok {
			h = b.Event(int(m.from.process))
			base[m.from.process] = h
			made.first[m.from.process] = 1
		}
		sent(m, h)
	}

	// Events follow in the order of the window, so that kept[i] gets the handle start+i.
	lasts := make(map[*variable]graphs.Handle)
	start := graphs.Handle(b.NumEvents())
	handle := func(at place) graphs.Handle {
		list := w.upTo(int(at.process), at.pos)
		return start + graphs.Handle(list[len(list)-1].at)
	}
	taken := make(map[int32][]graphs.Handle)
	for i := range w.kept[:count] { // all sends first, because a step may receive its own messages
		for _, m := range w.kept[i].sends {
			sent(m, start+graphs.Handle(i))
		}
	}
	for i := range w.kept[:count] {
		k := &w.kept[i]
		h := b.Event(int(k.process))
		if k.shown != nil {
			if k.id != "" {
				b.SetID(h, []byte(k.id))
			}
			b.SetLabel(h, k.shown.label)
			b.SetTime(h, k.shown.time)
			b.SetPlace(h, k.shown.place)
		}
		for _, x := range k.sets {
			if !x.v.seen {
				continue
			}
			b.Set(columns[x.v], h, x.value)
			if x.v.process == graphs.Shared {
				lasts[x.v] = h
			}
		}
		for _, at := range k.after {
			if at.pos > w.base.of(at.process) {
				b.Order(handle(at), h)
			}
		}
		for _, m := range k.takes {
			if m.number > 0 {
				taken[m.number] = append(taken[m.number], h)
			}
		}
	}

	for i, m := range messages {
		name := ""
		if s.view.Whole && s.keys.ids == 0 {
			name = m.id
		}
		index := b.NewMessage(name)
		if len(taken[m.number]) == 0 {
			b.Deliver(index, sends[i], graphs.NoHandle, int(m.to))
		}
		for _, h := range taken[m.number] {
			b.Deliver(index, sends[i], h, 0)
		}
		m.number = 0
	}

	w.together(&b, count, start)
	if open {
		s.open(&b, at, lasts)
	}
	c, err := b.Build()
	if err != nil {
		return nil, err
	}
	if len(base) > 0 {
		cut := c.NoEvents()
		copy(cut, made.first)
		c = c.From(cut)
	}
	made.Computation = c
	return made, nil
}

// together makes one step of the events that happen together, by a cycle of edges.
func (w *window) together(b *graphs.Builder, count int, start graphs.Handle) {
	for i := 0; i < count; {
		j := i + 1
		for j < count && w.kept[j].step == w.kept[i].step {
			b.Edge(start+graphs.Handle(j-1), start+graphs.Handle(j))
			j++
		}
		if j > i+1 {
			b.Edge(start+graphs.Handle(j-1), start+graphs.Handle(i))
		}
		i = j
	}
}

// open adds the events that are still to come.
func (s *Stream) open(b *graphs.Builder, at Mark, lasts map[*variable]graphs.Handle) {
	add := func(p int) {
		b.Set(b.Variable(p, Future), b.Event(p), graphs.Boolean(true))
	}
	for p := range s.names {
		if !s.Over(p, at) {
			add(p)
		}
	}
	if !s.Fixed() {
		add(b.Process(anybody))
	}
	for v, h := range lasts {
		b.Set(b.Variable(b.ProcessOf(h), settled+v.name), h, graphs.Boolean(true))
	}
}

// ID returns the id of an event.
func (w *Window) ID(e graphs.Event) string {
	k := w.kept(e)
	return w.stream.idOf(k.id, k.place)
}

// index returns the index of an event in the window of the stream; -1 for an event that stands for G.
func (w *Window) index(e graphs.Event) int {
	c := w.Computation
	p := c.Process(e)
	k := int32(c.Position(e)) - w.first[p]
	if k == 0 {
		return -1
	}
	return int(w.stream.window.lists[p][k-1].at)
}

// Step returns the number of the step that admitted an event: events that happen together have the same. It is 0 for
// an event that stands for G.
func (w *Window) Step(e graphs.Event) int64 {
	if w.index(e) < 0 {
		return 0
	}
	return w.kept(e).step
}

// Dropped returns how many events of a process are in G.
func (w *Window) Dropped(process int) int64 { return w.stream.window.base.of(int32(process)) }

// A Past is an event and how many events of each process happened before it. The zero Past
// is the beginning, before all events.
type Past struct {
	place
	step  int64
	clock clock
}

// Past returns the Past of an event, which must not be in G.
func (w *Window) Past(e graphs.Event) Past {
	k := w.kept(e)
	return Past{k.place, k.step, k.clock}
}

// Last returns the Past of the last event of a process. All later events of the process are known to happen after it.
// If the event is in G, the Past is that of G.
func (w *Window) Last(process int) Past {
	if n := w.Computation.Len(process); n > int(w.first[process]) {
		return w.Past(w.Computation.Event(process, n))
	}
	return Past{place{int32(process), w.Dropped(process)}, -1, w.stream.window.base}
}

// Of returns how many events of a process happened before or at p.
func (p Past) Of(process int) int64 {
	if int(p.process) == process {
		return p.pos
	}
	return p.clock.of(int32(process))
}

// Knows reports whether q happened before p, together with it, or is p.
func (p Past) Knows(q Past) bool {
	return q.pos == 0 || q.process == p.process && q.pos <= p.pos || p.clock.of(q.process) >= q.pos
}

// Follows reports whether q happened before p.
func (p Past) Follows(q Past) bool { return p.Knows(q) && (q.pos == 0 || p.step != q.step) }

// kept returns the record of an event, which must be above G.
func (w *Window) kept(e graphs.Event) *kept {
	return &w.stream.window.kept[w.index(e)]
}

// Events converts counts of events since the beginning of the execution to counts in the computation of the window.
func (w *Window) Events(counts []int64) []int32 {
	all := slices.Clone(w.first)
	for p := range min(len(counts), len(all)) {
		all[p] += int32(len(w.stream.window.upTo(p, counts[p])))
	}
	return all
}

// Counts returns how many events of each process happened before or at those of a cut, since the beginning of the
// execution.
func (w *Window) Counts(cut graphs.Cut) []int64 {
	counts := make(clock, len(w.stream.names))
	counts.join(w.stream.window.base)
	for p := range counts {
		if cut[p] > w.first[p] {
			k := w.kept(w.Computation.Event(p, int(cut[p])))
			counts.join(k.clock)
			counts[p] = max(counts[p], k.pos)
		}
	}
	return counts
}
