package simulate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/record"
)

// A Program is all runs of a model; Run records one of them: the code of the model is executed in
// each state in which a process may go on. It implements program.Program.
//
// Nobody knows the time there: a timer may fire at any time, and messages travel as long as they
// like, in order where the model asks for that. Where messages may be lost, any may be, and at most
// two of each sender are on their way to a process: more are lost. Each process begins its work as
// often as Config.Rounds says, once if that is 0, so that runs end. Only runs with messages lost
// again and again do not.
//
// The local computations of threads are left out, with their variable loc, as nothing depends on
// them.
//
// A state has a number for what each process knows, one for the messages on their way to it, and
// the values of registers. The next step of an actor depends on its state and on a message alone,
// so that its code is executed once for each two of these.
//
//	(1) tables only grow; numbers mean the same for ever
//	(2) equal parts of states have one number
//	(3) the processes of world are used by who holds mutex for writing only
type Program struct {
	world  *world
	layout program.Layout
	acts   []act     // by action
	of     [][]int32 // actions, by process; of a thread, by statement
	from   []int     // by process: its first variable

	mutex    sync.RWMutex // of outcomes
	locals   table[*local]
	inboxes  table[[]uint32] // numbers of letters; of one sender, in the order of sending
	letters  table[letter]
	outcomes map[step][]uint32
	initial  []byte
}

// maxProcesses is so small that Arg has room for all that a process may choose from: at
// most two for each process.
const maxProcesses = 100

// maxOnWay is how many messages that may be lost are on their way from one process to
// another.
const maxOnWay = 2

// A table numbers things by what they are, for many goroutines at a time.
type table[T any] struct {
	mutex  sync.RWMutex
	number map[string]uint32
	all    []T
}

// numberOf returns the number of x; equal things have equal texts. Texts are for one run of the
// program: pointers are told apart by where they point to.
func (t *table[T]) numberOf(x T, text string) uint32 {
	t.mutex.RLock()
	n, ok := t.number[text] // most things are known
	t.mutex.RUnlock()
	if ok {
		return n
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if n, ok := t.number[text]; ok {
		return n
	}
	if t.number == nil {
		t.number = make(map[string]uint32)
	}
	n = uint32(len(t.all))
	t.number[text] = n
	t.all = append(t.all, x)
	return n
}

// at returns what has a number.
func (t *table[T]) at(n uint32) T {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	return t.all[n]
}

// A local is what a process knows. It is never changed.
type local struct {
	process int
	at      int // of a thread: the next statement
	rounds  int // begun
	values  []graphs.Value
	state   any      // of an actor
	putOff  []any    // reasons to wake it
	out     []effect // that are still to come, before it handles anything else
}

// An effect is an event of an actor.
type effect struct {
	actions  []record.Action
	receives bool
	to       []*process // that a message is sent to
	body     any
	lossy    bool   // the message may be lost
	letter   uint32 // its number, where it is sent to somebody
}

// A letter is a message on its way.
type letter struct {
	from int
	body any
}

// A step is what a process does that knows something: a thread executes its next statement; of an
// actor the first effect comes or, where there is none, it handles a letter, or wakes for the
// reason -1-input.
type step struct {
	local uint32
	input int
}

// An act is what an action of the layout does.
type act struct {
	kind  kind
	other int // the process that it sends to or receives from, or the statement
}

// A kind is a kind of acts.
type kind uint8

const (
	executes   kind = iota // a statement of a thread
	wakes                  // for a reason
	receives               // from a process
	sends                  // to a process
	loses                  // a message to a process
	multicasts             // to several
	changes                // its variables
)

// NewProgram returns all runs of a model. Errors are those of Lookup and Check; a model without a finite
// state and more than 100 processes are refused, too.
func NewProgram(cfg Config) (*Program, error) {
	m, err := modelFor(cfg)
	if err != nil {
		return nil, err
	}
	if m.endless {
		return nil, endless(m)
	}
	if cfg.Processes > maxProcesses {
		return nil, fmt.Errorf("all runs of %s can be looked at with at most %d processes, not %d",
			m.Name, maxProcesses, cfg.Processes)
	}
	cfg.Events, cfg.Rounds = 0, max(cfg.Rounds, 1)
	w := &world{Rand: rand.New(rand.NewPCG(cfg.Seed, 0)), config: cfg, ctx: context.Background(),
		whole: true}
	m.run(w)
	p := &Program{world: w, outcomes: make(map[step][]uint32)}
	p.describe()
	for i, q := range w.processes {
		l := &local{process: i, values: q.initial, putOff: q.putOff}
		if q.save != nil {
			l.state = q.save()
		}
		p.initial = binary.LittleEndian.AppendUint32(p.initial, p.numberOf(l))
	}
	for range w.processes {
		p.initial = binary.LittleEndian.AppendUint32(p.initial, p.inboxes.numberOf(nil, ""))
	}
	for _, r := range w.shared {
		p.initial = binary.LittleEndian.AppendUint32(p.initial, uint32(r.value))
	}
	p.layout.Size = len(p.initial)
	return p, nil
}

// endless is the error of a model without a finite state. It lists the others.
func endless(m *Model) error {
	finite := slices.DeleteFunc(Models(), func(m *Model) bool { return m.endless })
	names := make([]string, len(finite))
	for i, m := range finite {
		names[i] = m.Name
	}
	return fmt.Errorf("the processes of %s have no finite state; those that have are %s", m.Name, strings.Join(names, ", "))
}

// describe makes the layout.
func (p *Program) describe() {
	w, n := p.world, len(p.world.processes)
	p.of = make([][]int32, n)
	// Each register, each variable and each end of a channel is an object, since engines ask which
	// actions access the same.
	object := func(name string) int {
		p.layout.Objects = append(p.layout.Objects, name)
		return len(p.layout.Objects) - 1
	}
	for _, r := range w.shared {
		p.layout.Variables = append(p.layout.Variables,
			program.Variable{Name: r.name, Process: graphs.Shared, Kind: graphs.Number,
				Objects: []int{object(r.name)}})
	}
	own := make([][]int, n) // objects, by process
	for i, q := range w.processes {
		p.from = append(p.from, len(p.layout.Variables))
		for k, name := range q.variables {
			own[i] = append(own[i], object(name+"@"+q.name))
			p.layout.Variables = append(p.layout.Variables, program.Variable{Name: name, Process: i,
				Kind: q.initial[k].Kind, Objects: []int{own[i][k]}})
		}
	}
	channels := len(p.layout.Objects)
	for _, from := range w.processes {
		for _, to := range w.processes {
			object("front of " + from.name + " to " + to.name)
			object("back of " + from.name + " to " + to.name)
		}
	}
	front := func(from, to int) int { return channels + 2*(from*n+to) }
	for i, q := range w.processes {
		if q.save == nil {
			p.describeThread(i, q, own[i])
			continue
		}
		p.layout.Processes = append(p.layout.Processes,
			program.Process{Name: q.name, Locations: make([]program.Location, 1)})
		add := func(a act, label string, awaits []int, writes ...int) {
			p.add(i, a, program.Action{To: []int{0}, Label: label, Awaits: awaits, Writes: writes})
		}
		var backs []int
		for k := range w.processes {
			backs = append(backs, front(i, k)+1)
		}
		add(act{wakes, 0}, "", nil)
		add(act{changes, 0}, "", nil, own[i]...)
		add(act{multicasts, 0}, "sends to several", nil, slices.Concat(own[i], backs)...)
		for k, other := range w.processes {
			add(act{receives, k}, "receives from "+other.name, []int{front(k, i) + 1},
				slices.Concat(own[i], []int{front(k, i)})...)
			add(act{sends, k}, "sends to "+other.name, []int{front(i, k)},
				slices.Concat(own[i], backs[k:k+1])...)
			if w.loss > 0 {
				add(act{loses, k}, "sends to "+other.name+", which is lost", nil, own[i]...)
			}
		}
	}
}

// add adds an action of a process.
func (p *Program) add(process int, a act, described program.Action) {
	described.Process = process
	p.of[process] = append(p.of[process], int32(len(p.acts)))
	p.acts = append(p.acts, a)
	p.layout.Actions = append(p.layout.Actions, described)
}

// describeThread describes a thread: it is at one of its statements, or at the end.
func (p *Program) describeThread(i int, q *process, own []int) {
	end := len(q.program)
	p.layout.Processes = append(p.layout.Processes,
		program.Process{Name: q.name, Locations: make([]program.Location, end+1)})
	for at, s := range q.program {
		a := program.Action{From: at, To: []int{at + 1}}
		if at+1 == end {
			// After its last statement a thread begins again, or has ended.
			a.To = []int{0, end}
		}
		for _, c := range s.await {
			a.Reads = append(a.Reads, c.register.number)
		}
		slices.Sort(a.Reads)
		if s.register != nil {
			a.Writes = append(a.Writes, s.register.number)
		}
		for _, does := range s.actions {
			if set, ok := does.(record.Assignment); ok {
				name, _ := valueOf(set)
				a.Writes = append(a.Writes, own[slices.Index(q.variables, name)])
			}
		}
		slices.Sort(a.Writes)
		p.add(i, act{executes, at}, a)
	}
}

// valueOf returns what an assignment sets.
func valueOf(a record.Assignment) (variable string, value graphs.Value) {
	variable, x := a.Value()
	switch x := x.(type) {
	case bool:
		value = graphs.Boolean(x)
	case string:
		value = graphs.Str(x)
	case int64:
		value = graphs.Int(x)
	}
	return variable, value
}

// Layout implements program.Program.
func (p *Program) Layout() *program.Layout { return &p.layout }

// Initial implements program.Program.
func (p *Program) Initial(dst []byte) []byte { return append(dst, p.initial...) }

// Holder implements program.Program.
func (*Program) Holder([]byte) int { return -1 }

// Location implements program.Program.
func (p *Program) Location(s []byte, process int) int { return p.local(s, process).at }

// Value implements program.Program.
func (p *Program) Value(s []byte, v int) graphs.Value {
	if v < len(p.world.shared) {
		return graphs.Int(int64(p.register(s, v)))
	}
	process := p.layout.Variables[v].Process
	return p.local(s, process).values[v-p.from[process]]
}

// The parts of a state: locals, inboxes and registers.
func (p *Program) inboxAt(process int) int       { return len(p.world.processes) + process }
func (p *Program) registerAt(number int) int     { return 2*len(p.world.processes) + number }
func (p *Program) get(s []byte, i int) uint32    { return binary.LittleEndian.Uint32(s[4*i:]) }
func (p *Program) put(s []byte, i int, x uint32) { binary.LittleEndian.PutUint32(s[4*i:], x) }

func (p *Program) register(s []byte, number int) int32 { return int32(p.get(s, p.registerAt(number))) }

// local returns the state of a process.
func (p *Program) local(s []byte, process int) *local { return p.locals.at(p.get(s, process)) }

// inbox returns the letters on their way to a process. The slice must not be changed.
func (p *Program) inbox(s []byte, process int) []uint32 {
	return p.inboxes.at(p.get(s, p.inboxAt(process)))
}

// Enabled implements program.Program. Arg has the letter or the reason, and the number of the
// outcome.
func (p *Program) Enabled(s []byte, process int, dst []program.Transition) []program.Transition {
	l, q := p.local(s, process), p.world.processes[process]
	add := func(action int32, arg int) {
		dst = append(dst, program.Transition{Action: action, Partner: program.NoPartner,
			Arg: int32(arg)})
	}
	of := p.of[process]
	switch {
	case q.save == nil:
		if l.at < len(q.program) && p.met(s, q.program[l.at].await) {
			add(of[l.at], 0)
		}
	case len(l.out) > 0:
		for _, a := range of {
			if p.comes(s, l, p.acts[a]) {
				add(a, 0)
			}
		}
	default:
		for i, reason := range l.putOff {
			// Equal reasons lead to the same.
			if slices.Index(l.putOff, reason) == i {
				for k := range p.outcomesOf(step{p.get(s, process), -1 - i}) {
					add(of[0], i<<outcomeBits|k)
				}
			}
		}
		dst = p.receptions(s, process, dst)
	}
	return dst
}

// outcomeBits are those of Arg that tell the outcome.
const outcomeBits = 8

// met reports whether one of some conditions is met, or there are none.
func (p *Program) met(s []byte, any []condition) bool {
	return len(any) == 0 || slices.ContainsFunc(any,
		func(c condition) bool { return c.met(int(p.register(s, c.register.number))) })
}

// comes reports whether an act is the next effect.
func (p *Program) comes(s []byte, l *local, a act) bool {
	e := &l.out[0]
	switch a.kind {
	case changes:
		return len(e.to) == 0
	case multicasts:
		return len(e.to) > 1
	case sends, loses:
		if len(e.to) != 1 || e.to[0] != p.world.processes[a.other] {
			return false
		}
		return e.lossy && a.kind == loses || a.kind == sends &&
			(!e.lossy || p.onWay(s, l.process, a.other) < maxOnWay)
	}
	return false
}

// onWay returns how many messages of one process are on their way to another.
func (p *Program) onWay(s []byte, from, to int) int {
	n := 0
	for _, x := range p.inbox(s, to) {
		if p.letters.at(x).from == from {
			n++
		}
	}
	return n
}

// receptions appends the transitions of an actor that handles a letter: in channels that are first
// in, first out, the first of each sender.
func (p *Program) receptions(s []byte, process int, dst []program.Transition) []program.Transition {
	inbox := p.inbox(s, process)
	for _, a := range p.of[process] {
		if p.acts[a].kind != receives {
			continue
		}
		for i, x := range inbox {
			if p.letters.at(x).from != p.acts[a].other || slices.Index(inbox, x) < i {
				continue
			}
			for k := range p.outcomesOf(step{p.get(s, process), int(x)}) {
				dst = append(dst, program.Transition{Action: a, Partner: program.NoPartner,
					Arg: int32(x)<<outcomeBits | int32(k)})
			}
			if p.world.fifo {
				break
			}
		}
	}
	return dst
}

// Apply implements program.Program.
func (p *Program) Apply(s []byte, t program.Transition, dst []byte) ([]byte, error) {
	n := len(dst)
	dst = append(dst, s...)
	next := dst[n:]
	process, a := p.layout.Actions[t.Action].Process, p.acts[t.Action]
	l, k := p.local(s, process), int(t.Arg)&(1<<outcomeBits-1)
	st := step{local: p.get(s, process)}
	switch a.kind {
	// The outcome of a thread does not depend on registers; they change beside it.
	case executes:
		if x := &p.world.processes[process].program[a.other]; x.register != nil {
			number := x.register.number
			p.put(next, p.registerAt(number), uint32(x.update(int(p.register(s, number)))))
		}
	case wakes:
		st.input = -1 - int(t.Arg)>>outcomeBits
	case receives:
		x := uint32(t.Arg) >> outcomeBits
		st.input = int(x)
		inbox := slices.Clone(p.inbox(s, process))
		i := slices.Index(inbox, x)
		p.deliver(next, process, slices.Delete(inbox, i, i+1))
	case sends, multicasts:
		if l.out[0].letter >= 1<<(31-outcomeBits) {
			return dst, errors.New("there are more messages than can be numbered")
		}
		for _, to := range l.out[0].to {
			i := slices.Index(p.world.processes, to)
			p.deliver(next, i, p.with(p.inbox(s, i), l.out[0].letter))
		}
	}
	p.put(next, process, p.outcomesOf(st)[k])
	return dst, nil
}

// with adds a letter to an inbox, after those of the same sender.
func (p *Program) with(inbox []uint32, x uint32) []uint32 {
	i := len(inbox)
	for i > 0 && p.letters.at(inbox[i-1]).from > p.letters.at(x).from {
		i--
	}
	return slices.Insert(slices.Clone(inbox), i, x)
}

// deliver puts letters on their way to a process.
func (p *Program) deliver(s []byte, process int, inbox []uint32) {
	var text []byte
	for _, x := range inbox {
		text = binary.LittleEndian.AppendUint32(text, x)
	}
	p.put(s, p.inboxAt(process), p.inboxes.numberOf(inbox, string(text)))
}

// outcomesOf returns the numbers of what the process may know after a step.
func (p *Program) outcomesOf(s step) []uint32 {
	p.mutex.RLock()
	list, ok := p.outcomes[s]
	p.mutex.RUnlock()
	if ok {
		return list
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	// Two goroutines may come here with the same step; the second finds the same numbers.
	l := p.locals.at(s.local)
	switch q := p.world.processes[l.process]; {
	case q.save == nil:
		list = []uint32{p.numberOf(l.execute(q, p.world.config.Rounds))}
	case len(l.out) > 0:
		list = []uint32{p.numberOf(l.emit(q))}
	default:
		list = p.handle(l, q, s.input)
	}
	p.outcomes[s] = list
	return list
}

// numberOf numbers what a process knows.
func (p *Program) numberOf(l *local) uint32 { return p.locals.numberOf(l, fmt.Sprintf("%#v", *l)) }

// execute returns what a thread knows after it has executed its next statement.
func (l *local) execute(q *process, rounds int) *local {
	next := *l
	next.set(q, q.program[l.at].actions)
	if next.at++; next.at == len(q.program) {
		if next.rounds++; next.rounds < rounds {
			next.at = 0
		}
	}
	return &next
}

// emit returns what an actor knows after its next effect.
func (l *local) emit(q *process) *local {
	next := *l
	next.set(q, l.out[0].actions)
	next.out = l.out[1:]
	return &next
}

// set gives variables the values that actions set.
func (l *local) set(q *process, actions []record.Action) {
	for _, a := range actions {
		if set, ok := a.(record.Assignment); ok {
			name, value := valueOf(set)
			l.values = slices.Clone(l.values)
			l.values[slices.Index(q.variables, name)] = value
		}
	}
}

// handle lets an actor handle a letter or wake, and returns its possible states then: the message
// is received, and its other effects are still to come. The caller holds the mutex.
func (p *Program) handle(l *local, q *process, input int) (list []uint32) {
	for c := &p.world.chosen; ; {
		// Each outcome is found by another run of the code from the same state.
		q.load(l.state)
		q.rounds = l.rounds
		q.putOff = slices.Clone(l.putOff)
		q.done = nil
		if input < 0 {
			i := -1 - input
			reason := q.putOff[i]
			q.putOff = slices.Delete(q.putOff, i, i+1)
			q.wake(reason)
		} else {
			x := p.letters.at(uint32(input))
			q.handle(message{from: p.world.processes[x.from], body: x.body})
		}
		for i := range q.done {
			if e := &q.done[i]; len(e.to) > 0 {
				x := letter{l.process, e.body}
				e.letter = p.letters.numberOf(x, fmt.Sprintf("%d %#v", x.from, x.body))
			}
		}
		next := &local{process: l.process, rounds: min(q.rounds, p.world.config.Rounds),
			values: l.values, state: q.save(), putOff: q.putOff, out: q.done}
		// The event that receives is this step itself.
		if len(next.out) > 0 && next.out[0].receives {
			next = next.emit(q)
		}
		if n := p.numberOf(next); !slices.Contains(list, n) {
			list = append(list, n)
		}
		if !c.Another() {
			return list
		}
	}
}
