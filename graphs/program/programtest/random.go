// Package programtest makes random small programs for tests, and a check of what a front end says
// of the accesses of its actions.
package programtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/program"
)

// Values is how many values a variable of a random program has, from 0.
const Values = 3

// capacity is how many messages the one buffered channel of a random program holds.
const capacity = 2

// A Program is a random program: a table of actions. Its processes P0, P1, … have
// locations L0, L1, … and a variable x each, and share the variables a and b, a buffered
// channel q and a rendezvous channel.
//
// A state is a byte for each location, x, a and b, one for who holds the program, one
// for the length of q and its messages.
type Program struct {
	layout program.Layout
	rules  []rule
	starts []byte
}

// A rule is what an action does.
type rule struct {
	guards  []guard
	change  []change
	to      byte
	hold    bool // the process holds the program afterwards
	timeout bool // enabled where no other action is
}

// A guard compares a variable with a number.
type guard struct {
	place int // of a state
	value byte
	not   bool
}

// A change adds to a variable, cut off to its values.
type change struct {
	place int
	from  int // the place whose value is taken, -1 for none
	value byte
	add   bool
}

// The objects after those that are bytes of variables.
const (
	front = iota
	back
	extra
)

// A state has a location and a variable for each process, shared bytes, and the channel.
func (p *Program) processes() int { return len(p.layout.Processes) }
func (p *Program) holder() int    { return 2*p.processes() + 2 }
func (p *Program) length() int    { return p.holder() + 1 }

// object returns the object of a variable, by its place in the state. Locations are no objects: only
// actions of the process itself depend on them.
func (p *Program) object(place int) int { return place - p.processes() }

// Random returns a random program. Some have sequences during which one process holds the program,
// and actions that wait for all others.
func Random(r *rand.Rand) *Program {
	n := 2 + r.IntN(3)
	p := &Program{}
	l := &p.layout
	for i := range n {
		process := program.Process{Name: fmt.Sprintf("P%d", i)}
		for at := range 2 + r.IntN(3) {
			// Two labels of one location, as a front end may give them.
			process.Locations = append(process.Locations,
				program.Location{Labels: []string{fmt.Sprintf("L%d", at), fmt.Sprintf("M%d", at)}})
		}
		l.Processes = append(l.Processes, process)
		l.Variables = append(l.Variables,
			program.Variable{Name: "x", Process: i, Kind: graphs.Number, Objects: []int{i}})
		l.Objects = append(l.Objects, "x@"+process.Name)
	}
	for i, name := range []string{"a", "b"} {
		l.Variables = append(l.Variables, program.Variable{Name: name, Process: graphs.Shared,
			Kind: graphs.Number, Objects: []int{n + i}})
		l.Objects = append(l.Objects, name)
	}
	l.Variables = append(l.Variables, program.Variable{Name: "len(q)", Process: graphs.Shared,
		Kind: graphs.Number, Objects: []int{n + 2 + front, n + 2 + back}})
	l.Objects = append(l.Objects, "front of q", "back of q")
	l.Size = p.length() + 1 + capacity
	// All starts at 0: the first locations, the values and the empty channel.
	p.starts = make([]byte, l.Size)
	holds, waits := r.IntN(3) == 0, r.IntN(5) == 0
	for i := range n {
		for at := range l.Processes[i].Locations {
			// Some locations have no action, so that processes end and programs block.
			for range min(r.IntN(4), 2) {
				p.action(r, i, at, holds, waits)
			}
		}
	}
	p.cover()
	return p
}

// action adds a random action.
func (p *Program) action(r *rand.Rand, process, from int, holds, waits bool) {
	n, l := p.processes(), &p.layout
	locations := len(l.Processes[process].Locations)
	// Mostly in a circle, so that all locations are reached.
	to := (from + 1) % locations
	if r.IntN(4) == 0 {
		to = r.IntN(locations)
	}
	a := program.Action{Process: process, From: from, To: []int{to}}
	u := rule{to: byte(to)}
	// Most accesses are to shared variables, so that actions conflict.
	variable := func() int { // one that the process may access
		if k := r.IntN(5); k > 0 {
			return 2*n + k%2
		}
		return n + process
	}
	for range r.IntN(2) {
		g := guard{variable(), byte(r.IntN(Values)), r.IntN(3) > 0}
		// What a guard looks at is a read, so that writes of others conflict with it.
		u.guards = append(u.guards, g)
		a.Reads = append(a.Reads, p.object(g.place))
	}
	for range r.IntN(3) {
		c := change{variable(), -1, byte(r.IntN(Values)), r.IntN(2) == 0}
		if r.IntN(4) == 0 {
			c.from = variable()
			a.Reads = append(a.Reads, p.object(c.from))
		}
		u.change = append(u.change, c)
		a.Writes = append(a.Writes, p.object(c.place))
		if c.add {
			a.Reads = append(a.Reads, p.object(c.place))
		}
	}
	switch first := n + 2; r.IntN(7) {
	case 0: // to the buffered channel
		a.Channel, a.Sends = 1, true
		a.Writes = append(a.Writes, first+back)
		a.Awaits = append(a.Awaits, first+front)
		a.Reads = append(a.Reads, process)
	case 1: // from it, into x
		a.Channel = 1
		a.Writes, a.Awaits = append(a.Writes, first+front, process), append(a.Awaits, first+back)
	case 2:
		a.Meets, a.Sends = 1, r.IntN(2) == 0
	case 3, 4:
		// An action that waits for all others depends on the whole state.
		u.timeout = waits && r.IntN(2) == 0
		a.Global = u.timeout
	}
	if holds && r.IntN(3) == 0 {
		u.hold, a.Solitary = true, true
	}
	tidy(&a)
	l.Actions = append(l.Actions, a)
	p.rules = append(p.rules, u)
}

// tidy sorts what an action accesses.
func tidy(a *program.Action) {
	for _, list := range []*[]int{&a.Reads, &a.Writes, &a.Awaits} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// cover completes the accesses of actions that hold the program: they list all that the process may
// access from then on.
func (p *Program) cover() {
	for i := range p.layout.Actions {
		a := &p.layout.Actions[i]
		if !a.Solitary {
			continue
		}
		// Any action of the process may come while it holds the program.
		for _, b := range p.layout.Actions {
			if b.Process == a.Process {
				a.Writes = append(a.Writes, b.Writes...)
				a.Reads = slices.Concat(a.Reads, b.Reads, b.Awaits)
				a.Global = a.Global || b.Global || b.Meets > 0
			}
		}
		tidy(a)
	}
}

// Layout implements program.Program.
func (p *Program) Layout() *program.Layout { return &p.layout }

// Initial implements program.Program.
func (p *Program) Initial(dst []byte) []byte { return append(dst, p.starts...) }

// Location implements program.Program.
func (p *Program) Location(s []byte, process int) int { return int(s[process]) }

// Holder implements program.Program.
func (p *Program) Holder(s []byte) int { return int(s[p.holder()]) - 1 }

// Value implements program.Program.
func (p *Program) Value(s []byte, v int) graphs.Value {
	if v == len(p.layout.Variables)-1 {
		return graphs.Int(int64(s[p.length()]))
	}
	return graphs.Int(int64(s[p.processes()+v]))
}

// Enabled implements program.Program.
func (p *Program) Enabled(s []byte, process int, dst []program.Transition) []program.Transition {
	if h := p.Holder(s); h >= 0 && h != process {
		return dst
	}
	n := len(dst)
	dst = p.enabled(s, process, dst, false)
	if len(dst) > n {
		return dst
	}
	// Nothing else is enabled, for nobody: those that wait may go.
	for q := range p.layout.Processes {
		if len(p.enabled(s, q, nil, false)) > 0 {
			return dst
		}
	}
	return p.enabled(s, process, dst, true)
}

// enabled appends the transitions of the actions that wait for all others, or of the rest.
func (p *Program) enabled(s []byte, process int, dst []program.Transition,
	waiting bool) []program.Transition {
	// A transition is listed for the process that begins it, and for no other.
	for i := range p.rules {
		a := &p.layout.Actions[i]
		if a.Process != process || p.rules[i].timeout != waiting || !p.may(s, i) {
			continue
		}
		t := program.Transition{Action: int32(i), Partner: program.NoPartner}
		switch {
		case a.Meets == 0:
			dst = append(dst, t)
		// The sender of a handshake begins it, with each process that could receive.
		case a.Sends:
			for j := range p.rules {
				if b := &p.layout.Actions[j]; b.Meets > 0 && !b.Sends && b.Process != process &&
					p.Holder(s) < 0 && p.may(s, j) {
					t.Partner = int32(j)
					dst = append(dst, t)
				}
			}
		}
	}
	return dst
}

// may reports whether an action is at its location, its guards hold, and the buffered
// channel lets it send or receive.
func (p *Program) may(s []byte, action int) bool {
	a := &p.layout.Actions[action]
	length := int(s[p.length()])
	if int(s[a.Process]) != a.From || a.Channel > 0 && (a.Sends && length == capacity || !a.Sends &&
		length == 0) {
		return false
	}
	return !slices.ContainsFunc(p.rules[action].guards,
		func(g guard) bool { return s[g.place] == g.value == g.not })
}

// Apply implements program.Program.
func (p *Program) Apply(s []byte, t program.Transition, dst []byte) ([]byte, error) {
	n := len(dst)
	dst = append(dst, s...)
	p.do(dst[n:], int(t.Action))
	if t.Partner != program.NoPartner {
		p.do(dst[n:], int(t.Partner))
	}
	return dst, nil
}

// do executes an action on a state in place.
func (p *Program) do(s []byte, action int) {
	a, u := &p.layout.Actions[action], &p.rules[action]
	queue := s[p.length()+1:]
	switch length := &s[p.length()]; {
	case a.Channel > 0 && a.Sends:
		queue[*length] = s[p.processes()+a.Process]
		*length++
	case a.Channel > 0:
		s[p.processes()+a.Process] = queue[0]
		copy(queue, queue[1:])
		queue[capacity-1] = 0
		*length--
	}
	// One after the other, so that a change may take what an earlier one has made.
	for _, c := range u.change {
		if c.from >= 0 {
			c.value = s[c.from]
		}
		if c.add {
			s[c.place] = (s[c.place] + c.value) % Values
		} else {
			s[c.place] = c.value
		}
	}
	s[a.Process] = u.to
	s[p.holder()] = 0
	if u.hold && a.Meets == 0 {
		s[p.holder()] = byte(a.Process) + 1
		// Who cannot go on does not hold the program.
		if len(p.enabled(s, a.Process, nil, false)) == 0 {
			s[p.holder()] = 0
		}
	}
}
