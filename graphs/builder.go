package graphs

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/pota-project/pota/graphs/dense"
)

// A Handle identifies an event while a computation is being built: events are numbered from 0 in
// the order of addition.
type Handle int32

// Handles of the fictitious events, for Edge.
const (
	BottomHandle Handle = -1
	TopHandle    Handle = -2
)

// NoHandle stands for the receive of a message that is never received.
const NoHandle Handle = -3

// A Builder collects a computation. Invariants of its input:
//
//	(1) an event belongs to one process, whose events are ordered as they are added
//	(2) a message has one send; its receives are of different processes
//	(3) the events of a sync are of different processes
//	(4) process order, messages and Order have no cycle; syncs and general edges may close one
//	(5) a variable has one type, and one owner: a process, or it is shared
//	(6) the assignments of a shared variable are totally ordered by happened-before;
//	    those of one meta-event, by happened-before without general edges
//
// The caller must maintain (1), (2), (3) and (5); Build checks (4) and (6). The zero Builder is
// ready to use. After Build a Builder must not be used again.
type Builder struct {
	names  []string
	number map[string]int // the numbers of the first processes by name; see numbered

	proc   []int32 // the process of each handle; after numberEvents, its event
	pos    []int32 // the positions of the first handles; see count
	counts []int32 // how many of those events each process has

	order    []handleEdge // the edges of Order
	messages []Message    // the deliveries; their events are Handles until Build
	sent     int
	msgNames []string
	nameAll  func() []string // returns all names of messages; replaces msgNames if not nil
	edges    []handleEdge
	syncs    [][]Handle

	idText []byte // the explicit ids, concatenated in order of handle
	idEnd  []uint32
	labels map[Handle]string
	times  times
	latest times
	clocks []string
	timers map[Handle]Timer // by the handle of the end; their starts are Handles until Build
	places places
	lower  string

	parents []int32

	sets   dense.List[assignment] // the assignments so far, in the order of addition
	floats dense.Set              // the indices in sets of float values; nil if there are none
	vars   []*Variable            // by number; a part of a shared variable has that one's number
	joined bool                   // whether some variables became parts of shared ones
	named  map[string]*namesakes
	intern map[*Variable]map[string]int32
}

type handleEdge struct{ from, to Handle }

// Process returns the number of the process with that name, and adds the process if it is new.
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

// numbered extends number, which has the first len(number) of the distinct names, to all of them.
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

// GrowMessages prepares for n more deliveries.
func (b *Builder) GrowMessages(n int) { b.messages = slices.Grow(b.messages, n) }

// Event adds the next event of process p.
func (b *Builder) Event(p int) Handle {
	b.proc = dense.Append(b.proc, int32(p))
	return Handle(len(b.proc) - 1)
}

// count computes the positions of the events added since the last call. With many processes a batch
// is faster than one event at a time.
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

// PositionOf returns k if h is the k-th event of its process, counting from 1.
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

// SetLabel gives h a text for people to read.
func (b *Builder) SetLabel(h Handle, text string) {
	if b.labels == nil {
		b.labels = make(map[Handle]string)
	}
	b.labels[h] = text
}

// SetTime gives h a wall-clock time as JSON text without blanks: a number, a string as in RFC 3339,
// or [earliest,latest] if the clock knows its error.
func (b *Builder) SetTime(h Handle, text string) {
	earliest, latest := cutInterval(text)
	b.times.set(Event(h), earliest)
	if latest != "" {
		b.latest.set(Event(h), latest)
	}
}

// SetTimer records that h ends a timer of that name, which start, an earlier event of its process,
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

// SetClock names the clock that a process reads its times from. Processes may share one.
func (b *Builder) SetClock(process int, name string) {
	for len(b.clocks) <= process {
		b.clocks = append(b.clocks, "")
	}
	b.clocks[process] = name
}

// SetParent records that process is a call, as spans are, and parent its caller.
func (b *Builder) SetParent(process, parent int) {
	for len(b.parents) <= process {
		b.parents = append(b.parents, -1)
	}
	b.parents[process] = int32(parent)
}

// Clock returns the clock that SetClock named for a process, or "" if there is none.
func (b *Builder) Clock(process int) string {
	if process >= len(b.clocks) {
		return ""
	}
	return b.clocks[process]
}

// SetPlace records where in the trace h was read.
func (b *Builder) SetPlace(h Handle, at Place) {
	p := &b.places
	for len(p.at) <= int(h) {
		p.at = append(p.at, place{})
	}
	p.at[h] = place{p.text(at.File), p.text(at.Record), int32(at.Line)}
}

// SetLowerBound marks the causality added as only a lower bound of the real one. why gives the
// reason in a few words that can follow a colon; "" leaves the causality exact.
func (b *Builder) SetLowerBound(why string) { b.lower = why }

// Order adds a hard causal edge: before happened before after.
func (b *Builder) Order(before, after Handle) {
	b.order = append(b.order, handleEdge{before, after})
}

// NewMessage returns the number of a new message. Either all messages of a computation have names
// or none has.
func (b *Builder) NewMessage(name string) int32 {
	b.sent++
	if name != "" {
		b.msgNames = append(b.msgNames, name)
	}
	return int32(b.sent - 1)
}

// NameMessages sets a function that returns the names of all messages. It is called at most once,
// when a name is first needed. The names passed to NewMessage must then be empty.
func (b *Builder) NameMessages(all func() []string) { b.nameAll = sync.OnceValue(all) }

// Deliver adds a delivery of message index. recv is NoHandle for a message that is never received;
// to, its receiver, may then be -1 if it is unknown; otherwise to is ignored.
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

// Variable returns the variable of that name of process p (or Shared), and adds it if it is new.
func (b *Builder) Variable(p int, name string) *Variable {
	all := b.named[name]
	if all == nil {
		if b.named == nil {
			b.named = make(map[string]*namesakes)
			b.intern = make(map[*Variable]map[string]int32)
		}
		all = new(namesakes)
		b.named[name] = all
	}
	// Most readers add variables in the order of their processes, and then need no map.
	if n := len(all.vars); n > 0 && p <= all.vars[n-1].Process && all.byProcess == nil {
		all.byProcess = make(map[int]*Variable, n)
		for _, v := range all.vars {
			all.byProcess[v.Process] = v
		}
	}
	v := all.byProcess[p]
	if v == nil {
		v = &Variable{Name: name, Process: p, number: int32(len(b.vars))}
		b.vars = dense.Append(b.vars, v)
		all.vars = dense.Append(all.vars, v)
		if all.byProcess != nil {
			all.byProcess[p] = v
		}
	}
	return v
}

// texts returns the numbers of the strings of a variable, or nil if its values are not strings.
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
	*b.named[name] = namesakes{vars: []*Variable{v}}
	return v, true
}

// Init sets the value of v before its first assignment, and thereby its type.
func (b *Builder) Init(v *Variable, x Value) {
	v.Kind, v.Init = x.Kind, x
}

// Set adds an assignment of x by event h, which must come after the events of all earlier
// assignments. The first value sets the type of v; Set returns false, and adds nothing, for a later
// value of another type.
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

// SetMore is Set for the variable of that number. The variable must have the type of x, which must
// not be a string. SetMore does not access the variable, because with many variables each access
// would be a cache miss.
func (b *Builder) SetMore(number int32, h Handle, x Value) {
	if x.Float {
		b.floats.Grow(b.sets.Len())
	}
	b.sets.Add(assignment{number, h, x.bits})
}

// Number returns the number of v. Numbered returns the variable with number n.
func (b *Builder) Number(v *Variable) int32   { return v.number }
func (b *Builder) Numbered(n int32) *Variable { return b.vars[n] }

// Skip is Set for a value that need not be kept: it only sets or checks the type of v.
func (b *Builder) Skip(v *Variable, k Kind) bool {
	if !v.accept(k) {
		return false
	}
	v.skipped = true
	return true
}

// Build returns the computation. Errors are *CycleError and *UnorderedError. The time complexity of
// Build is O(|V|+|edges|), plus one more such pass for each shared variable whose assignments are
// not ordered by process order and single edges.
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

// forward reports whether each event was added after all events that happened before it, as in most
// traces. Then happened-before has no cycle.
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

// numberEvents numbers the events, process by process, and overwrites the process of each handle
// with its event: most of the time would go into touching new memory.
func (b *Builder) numberEvents(c *Computation) {
	n := len(b.proc)
	c.base = make([]Event, len(b.names)+1)
	for _, p := range b.proc {
		c.base[p+1]++
	}
	next := make([]int32, len(b.names)) // the next event of each process
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

// moved returns list, which is indexed by handle, indexed by event. It may have entries for fewer
// or more handles than there are.
func moved[T any](list []T, c *Computation, event func(Handle) Event) []T {
	byEvent := make([]T, len(c.proc))
	for h := range min(len(list), c.NumEvents()) {
		byEvent[event(Handle(h))] = list[h]
	}
	return byEvent
}

// movedMap is moved for properties that few events have; nil stays nil.
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

// hardEdges yields the edges of Order and those of messages.
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

// handle returns a function that finds the handle of an event, for errors, in time O(|V|).
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
