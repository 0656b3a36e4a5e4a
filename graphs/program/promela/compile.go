package promela

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
)

// A Program is a model that can be executed. It implements program.Program.
//
// A state has, as far as the model needs them, a byte for the process in an atomic sequence (its
// number in the layout plus one, or 0), a byte for the number of processes, and a byte that says
// whether an assertion has failed; then the global variables and channels; and for each process its
// location (0 if it does not exist), its variables and its channels.
type Program struct {
	layout program.Layout
	// the offset of the process in an atomic sequence; -1 if the model has no such sequences
	holderAt  int
	countAt   int // the offset of the number of processes
	failedAt  int // -1 without assertions
	wide      bool
	channels  []*channel
	slots     []*slot
	born      map[ident]*slot
	actions   []action
	variables []place // the variables of the layout
	first     []byte
}

// An ident identifies a process that may exist.
type ident struct {
	proc *Proc
	pid  int
}

// A slot has the room of one possible process. The slot of the global variables has no proctype.
type slot struct {
	*Program
	ident
	flow    *flow
	index   int
	name    string
	at      int // the offset in a state
	object  int // its first object
	channel int // the number of channels before its own
	size    int
	edges   [][]int32 // actions by location
	params  []func(s []byte, v int32)
	begin   effect // gives the variables their initial values
	birth   int    // the object that its creation writes
}

// A step is a statement that is executed at once.
type step struct {
	ready     test   // nil: it is always ready
	do        effect // nil: it does nothing
	queue     *queue // the channel of a send or receive
	otherwise bool   // whether it is an else
	sends     bool
	receives  bool
	meets     bool // may be a rendezvous
	patient   test // ready if timeout is true; nil if it does not depend on that
	message   []load
	fields    fields
	after     effect // the rest of a d_step that starts with a rendezvous
	guard     access // what ready accesses
}

// enabled reports whether the statement can be executed, but for timeout.
func (st *step) enabled(s []byte) bool { return st.ready == nil || st.ready(s) }

// execute changes a state as the statement does.
func (st *step) execute(s []byte) {
	if st.do != nil {
		st.do(s)
	}
}

// An action is one of the layout.
type action struct {
	slot     *slot
	from, to int
	atomic   bool
	step
	by *node
}

// A compiler compiles the statements of one process.
type compiler struct {
	*Program
	slot    *slot
	access  access
	moving  []*channel // see passed
	patient bool       // timeout is true
	crowd   int        // the object that is the number of processes
	failed  int        // the object that records failed assertions
}

// location returns the location of a process, or 0 if it does not exist.
func (s *slot) location(state []byte) int {
	if s.wide {
		return int(state[s.at]) | int(state[s.at+1])<<8
	}
	return int(state[s.at])
}

// setLocation moves the process to a location.
func (s *slot) setLocation(state []byte, at int) {
	state[s.at] = byte(at)
	if s.wide {
		state[s.at+1] = byte(at >> 8)
	}
}

// Compile makes a program that can be executed. Errors are *Error.
func Compile(m *Model) (p *Program, err error) {
	defer rescue(&err)
	flows := make(map[*Proc]*flow)
	var slots []*slot
	for _, proc := range m.Procs {
		flows[proc] = newFlow(proc)
		for range proc.Active {
			slots = append(slots, &slot{ident: ident{proc, len(slots)}})
		}
	}
	if len(slots) == 0 {
		return nil, &Error{m.start, "no process runs: mark a proctype active, or write an init"}
	}
	active := len(slots)
	// Each round builds the program for the known processes, and executes it to find more. There
	// are at most as many rounds as processes.
	for left := maxSearched; ; {
		p := build(m, flows, slots, active)
		missing := p.discover(&left)
		if len(missing) == 0 {
			return p, nil
		}
		for _, x := range missing {
			slots = append(slots, &slot{ident: x})
		}
		// By pid, so that the layout does not depend on the order in which the search finds them.
		slices.SortFunc(slots[active:], func(a, b *slot) int {
			return cmp.Or(a.pid-b.pid, slices.Index(m.Procs, a.proc)-slices.Index(m.Procs, b.proc))
		})
	}
}

// A missing error says that a process is run for which there is no slot. Users see it if a model
// starts processes that the search for them did not reach.
type missing struct {
	cause *Error
	ident
}

func (m *missing) Error() string { return m.cause.Error() }

// maxSearched is how many states are searched for processes that are run.
const maxSearched = 30_000

// discover returns processes that are run and have no slot. It visits at most left states, and
// subtracts them.
func (p *Program) discover(left *int) []ident {
	var list []ident
	seen := map[string]bool{string(p.first): true}
	queue := [][]byte{p.first}
	var buffer []program.Transition
	for ; len(queue) > 0 && *left > 0; *left-- {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		// Nothing is found where no process can come to a run, as far as the control flow says.
		if !slices.ContainsFunc(p.slots, func(x *slot) bool {
			at := x.location(s)
			return at > 0 && x.flow.runs[at-1]
		}) {
			continue
		}
		buffer = buffer[:0]
		for i := range p.slots {
			buffer = p.Enabled(s, i, buffer)
		}
		// An error of the model only ends a branch here: the engines come to it again, and report it
		// with the run that leads there.
		for _, t := range buffer {
			next, err := p.Apply(s, t, nil)
			if m, ok := err.(*missing); ok {
				if !slices.Contains(list, m.ident) {
					list = append(list, m.ident)
				}
			} else if err == nil && !seen[string(next)] {
				seen[string(next)] = true
				queue = append(queue, next)
			}
		}
	}
	return list
}

// build compiles a model for some processes; the first ones are active.
func build(m *Model, flows map[*Proc]*flow, slots []*slot, active int) *Program {
	p := &Program{holderAt: -1, countAt: -1, failedAt: -1, born: make(map[ident]*slot),
		slots: slots}
	c := &compiler{Program: p}
	var asserts, atomics, dynamic bool
	for _, f := range flows {
		p.wide = p.wide || len(f.states) > 255
		for _, n := range f.nodes {
			asserts = asserts || n.Form == Assert
			atomics = atomics || n.atomic
			dynamic = dynamic || n.Form == stop && n.at > 0
		}
		dynamic = dynamic || slices.Contains(f.runs, true)
	}
	// reserve takes a byte that is an object, if it is wanted. -1 stands for no object.
	reserve := func(wanted bool, at *int) int {
		if !wanted {
			return -1
		}
		*at = p.layout.Size
		p.layout.Size++
		return p.object()
	}
	// The bytes that all processes share come first, each only if the model needs it: fewer bytes
	// make smaller tables of states.
	if atomics {
		p.holderAt = p.layout.Size
		p.layout.Size++
	}
	c.crowd = reserve(dynamic, &p.countAt)
	c.failed = reserve(asserts, &p.failedAt)
	if asserts {
		p.variable(program.Variable{Name: "failed", Process: graphs.Shared, Kind: graphs.Bool,
			Objects: []int{c.failed}}, place{Type: Type{Kind: Bool}, at: p.failedAt})
	}
	// Then the globals, and process by process the rest: a process that ends clears its bytes.
	p.allot(m.Globals, &slot{Program: p, index: graphs.Shared})
	// A process that is the only one of its type goes by the name of the type in formulas, others
	// by the name and the pid.
	types := make(map[*Proc]int)
	for _, s := range slots {
		types[s.proc]++
	}
	for i, s := range slots {
		s.Program = p
		s.index = i
		s.flow = flows[s.proc]
		s.name = s.proc.Name
		if types[s.proc] > 1 {
			s.name = fmt.Sprintf("%s:%d", s.proc.Name, s.pid)
		}
		s.at = p.layout.Size
		s.object = p.layout.Objects
		s.channel = len(p.channels)
		p.layout.Size++
		if p.wide {
			p.layout.Size++
		}
		p.allot(s.proc.locals, s)
		s.size = p.layout.Size - s.at
		// The creation of a process is an object of its own: its first action awaits it.
		s.birth = p.object()
		p.born[s.ident] = s
		s.params, s.edges = nil, make([][]int32, len(s.flow.states)+1)
	}
	// The holder, and the number of processes, are one byte each.
	if len(slots) > maxProcesses {
		fail(m.start, "there are more than %d processes, each of which may have some pid: start them in a fixed order", maxProcesses)
	}
	if len(p.channels) > maxChannels {
		fail(m.start, "there are %d channels: there can be %d", len(p.channels), maxChannels)
	}
	// Accesses of a statement depend on the channels that its variables may hold, so that comes
	// first. Solitary actions sum up the accesses of others and come last.
	c.moving = c.passed(m)
	for _, s := range slots {
		c.slot = s
		c.process()
	}
	c.rendezvous()
	c.fifos()
	c.solitary()
	// The initial state: globals in the order of declaration, as SPIN initializes them, then the
	// active processes in the order of their pids.
	p.first = make([]byte, p.layout.Size)
	c.slot = nil
	for _, v := range m.Globals {
		c.initialize(v)(p.first)
	}
	for _, s := range slots[:active] {
		s.begin(p.first)
		if p.countAt >= 0 {
			p.first[p.countAt]++
		}
	}
	return p
}

// object declares an object of the layout, and returns its number.
func (p *Program) object() int {
	p.layout.Objects++
	return p.layout.Objects - 1
}

// variable declares a variable of the layout.
func (p *Program) variable(v program.Variable, at place) {
	if at.Kind == Symbol {
		v.Kind = graphs.String
	}
	p.layout.Variables = append(p.layout.Variables, v)
	p.variables = append(p.variables, at)
}

// allot gives variables their places, which count from that of the slot.
func (p *Program) allot(list []*Variable, s *slot) {
	prefix := ""
	if s.proc != nil {
		prefix = s.name + "."
	}
	for _, v := range list {
		name := v.Name
		if s.proc != nil && name == program.At { // the name of the location
			name += "_"
		}
		// Declarations in blocks may repeat a name; formulas tell them apart by their number.
		if v.number > 0 {
			name = fmt.Sprintf("%s_%d", v.Name, v.number+1)
		}
		v.channel = 0
		if v.Chan != nil {
			v.channel = len(p.channels) + 1 - s.channel
			// An array of channels is one channel for each element.
			for i := range v.elements() {
				ch := newChannel(v.Chan)
				ch.id = len(p.channels) + 1
				ch.slot = s
				ch.at = p.layout.Size
				ch.variable = v
				ch.name = element(prefix+name, v, i)
				// Each end is an object of its own: a send and a receive commute as long as the
				// channel is neither empty nor full.
				ch.front, ch.back = p.object(), p.object()
				p.room(v, ch.width())
				p.layout.Size += ch.width()
				p.channels = append(p.channels, ch)
				// Formulas may ask for the length. A place below 0 stands for it, see Value.
				if ch.capacity > 0 {
					p.variable(program.Variable{Name: "len(" + element(name, v, i) + ")",
						Process: s.index, Kind: graphs.Number, Objects: []int{ch.front, ch.back}},
						place{at: -ch.id})
				}
			}
			// The variable itself needs room only if it may hold another channel.
			if !v.assigned {
				continue
			}
		}
		p.room(v, v.bytes())
		v.at, v.object = p.layout.Size-s.at, p.layout.Objects-s.object
		// Each scalar is an object of its own, since a statement can name it.
		for i := range v.elements() {
			all := place{Type: v.Type, variable: v, name: element(name, v, i), at: p.layout.Size}
			for _, scalar := range all.places() {
				p.variable(program.Variable{Name: scalar.name, Process: s.index,
					Kind: graphs.Number, Objects: []int{p.object()}}, scalar)
			}
			p.layout.Size += v.Type.width()
		}
	}
}

// maxStateBytes bounds the bytes of a state.
const maxStateBytes = 1 << 16

// room checks that there is room for some more bytes in a state. The difference cannot overflow, as
// the sum could.
func (p *Program) room(v *Variable, bytes int) {
	if bytes > maxStateBytes-p.layout.Size {
		fail(v.Position, "%s is too large: a state has at most %d bytes", v.Name, maxStateBytes)
	}
}

// element returns the name of the i-th element of a variable.
func element(name string, v *Variable, i int) string {
	if v.Length == 0 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, i)
}

// initialize compiles the initial values of a variable.
func (c *compiler) initialize(v *Variable) effect {
	// A channel that is never assigned is no part of a state, and all bytes are 0 at first.
	if v.Chan != nil && !v.assigned || v.Chan == nil && v.Init == nil {
		return func([]byte) {}
	}
	var stores []func(s []byte, x int32)
	var values []load
	for i := range v.elements() {
		r := &Ref{Position: v.Position, Variable: v}
		if v.Length > 0 {
			r.Index = &Expr{Value: i}
		}
		p := c.place(r)
		if v.Chan != nil {
			id := int32(c.channelsOf(v) + i)
			values = append(values, func([]byte) int32 { return id })
		} else {
			// One value is that of all elements, as in SPIN.
			values = append(values, c.load(v.Init[min(i, len(v.Init)-1)]))
		}
		stores = append(stores, p.store())
	}
	return func(s []byte) {
		for i, store := range stores {
			store(s, values[i](s))
		}
	}
}

// process compiles the process of a slot.
func (c *compiler) process() {
	s := c.slot
	for _, v := range s.proc.Params {
		s.params = append(s.params, c.place(&Ref{Position: v.Position, Variable: v}).store())
	}
	var starts []effect
	// Declarations at the beginning are executed with the start of the process, others where they
	// stand.
	walk(s.proc.Body, func(x *Statement) {
		if x.Form == Declare && x.initial {
			starts = append(starts, c.initialize(x.Var))
		}
	})
	s.begin = func(state []byte) {
		s.setLocation(state, s.flow.start.at)
		for _, start := range starts {
			start(state)
		}
	}
	// Location 0 is nowhere: before the start, and after the end.
	process := program.Process{Name: s.name,
		Locations: make([]program.Location, len(s.flow.states)+1)}
	// A label names the location from where its statement is executed. Of labels of an inline that
	// is called several times, each call has its own.
	used := make(map[string]bool)
	for _, n := range s.flow.nodes {
		for _, l := range n.Labels {
			// a goto, behind a skip that has its label
			if s.flow.labels[l.key()] != n {
				continue
			}
			at, name := s.flow.hunt(n, false).at, l.Name
			if used[name] {
				name = l.String()
			}
			if at > 0 && !used[name] {
				used[name] = true
				process.Locations[at].Labels = append(process.Locations[at].Labels, name)
			}
		}
	}
	c.layout.Processes = append(c.layout.Processes, process)
	// The first action stands for the creation. It starts nowhere and is never enabled by itself:
	// it says what has to be written before the process can be where it starts.
	c.layout.Actions = append(c.layout.Actions,
		program.Action{Process: s.index, To: []int{s.flow.start.at}, Awaits: []int{s.birth},
			Label: "run"})
	c.actions = append(c.actions, action{slot: s})
	for _, n := range s.flow.states {
		// Whether else is enabled depends on all that the options before it depend on.
		var guards access // the guards of the options before else
		for _, t := range s.flow.edges[n] {
			c.access = access{}
			a := action{slot: s, from: n.at, by: t.by, step: c.step(t.by), atomic: t.by.atomic}
			if t.to != nil {
				a.to = t.to.at
			}
			if a.otherwise {
				c.access.reads = append(c.access.reads, guards.reads...)
				c.access.global = c.access.global || guards.global
			}
			guards.reads = slices.Concat(guards.reads, a.guard.reads, a.guard.awaits,
				a.guard.writes)
			// depends on where others are
			guards.global = guards.global || a.guard.global || a.meets
			s.edges[n.at] = append(s.edges[n.at], int32(len(c.actions)))
			// A handshake begins with its send, which looks for those that can receive.
			if a.receives {
				for _, ch := range a.queue.may {
					ch.receivers = append(ch.receivers, int32(len(c.actions)))
				}
			}
			c.actions = append(c.actions, a)
			// The first action of a process waits for the process to be started.
			if n == s.flow.start {
				c.access.awaits = append(c.access.awaits, s.birth)
			}
			described := program.Action{
				Process: s.index, From: n.at, To: []int{a.to}, Label: t.by.String(),
				Reads: set(c.access.reads), Writes: set(c.access.writes),
				Awaits: set(c.access.awaits),
				Global: c.access.global, Solitary: a.atomic,
			}
			if q := a.queue; q != nil {
				described.Sends = a.sends
				// Plain sends append one message and plain receives take the first: engines know
				// that these commute on different ends of a channel.
				if plain := t.by.Form == Send && !t.by.Sorted || t.by.Form == Receive &&
					!t.by.Random && !t.by.Keep; plain && q.static != nil && !a.meets {
					described.Channel = q.static.id
				}
			}
			c.layout.Actions = append(c.layout.Actions, described)
		}
	}
}

// rendezvous numbers the rendezvous channels that actions take part in handshakes at.
// Channels that one action may take are one.
func (c *compiler) rendezvous() {
	// Sets are merged by renaming all members of one. There are 255 channels at most.
	class := make([]int, len(c.channels)+1)
	for i := range class {
		class[i] = i
	}
	for _, a := range c.actions {
		if a.meets {
			for _, ch := range a.queue.may {
				from, to := class[ch.id], class[a.queue.may[0].id]
				for i := range class {
					if class[i] == from {
						class[i] = to
					}
				}
			}
		}
	}
	for i, a := range c.actions {
		if !a.meets {
			continue
		}
		// Where a variable may hold channels of both kinds, an action is a handshake in some states
		// and not in others: nothing is said of it.
		if slices.ContainsFunc(a.queue.may, func(ch *channel) bool { return ch.capacity > 0 }) {
			c.layout.Actions[i].Global = true
		} else {
			c.layout.Actions[i].Meets = class[a.queue.may[0].id]
		}
	}
}

// fifos clears Channel for channels that some action changes in another way than Channel says: the
// first message is then not always the one that was sent first.
func (c *compiler) fifos() {
	other := make([]bool, len(c.channels)+1)
	for i := range c.layout.Actions {
		a := &c.layout.Actions[i]
		for _, ch := range c.channels {
			other[ch.id] = other[ch.id] || a.Channel != ch.id &&
				(slices.Contains(a.Writes, ch.front) || slices.Contains(a.Writes, ch.back))
		}
	}
	for i := range c.layout.Actions {
		if a := &c.layout.Actions[i]; other[a.Channel] {
			a.Channel = 0
		}
	}
}

// solitary adds the accesses of the rest of an atomic sequence to the actions in it.
func (c *compiler) solitary() {
	// The sums are over the actions as they were.
	before := slices.Clone(c.layout.Actions)
	for i := range c.actions {
		if !c.actions[i].atomic {
			continue
		}
		// A search along the atomic sequence from this action.
		sum := &c.layout.Actions[i]
		seen := map[int32]bool{int32(i): true}
		for queue := []int32{int32(i)}; len(queue) > 0; queue = queue[1:] {
			a := &c.actions[queue[0]]
			if !a.atomic {
				continue
			}
			for _, j := range a.slot.edges[a.to] {
				if seen[j] {
					continue
				}
				seen[j] = true
				queue = append(queue, j)
				b := &before[j]
				sum.Reads = slices.Concat(sum.Reads, b.Reads, b.Awaits)
				sum.Writes = slices.Concat(sum.Writes, b.Writes)
				sum.Global = sum.Global || b.Global || b.Meets > 0
			}
		}
		sum.Reads, sum.Writes = set(sum.Reads), set(sum.Writes)
	}
}

// step compiles a statement.
func (c *compiler) step(n *node) step {
	st := c.statement(n)
	if st.guard.reads == nil && st.guard.awaits == nil {
		st.guard = c.access.clone()
	}
	return st
}

// statement compiles one statement and notes its accesses in c.access.
func (c *compiler) statement(n *node) step {
	s := n.Statement
	switch s.Form {
	case Condition:
		if s.Expr.Op == Run {
			return c.run(s.Expr, nil)
		}
		// skip and true wait for nothing, and change nothing.
		if v, ok := s.Expr.constant(); ok && v != 0 {
			return step{}
		}
		st := step{ready: c.test(s.Expr)}
		// A guard with timeout is compiled twice: for states where something else is enabled, and
		// for those where nothing is.
		if c.access.global {
			c.patient = true
			st.patient = c.test(s.Expr)
			c.patient = false
		}
		return st
	case Assign:
		p := c.place(s.Ref)
		c.access.writes = append(c.access.writes, p.objects...)
		if s.Expr.Op == Run {
			return c.run(s.Expr, p.store())
		}
		return c.assign(p, s.Expr)
	case Declare:
		return c.declare(s)
	case Send:
		return c.send(s)
	case Receive:
		return c.receive(s)
	case Else:
		return step{otherwise: true}
	case Assert:
		// An assertion that fails is a bit of the state and no error, so that formulas can ask for
		// it, and a run to it is found as one to any other state.
		x, at := c.test(s.Expr), c.failedAt
		c.access.writes = append(c.access.writes, c.failed)
		return step{do: func(state []byte) {
			if !x(state) {
				state[at] = 1
			}
		}}
	case DStep:
		return c.dstep(n)
	case stop:
		return c.stop()
	}
	return step{} // jumps, printf
}

// assign compiles an assignment.
func (c *compiler) assign(p place, e *Expr) step {
	// An assignment is enabled everywhere: its guard reads nothing, whatever its right side reads.
	guard := access{reads: []int{}}
	if v, ok := e.constant(); ok && len(p.indices) == 0 && p.width() == 1 {
		at, value := p.at, byte(p.cut(int32(v)))
		return step{guard: guard, do: func(s []byte) { s[at] = value }}
	}
	value, store := c.load(e), p.store()
	return step{guard: guard, do: func(s []byte) { store(s, value(s)) }}
}

// declare compiles a declaration among statements: it is an assignment.
func (c *compiler) declare(s *Statement) step {
	v := s.Var
	if v.Init != nil {
		for i := range v.scalars() {
			c.access.writes = append(c.access.writes, v.object+c.slot.object+i)
		}
		return step{do: c.initialize(v)}
	}
	// Without an initial value, it makes the variable 0 again when it is executed again.
	r := &Ref{Position: v.Position, Variable: v}
	if v.Length > 0 {
		r.Index = new(Expr) // as SPIN does, only the first
	}
	p := c.place(r)
	c.access.writes = append(c.access.writes, p.objects...)
	return c.assign(p, new(Expr))
}

// run compiles the start of a process, whose pid is stored unless store is nil. The pid depends on
// the number of processes, so the start may write the variables of any process of its type.
func (c *compiler) run(e *Expr, store func(s []byte, v int32)) step {
	var args []load
	for _, a := range e.Sub {
		args = append(args, c.load(a))
	}
	// The number of processes decides whether a process can start, and which pid it gets.
	c.access.reads = append(c.access.reads, c.crowd)
	c.access.writes = append(c.access.writes, c.crowd)
	proc := e.Proc
	for _, s := range c.slots {
		if s.proc == proc {
			c.access.writes = append(c.access.writes, s.birth)
			for k := range s.birth - s.object {
				c.access.writes = append(c.access.writes, s.object+k)
			}
		}
	}
	// Values that the closures keep are copied: the compiler goes on to other statements.
	at := c.countAt
	born, position := c.born, e.Position
	return step{
		ready: func(s []byte) bool { return s[at] < maxProcesses },
		do: func(s []byte) {
			// The pid of a new process is the number of processes, since only the youngest one may
			// end.
			pid := int(s[at])
			x := born[ident{proc, pid}]
			if x == nil {
				message := fmt.Sprintf("process %s with pid %d was not foreseen: "+
					"the first %d states have none", proc.Name, pid, maxSearched)
				panic(&missing{&Error{position, message}, ident{proc, pid}})
			}
			for i, store := range x.params {
				store(s, args[i](s))
			}
			x.begin(s)
			s[at]++
			if store != nil {
				store(s, int32(pid))
			}
		},
	}
}

// stop compiles the end of a process. Only the youngest process can end. Its bytes are cleared, so
// that states with the same processes are the same.
func (c *compiler) stop() step {
	s, at := c.slot, c.countAt
	c.access.reads = append(c.access.reads, c.crowd)
	c.access.writes = append(c.access.writes, c.crowd)
	for k := range s.birth - s.object {
		c.access.writes = append(c.access.writes, s.object+k)
	}
	return step{
		// The youngest process has the highest pid.
		ready: func(state []byte) bool { return int(state[at]) == s.pid+1 },
		do: func(state []byte) {
			clear(state[s.at : s.at+s.size])
			state[at]--
		},
	}
}

// maxStepStatements bounds how many statements a d_step executes.
const maxStepStatements = 1_000_000

// dstep compiles a d_step: an interpreter of the statements in it, which always executes the first
// one that is executable.
func (c *compiler) dstep(n *node) step {
	inside := make(map[*node]bool)
	every(n.inside[0].first, n.inside[0].last, func(m *node) { inside[m] = true })
	type edge struct {
		step
		to int // -1 leads out
	}
	f := c.slot.flow
	// The nodes inside get numbers as they are reached, so that walkOn is a loop over small
	// tables.
	numbers := make(map[*node]int)
	var order []*node
	number := func(m *node) int {
		if !inside[m] {
			return -1
		}
		if _, ok := numbers[m]; !ok {
			numbers[m] = len(order)
			order = append(order, m)
		}
		return numbers[m]
	}
	var code [][]edge
	first, awaited := step{}, 0
	number(skipJoins(n.inside[0].first))
	// Each node is a list of guarded statements. The first one of the d_step decides whether it
	// can begin, and may wait; one behind it that cannot be executed is an error.
	for i := 0; i < len(order); i++ {
		var edges []edge
		transitions := f.leave(order[i], nil)
		for _, t := range transitions {
			if t.by.Form == stop {
				break
			}
			st := c.step(t.by)
			switch first := i == 0 && len(transitions) == 1; {
			case t.by.Expr != nil && t.by.Expr.Op == Run:
				fail(t.by.Position, "run cannot stand in a d_step: use atomic")
			case st.meets && (!first || st.sends):
				fail(t.by.Position,
					"a rendezvous in a d_step would block it: only a receive as its first statement can stand there; use atomic")
			case st.patient != nil && !first:
				fail(t.by.Position,
					"timeout stands only as the first statement of a d_step: use atomic")
			}
			edges = append(edges, edge{st, number(t.to)})
		}
		switch {
		case i > 0:
		case len(edges) == 1:
			first, awaited = edges[0].step, len(c.access.awaits)
		default:
			first.guard = c.access.clone()
		}
		code = append(code, edges)
	}
	// Only a single first statement waits. Whatever others await decides what the d_step does, and so
	// is read.
	c.access.reads = append(c.access.reads, c.access.awaits[awaited:]...)
	c.access.awaits = c.access.awaits[:awaited]
	at := n.Position
	walkOn := func(s []byte, i int) {
	next:
		for range maxStepStatements {
			if i < 0 {
				return
			}
			for k := range code[i] {
				if e := &code[i][k]; e.enabled(s) {
					e.execute(s)
					i = e.to
					continue next
				}
			}
			fail(at,
				"this d_step blocks: no statement can be executed after it has begun; use atomic")
		}
		fail(at, "this d_step does not end after %d statements", maxStepStatements)
	}
	// A d_step with one first statement waits for it as any statement does; with several it waits
	// for one of them.
	if options := code[0]; len(options) > 1 {
		first.ready = func(s []byte) bool {
			for i := range options { // not by ContainsFunc, which would copy each
				if options[i].enabled(s) {
					return true
				}
			}
			return false
		}
		first.do = func(s []byte) { walkOn(s, 0) }
		return first
	}
	alone := code[0][0]
	first.after = func(s []byte) { walkOn(s, alone.to) }
	first.do = func(s []byte) {
		alone.execute(s)
		first.after(s)
	}
	return first
}

// Layout describes a state.
func (p *Program) Layout() *program.Layout { return &p.layout }

// Initial appends the initial state.
func (p *Program) Initial(dst []byte) []byte { return append(dst, p.first...) }

// Holder returns the process in an atomic sequence, or -1 if there is none.
func (p *Program) Holder(s []byte) int {
	// Models without atomic sequences have no byte for it.
	if p.holderAt < 0 {
		return -1
	}
	return int(s[p.holderAt]) - 1
}

// Location returns the location of process i: an index of its locations, 0 if it does not exist.
func (p *Program) Location(s []byte, i int) int { return p.slots[i].location(s) }

// Value returns the value of a variable of the layout.
func (p *Program) Value(s []byte, v int) graphs.Value {
	at := &p.variables[v]
	if at.at < 0 {
		return graphs.Int(int64(p.channels[-at.at-1].length(s)))
	}
	// A state has numbers only: the layout says which of them are truth values or names.
	x := at.read(s[at.at:])
	switch p.layout.Variables[v].Kind {
	case graphs.Bool:
		return graphs.Boolean(x != 0)
	case graphs.String:
		// 0 is the value before the first assignment. It has no name.
		if names := at.Set.Names; 1 <= x && int(x) <= len(names) {
			return graphs.Str(names[x-1])
		}
		return graphs.Str(strconv.Itoa(int(x)))
	}
	return graphs.Int(int64(x))
}

// Enabled appends the transitions that process i begins in s. They include one whose guard is
// undefined, for which Apply returns the error.
func (p *Program) Enabled(s []byte, i int, dst []program.Transition) []program.Transition {
	// While a process is in an atomic sequence, no other one moves.
	if h := p.Holder(s); h >= 0 && h != i {
		return dst
	}
	return p.expand(s, p.slots[i], dst, true)
}

// expand appends the transitions of a process, with or without those that need timeout.
func (p *Program) expand(s []byte, x *slot, dst []program.Transition,
	timeouts bool) (list []program.Transition) {
	// An index out of range in a guard is found here, but reported by Apply: the action is listed
	// as if it were enabled.
	list = dst
	moved, now := false, int32(0)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			list = append(list, program.Transition{Action: now, Partner: program.NoPartner})
		default:
			panic(e)
		}
	}()
	// Actions in the order of the options, since else comes last and depends on those before it.
	for _, now = range x.edges[x.location(s)] {
		a := &p.actions[now]
		if a.meets {
			if c := a.queue.in(s); c.capacity == 0 {
				if a.sends {
					before := len(list)
					list = p.meet(s, now, c, list)
					moved = moved || len(list) > before
				}
				continue
			}
		}
		switch {
		case a.otherwise && moved:
			continue
		case a.enabled(s):
		case a.patient != nil && timeouts && a.patient(s) && p.stuck(s):
		default:
			continue
		}
		moved = true
		list = append(list, program.Transition{Action: now, Partner: program.NoPartner})
	}
	return list
}

// meet appends the handshakes of a send with matching receives, in the order of the processes. It
// checks the number of fields, which may differ between the channels that a variable holds.
func (p *Program) meet(s []byte, send int32, c *channel,
	dst []program.Transition) []program.Transition {
	a := &p.actions[send]
	for _, i := range c.receivers {
		b := &p.actions[i]
		// The cheapest test comes first, as all receives on the channel are looked at.
		if b.slot == a.slot || b.slot.location(s) != b.from || b.queue.in(s) != c {
			continue
		}
		a.queue.fits(c, len(a.message))
		b.queue.fits(c, len(b.fields))
		if b.fields.meets(s, c, a.message) {
			dst = append(dst, program.Transition{Action: send, Partner: i})
		}
	}
	return dst
}

// stuck reports whether nothing is enabled without timeout. A process that holds the program is
// never stuck: it would have lost control.
func (p *Program) stuck(s []byte) bool {
	if p.Holder(s) >= 0 {
		return false
	}
	var room [8]program.Transition
	for _, x := range p.slots {
		if len(p.expand(s, x, room[:0], false)) > 0 {
			return false
		}
	}
	return true
}

// Apply appends the state after a transition.
func (p *Program) Apply(s []byte, t program.Transition, dst []byte) (_ []byte, err error) {
	// What Promela leaves undefined, such as an index out of range, stops the closures by a panic.
	defer rescue(&err)
	n := len(dst)
	dst = append(dst, s...)
	next := dst[n:]
	a := &p.actions[t.Action]
	// Errors of guards come up here, before the state is changed.
	if t.Partner < 0 {
		a.undefined(s, t)
	}
	a.slot.setLocation(next, a.to)
	if t.Partner < 0 {
		a.execute(next)
	} else {
		b := &p.actions[t.Partner]
		c := a.queue.in(s)
		b.slot.setLocation(next, b.to)
		for i := range b.fields {
			if store := b.fields[i].store; store != nil {
				store(next, c.types[i].cut(a.message[i](s)))
			}
		}
		if b.after != nil {
			b.after(next)
		}
		a = b
	}
	// An atomic sequence goes on if its process can; otherwise it loses control, and the others
	// may go on.
	if p.holderAt >= 0 {
		next[p.holderAt] = 0
		var room [8]program.Transition
		if a.atomic && len(p.expand(next, a.slot, room[:0], false)) > 0 {
			next[p.holderAt] = byte(a.slot.index + 1)
		}
	}
	return dst, nil
}

// undefined fails if t was listed only because its guard is undefined. It evaluates the guard again,
// because a transition has no room for the error that expand has caught.
func (a *action) undefined(s []byte, t program.Transition) {
	switch {
	case a.meets && a.queue.in(s).capacity == 0:
		a.slot.meet(s, t.Action, a.queue.in(s), nil)
	case a.guard.fallible:
		a.enabled(s)
	}
}

var _ program.Program = (*Program)(nil)
