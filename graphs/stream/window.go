package stream

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
)

// A View defines the parts of a stream that formulas can see. The stream keeps nothing else.
type View struct {
	Names      map[string]bool // variables of that name, on any process
	Variables  map[Owned]bool
	Channels   map[[2]int]bool
	AnyChannel bool
	Everything bool // every event, as formulas with EX and AX need
	Whole      bool // everything in the lines, including what only users see

	// Processes whose events are kept if they learn about other processes, because later events happen after what
	// was learned; graphs.Shared stands for all processes.
	Learning map[int]bool
}

// Owned is a variable: its process, or graphs.Shared, and its name.
type Owned struct {
	Process int
	Name    string
}

// sees reports whether the view sees a variable.
func (v *View) sees(o owner) bool {
	return v.Whole || v.Names[o.name] || v.Variables[Owned{int(o.process), o.name}]
}

// SetView sets the view from now on. A view may see no more than the one before it, except for the first one.
func (s *Stream) SetView(v View) {
	s.view = v
	s.narrower = true
	seen := len(v.Names) + len(v.Variables) + len(v.Channels)
	learning := slices.Contains(slices.Collect(maps.Values(v.Learning)), true)
	s.blind = seen == 0 && !v.AnyChannel && !v.Everything && !learning

	s.chains = s.chains[:0]
	chain := func(p int) {
		if p >= 0 {
			s.chains = append(s.chains, int32(p))
		}
	}
	for x := range v.Variables {
		chain(x.Process)
	}
	for ends := range v.Channels {
		chain(ends[0])
		chain(ends[1])
	}
	slices.Sort(s.chains)
	s.chains = slices.Compact(s.chains)

	for _, x := range s.variables {
		x.seen = v.sees(x.owner)
	}
	for p := range s.processes {
		s.processes[p].source = v.AnyChannel
		s.processes[p].learner = v.Learning[graphs.Shared] || v.Learning[p]
	}
	for ends := range v.Channels {
		s.processes[ends[0]].source = true
	}
}

// counts reports whether the view counts a message to process q.
func (s *Stream) counts(m *message, q int32) bool {
	return s.view.AnyChannel || s.view.Channels[[2]int{int(m.from.process), int(q)}]
}

// window holds the events above G.
type window struct {
	base   clock      // G
	kept   []kept     // in the order of admission
	lists  [][]listed // by process, its events in kept
	marks  []Mark
	step   int64
	flying []*message // the messages in transit at G that the view counts
	found  []int32    // scratch of direct
}

// kept is an event of the window.
type kept struct {
	place
	clock clock // the clock of its process from the event on
	step  int64 // equal for events that happen together
	news  bool  // whether its process learned something about others
	id    string
	shown *shown // nil if the view is not Whole
	sets  []set
	sends []*message
	takes []*message // received messages
	// Its direct causes: the maximal ones among the last events of other processes that happened before it.
	after []place
}

// A Mark is a moment after a line: how many events had been kept and admitted, and how many processes had executed all
// of their events.
type Mark struct {
	Kept   int
	Events int64
	Over   int
	Step   int64 // the step of the last event that had been admitted
	Scope  int   // the value of Stream.Scope
}

// endLine marks the moment if the view distinguishes it from the one before.
func (s *Stream) endLine() {
	w := &s.window
	if n := len(w.marks); n == 0 || w.marks[n-1].Kept != len(w.kept) || w.marks[n-1].Over != s.over {
		s.Mark()
	}
}

// Mark marks this moment, even if the view does not distinguish it from the one before, and returns its index in Marks.
func (s *Stream) Mark() int {
	w := &s.window
	now := Mark{len(w.kept), s.admitted, s.over, w.step, s.scope}
	if n := len(w.marks); n > 0 {
		was := w.marks[n-1]
		was.Scope = now.Scope
		if was == now {
			w.marks[n-1] = now
			return n - 1
		}
	}
	w.marks = append(w.marks, now)
	return len(w.marks) - 1
}

// Marks returns the moments since the last Drop when an event was kept or a process had executed all of its events,
// those of calls to Mark, and the very first moment. The slice must not be changed.
func (s *Stream) Marks() []Mark { return s.window.marks }

// Len returns the number of events in the window.
func (s *Stream) Len() int { return len(s.window.kept) }

// keep puts an admitted event into the window, if the view sees it.
func (s *Stream) keep(e *pending) {
	w := &s.window
	k := kept{place: e.place, clock: s.processes[e.process].clock, step: w.step, id: e.id, shown: e.shown}
	if turns := s.processes[e.process].history.turns; len(turns) > 0 {
		k.news = turns[len(turns)-1].pos == e.pos
	}

	for _, x := range e.sets {
		s.know(x.v)
		if x.v.seen {
			k.sets = append(k.sets, x)
		}
		if x.v.process == graphs.Shared {
			x.v.at, x.v.id = k.place, k.id
			x.v.clock, x.v.source = k.clock, e.source
		}
	}

	if s.processes[e.process].source {
		k.sends = slices.Clone(e.sends)
		for _, m := range e.sends {
			if m.to < 0 && s.unaddressed == "" {
				s.unaddressed, s.addressed = m.id, len(w.kept)
			}
		}
	}
	for _, m := range e.receives {
		if s.counts(m, e.process) {
			m.taken = append(m.taken, e.place)
			k.takes = append(k.takes, m)
		}
	}

	if !s.tells(&k) {
		return
	}
	var ok bool
	if k.after, ok = s.sender(&k, e); !ok {
		k.after = s.direct(&k)
	}
	w.list(&k, len(w.kept))
	w.kept = append(w.kept, k)
}

// listed is an event of a process with its index in kept.
type listed struct {
	pos int64 // the position of the event on its process
	at  int32
}

// list records the index of an event in kept.
func (w *window) list(k *kept, at int) {
	w.lists[k.process] = append(w.lists[k.process], listed{k.pos, int32(at)})
}

// sender is a fast path of direct for an event that receives one message and learns nothing
// else: its only cause in the window is the send of the message. Ok is false if there may be other
// causes, which is the case unless neither process has learned anything since its last event in the
// window. With 300 processes, sender makes admission almost twice as fast.
func (s *Stream) sender(k *kept, e *pending) (after []place, ok bool) {
	w, turns := &s.window, s.processes[k.process].history.turns
	list := w.lists[k.process]
	if !k.news || len(e.receives) != 1 || len(e.after)+len(e.groups) > 0 || len(turns) < 2 || len(list) == 0 {
		return nil, false
	}
	last, from := &w.kept[list[len(list)-1].at], e.receives[0].from
	if list = w.upTo(int(from.process), from.pos); len(list) == 0 || !last.clock.same(turns[len(turns)-2].clock) {
		return nil, false
	}
	f := &w.kept[list[len(list)-1].at]
	if c, ok := s.processes[from.process].history.at(from.pos); !ok || !f.clock.same(c) {
		return nil, false
	}
	if last.knows(f.place) {
		return nil, true
	}
	return []place{f.place}, true
}

// direct returns the direct causes of an event on other processes that are in the window, without those that are
// known to an earlier event of its own process.
func (s *Stream) direct(k *kept) []place {
	w := &s.window
	if n := len(w.kept); n > 0 && w.kept[n-1].step == k.step {
		return nil // it shares the causes of the event before it in the step
	}

	// Events known before are causes through the process itself.
	known := w.base
	if list := w.lists[k.process]; len(list) > 0 {
		known = w.kept[list[len(list)-1].at].clock
	}
	if known.same(k.clock) {
		return nil
	}

	// The candidates are the last known events of processes with news.
	found := w.found[:0]
	for q, n := range k.clock {
		if int32(q) == k.process || n <= known.of(int32(q)) {
			continue
		}
		if list := w.upTo(q, n); len(list) > 0 {
			if e := list[len(list)-1]; e.pos > known.of(int32(q)) && w.kept[e.at].step != k.step {
				found = append(found, e.at)
			}
		}
	}
	w.found = found

	// Later candidates first: a candidate known to a later one is no direct cause.
	if len(found) > 1 {
		slices.SortFunc(found, func(i, j int32) int { return int(j - i) })
	}
	var after []place
	for n, i := range found {
		f := &w.kept[i]
		if !slices.ContainsFunc(found[:n], func(j int32) bool { return w.kept[j].knows(f.place) }) {
			after = append(after, f.place)
		}
	}
	return after
}

// knows reports whether an event happened before k.
func (k *kept) knows(at place) bool { return k.clock.of(at.process) >= at.pos }

// upTo returns the events of process q in the window up to a position.
func (w *window) upTo(q int, pos int64) []listed {
	list := w.lists[q]
	n := len(list)
	if n > 0 && list[n-1].pos > pos {
		n = sort.Search(n, func(i int) bool { return list[i].pos > pos })
	}
	return list[:n]
}

// Drop forgets the events that are in all cuts still to come that the view distinguishes from those of
// the window. If the view sees nothing, these are all events.
func (s *Stream) Drop() {
	w := &s.window
	defer s.forgetClocks()
	g := s.Floor()
	if g == nil {
		return
	}
	w.base.join(g)

	// The values and messages of events in G are kept. The other events move up, without the parts that a
	// narrower view no longer sees.
	for p := range w.lists {
		w.lists[p] = w.lists[p][:0]
	}
	all := w.kept
	w.kept = all[:0]
	for i := range all {
		k := all[i]
		if k.pos > w.base.of(k.process) {
			if !s.narrower || s.trim(&k) {
				if s.narrower {
					k.after = s.direct(&k)
				}
				w.list(&k, len(w.kept))
				w.kept = append(w.kept, k)
			}
			continue
		}
		for _, x := range k.sets {
			x.v.base = x.value
		}
		w.flying = append(w.flying, k.sends...)
	}
	clear(all[len(w.kept):]) // for the garbage collector
	s.narrower = false
	// Messages in transit stay until an event in G has received them, as long as the view counts them.
	w.flying = slices.DeleteFunc(w.flying, func(m *message) bool {
		if !s.processes[m.from.process].source || m.to >= 0 && !s.counts(m, m.to) {
			return true
		}
		aboveG := func(at place) bool { return at.pos > w.base.of(at.process) }
		return len(m.taken) > 0 && !slices.ContainsFunc(m.taken, aboveG)
	})
	w.marks = w.marks[:0]
}

// forgetClocks forgets the clocks of events in G, because no reference can need them. If too many are left, it forgets
// the oldest ones of the processes that have most.
//
// The time complexity of forgetClocks is O(n), plus O(1) for each clock that is forgotten.
func (s *Stream) forgetClocks() {
	s.learned, s.turns = 0, 0
	longest := 0
	for p := range s.processes {
		h := &s.processes[p].history
		h.forget(s.window.base.of(int32(p)), len(h.turns))
		s.turns, longest = s.turns+len(h.turns), max(longest, len(h.turns))
	}

	// Halve the longest histories until all fit, so that short ones stay whole.
	for enough := s.enough(); s.turns > enough && longest > minHistory; {
		longest = max(minHistory, longest/2)
		s.turns = 0
		for p := range s.processes {
			h := &s.processes[p].history
			h.forget(0, longest)
			s.turns += len(h.turns)
		}
	}
}

// enough returns how many clocks of all processes together are kept for references to events.
func (s *Stream) enough() int { return maxHistory / (8 * (len(s.names) + 4)) }

// maxHistory is how many bytes these clocks may take, in addition to minHistory clocks of each process.
var maxHistory = 64 << 20

// minHistory is the least number of clocks kept for each process.
const minHistory = 16

// trim removes the parts of an event that the view no longer sees, and reports whether it still sees the event.
func (s *Stream) trim(k *kept) bool {
	k.sets = slices.DeleteFunc(k.sets, func(x set) bool { return !x.v.seen })
	if !s.processes[k.process].source {
		k.sends = nil
	}
	k.takes = slices.DeleteFunc(k.takes, func(m *message) bool { return !s.counts(m, k.process) })
	return s.tells(k)
}

// tells reports whether the view sees a difference between before and after an event.
func (s *Stream) tells(k *kept) bool {
	return len(k.sets)+len(k.sends)+len(k.takes) > 0 || s.view.Everything || k.news && s.processes[k.process].learner
}

// Floor returns G as Drop would set it now, as the number of events of each process; nil if it is empty.
func (s *Stream) Floor() []int64 {
	var g clock

	// Nothing is seen, so nothing has to be kept.
	if s.blind {
		for p := range s.processes {
			g = append(g, s.processes[p].admitted)
		}
		return g
	}
	// meet lowers g to what an event of process p at position own knows by its clock.
	meet := func(c clock, p int32, own int64) {
		if g == nil {
			g = slices.Repeat(clock{math.MaxInt64}, len(s.names))
		}
		for q := range g {
			known := c.of(int32(q))
			if int32(q) == p {
				known = own
			}
			g[q] = min(g[q], known)
		}
	}

	for _, p := range s.chains {
		x := &s.processes[p]
		if s.Closed(int(p)) {
			continue
		}
		meet(x.clock, p, x.admitted)
	}
	for _, v := range s.variables {
		if v.seen && v.process == graphs.Shared {
			meet(v.clock, v.at.process, v.at.pos)
		}
	}
	return g
}
