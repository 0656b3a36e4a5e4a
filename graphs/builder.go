package graphs

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/pota-project/pota/graphs/dense"
)

// Handle names an event while a computation is being built: its number in order
// of addition, from 0.
type Handle int32

// Handles of the fictitious events, for Edge.
const (
	BottomHandle Handle = -1
	TopHandle    Handle = -2
)

// NoHandle stands for the receive of a message that is never received.
const NoHandle Handle = -3

// A Builder collects a computation. Invariants of what it accepts:
//
//	(1) an event belongs to one process, whose events are ordered as they are added
//	(2) a message has one send; its receives are of different processes
//	(3) the events of a sync are of different processes
//	(4) process order, messages and Order have no cycle; syncs and general edges may close one
//	(5) a variable has one type, and one owner: a process, or it is shared
//	(6) the assignments of a shared variable are totally ordered by happened-before;
//	    those that general edges make one meta-event by that without them
//
// (1), (2), (3) and (5) are the caller's to keep; Build checks (4) and (6). The
// zero Builder is ready to use. After Build a Builder must not be used again.
type Builder struct {
	names  []string
	number map[string]int // of the first processes; see numbered

	proc   []int32 // the process of each handle; after numberEvents, its event
	pos    []int32 // the positions of the first handles; see count
	counts []int32 // how many of those events each process has

	order    []handleEdge // after, clock
	messages []Message    // their events are Handles
	sent     int
	msgNames []string
	nameAll  func() []string // makes all names of messages, in place of msgNames
	edges    []handleEdge
	syncs    [][]Handle

	idText []byte // explicit ids in order of handle
	idEnd  []uint32
	labels map[Handle]string
	times  times
	latest times
	clocks []string
	timers map[Handle]Timer // their starts are Handles
	places places
	lower  string

	parents []int32

	sets   dense.List[assignment] // the assignments so far, in the order of adding
	floats dense.Set              // the indices of sets that are floats; nil if none is
	vars   []*Variable            // by number; parts of a shared variable have its number
	joined bool                   // some variables are parts of shared ones
	named  map[string]*namesakes
	intern map[*Variable]map[string]int32
}

type handleEdge struct{ from, to Handle }

// Process returns the number of the process with that name. A new one is added.
func (b *Builder) Process(name string) int {
	b.number = numbered(b.names, b.number)
	p, ok := b.number[name]
	if !ok {
		p = b.NewProcess(name)
	}
	return p
}

// NewProcess adds a process and returns its number. No other process may have its name.
func (b *Builder) NewProcess(name string) int {
	b.names = dense.Append(b.names, name)
	return len(b.names) - 1
}

// Processes returns the names of the processes so far. The slice must not be changed.
func (b *Builder) Processes() []string { return b.names }

// numbered returns the numbers of distinct names; number has the first of them.
func numbered(names []string, number map[string]int) map[string]int {
	if number == nil {
		number = make(map[string]int, len(names))
	}
	for p := len(number); p < len(names); p++ {
		number[names[p]] = p
	}
	return number
}

// Grow prepares for n more events.
func (b *Builder) Grow(n int) {
	b.proc = slices.Grow(b.proc, n)
}

// Event adds the next event of process p.
func (b *Builder) Event(p int) Handle {
	b.proc = dense.Append(b.proc, int32(p))
	return Handle(len(b.proc) - 1)
}

// count finds the positions of the events that were added since the last time: of many
// processes that is faster for many events at a time.
func (b *Builder) count() {
	b.counts = append(b.counts, make([]int32, len(b.names)-len(b.counts))...)
	if len(b.pos) < len(b.proc) {
		b.pos = slices.Grow(b.pos, cap(b.proc)-len(b.pos))
	}
	for _, p := range b.proc[len(b.pos):] {
		b.counts[p]++
		b.pos = append(b.pos, b.counts[p])
	}
}

// NumEvents returns the number of events added.
func (b *Builder) NumEvents() int { return len(b.proc) }

// Count returns the number of events added to process p.
func (b *Builder) Count(p int) int {
	b.count()
	return int(b.counts[p])
}

// ProcessOf returns the process of h.
func (b *Builder) ProcessOf(h Handle) int { return int(b.proc[h]) }

// PositionOf returns k where h is the k-th event of its process.
func (b *Builder) PositionOf(h Handle) int {
	b.count()
	return int(b.pos[h])
}

// SetID gives h a name. Names must be given in increasing order of h.
func (b *Builder) SetID(h Handle, id []byte) {
	for len(b.idEnd) < int(h) {
		b.idEnd = append(b.idEnd, uint32(len(b.idText)))
	}
	b.idText = append(b.idText, id...)
	b.idEnd = append(b.idEnd, uint32(len(b.idText)))
}

// SetLabel gives h a text that is shown to people.
func (b *Builder) SetLabel(h Handle, text string) {
	if b.labels == nil {
		b.labels = make(map[Handle]string)
	}
	b.labels[h] = text
}

// SetTime gives h a wall-clock time, as JSON text: a number, a string as in RFC 3339, or of a clock
// that knows its error [earliest,latest], without blanks.
func (b *Builder) SetTime(h Handle, text string) {
	earliest, latest := cutInterval(text)
	b.times.set(Event(h), earliest)
	if latest != "" {
		b.latest.set(Event(h), latest)
	}
}

// SetTimer says that h is the end of a timer of that name, which an earlier event of its process
// started.
func (b *Builder) SetTimer(h, start Handle, name string) {
	if b.timers == nil {
		b.timers = make(map[Handle]Timer)
	}
	b.timers[h] = Timer{Event(start), name}
}

// SetInstant gives h a wall-clock time between the years 1678 and 2261, in nanoseconds since 1970 UTC.
func (b *Builder) SetInstant(h Handle, ns int64) {
	b.times.grow(Event(h))
	form := timeForm{calendar: true, digits: 9, zone: zuluZone}
	if !b.times.put(Event(h), ns, form) {
		b.times.set(Event(h), form.calendarText(ns))
	}
}

// SetClock says which clock a process reads its times from: processes may share one.
func (b *Builder) SetClock(process int, name string) {
	for len(b.clocks) <= process {
		b.clocks = append(b.clocks, "")
	}
	b.clocks[process] = name
}

// SetParent says which process called another one, as spans do.
func (b *Builder) SetParent(process, parent int) {
	for len(b.parents) <= process {
		b.parents = append(b.parents, -1)
	}
	b.parents[process] = int32(parent)
}

// Clock returns the clock that a process was said to read, "" for none.
func (b *Builder) Clock(process int) string {
	if process >= len(b.clocks) {
		return ""
	}
	return b.clocks[process]
}

// SetPlace says where the trace tells of h.
func (b *Builder) SetPlace(h Handle, at Place) {
	p := &b.places
	for len(p.at) <= int(h) {
		p.at = append(p.at, place{})
	}
	p.at[h] = place{p.text(at.File), p.text(at.Record), int32(at.Line)}
}

// SetLowerBound says that the causality added is a lower bound of the real one,
// and why in a few words that follow a colon; "" leaves it exact.
func (b *Builder) SetLowerBound(why string) { b.lower = why }

// Order adds a causal edge: before happened before after.
func (b *Builder) Order(before, after Handle) {
	b.order = append(b.order, handleEdge{before, after})
}

// NewMessage numbers a message. Either all messages of a computation have names
// or none has.
func (b *Builder) NewMessage(name string) int32 {
	b.sent++
	if name != "" {
		b.msgNames = append(b.msgNames, name)
	}
	return int32(b.sent - 1)
}

// NameMessages sets a function for the names of all messages, which is called when somebody asks
// for one. NewMessage then gets none.
func (b *Builder) NameMessages(all func() []string) { b.nameAll = sync.OnceValue(all) }

// Deliver adds a delivery of message index. recv is NoHandle for a message that
// is never received; to, its receiver, may then be -1 for unknown, and is ignored
// otherwise.
func (b *Builder) Deliver(index int32, send, recv Handle, to int) {
	if recv != NoHandle {
		to = int(b.proc[recv])
	}
	b.messages = dense.Append(b.messages, Message{Event(send), Event(recv), int32(to), index})
}

// Sync adds a sync: the events happen together, as one step.
func (b *Builder) Sync(events ...Handle) { b.syncs = append(b.syncs, events) }

// Edge adds a general edge; its ends may be BottomHandle and TopHandle.
func (b *Builder) Edge(from, to Handle) { b.edges = append(b.edges, handleEdge{from, to}) }

// Variable returns the variable of that name of process p (or Shared). A new one is added.
func (b *Builder) Variable(p int, name string) *Variable {
	all := b.named[name]
	if all == nil {
		if b.named == nil {
			b.named = make(map[string]*namesakes)
			b.intern = make(map[*Variable]map[string]int32)
		}
		all = &namesakes{byProcess: make(map[int]*Variable)}
		b.named[name] = all
	}
	v := all.byProcess[p]
	if v == nil {
		v = &Variable{Name: name, Process: p, number: int32(len(b.vars))}
		b.vars = dense.Append(b.vars, v)
		all.vars, all.byProcess[p] = dense.Append(all.vars, v), v
	}
	return v
}

// texts returns the numbers of the strings of a variable, nil if it has other values.
func (b *Builder) texts(v *Variable) map[string]int32 {
	if b.intern[v] == nil && v.Kind == String {
		b.intern[v] = make(map[string]int32)
	}
	return b.intern[v]
}

// Share makes the variables of that name, whatever their processes, one shared
// variable with all their assignments, so that a declaration may come after the
// first assignments; if there are no such variables, it adds one. It reports false,
// and changes nothing, if they differ in type.
func (b *Builder) Share(name string) (*Variable, bool) {
	var old []*Variable
	if all := b.named[name]; all != nil {
		old = all.vars
	}
	kind := NoKind
	for _, v := range old {
		if v.Process == Shared {
			return v, true
		}
		if kind != NoKind && v.Kind != NoKind && v.Kind != kind {
			return v, false
		}
		kind = max(kind, v.Kind)
	}
	v := b.Variable(Shared, name)
	if len(old) == 0 {
		return v, true
	}
	v.Kind, v.Init = kind, Zero(kind)
	for _, w := range old {
		v.skipped = v.skipped || w.skipped
		w.number = v.number
		b.joined = true
	}
	*b.named[name] = namesakes{vars: []*Variable{v}, byProcess: map[int]*Variable{Shared: v}}
	return v, true
}

// Init sets the value before the first assignment, and with it the type of v.
func (b *Builder) Init(v *Variable, x Value) {
	v.Kind, v.Init = x.Kind, x
}

// Set adds an assignment of x by event h. It must come after the events of all earlier assignments.
// The first value sets the type of v; a later value of another type is not added, and Set reports
// false.
func (b *Builder) Set(v *Variable, h Handle, x Value) bool {
	if !v.accept(x.Kind) {
		return false
	}
	if x.Kind == String {
		b.sets.Add(assignment{v.number, h, uint64(v.textNumber(x.str, b.texts(v)))})
	} else {
		b.SetMore(v.number, h, x)
	}
	return true
}

// SetMore is Set for the variable of that number. It must have the type of x, and not be a string.
// It does not look at the variable: each of many is somewhere else in memory.
func (b *Builder) SetMore(number int32, h Handle, x Value) {
	if x.Float {
		b.floats.Grow(b.sets.Len())
	}
	b.sets.Add(assignment{number, h, x.bits})
}

// Number returns the number of v, and Numbered the variable of a number.
func (b *Builder) Number(v *Variable) int32   { return v.number }
func (b *Builder) Numbered(n int32) *Variable { return b.vars[n] }

// Skip is Set for a value that need not be kept: it notes and checks the type.
func (b *Builder) Skip(v *Variable, k Kind) bool {
	if !v.accept(k) {
		return false
	}
	v.skipped = true
	return true
}

// Build returns the computation. Errors are *CycleError and *UnorderedError. The time complexity of
// Build is O(|V|+|edges|) and one such pass more for each shared variable with assignments that are
// not obviously ordered.
func (b *Builder) Build() (*Computation, error) {
	names, number := b.names, b.number
	c := &Computation{
		names: names, number: sync.OnceValue(func() map[string]int {
			return numbered(names, number)
		}),
		sent: b.sent, msgNames: b.nameAll,
		varsOf: b.named,
		lower:  b.lower,
	}
	if all := b.msgNames; all != nil {
		c.msgNames = func() []string { return all }
	}
	sorted := b.forward()
	b.numberEvents(c)
	b.addMessages(c)
	for _, sync := range b.syncs {
		group := make([]Event, len(sync))
		for i, h := range sync {
			group[i] = b.event(c, h)
		}
		c.syncs = append(c.syncs, group)
	}
	for _, e := range b.edges {
		c.edges = append(c.edges, Edge{b.event(c, e.from), b.event(c, e.to)})
	}
	c.initial, c.final = c.NoEvents(), c.AllEvents()
	handle := b.handle(c)
	hard := b.hardEdges(c)
	if _, err := c.count(hard, handle); err != nil {
		return nil, err
	}
	c, err := c.ordered(handle, sorted, hard)
	if err != nil {
		return nil, err
	}
	b.columns(c)
	for i, v := range b.vars {
		if v.number == int32(i) {
			c.vars = append(c.vars, v)
		}
	}
	sortByProcess(c.vars)
	for _, all := range c.varsOf {
		all.byProcess = nil
		sortByProcess(all.vars)
	}
	if err := c.orderShared(handle); err != nil {
		return nil, err
	}
	return c, nil
}

// forward reports whether each event was added after all that happened before it, as those
// of most traces are: then happened-before has no cycle.
func (b *Builder) forward() bool {
	for _, e := range b.order {
		if e.from >= e.to {
			return false
		}
	}
	for _, m := range b.messages {
		if m.Send >= m.Recv && m.Recv != Event(NoHandle) {
			return false
		}
	}
	return true
}

// numberEvents numbers events, process by process, and puts the event of each handle where
// its process was: memory that is touched first is what most of the time goes into.
func (b *Builder) numberEvents(c *Computation) {
	n := len(b.proc)
	c.base = make([]Event, len(b.names)+1)
	for _, p := range b.proc {
		c.base[p+1]++
	}
	next := make([]int32, len(b.names)) // event of each process
	for p := range next {
		c.base[p+1] += c.base[p]
		next[p] = int32(c.base[p]) + 1
	}
	c.proc = make([]int32, n+2)
	c.proc[0], c.proc[n+1] = -1, -1
	for p := range b.names {
		process := c.proc[c.base[p]+1 : c.base[p+1]+1]
		for i := range process {
			process[i] = int32(p)
		}
	}
	for h, p := range b.proc {
		b.proc[h] = next[p]
		next[p]++
	}
	b.pos, b.counts = nil, nil
	if len(b.idEnd) > 0 {
		c.ids = b.moveIDs(c)
	}
	event := func(h Handle) Event { return b.event(c, h) }
	c.labels = movedMap(b.labels, event)
	c.times, c.latest = b.times.moved(c, event), b.latest.moved(c, event)
	if b.places.at != nil {
		c.places = places{texts: b.places.texts, at: moved(b.places.at, c, event)}
	}
	b.times, b.latest = times{}, times{}
	b.places = places{}
	c.clocks, c.parents = b.clocks, b.parents
	c.timers = movedMap(b.timers, event)
	for e, t := range c.timers {
		c.timers[e] = Timer{event(Handle(t.Start)), t.Name}
	}
}

// moved returns a list by event, where now it is by handle; it may be longer or shorter.
func moved[T any](list []T, c *Computation, event func(Handle) Event) []T {
	byEvent := make([]T, len(c.proc))
	for h := range min(len(list), c.NumEvents()) {
		byEvent[event(Handle(h))] = list[h]
	}
	return byEvent
}

// movedMap is moved for what few events have; nil stays nil.
func movedMap[K ~int32, T any](byHandle map[K]T, event func(Handle) Event) map[Event]T {
	if byHandle == nil {
		return nil
	}
	byEvent := make(map[Event]T, len(byHandle))
	for h, x := range byHandle {
		byEvent[event(Handle(h))] = x
	}
	return byEvent
}

func (b *Builder) event(c *Computation, h Handle) Event {
	switch h {
	case BottomHandle, NoHandle:
		return Bottom
	case TopHandle:
		return c.Top()
	}
	return Event(b.proc[h])
}

func (b *Builder) moveIDs(c *Computation) names {
	for len(b.idEnd) < len(b.proc) {
		b.idEnd = append(b.idEnd, uint32(len(b.idText)))
	}
	start := func(h int) uint32 {
		if h == 0 {
			return 0
		}
		return b.idEnd[h-1]
	}
	off := make([]uint32, len(b.proc)+3)
	for h := range b.proc {
		off[b.event(c, Handle(h))+1] = b.idEnd[h] - start(h)
	}
	for i := 1; i < len(off); i++ {
		off[i] += off[i-1]
	}
	text := make([]byte, len(b.idText))
	for h := range b.proc {
		copy(text[off[b.event(c, Handle(h))]:], b.idText[start(h):b.idEnd[h]])
	}
	b.idText, b.idEnd = nil, nil
	return names{off, text}
}

// hardEdges goes through the edges of Order and of messages.
func (b *Builder) hardEdges(c *Computation) iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for _, e := range b.order {
			if !yield(Edge{b.event(c, e.from), b.event(c, e.to)}) {
				return
			}
		}
		for _, m := range c.messages {
			if m.Recv != Bottom && !yield(Edge{m.Send, m.Recv}) {
				return
			}
		}
	}
}

func (b *Builder) addMessages(c *Computation) {
	c.messages = b.messages
	for i := range c.messages {
		m := &c.messages[i]
		m.Send, m.Recv = b.event(c, Handle(m.Send)), b.event(c, Handle(m.Recv))
	}
	byIndex := func(m, n Message) int { return cmp.Compare(m.Index, n.Index) }
	if !slices.IsSortedFunc(c.messages, byIndex) {
		slices.SortStableFunc(c.messages, byIndex)
	}
}

// handle returns a function that searches for the handle of an event, for errors.
func (b *Builder) handle(c *Computation) func(Event) Handle {
	return func(e Event) Handle {
		for h := range b.proc {
			if b.event(c, Handle(h)) == e {
				return Handle(h)
			}
		}
		panic("this cannot happen, because every event was added by a handle")
	}
}
