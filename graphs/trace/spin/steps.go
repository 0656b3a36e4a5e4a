package spin

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// An event is a statement that was executed, with what SPIN printed about it.
type event struct {
	line
	process  *process
	messages []line     // sent and received
	children []*process // created
	values   []line     // after it
	// It follows from a gap in the numbers of steps: atomic and d_step print their last
	// statement.
	hidden  bool   // other statements went before it in one step
	partner *event // the other side of a rendezvous, at the receive
	early   int    // how many of the values, the first ones, were moved here
}

// A process is one that was created.
type process struct {
	name     string
	proctype string
	pid      int
	number   int // in the computation

	last   graphs.Handle     // its last event
	after  graphs.Handle     // what its next event comes after: the run that created it
	fence  graphs.Handle     // the last fence that it knows of
	values map[string]string // of its local variables, as far as they are known
}

// An execution is the output, taken apart.
type execution struct {
	file      string
	processes []*process
	events    []*event

	elements map[string][]string        // of each global variable, by its root
	locals   map[string]map[string]bool // roots of local variables, by proctype
	strings  map[string]bool            // variables with a value that is not a number
	// by name: the global ones and, behind the pid, those of processes
	// -1 stands for all processes in the key.
	queues  map[string][]int
	readers map[int][]*process // who receives from a queue
	verbose bool               // all variables are printed after each step
}

// collect takes lines apart. Messages, and the creation of processes, are printed
// before the statement that they belong to; those of a rendezvous after both
// statements.
func collect(file string, lines []line) (*execution, error) {
	x := &execution{
		file: file, elements: make(map[string][]string), locals: make(map[string]map[string]bool),
		strings: make(map[string]bool), queues: make(map[string][]int), readers: make(map[int][]*process),
	}

	var (
		current = make(map[int]*process) // by pid
		// by process, until the statement that they belong to is printed
		lastOf    = make(map[*process]*event)
		messages  = make(map[*process][]line)
		children  = make(map[*process][]*process)
		offered   = make(map[int]*event) // rendezvous sent, by queue
		early     []line                 // values before the first event
		step      int
		ended     bool
		processOf = func(pid int, proctype string) *process {
			if current[pid] == nil {
				current[pid] = x.create(pid, proctype)
			}
			return current[pid]
		}
	)
	for _, l := range lines {
		switch l.kind {
		// Values after the summary name variables that were never printed, but change nothing.
		case summary:
			ended = true
		case contents:
			x.name(l.pid, l.channel, l.queue)
		case assigns, assignsLocal:
			x.note(l)
			switch {
			case ended:
			case len(x.events) == 0:
				// Values before any statement are initial, or belong to hidden statements.
				early = append(early, l)
			default:
				e := x.events[len(x.events)-1]
				e.values = append(e.values, l)
			}
		case claims:
			// A claim counts as a step, though it is no event of the computation.
			step = l.step
		case forks:
			// A pid may be reused; the new process replaces the old one here, and both stay in
			// x.processes.
			current[l.child] = x.create(l.child, l.text)
			if l.pid >= 0 {
				p := processOf(l.pid, l.name)
				children[p] = append(children[p], current[l.child])
			}
		case transmits:
			x.name(l.pid, l.channel, l.queue)
			p := processOf(l.pid, l.name)
			if l.verb == "Recv" && !slices.Contains(x.readers[l.queue], p) {
				x.readers[l.queue] = append(x.readers[l.queue], p)
			}
			e := lastOf[p]
			switch {
			// In a rendezvous both statements are printed before both messages, so these go to
			// events that exist.
			case l.verb == "Sent" && e != nil:
				e.messages = append(e.messages, l)
				offered[l.queue] = e
			case l.verb == "Recv" && offered[l.queue] != nil && e != nil:
				e.messages = append(e.messages, l)
				e.partner = offered[l.queue]
				delete(offered, l.queue)
			default:
				messages[p] = append(messages[p], l)
			}
		case executes:
			if ended {
				continue
			}
			p := processOf(l.pid, l.name)
			// The number of a step is one more than the last, unless statements were not printed.
			e := &event{line: l, process: p, messages: messages[p], children: children[p], hidden: l.step > step+1}
			delete(messages, p)
			delete(children, p)
			if len(x.events) == 0 {
				e.values = early
				// Without a statement before, all early values are changes of the hidden ones.
				if e.hidden {
					e.early = len(early)
				}
			}
			step = l.step
			lastOf[p] = e
			x.events = append(x.events, e)
		}
	}

	if len(x.events) == 0 {
		return nil, x.fail(0, "no statement of a process: this is not the output of spin -p -g -l -r -s")
	}
	// printsAll needs all events; it decides how split reads values.
	x.verbose = x.printsAll()
	return x, nil
}

func (x *execution) fail(number int, format string, args ...any) *trace.Error {
	return trace.Errorf(x.file, number, format, args...)
}

// create adds a process under a name that no other has.
func (x *execution) create(pid int, proctype string) *process {
	base := fmt.Sprintf("%s:%d", proctype, pid)
	name := base
	// Linear in the processes, of which SPIN allows 255.
	for k := 2; slices.ContainsFunc(x.processes, func(p *process) bool { return p.name == name }); k++ {
		name = fmt.Sprintf("%s#%d", base, k)
	}
	p := &process{
		name: name, proctype: proctype, pid: pid, number: len(x.processes), values: make(map[string]string),
		last: graphs.NoHandle, after: graphs.NoHandle, fence: graphs.NoHandle,
	}

	x.processes = append(x.processes, p)
	return p
}

// note remembers that there is such a variable.
func (x *execution) note(l line) {
	if _, number := parse(l.text); !number {
		x.strings[l.varName] = true
	}
	top := root(l.varName)
	if l.kind == assigns {
		if !slices.Contains(x.elements[top], l.varName) {
			x.elements[top] = append(x.elements[top], l.varName)
		}
		return
	}

	if x.locals[l.name] == nil {
		x.locals[l.name] = make(map[string]bool)
	}
	// By proctype, as all processes of a type have the same variables.
	x.locals[l.name][top] = true
}

// name remembers what a queue is called, by a process or, for pid -1, by all.
func (x *execution) name(pid int, channel string, queue int) {
	key := channelKey(pid, flat(channel))
	if !slices.Contains(x.queues[key], queue) {
		x.queues[key] = append(x.queues[key], queue)
	}
}

func channelKey(pid int, channel string) string { return fmt.Sprintf("%d %s", pid, channel) }

// printsAll reports whether each event is followed by all global variables.
func (x *execution) printsAll() bool {
	all := 0
	for _, elements := range x.elements {
		all += len(elements)
	}
	for _, e := range x.events {
		seen := make(map[string]bool)
		for _, l := range e.values {
			if l.kind == assigns {
				seen[l.varName] = true
			}
		}
		if len(seen) < all {
			return false
		}
	}

	return true
}
