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

// A Program represents all runs of a model, whereas Run records one: it executes the code of the model
// in each state in which a process can take a step. It implements program.Program.
//
// There is no time: a timer may fire at any moment, and messages may travel for any time, but in
// order if the model requires it. If messages may be lost, any message may be; at most two of each
// sender are in transit to a process, and others are lost. Each process begins its work as often
// as Config.Rounds says, or once if that is 0, so that runs end, except those on which messages are
// lost again and again.
//
// The local computations of threads are left out, with their variable loc, because nothing depends on
// them.
//
// A state has a number for the local state of each process, a number for the messages in transit to it,
// and the values of registers. The next step of an actor depends only on its state and on a message, so
// its code is executed once for each such pair.
//
//	(1) tables only grow; the meaning of a number never changes
//	(2) equal parts of states have the same number
//	(3) only the goroutine that holds mutex for writing uses the processes of world
type Program struct {
	world  *world
	layout program.Layout
	first  []int // by process, its first action
	each   int   // how many actions of an actor are about each process
	from   []int // by process, its first variable

	mutex    sync.RWMutex // guards outcomes
	locals   table[*local]
	inboxes  table[[]uint32] // numbers of letters, in the order of senders, then of sending
	letters  table[letter]
	outcomes map[step][]uint32
	initial  []byte
}

// maxProcesses ensures that Arg has room for all choices of a process: at most two for each process.
const maxProcesses = 100

// maxOnWay bounds the messages in transit from one process to another, if messages may be lost.
const maxOnWay = 2

// A table gives equal values the same number. Several goroutines may use it at a time.
type table[T any] struct {
	mutex  sync.RWMutex
	number map[string]uint32
	all    []T
}

// numberOf returns the number of x; equal values must have equal texts. Texts are valid for one run of
// the program, because they contain the addresses of pointers.
func (t *table[T]) numberOf(x T, text string) uint32 {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	n, ok := t.number[text]
	if !ok {
		if t.number == nil {
			t.number = make(map[string]uint32)
		}
		n = uint32(len(t.all))
		t.number[text] = n
		t.all = append(t.all, x)
	}
	return n
}

// at returns the value with a number.
func (t *table[T]) at(n uint32) T {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	return t.all[n]
}

// A local is the local state of a process. It is never changed.
type local struct {
	process int
	at      int // the next statement of a thread
	rounds  int // how many rounds it has begun
	values  []graphs.Value
	state   any      // the state of an actor
	putOff  []any    // reasons to wake it
	out     []effect // the effects it must still execute before it handles anything else
}

// An effect is an event of an actor.
type effect struct {
	actions  []record.Action
	receives bool
	to       []*process // the receivers of the message that is sent
	body     any
	lossy    bool   // whether the message may be lost
	letter   uint32 // the number of the message
}

// A letter is a message in transit.
type letter struct {
	from int
	body any
}

// A step is a step of a process in a local state. A thread executes its next statement. An actor
// executes its next effect; if there is none, it handles the letter with number input or, if input is
// negative, wakes for the reason with index -1-input.
type step struct {
	local uint32
	input int
}

// The actions of an actor, counted from its first one. The last ones are for process 0; those for
// the other processes follow. There is no action loses if messages are never lost.
const (
	wakes      = iota // wakes for a reason
	changes           // changes its variables
	multicasts        // sends to several processes
	receives          // receives from a process
	sends             // sends to a process
	loses             // loses a message to a process
)

// NewProgram returns the program of all runs of a model. Errors are those of Lookup and Check. It also refuses models
// with unbounded states and more than 100 processes.
func NewProgram(cfg Config) (*Program, error) {
	m, err := modelFor(cfg)
	if err != nil {
		return nil, err
	}
	if m.endless {
		var finite []string
		for _, other := range models {
			if !other.endless {
				finite = append(finite, other.Name)
			}
		}
		return nil, fmt.Errorf("the processes of %s have no finite state; those that have are %s", m.Name,
			strings.Join(finite, ", "))
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

// describe makes the layout.
func (p *Program) describe() {
	w, n := p.world, len(p.world.processes)
	p.each = 2
	if w.loss > 0 {
		p.each = 3
	}
	// Each register, each variable of a process, and the front and the back of each channel are
	// objects.
	add := func(name string, process int, kind graphs.Kind) {
		object := len(p.layout.Variables)
		p.layout.Variables = append(p.layout.Variables,
			program.Variable{Name: name, Process: process, Kind: kind, Objects: []int{object}})
	}
	for _, r := range w.shared {
		add(r.name, graphs.Shared, graphs.Number)
	}
	own := make([][]int, n) // by process, its objects
	for i, q := range w.processes {
		p.from = append(p.from, len(p.layout.Variables))
		for k, name := range q.variables {
			own[i] = append(own[i], len(p.layout.Variables))
			add(name, i, q.initial[k].Kind)
		}
	}
	channels := len(p.layout.Variables)
	p.layout.Objects = channels + 2*n*n
	front := func(from, to int) int { return channels + 2*(from*n+to) }
	for i, q := range w.processes {
		p.first = append(p.first, len(p.layout.Actions))
		if q.save == nil {
			p.describeThread(i, q, own[i])
			continue
		}
		p.layout.Processes = append(p.layout.Processes,
			program.Process{Name: q.name, Locations: make([]program.Location, 1)})
		add := func(label string, awaits []int, writes ...int) {
			p.layout.Actions = append(p.layout.Actions,
				program.Action{Process: i, To: []int{0}, Label: label, Awaits: awaits, Writes: writes})
		}
		var backs []int
		for k := range w.processes {
			backs = append(backs, front(i, k)+1)
		}
		add("", nil)
		add("", nil, own[i]...)
		add("sends to several", nil, slices.Concat(own[i], backs)...)
		for k, other := range w.processes {
			add("receives from "+other.name, []int{front(k, i) + 1}, slices.Concat(own[i], []int{front(k, i)})...)
			add("sends to "+other.name, []int{front(i, k)}, slices.Concat(own[i], backs[k:k+1])...)
			if w.loss > 0 {
				add("sends to "+other.name+", which is lost", nil, own[i]...)
			}
		}
	}
}

// describeThread describes a thread: it is at one of its statements, or at the end. Its actions are
// its statements.
func (p *Program) describeThread(i int, q *process, own []int) {
	end := len(q.program)
	p.layout.Processes = append(p.layout.Processes,
		program.Process{Name: q.name, Locations: make([]program.Location, end+1)})
	for at, s := range q.program {
		a := program.Action{Process: i, From: at, To: []int{at + 1}}
		if at+1 == end {
			// After its last statement a thread begins again or ends.
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
		p.layout.Actions = append(p.layout.Actions, a)
	}
}

// valueOf returns the variable and the value of an assignment.
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

// local returns the local state of a process.
func (p *Program) local(s []byte, process int) *local { return p.locals.at(p.get(s, process)) }

// inbox returns the letters in transit to a process. The slice must not be changed.
func (p *Program) inbox(s []byte, process int) []uint32 {
	return p.inboxes.at(p.get(s, p.inboxAt(process)))
}

// Enabled implements program.Program. Arg encodes the letter or the reason, and the number of the
// outcome.
func (p *Program) Enabled(s []byte, process int, dst []program.Transition) []program.Transition {
	l, q := p.local(s, process), p.world.processes[process]
	add := func(action, arg int) {
		dst = append(dst, program.Transition{Action: int32(p.first[process] + action),
			Partner: program.NoPartner, Arg: int32(arg)})
	}
	if q.save == nil {
		if l.at == len(q.program) {
			return dst
		}
		await := q.program[l.at].await
		met := func(c condition) bool { return c.met(int(p.register(s, c.register.number))) }
		if len(await) == 0 || slices.ContainsFunc(await, met) {
			add(l.at, 0)
		}
		return dst
	}
	if len(l.out) > 0 {
		switch e := &l.out[0]; len(e.to) {
		case 0:
			add(changes, 0)
		case 1:
			to := slices.Index(p.world.processes, e.to[0])
			if !e.lossy || p.onWay(s, process, to) < maxOnWay {
				add(sends+p.each*to, 0)
			}
			if e.lossy {
				add(loses+p.each*to, 0)
			}
		default:
			add(multicasts, 0)
		}
		return dst
	}
	for i, reason := range l.putOff {
		// Equal reasons have the same outcomes.
		if slices.Index(l.putOff, reason) == i {
			for k := range p.outcomesOf(step{p.get(s, process), -1 - i}) {
				add(wakes, i<<outcomeBits|k)
			}
		}
	}
	inbox := p.inbox(s, process)
	last := -1 // the sender of the letter before
	for i, x := range inbox {
		from := p.letters.at(x).from
		overtakes := p.world.fifo && from == last
		last = from
		if overtakes || slices.Index(inbox, x) < i {
			continue
		}
		for k := range p.outcomesOf(step{p.get(s, process), int(x)}) {
			add(receives+p.each*from, int(x)<<outcomeBits|k)
		}
	}
	return dst
}

// outcomeBits is how many bits of Arg encode the outcome.
const outcomeBits = 8

// onWay returns how many messages are in transit from one process to another.
func (p *Program) onWay(s []byte, from, to int) int {
	n := 0
	for _, x := range p.inbox(s, to) {
		if p.letters.at(x).from == from {
			n++
		}
	}
	return n
}

// Apply implements program.Program.
func (p *Program) Apply(s []byte, t program.Transition, dst []byte) ([]byte, error) {
	n := len(dst)
	dst = append(dst, s...)
	next := dst[n:]
	process := p.layout.Actions[t.Action].Process
	q, action := p.world.processes[process], int(t.Action)-p.first[process]
	l, k := p.local(s, process), int(t.Arg)&(1<<outcomeBits-1)
	st := step{local: p.get(s, process)}
	if q.save != nil && action >= receives {
		action = receives + (action-receives)%p.each
	}
	switch {
	case q.save == nil:
		// The local outcome of a thread does not depend on registers, which are changed here.
		if x := &q.program[action]; x.register != nil {
			number := x.register.number
			p.put(next, p.registerAt(number), uint32(x.update(int(p.register(s, number)))))
		}
	case action == wakes:
		st.input = -1 - int(t.Arg)>>outcomeBits
	case action == receives:
		x := uint32(t.Arg) >> outcomeBits
		st.input = int(x)
		inbox := slices.Clone(p.inbox(s, process))
		i := slices.Index(inbox, x)
		p.deliver(next, process, slices.Delete(inbox, i, i+1))
	case action == multicasts, action == sends:
		e := &l.out[0]
		if e.letter >= 1<<(31-outcomeBits) {
			return dst, errors.New("there are more messages than can be numbered")
		}
		for _, to := range e.to {
			i := slices.Index(p.world.processes, to)
			// Letters are in the order of their senders, then in the order of sending.
			inbox := p.inbox(s, i)
			at := len(inbox)
			for at > 0 && p.letters.at(inbox[at-1]).from > process {
				at--
			}
			p.deliver(next, i, slices.Insert(slices.Clone(inbox), at, e.letter))
		}
	}
	p.put(next, process, p.outcomesOf(st)[k])
	return dst, nil
}

// deliver sets the letters in transit to a process.
func (p *Program) deliver(s []byte, process int, inbox []uint32) {
	var text []byte
	for _, x := range inbox {
		text = binary.LittleEndian.AppendUint32(text, x)
	}
	p.put(s, p.inboxAt(process), p.inboxes.numberOf(inbox, string(text)))
}

// outcomesOf returns the numbers of the possible local states after a step.
func (p *Program) outcomesOf(s step) []uint32 {
	p.mutex.RLock()
	list, ok := p.outcomes[s]
	p.mutex.RUnlock()
	if ok {
		return list
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	// Two goroutines may get here with the same step; the second one finds the same numbers.
	l := p.locals.at(s.local)
	switch q := p.world.processes[l.process]; {
	case q.save == nil:
		next := *l
		next.set(q, q.program[l.at].actions)
		if next.at++; next.at == len(q.program) {
			if next.rounds++; next.rounds < p.world.config.Rounds {
				next.at = 0
			}
		}
		list = []uint32{p.numberOf(&next)}
	case len(l.out) > 0:
		list = []uint32{p.numberOf(l.emit(q))}
	default:
		list = p.handle(l, q, s.input)
	}
	p.outcomes[s] = list
	return list
}

// numberOf returns the number of a local state.
func (p *Program) numberOf(l *local) uint32 { return p.locals.numberOf(l, fmt.Sprintf("%#v", *l)) }

// emit returns the local state of an actor after its next effect.
func (l *local) emit(q *process) *local {
	next := *l
	next.set(q, l.out[0].actions)
	next.out = l.out[1:]
	return &next
}

// set gives variables the values in actions.
func (l *local) set(q *process, actions []record.Action) {
	for _, a := range actions {
		if set, ok := a.(record.Assignment); ok {
			name, value := valueOf(set)
			l.values = slices.Clone(l.values)
			l.values[slices.Index(q.variables, name)] = value
		}
	}
}

// handle lets an actor handle a letter or wake, and returns the numbers of its possible local states after
// that. In these the message has been received, and other effects are still to come. The caller holds the
// mutex.
func (p *Program) handle(l *local, q *process, input int) (list []uint32) {
	for c := &p.world.chosen; ; {
		// Each execution of the code from the same state finds another outcome.
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
		// The receive event is this step itself.
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
