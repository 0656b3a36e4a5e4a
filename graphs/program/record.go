package program

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// Record returns a run of a program as a computation. Its cuts are states that the program reaches
// by executing the steps of the run in another order.
//
// Each step is an event of the process that executes it, and of each other process that takes part
// because its location or variables change. These happen together. Events are ordered where their
// actions conflict, and where one may have enabled the other: a send to a channel comes after the
// receive that made room for it, if the channel could have been full. What happens while a process
// holds the program is in order with all else. The k-th message that is sent to a channel is
// received by the k-th receive.
//
// A variable with several objects, the length of a channel, is recorded only if named
// says that its name is asked for, because that orders all that writes one of them.
//
// The error is from Apply. The time complexity of Record is O(steps · (processes + variables +
// accesses)).
func Record(p Program, steps []Transition, named func(variable string) bool) (*Recording, error) {
	r := newRecorder(p, steps, named)
	for _, step := range steps {
		if err := r.step(step); err != nil {
			return nil, err
		}
	}
	// Messages that are in channels at the end are never received.
	for _, channel := range slices.Sorted(maps.Keys(r.channels)) {
		c := r.channels[channel]
		for k := len(c.receives); k < len(c.sends); k++ {
			r.message(channel, k+1, c.sends[k], graphs.NoHandle)
		}
	}
	c, err := r.Build()
	if err != nil {
		return nil, err
	}
	done := &Recording{Computation: c, Steps: make([][]graphs.Event, len(r.steps))}
	for i, events := range r.steps {
		for _, at := range events {
			done.Steps[i] = append(done.Steps[i], c.Event(at.process, at.position))
		}
	}
	return done, nil
}

// A Recording is a run as a computation, with the events of each step in turn.
type Recording struct {
	Computation *graphs.Computation
	Steps       [][]graphs.Event
}

// A recorder builds a computation.
type recorder struct {
	graphs.Builder
	steps   [][]place // the events of each step so far
	program Program
	layout  *Layout
	state   []byte
	// those of the layout, nil for one that is not recorded, and after them at of each process
	variables []*graphs.Variable
	// the recorded variables of the layout with several objects: each counts as an object after
	// those of the layout, so that its assignments are in order
	several []int

	last     []graphs.Handle   // the last event of each process; NoHandle if it has none
	barrier  graphs.Handle     // comes before all that follows
	behind   []bool            // by process: whether it has an event after the barrier
	writer   []graphs.Handle   // by object: the event that wrote it last
	readers  [][]graphs.Handle // by object: the events that have read it since then
	channels map[int]*traffic
}

// A place is the process of an event and its number there. It is valid after Build; handles are not.
type place struct{ process, position int }

// A traffic holds the messages that were sent through a channel.
type traffic struct {
	longest         int // how many messages were in it at most
	sends, receives []graphs.Handle
}

func newRecorder(p Program, steps []Transition, named func(variable string) bool) *recorder {
	l := p.Layout()
	r := &recorder{program: p, layout: l, state: p.Initial(nil), barrier: graphs.NoHandle,
		channels: make(map[int]*traffic)}
	r.Grow(len(steps))
	for _, process := range l.Processes {
		r.Process(process.Name)
		r.last, r.behind = append(r.last, graphs.NoHandle), append(r.behind, false)
	}
	for i, v := range l.Variables {
		if len(v.Objects) > 1 {
			if !named(v.Name) {
				r.variables = append(r.variables, nil)
				continue
			}
			r.several = append(r.several, i)
		}
		if v.Process == graphs.Shared {
			r.Share(v.Name)
		}
		r.variables = append(r.variables, r.Variable(v.Process, v.Name))
		r.Init(r.variables[i], p.Value(r.state, i))
	}
	for i := range l.Processes {
		if !l.HasLabels(i) {
			r.variables = append(r.variables, nil)
			continue
		}
		at := r.Variable(i, At)
		r.variables = append(r.variables, at)
		r.Init(at, graphs.Str(l.LabelAt(i, p.Location(r.state, i))))
	}
	r.writer = slices.Repeat([]graphs.Handle{graphs.NoHandle}, l.Objects+len(r.several))
	r.readers = make([][]graphs.Handle, len(r.writer))
	// How many messages are in each channel at most.
	length := make(map[int]int)
	for _, step := range steps {
		for _, a := range r.layout.ActionsOf(step) {
			switch c := a.Channel; {
			case c == 0:
			case a.Sends:
				length[c]++
				if r.channels[c] == nil {
					r.channels[c] = new(traffic)
				}
				r.channels[c].longest = max(r.channels[c].longest, length[c])
			default:
				length[c]--
			}
		}
	}
	return r
}

func (r *recorder) step(step Transition) error {
	after, err := r.program.Apply(r.state, step, nil)
	if err != nil {
		return err
	}
	actions := r.layout.ActionsOf(step)
	takes := func(q int) bool {
		return slices.ContainsFunc(actions, func(a *Action) bool { return a.Process == q })
	}
	var changed []int // variables with another value afterwards
	for i := range r.layout.Variables {
		if r.variables[i] != nil && r.program.Value(r.state, i) != r.program.Value(after, i) {
			changed = append(changed, i)
		}
	}
	events := make(map[int]graphs.Handle)
	var all []graphs.Handle
	var places []place
	for q := range r.layout.Processes {
		if !takes(q) && r.program.Location(r.state, q) == r.program.Location(after, q) &&
			!slices.ContainsFunc(changed,
				func(i int) bool { return r.layout.Variables[i].Process == q }) {
			continue
		}
		e := r.Event(q)
		events[q] = e
		all = append(all, e)
		places = append(places, place{q, r.PositionOf(e)})
		if r.barrier != graphs.NoHandle && !r.behind[q] {
			r.Order(r.barrier, e)
			r.behind[q] = true
		}
	}
	r.steps = append(r.steps, places)
	first := events[actions[0].Process]
	if len(all) > 1 {
		r.Sync(all...)
	}
	for _, a := range actions {
		e := events[a.Process]
		r.SetLabel(e, a.Label)
		r.access(a, e)
		r.exchange(a, e)
	}
	if slices.ContainsFunc(actions, func(a *Action) bool { return a.Global || a.Solitary }) ||
		r.program.Holder(r.state) >= 0 {
		for _, e := range r.last {
			if e != graphs.NoHandle {
				r.Order(e, first)
			}
		}
		r.barrier = first
		for q := range r.behind {
			_, r.behind[q] = events[q]
		}
	}
	for q, e := range events {
		r.last[q] = e
	}
	r.assign(after, changed, events, first)
	r.state = after
	return nil
}

func (r *recorder) assign(after []byte, changed []int, events map[int]graphs.Handle,
	first graphs.Handle) {
	for _, i := range changed {
		v := &r.layout.Variables[i]
		e := first
		if v.Process != graphs.Shared {
			e = events[v.Process]
		}
		r.Set(r.variables[i], e, r.program.Value(after, i))
	}
	for q := range r.layout.Processes {
		was, is := r.layout.LabelAt(q, r.program.Location(r.state, q)),
			r.layout.LabelAt(q, r.program.Location(after, q))
		if was != is {
			r.Set(r.variables[len(r.layout.Variables)+q], events[q], graphs.Str(is))
		}
	}
}

// access orders the event of an action after those that it conflicts with, and after the writers of
// the objects that it awaits.
func (r *recorder) access(a *Action, e graphs.Handle) {
	after := func(h graphs.Handle) {
		if h != graphs.NoHandle && h != e {
			r.Order(h, e)
		}
	}
	for _, o := range a.Reads {
		after(r.writer[o])
	}
	if a.Channel == 0 {
		for _, o := range a.Awaits {
			after(r.writer[o])
		}
	}
	writes := slices.Clip(a.Writes)
	for k, i := range r.several {
		if slices.ContainsFunc(r.layout.Variables[i].Objects,
			func(o int) bool { return slices.Contains(a.Writes, o) }) {
			writes = append(writes, r.layout.Objects+k)
		}
	}
	for _, o := range writes {
		after(r.writer[o])
		for _, h := range r.readers[o] {
			after(h)
		}
	}
	for _, o := range a.Reads {
		r.readers[o] = append(r.readers[o], e)
	}
	for _, o := range writes {
		r.writer[o], r.readers[o] = e, r.readers[o][:0]
	}
}

// exchange sends or receives the message of an action.
func (r *recorder) exchange(a *Action, e graphs.Handle) {
	if a.Channel == 0 {
		return
	}
	c := r.channels[a.Channel]
	if a.Sends {
		n := len(c.sends)
		if n >= c.longest {
			r.Order(c.receives[n-c.longest], e)
		}
		c.sends = append(c.sends, e)
		return
	}
	send := c.sends[len(c.receives)]
	c.receives = append(c.receives, e)
	if r.ProcessOf(send) != a.Process { // otherwise the order of the process says it
		r.message(a.Channel, len(c.receives), send, e)
	}
}

// message adds the k-th message of a channel.
func (r *recorder) message(channel, k int, send, receive graphs.Handle) {
	r.Deliver(r.NewMessage(fmt.Sprintf("%d.%d", channel, k)), send, receive, -1)
}
