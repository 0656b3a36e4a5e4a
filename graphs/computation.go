package graphs

import (
	"slices"
	"strconv"
	"sync"

	"github.com/pota-project/pota/graphs/dense"
)

// An Event is the number of an event of a computation; see Representation in the package
// documentation.
type Event int32

// Bottom is ⊥, the event before all others.
const Bottom Event = 0

// Shared is the owner of a shared variable in place of a process number.
const Shared = -1

// An Edge states that every cut that contains To contains From.
type Edge struct{ From, To Event }

// A Computation is an immutable directed graph of events. A Builder makes it; From, With, Without,
// WithoutEdges, WithVariables and Ordered return variants, which share equal parts with it. All
// methods are safe for concurrent use.
//
// Invariants that a trace provides:
//
//	(1) the events of a process are the numbers after those of the process before,
//	    and proc says so; names and number are inverse to each other
//	(2) messages are ordered by Index; a message that is received has a hard edge
//	(3) hard edges, those of messages and of causality known from elsewhere, close no
//	    cycle with the order of processes
//	(4) variables are ordered by process, Shared first, and found by name; each
//	    satisfies what Variable says
//
// Invariants that derive establishes from these:
//
//	(5) succ has the edges between events: hard ones, a cycle through each sync, and
//	    general ones, sorted and without duplicates, except those that process order implies;
//	    pred has the same edges the other way round
//	(6) meta-events are the strongly connected components of succ and the order of
//	    processes, numbered so that no edge leads to a greater number; meta is nil if
//	    each is a single event
//	(7) final contains the events that ⊤ does not reach; initial contains those that reach ⊥
//	    and, after From, more; the computation is empty if initial is not within final
//
// The methods rely on all of them. Valid, in valid_test.go, checks them in the tests of this
// package.
type Computation struct {
	// Processes and events.
	names  []string              // the names of processes
	number func() map[string]int // the numbers of processes by name, computed in the first call
	base   []Event               // base[p]+k is the k-th event of p; one entry more than processes
	proc   []int32               // the process of each event; -1 for ⊥ and ⊤

	clocks  []string // the shared clock of each process; nil if no clock is shared
	parents []int32  // the caller of each process that is a call; nil if none is

	// Properties of events.
	ids    names // the explicit ids
	labels map[Event]string
	times  times // the times; the earliest ones if a clock knows its error
	latest times // the latest times if a clock knows its error
	timers map[Event]Timer
	places places

	// Variables.
	vars   []*Variable
	varsOf map[string]*namesakes // variables by name, Shared first, then by process

	// Messages, and the causality that the trace states.
	messages []Message
	sent     int             // how many messages there are; a multicast counts once
	msgNames func() []string // returns the names by Index; nil if messages have none
	lower    string          // why the causality is only a lower bound, "" if it is exact
	given

	// The causality derived from it.
	succ, pred rows
	meta       []int32 // the meta-event of each vertex; nil if every meta-event is a single event
	members    rows    // the events of each meta-event, if meta is not nil

	// The cuts.
	initial, final Cut
	empty          bool

	idx *index
}

// given is the causality that a trace states.
type given struct {
	hard  bothWays  // the edges of messages and Order, without syncs and general edges
	syncs [][]Event // groups of events that happen together
	edges []Edge    // the general edges as given; ⊥ and ⊤ may be among their ends
}

// bothWays are edges between events, by their sources and by their targets.
type bothWays struct{ out, in rows }

// rows are the edges out of each vertex, or into it.
type rows = dense.Rows[Event]

// index holds results that are computed on demand.
type index struct {
	byID     sync.Once
	events   map[string]Event
	bySender sync.Once
	senders  dense.Rows[int32] // the indices in messages, by sender
	ordered  sync.Once
	order    []Event // all events, in an order that happened-before allows
	counted  sync.Once
	identity []Event // identity[e] is e, so that a step of one event is a slice of it

	recordedOnce sync.Once
	recorded     []Event // all events in the order of recording; nil if that is unknown
}

// A Message is one delivery: a message with several receivers has one Message
// for each, with the same Index.
type Message struct {
	Send, Recv Event // Recv is Bottom for a message that is never received
	To         int32 // the receiving process, -1 if it is unknown
	Index      int32 // the number of the message, in order of its sending lines
}

// NumProcesses returns the number of processes.
func (c *Computation) NumProcesses() int { return len(c.names) }

// Processes returns the names of the processes in order. The slice must not be
// changed.
func (c *Computation) Processes() []string { return c.names }

// ProcessNumber returns the number of the process with that name.
func (c *Computation) ProcessNumber(name string) (int, bool) {
	p, ok := c.number()[name]
	return p, ok
}

// Clock returns the name of the clock that process p read its times from, or "" if p has its own.
func (c *Computation) Clock(p int) string {
	if p >= len(c.clocks) {
		return ""
	}
	return c.clocks[p]
}

// Parent returns the process that called process p, or -1 if there is none.
func (c *Computation) Parent(p int) int {
	if p >= len(c.parents) {
		return -1
	}
	return int(c.parents[p])
}

// HasCalls reports whether some processes are calls of others, and so Parent is known.
func (c *Computation) HasCalls() bool { return c.parents != nil }

// NumEvents returns the number of events, not counting ⊥ and ⊤.
func (c *Computation) NumEvents() int { return len(c.proc) - 2 }

// Top returns ⊤.
func (c *Computation) Top() Event { return Event(len(c.proc) - 1) }

// Len returns the number of events of process p.
func (c *Computation) Len(p int) int { return int(c.base[p+1] - c.base[p]) }

// Event returns the k-th event of process p, counting from 1.
func (c *Computation) Event(p, k int) Event { return c.base[p] + Event(k) }

// Process returns the process of e, or -1 for ⊥ and ⊤.
func (c *Computation) Process(e Event) int { return int(c.proc[e]) }

// Position returns k if e is the k-th event of its process, counting from 1.
func (c *Computation) Position(e Event) int { return int(e - c.base[c.proc[e]]) }

// Has reports whether e is in cut. Every cut contains ⊥, and none contains ⊤.
func (c *Computation) Has(cut Cut, e Event) bool {
	p := c.proc[e]
	if p < 0 {
		return e == Bottom
	}
	return int32(e-c.base[p]) <= cut[p]
}

// Preds returns the events with a causal edge to e, except the event before e on its process. The
// slice must not be changed.
func (c *Computation) Preds(e Event) []Event { return c.pred.Row(int(e)) }

// Succs returns the targets of the causal edges from e, except the next event of its process. The
// slice must not be changed.
func (c *Computation) Succs(e Event) []Event { return c.succ.Row(int(e)) }

// NumEdges returns the number of causal edges between processes.
func (c *Computation) NumEdges() int {
	if !c.Cyclic() {
		return c.succ.Size()
	}
	n := 0
	for e, f := range c.succ.All() {
		if c.proc[e] != c.proc[f] {
			n++
		}
	}
	return n
}

// Causes returns the events with a hard edge to e, that of a message or of other known causality,
// even if a sync or a general edge also ties them to e. It leaves out the event before e on its
// process. The slice must not be changed.
func (c *Computation) Causes(e Event) []Event { return c.hard.in.Row(int(e)) }

// Edges returns the general edges as given, including those with an end at ⊥ or ⊤. The slice must
// not be changed.
func (c *Computation) Edges() []Edge { return c.edges }

// Syncs returns the syncs: groups of events of different processes that, according to the trace,
// happen together. The slices must not be changed.
func (c *Computation) Syncs() [][]Event { return c.syncs }

// Messages returns the deliveries, ordered by Index. The slice must not be
// changed.
func (c *Computation) Messages() []Message { return c.messages }

// NumMessages returns the number of messages; a multicast counts once.
func (c *Computation) NumMessages() int { return c.sent }

// MessageName returns the id of message i in the trace, or m1, m2, … by number if the trace was
// read without names.
func (c *Computation) MessageName(i int32) string {
	if c.msgNames == nil {
		return "m" + strconv.Itoa(int(i)+1)
	}
	return c.msgNames()[i]
}

// HasMessageNames reports whether the trace names its messages, and was read with the names.
func (c *Computation) HasMessageNames() bool { return c.msgNames != nil }

// Initial returns the least cut. It must not be changed.
func (c *Computation) Initial() Cut { return c.initial }

// Final returns the greatest cut. It must not be changed.
func (c *Computation) Final() Cut { return c.final }

// Empty reports whether the computation has no cut.
func (c *Computation) Empty() bool { return c.empty }

// ID returns the id of e in the trace; an event without its own id is called process:k, with its
// position k.
func (c *Computation) ID(e Event) string {
	switch {
	case e == Bottom:
		return "⊥"
	case e == c.Top():
		return "⊤"
	}
	return string(c.AppendID(nil, e))
}

// AppendID appends the id of an event to text.
func (c *Computation) AppendID(text []byte, e Event) []byte {
	if id := c.ids.at(e); len(id) > 0 {
		return append(text, id...)
	}
	return strconv.AppendInt(append(append(text, c.names[c.proc[e]]...), ':'), int64(c.Position(e)),
		10)
}

// HasID reports whether the trace gives e an explicit id.
func (c *Computation) HasID(e Event) bool { return len(c.ids.at(e)) > 0 }

// Lookup returns the event with that id. The first call takes O(|V|) time, later
// ones O(1).
func (c *Computation) Lookup(id string) (Event, bool) {
	c.idx.byID.Do(func() {
		c.idx.events = make(map[string]Event, c.NumEvents()+2)
		for e := Bottom; e <= c.Top(); e++ {
			c.idx.events[c.ID(e)] = e
		}
	})
	e, ok := c.idx.events[id]
	return e, ok
}

// Label returns the free text of e, or "" if there is none.
func (c *Computation) Label(e Event) string { return c.labels[e] }

// Time returns the wall-clock time of e as JSON text in the form of SetTime, or "" if there is
// none.
func (c *Computation) Time(e Event) string {
	from := c.times.text(e)
	if to := c.latest.text(e); to != "" {
		return "[" + from + "," + to + "]"
	}
	return from
}

// A Timer ended with an event; Start, an earlier event of the same process, started it.
type Timer struct {
	Start Event
	Name  string
}

// Timer returns the timer that ended with e; ok is false if no timer ended with e.
func (c *Computation) Timer(e Event) (t Timer, ok bool) {
	t, ok = c.timers[e]
	return t, ok
}

// NumTimers returns how many timers ended.
func (c *Computation) NumTimers() int { return len(c.timers) }

// LowerBound says in a few words why the causality of c is only a lower bound of the real one, and
// returns "" if it is exact. If it is a lower bound, every cut that the execution could have passed
// through is a cut of c, but c may have others: a true AG and a false EF are sound; a true EF and a
// false AG may be spurious.
func (c *Computation) LowerBound() string { return c.lower }

// Channel returns the events that send messages from p to q and those of q that receive them, each
// in the order of its process; an event occurs once for each message. The first call takes
// O(messages) time, each call O(messages of p).
func (c *Computation) Channel(p, q int) (sends, recvs []Event) {
	c.idx.bySender.Do(func() {
		c.idx.senders = dense.Group(c.NumProcesses(), func(add func(int, int32)) {
			for i, m := range c.messages {
				add(int(c.proc[m.Send]), int32(i))
			}
		})
	})
	for _, i := range c.idx.senders.Row(p) {
		m := c.messages[i]
		if int(m.To) != q {
			continue
		}
		sends = append(sends, m.Send)
		if m.Recv != Bottom {
			recvs = append(recvs, m.Recv)
		}
	}
	sortEvents(sends)
	sortEvents(recvs)
	return sends, recvs
}

// Variables returns all variables: shared ones first, then by process, each in
// order of first appearance. The slice must not be changed.
func (c *Computation) Variables() []*Variable { return c.vars }

// VariablesOf returns the variables of a process, or the shared ones for Shared, in
// order of first appearance. The slice must not be changed.
func (c *Computation) VariablesOf(process int) []*Variable {
	first, _ := slices.BinarySearchFunc(c.vars, process, ownedBy)
	next, _ := slices.BinarySearchFunc(c.vars, process+1, ownedBy)
	return c.vars[first:next]
}

// Variable returns the variable of that name of a process, or the shared one for Shared. It is nil
// if there is none.
func (c *Computation) Variable(process int, name string) *Variable {
	all := c.VariablesNamed(name)
	// If all processes have it, it is at the index of its process.
	if process >= 0 && process < len(all) && all[process].Process == process {
		return all[process]
	}
	if i, ok := slices.BinarySearchFunc(all, process, ownedBy); ok {
		return all[i]
	}
	return nil
}

// ownedBy orders variables by their processes, as Build does.
func ownedBy(v *Variable, process int) int { return v.Process - process }

// VariablesNamed returns the variables of that name, Shared first, then by
// process. The slice must not be changed.
func (c *Computation) VariablesNamed(name string) []*Variable {
	if all := c.varsOf[name]; all != nil {
		return all.vars
	}
	return nil
}

func sortEvents(events []Event) {
	if !slices.IsSorted(events) {
		slices.Sort(events)
	}
}
