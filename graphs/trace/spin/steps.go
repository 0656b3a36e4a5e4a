package spin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/trace"
)

var (
	// heading matches the beginning of each step; output of printf may precede it.
	heading = lazy.Regexp(`(\d+):\tproc +(-|\d+) \((.*?):?([^:() ]*)\) +(.*)$`)
	// statement, transfer and creates match the possible remainders.
	statement = lazy.Regexp(`^(.+:\d+) \(state -?\d+\)\t\[(.*)\]$`)
	transfer  = lazy.Regexp(`^.+:\d+ (Send|Sent|Recv|\[Recv\]) (.*)\t(?:->|<-) queue (\d+) \((.*)\)$`)
	creates   = lazy.Regexp(`^creates proc +(\d+) \((.*)\)$`)
	// local, global and queue match values after a step.
	local  = lazy.Regexp(`^\t\t(.+)\((\d+)\):([A-Za-z_][\w.\[\]]*) = (.*)$`)
	global = lazy.Regexp(`^\t\t([A-Za-z_][\w.\[\]]*) = (.*)$`)
	queue  = lazy.Regexp(`^\t\tqueue (\d+) \((?:.+\((\d+)\):)?(.*)\): `)

	started = lazy.Regexp(`(?m)\d+:\tproc +(?:-|\d+) \(.*\) `)
)

// Detect reports whether the beginning of a text looks like a simulation by SPIN.
func Detect(head []byte) bool { return started().Match(head) }

// An event is an executed statement, with everything that SPIN printed about it.
type event struct {
	number      int // the line number
	text, place string
	process     *process
	messages    []message  // messages sent and received
	children    []*process // processes created
	values      []value    // values after the event
	// hidden follows from a gap in the step numbers: atomic and d_step print only their last
	// statement.
	hidden  bool   // whether other statements preceded it in the same step
	partner *event // the other side of a rendezvous; set at the receive
	early   int    // how many of the first values were moved here
}

// A message is a line about one: a process sends, receives, or inspects it.
type message struct {
	number  int    // the line number
	verb    string // Send, Sent, Recv, [Recv]
	text    string
	queue   int
	channel string // the name of the queue in this line
}

// A value is a line with the current value of a variable.
type value struct {
	local bool
	pid   int    // the pid of the process that has a local variable
	owner string // the proctype of that process
	name  string // the name as flat writes it
	text  string
}

// A process is a process that was created.
type process struct {
	name     string
	proctype string
	pid      int
	number   int // the index in the computation

	// SPIN prints these before the statement to which they belong.
	messages []message
	children []*process
	latest   *event // the last statement that was printed

	last   graphs.Handle     // its last event
	after  graphs.Handle     // the run that created it, until its first event is ordered after that
	fence  graphs.Handle     // the last fence after which it is ordered
	values map[string]string // the known values of its local variables
}

// An execution is the parsed output.
type execution struct {
	file      string
	processes []*process
	events    []*event

	elements map[string][]string        // names of global variables, by root
	locals   map[string]map[string]bool // roots of local variables, by proctype
	strings  map[string]bool            // variables with a value that is not a number
	// The numbers of queues by channelKey, with pid -1 for names that all processes know.
	queues  map[string][]int
	readers map[int][]*process // the processes that receive from a queue
	verbose bool               // whether all variables are printed after each step

	// These change from line to line.
	current map[int]*process // by pid
	offered map[int]*event   // rendezvous sends, by queue
	early   []value          // values before the first event
	step    int              // the number of the last step
	ended   bool             // whether the summary has been reached
}

// collect parses an output. It ignores lines without a meaning here, such as the output of printf.
// Values after the summary name variables that were never printed before, but change nothing.
func collect(file, text string) (*execution, error) {
	x := &execution{
		file: file, elements: make(map[string][]string), locals: make(map[string]map[string]bool),
		strings: make(map[string]bool), queues: make(map[string][]int), readers: make(map[int][]*process),
		current: make(map[int]*process), offered: make(map[int]*event),
	}
	number := 0
	for row := range strings.Lines(text) {
		number++
		row = strings.TrimRight(row, "\r\n")
		// From the most specific form to the least: each later form would also match the earlier
		// ones.
		if strings.HasPrefix(row, "#processes:") {
			x.ended = true
		} else if m := local().FindStringSubmatch(row); m != nil {
			x.note(value{local: true, pid: count(m[2]), owner: proctype(m[1]), name: flat(m[3]), text: m[4]})
		} else if m := global().FindStringSubmatch(row); m != nil {
			x.note(value{name: flat(m[1]), text: m[2]})
		} else if m := heading().FindStringSubmatch(row); m != nil {
			x.take(number, m)
		}
		if m := queue().FindStringSubmatch(row); m != nil {
			x.name(count(m[2]), m[3], count(m[1]))
		}
	}
	if len(x.events) == 0 {
		return nil, x.fail(0, "no statement of a process: this is not the output of spin -p -g -l -r -s")
	}
	// printsAll needs all events; it determines how split reads values.
	x.verbose = x.printsAll()
	return x, nil
}

// take processes a line with the heading of a step: a statement, the creation of a process, or a
// message. The last two are printed before the statement to which they belong, except that the
// messages of a rendezvous come after both statements.
func (x *execution) take(number int, heading []string) {
	pid, rest := count(heading[2]), heading[5]
	actor := func() *process {
		if x.current[pid] == nil {
			x.current[pid] = x.create(pid, proctype(heading[3]))
		}
		return x.current[pid]
	}
	if m := creates().FindStringSubmatch(rest); m != nil {
		// A pid may be reused; the new process replaces the old one here, and both stay in
		// x.processes.
		child := x.create(count(m[1]), proctype(m[2]))
		x.current[child.pid] = child
		if pid >= 0 {
			p := actor()
			p.children = append(p.children, child)
		}
	} else if m := transfer().FindStringSubmatch(rest); m != nil {
		x.transmit(actor(), message{number, m[1], m[2], count(m[3]), m[4]})
	} else if m := statement().FindStringSubmatch(rest); m != nil {
		step := count(heading[1])
		// The number of a step is one more than the last, unless statements were not printed.
		hidden := step > x.step+1
		// A never claim runs as a process without a number: a step, but not an event of the
		// computation.
		if pid >= 0 && !x.ended {
			p := actor()
			x.execute(&event{number: number, text: m[2], place: m[1], process: p, hidden: hidden})
		}
		if pid < 0 || !x.ended {
			x.step = step
		}
	}
}

// transmit processes a message of a process.
func (x *execution) transmit(p *process, m message) {
	x.name(p.pid, m.channel, m.queue)
	if m.verb == "Recv" && !slices.Contains(x.readers[m.queue], p) {
		x.readers[m.queue] = append(x.readers[m.queue], p)
	}
	switch e := p.latest; {
	// In a rendezvous, both statements are printed before both messages, so these belong to events
	// that exist.
	case m.verb == "Sent" && e != nil:
		e.messages = append(e.messages, m)
		x.offered[m.queue] = e
	case m.verb == "Recv" && x.offered[m.queue] != nil && e != nil:
		e.messages = append(e.messages, m)
		e.partner = x.offered[m.queue]
		delete(x.offered, m.queue)
	default:
		p.messages = append(p.messages, m)
	}
}

// execute adds a statement, with everything that was printed before it.
func (x *execution) execute(e *event) {
	p := e.process
	e.messages, e.children = p.messages, p.children
	p.messages, p.children = nil, nil
	p.latest = e
	if len(x.events) == 0 {
		e.values = x.early
		// Without a preceding statement, all early values are changes of the hidden ones.
		if e.hidden {
			e.early = len(x.early)
		}
	}
	x.events = append(x.events, e)
}

func (x *execution) fail(number int, format string, args ...any) *trace.Error {
	return trace.Errorf(x.file, number, format, args...)
}

// create adds a process under a unique name.
func (x *execution) create(pid int, proctype string) *process {
	base := fmt.Sprintf("%s:%d", proctype, pid)
	name := base
	// This is linear in the processes, of which SPIN allows 255.
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

// note adds a value, and remembers that the variable exists.
func (x *execution) note(v value) {
	if _, number := parse(v.text); !number {
		x.strings[v.name] = true
	}
	top := root(v.name)
	switch {
	case v.local:
		if x.locals[v.owner] == nil {
			x.locals[v.owner] = make(map[string]bool)
		}
		// By proctype, because all processes of a type have the same variables.
		x.locals[v.owner][top] = true
	case !slices.Contains(x.elements[top], v.name):
		x.elements[top] = append(x.elements[top], v.name)
	}
	switch n := len(x.events); {
	case x.ended:
	case n == 0:
		// Values before any statement are initial, or belong to hidden statements.
		x.early = append(x.early, v)
	default:
		x.events[n-1].values = append(x.events[n-1].values, v)
	}
}

// name records the name of a queue in one process, or in all with pid -1.
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
		for _, v := range e.values {
			if !v.local {
				seen[v.name] = true
			}
		}
		if len(seen) < all {
			return false
		}
	}

	return true
}

// proctype returns the name of a process type: init is printed between colons.
func proctype(text string) string { return strings.Trim(text, ":") }

// count parses a number, and returns -1 for anything else.
func count(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// flat returns the name of an element or field as formulas can write it.
func flat(name string) string {
	return strings.NewReplacer("[", ".", "]", "").Replace(name)
}

// root returns the variable to which an element or field belongs.
func root(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}
