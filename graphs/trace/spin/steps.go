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
	hidden   bool       // other statements went before it in one step
	partner  *event     // the other side of a rendezvous, at the receive
	early    int        // how many of the values, the first ones, were moved here
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
		current   = make(map[int]*process) // by pid
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
		case summary:
			ended = true
		case contents:
			x.name(l.pid, l.channel, l.queue)
		case assigns, assignsLocal:
			x.note(l)
			switch {
			case ended:
			case len(x.events) == 0:
				early = append(early, l)
			default:
				e := x.events[len(x.events)-1]
				e.values = append(e.values, l)
			}
		case claims:
			step = l.step
		case forks:
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
			e := &event{line: l, process: p, messages: messages[p], children: children[p], hidden: l.step > step+1}
			delete(messages, p)
			delete(children, p)
			if len(x.events) == 0 {
				e.values = early
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
	x.verbose = x.printsAll()
	return x, nil
}

func (x *execution) fail(number int, format string, args ...any) *trace.Error {
	return &trace.Error{File: x.file, Line: number, Msg: fmt.Sprintf(format, args...)}
}

// create adds a process under a name that no other has.
func (x *execution) create(pid int, proctype string) *process {
	if proctype == ":init:" {
		proctype = "init"
	}
	base := fmt.Sprintf("%s:%d", proctype, pid)
	name := base
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

	proctype := l.name
	if proctype == ":init:" {
		proctype = "init"
	}
	if x.locals[proctype] == nil {
		x.locals[proctype] = make(map[string]bool)
	}
	x.locals[proctype][top] = true
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
