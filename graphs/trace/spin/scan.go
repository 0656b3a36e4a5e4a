package spin

import (
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs/lazy"
)

var (
	// heading is how each step starts; printf may have left text before it.
	heading = lazy.Regexp(`(\d+):\tproc +(-|\d+) \((.*?):?([^:() ]*)\) +(.*)$`)
	// statement, message and creates are what may follow.
	statement = lazy.Regexp(`^(.+:\d+) \(state -?\d+\)\t\[(.*)\]$`)
	message   = lazy.Regexp(`^.+:\d+ (Send|Sent|Recv|\[Recv\]) (.*)\t(?:->|<-) queue (\d+) \((.*)\)$`)
	creates   = lazy.Regexp(`^creates proc +(\d+) \((.*)\)$`)
	// local, global and queue are values after a step.
	local  = lazy.Regexp(`^\t\t(.+)\((\d+)\):([A-Za-z_][\w.\[\]]*) = (.*)$`)
	global = lazy.Regexp(`^\t\t([A-Za-z_][\w.\[\]]*) = (.*)$`)
	queue  = lazy.Regexp(`^\t\tqueue (\d+) \((?:.+\((\d+)\):)?(.*)\): `)

	started = lazy.Regexp(`(?m)\d+:\tproc +(?:-|\d+) \(.*\) `)
)

// Detect reports whether the beginning of a text looks like a simulation by SPIN.
func Detect(head []byte) bool { return started().Match(head) }

// A lineKind says what SPIN prints on a line.
type lineKind uint8

const (
	other        lineKind = iota
	executes              // a statement of a process
	claims                // a statement of a never claim
	transmits             // a send or a receive
	forks                 // the creation of a process
	assignsLocal          // the value of a local variable
	assigns               // the value of a global variable
	contents              // what is in a queue
	summary               // the end of the steps
)

// A line is one of the output that means something. What it uses of these fields
// depends on its kind.
type line struct {
	kind    lineKind
	number  int // in the file, from 1
	step    int
	pid     int    // of the process that executes, or has the variable; -1 for none
	name    string // its proctype
	child   int    // pid of the process created
	text    string // statement; message; proctype of the process created; value
	place   string // of the statement
	verb    string // Send, Sent, Recv, [Recv]
	queue   int
	channel string // what the queue is called here
	varName string
}

// scan returns the lines that mean something. Values after the summary are kept, as they name
// all variables.
func scan(text string) []line {
	var lines []line
	number := 0
	for row := range strings.Lines(text) {
		number++
		row = strings.TrimRight(row, "\r\n")
		l := scanLine(row)
		l.number = number
		// Everything else, such as the output of printf, is ignored.
		if l.kind != other {
			lines = append(lines, l)
		}
		// Contents of queues are lines of their own kind, and name queues.
		if q := queue().FindStringSubmatch(row); q != nil {
			lines = append(lines, line{kind: contents, number: number, queue: count(q[1]), pid: count(q[2]), channel: q[3]})
		}
	}

	return lines
}

func scanLine(row string) line {
	if strings.HasPrefix(row, "#processes:") {
		return line{kind: summary}
	}
	// From the most specific form to the least: each of the later ones would match an earlier
	// form, too.
	if m := local().FindStringSubmatch(row); m != nil {
		return line{kind: assignsLocal, name: proctype(m[1]), pid: count(m[2]), varName: flat(m[3]), text: m[4]}
	}
	if m := global().FindStringSubmatch(row); m != nil {
		return line{kind: assigns, varName: flat(m[1]), text: m[2]}
	}
	h := heading().FindStringSubmatch(row)
	if h == nil {
		return line{}
	}
	l := line{step: count(h[1]), pid: count(h[2]), name: proctype(h[3])}
	if m := creates().FindStringSubmatch(h[5]); m != nil {
		l.kind = forks
		l.child = count(m[1])
		l.text = proctype(m[2])
	} else if m := message().FindStringSubmatch(h[5]); m != nil {
		l.kind = transmits
		l.verb = m[1]
		l.text = m[2]
		l.queue = count(m[3])
		l.channel = m[4]
	} else if m := statement().FindStringSubmatch(h[5]); m != nil {
		l.kind = executes
		l.place = m[1]
		l.text = m[2]
		// A never claim runs as a process without a number.
		if l.pid < 0 {
			l.kind = claims
		}
	}

	return l
}

// proctype returns the name of a type of processes: that of init stands between colons.
func proctype(text string) string { return strings.Trim(text, ":") }

// count returns a number of digits, -1 for anything else.
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

// root returns the variable that an element or field is of.
func root(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}
