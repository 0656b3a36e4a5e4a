package spin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// longest is the maximum length of an output in bytes. Outputs grow by lines per step, so the bound
// excludes only endless inputs.
const longest = 1 << 40

// Read reads a simulation and closes the source. Its errors are *trace.Error and ctx.Err().
//
// The time complexity of Read is O(length of the output + events · processes + events
// with else · variables).
func Read(ctx context.Context, in *trace.Source, opts trace.Options) (*graphs.Computation, error) {
	name, text, err := in.Text(ctx, "the output of a simulation by SPIN", longest, &opts)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := collect(name, text)
	if err != nil {
		return nil, err
	}
	b := builder{
		execution: x, opts: opts, known: make(map[string]string),
		accesses: make(map[string]*accesses), traffic: make(map[int]*traffic),
		fence: graphs.NoHandle,
	}

	return b.build()
}

// A builder visits the events of an execution once.
type builder struct {
	graphs.Builder
	*execution
	opts  trace.Options
	known map[string]string // the values of global variables
	// by the name of a global variable, or by the root of a structure that is not printed
	accesses map[string]*accesses
	traffic  map[int]*traffic // by queue number
	fence    graphs.Handle    // the last event that is ordered with all others
	sent     int              // how many messages were sent
}

// accesses are the events that later accesses of one variable may have to follow.
type accesses struct {
	write graphs.Handle
	// The last read of each process suffices: its earlier reads happened before that one.
	reads map[*process]graphs.Handle // since write
}

// traffic is the history of a queue.
type traffic struct {
	// moves are the last sends or receives of each process, and looks its last inspections of the
	// queue, such as len(q). A look commutes with other looks, but not with moves.
	moves, looks map[*process]graphs.Handle
	waiting      []undelivered
}

// An undelivered is a message in transit.
type undelivered struct {
	text  string
	send  graphs.Handle
	index int32
}

func (b *builder) build() (*graphs.Computation, error) {
	for _, p := range b.processes {
		b.Process(p.name)
	}
	// Global variables start at zero in Promela. If SPIN prints an initial value, assign replaces
	// the zero.
	for _, name := range b.globals() {
		// One value that is not a number, such as the name of an mtype, makes the variable a
		// string.
		kind := graphs.Number
		if b.strings[name] {
			kind = graphs.String
		}
		b.Init(b.Variable(graphs.Shared, name), graphs.Zero(kind))
	}
	handles := make(map[*event]graphs.Handle, len(b.events))
	for i, e := range b.events {
		h := b.Event(e.process.number)
		handles[e] = h
		if b.opts.Places {
			b.SetPlace(h, graphs.Place{File: b.file, Line: e.number})
		}
		if b.opts.Names {
			b.SetLabel(h, fmt.Sprintf("%s (%s)", e.text, e.place))
		}
		// Indices of arrays are evaluated with the values before the event.
		effect := analyse(e.text, func(name string) (int, bool) { return b.number(e.process, name) })
		// A statement that hides others has effects that are not printed, so it is ordered with
		// everything.
		effect.global = effect.global || e.hidden
		done := b.split(i, effect)
		// The order of these steps matters: split determines the values of the event before order
		// asks which variables it writes, and last changes only after all edges to earlier events
		// have been added.
		p := e.process
		if p.after != graphs.NoHandle {
			b.Order(p.after, h)
			p.after = graphs.NoHandle
		}
		if b.fence != p.fence {
			b.Order(b.fence, h)
			p.fence = b.fence
		}
		b.order(e, h, effect, done)
		if err := b.transmit(e, h, effect); err != nil {
			return nil, err
		}
		// A rendezvous is one step of two processes. SPIN prints the sender first, so its handle
		// exists.
		if e.partner != nil {
			b.Sync(handles[e.partner], h)
		}
		for _, child := range e.children {
			child.after = h
		}
		b.assign(h, done)
		p.last = h
	}

	b.lose()
	at := func(h graphs.Handle) *trace.Error { return b.fail(b.events[h].number, "") }
	return trace.Build(&b.Builder, at)
}

// globals returns the names of the global variables, sorted, so that the order of edges, and thus
// the output, does not depend on map iteration.
func (b *builder) globals() []string {
	names := slices.Concat(slices.Collect(maps.Values(b.elements))...)
	slices.Sort(names)
	return names
}

func parse(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// number returns the value of a variable as far as a process knows it.
func (b *builder) number(p *process, name string) (int, bool) {
	// _pid is never printed, because it is constant.
	if name == "_pid" {
		return p.pid, true
	}
	text, ok := p.values[name]
	// A local variable hides a global variable of the same name even while its value is unknown.
	if !ok && !b.locals[p.proctype][root(name)] {
		text, ok = b.known[name]
	}
	n, isNumber := parse(text)
	return int(n), ok && isNumber
}

// before orders an event after first, which may be of the same process or NoHandle.
func (b *builder) before(first, h graphs.Handle) {
	// Program order covers events of one process.
	if first != graphs.NoHandle && b.ProcessOf(first) != b.ProcessOf(h) {
		b.Order(first, h)
	}
}

// A variable belongs to a process; if that is nil, it is global.
type variable struct {
	process *process
	name    string
}

// A change is a value of a variable after an event.
type change struct {
	variable
	text    string
	initial bool // whether the variable had the value before the event
}

// split returns those values printed after the i-th event that are its own. If hidden statements
// follow before the next event, the values printed here may be those after them; split moves such
// values to the next event.
func (b *builder) split(i int, effect effect) []change {
	e := b.events[i]
	passOn := i+1 < len(b.events) && b.events[i+1].hidden
	var own []change
	var next []value
	seen := make(map[variable]bool)
	for j, v := range e.values {
		c := change{variable: variable{name: v.name}, text: v.text}
		known := b.known
		if v.local {
			c.process = b.owner(e, v.pid)
			known = c.process.values
		}
		was, isKnown := known[v.name]
		same := isKnown && was == v.text
		match := b.matches(e.process, effect, c.variable)
		again := seen[c.variable]
		switch {
		case j < e.early:
			// A value that was moved here is a change.
		// A value that this statement cannot have written, or that is printed a second time, may
		// belong to the hidden statement.
		case passOn && (again || match < anyOf):
			if same {
				continue
			}
			// Unless the output is verbose, it shows only changes, so an unknown value is a change.
			if isKnown || again || match == none && !b.verbose {
				next = append(next, v)
				continue
			}
			c.initial = true
		case match == exactly:
		case same:
			continue
		case !isKnown:
			// The first value seen is initial unless the statement may have written it. A 0 is
			// always initial, because every variable starts at 0.
			c.initial = match < anyOf || v.text == "0"
		}
		if j >= e.early {
			seen[c.variable] = true
		}
		known[v.name] = v.text
		// The last value of a variable counts: an event assigns it once.
		own = slices.DeleteFunc(own, func(d change) bool { return d.variable == c.variable })
		own = append(own, c)
	}

	// Moved values come before those of the event itself, because they were printed before.
	if next != nil {
		after := b.events[i+1]
		after.early = len(next)
		after.values = append(next, after.values...)
	}

	return own
}

// owner returns the process that has a local variable: the process of the event, or another one
// with that pid. A pid is reused after a process has ended, so owner returns the last such process.
func (b *builder) owner(e *event, pid int) *process {
	if e.process.pid == pid {
		return e.process
	}
	for _, p := range slices.Backward(b.processes) {
		if p.pid == pid {
			return p
		}
	}
	return e.process
}

// A match says whether a statement assigns a variable.
type match uint8

const (
	none    match = iota
	related       // another element of the same array
	anyOf         // an unknown element
	exactly
)

func (b *builder) matches(p *process, effect effect, c variable) match {
	best := none
	for _, a := range effect.writes {
		top := root(a.name)
		if top != root(c.name) || b.locals[p.proctype][top] != (c.process != nil) {
			// A variable matches only in its own scope: a local variable of the same name is
			// another variable.
			continue
		}
		switch {
		// An unknown index may be any element, so it never excludes a match and never confirms one.
		case a.whole:
			best = max(best, anyOf)
		case a.name == c.name:
			best = exactly
		default:
			best = max(best, related)
		}
	}

	return best
}

// shared returns the variables to which accesses of a process may refer, if several processes can
// access them.
func (b *builder) shared(p *process, accesses []access) map[string]bool {
	all := make(map[string]bool)
	for _, a := range accesses {
		top := root(a.name)
		// An unknown index may be any element, so all of them count.
		elements := b.elements[top]
		switch {
		// Only one process accesses a local variable, so program order suffices.
		case b.locals[p.proctype][top]:
			continue
		// A field of a structure that is not printed is tracked, conservatively, by the root of the
		// structure.
		case elements == nil && a.field:
			elements = []string{top}
		case !a.whole && slices.Contains(elements, a.name):
			elements = []string{a.name}
		}
		for _, name := range elements {
			all[name] = true
		}
	}
	return all
}

// order adds the causality of an event, except for messages.
func (b *builder) order(e *event, h graphs.Handle, effect effect, done []change) {
	p := e.process
	reads, writes := b.shared(p, effect.reads), b.shared(p, effect.writes)

	// Printed changes are exact, and cover what the statement parser does not understand.
	for _, c := range done {
		if c.process == nil && !c.initial {
			writes[c.name] = true
		}
	}

	// else is executable only if no other option is, so it reads everything that the guards read.
	if effect.isElse {
		for _, name := range b.globals() {
			reads[name] = true
		}
		for name := range b.accesses {
			reads[name] = true
		}
	}

	// Writes first: a variable that is both read and written, as in x = x + 1, is ordered as a
	// write. Sorted names keep the edges in a fixed order.
	for _, name := range slices.Sorted(maps.Keys(writes)) {
		v := b.accessesOf(name)
		b.before(v.write, h)
		b.afterAll(v.reads, h)
		v.write = h
		// Later events are ordered after this write, and by transitivity after these reads.
		clear(v.reads)
	}

	for _, name := range slices.Sorted(maps.Keys(reads)) {
		if !writes[name] {
			v := b.accessesOf(name)
			b.before(v.write, h)
			v.reads[p] = h
		}
	}

	// look may set effect.global, so it precedes the test.
	b.look(p, h, &effect)
	// A fence is ordered after all events so far, and before all later ones.
	if effect.global {
		for _, q := range b.processes {
			b.before(q.last, h)
		}
		b.fence, p.fence = h, h
	}
}

func (b *builder) accessesOf(name string) *accesses {
	if b.accesses[name] == nil {
		b.accesses[name] = &accesses{graphs.NoHandle, make(map[*process]graphs.Handle)}
	}
	return b.accesses[name]
}

// afterAll orders an event after the events of other processes.
func (b *builder) afterAll(events map[*process]graphs.Handle, h graphs.Handle) {
	// The order of processes is fixed; that of a map is not.
	for _, p := range b.processes {
		if first, ok := events[p]; ok {
			b.before(first, h)
		}
	}
}

// look orders an inspection of queues after their last sends and receives. An inspection of an
// unknown channel is ordered with everything.
func (b *builder) look(p *process, h graphs.Handle, effect *effect) {
	var numbers []int
	for _, channel := range effect.polls {
		found := b.queues[channelKey(p.pid, channel)]
		if found == nil {
			found = b.queues[channelKey(-1, channel)]
		}
		// An unknown channel may be any queue.
		effect.global = effect.global || found == nil
		numbers = append(numbers, found...)
	}

	if effect.isElse {
		numbers = slices.AppendSeq(numbers, maps.Keys(b.traffic))
		slices.Sort(numbers)
	}

	for _, number := range numbers {
		q := b.trafficOf(number)
		// The next send or receive comes after this look.
		b.afterAll(q.moves, h)
		q.looks[p] = h
	}
}

func (b *builder) trafficOf(queue int) *traffic {
	if b.traffic[queue] == nil {
		b.traffic[queue] = &traffic{moves: make(map[*process]graphs.Handle), looks: make(map[*process]graphs.Handle)}
	}
	return b.traffic[queue]
}

// transmit adds the messages that an event sends and receives.
func (b *builder) transmit(e *event, h graphs.Handle, effect effect) error {
	// Without these lines, the order between sender and receiver would be silently lost.
	if len(e.messages) == 0 && (effect.sends || effect.recvs) {
		return b.fail(e.number, "%s without a line that tells the queue: run spin with -r and -s, too", e.text)
	}
	for _, l := range e.messages {
		q := b.trafficOf(l.queue)
		switch l.verb {
		// Message names are generated, and unique by their number.
		case "Send", "Sent":
			index := b.NewMessage(fmt.Sprintf("queue%d#%d", l.queue, b.sent+1))
			b.sent++
			q.waiting = append(q.waiting, undelivered{l.text, h, index})
		case "Recv":
			// The first message with the text is received: a queue is first in, first out, except
			// for random receives, and equal messages cannot be distinguished.
			i := slices.IndexFunc(q.waiting, func(m undelivered) bool { return m.text == l.text })
			if i < 0 {
				return b.fail(l.number, "%s is received from queue %d (%s), where no such message is", l.text, l.queue, l.channel)
			}
			m := q.waiting[i]
			q.waiting = slices.Delete(q.waiting, i, i+1)
			b.Deliver(m.index, m.send, h, -1)
		default:
			continue // a look
		}
		// A move comes after all looks at the queue so far; only messages order moves among each
		// other.
		b.afterAll(q.looks, h)
		q.moves[e.process] = h
	}

	return nil
}

// lose adds the messages still in transit at the end. The receiver is known if only one process
// receives from the queue.
func (b *builder) lose() {
	for _, number := range slices.Sorted(maps.Keys(b.traffic)) {
		to := -1
		if readers := b.readers[number]; len(readers) == 1 {
			to = readers[0].number
		}
		// Without a receive, a message stays in transit until the end.
		for _, m := range b.traffic[number].waiting {
			b.Deliver(m.index, m.send, graphs.NoHandle, to)
		}
	}
}

// assign adds the assignments of an event.
func (b *builder) assign(h graphs.Handle, done []change) {
	for _, c := range done {
		owner := graphs.Shared
		if c.process != nil {
			owner = c.process.number
		}
		v := b.Variable(owner, c.name)
		x := graphs.Str(c.text)
		if n, ok := parse(c.text); ok && !b.strings[c.name] {
			x = graphs.Int(n)
		}
		switch {
		case c.initial:
			b.Init(v, x)
		// Local variables are kept only if they are asked for, shared ones always.
		case c.process != nil:
			b.opts.Set(&b.Builder, v, h, x)
		default:
			b.Set(v, h, x)
		}
	}
}
