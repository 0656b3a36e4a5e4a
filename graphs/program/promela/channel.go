package promela

import "slices"

// A channel is one that a global variable or a process has: in a state, the number of its messages
// and then room for them, the first message first; empty room is 0. A rendezvous channel has no
// room.
type channel struct {
	id, capacity int
	types        []Type // the types of the fields, structures as their scalars
	offsets      []int  // the offsets of the fields in a message
	size         int    // the bytes of a message
	at           int    // the offset in a state
	front, back  int    // objects
	slot         *slot  // whose channel it is
	variable     *Variable
	name         string
	receivers    []int32 // actions that may receive from it, process by process
}

// newChannel lays out the messages of a channel: fields one after the other, without padding, so
// that equal channels are equal bytes in a state.
func newChannel(init *ChanInit) *channel {
	c := &channel{capacity: init.Capacity}
	for _, t := range init.Types {
		for _, p := range (place{Type: t}).places() {
			c.types = append(c.types, p.Type)
			c.offsets = append(c.offsets, c.size)
			c.size += p.Type.width()
		}
	}
	return c
}

// width returns the number of bytes of the channel in a state.
func (c *channel) width() int {
	if c.capacity == 0 {
		return 0
	}
	return c.message(c.capacity) - c.at
}

// message returns the offset of the k-th message in a state.
func (c *channel) message(k int) int {
	return c.at + 1 + k*c.size
}

// length returns the number of messages in s. A rendezvous channel never has one.
func (c *channel) length(s []byte) int {
	if c.capacity == 0 {
		return 0
	}
	return int(s[c.at])
}

// A queue is the channel that a statement names.
type queue struct {
	Position
	static   *channel // nil if it depends on the state
	value    load
	all      []*channel
	may      []*channel // the channels that it can be, in increasing order
	assigned bool       // whether it may also be none of them
}

// passed returns the channels that expressions of the model name for other purposes than to send,
// receive or query. A variable that is assigned or received may hold any of them. The set may be too
// large, since it does not follow which channel goes where, but never too small.
func (c *compiler) passed(m *Model) (list []*channel) {
	named := make(map[*Variable]bool)
	var note func(list []*Expr)
	note = func(list []*Expr) {
		for _, e := range list {
			if e.Op == Refer {
				named[e.Ref.last().Variable] = true
			}
			note(e.Sub)
		}
	}
	for _, v := range m.Globals {
		note(v.Init)
	}
	for _, proc := range m.Procs {
		walk(proc.Body, func(s *Statement) {
			note(s.Args)
			if s.Expr != nil {
				note([]*Expr{s.Expr})
			}
			if s.Form == Declare {
				note(s.Var.Init)
			}
		})
	}
	for _, ch := range c.channels {
		if named[ch.variable] {
			list = append(list, ch)
		}
	}
	return list
}

// channelOf compiles the channel of a statement.
func (c *compiler) channelOf(r *Ref, at Position) *queue {
	p := c.place(r)
	q := &queue{Position: at, all: c.channels, value: p.load()}
	switch {
	// A variable that is declared with a channel and never assigned is that channel in all states.
	case p.channel > 0 && len(p.indices) == 0:
		q.static = c.channels[p.channel-1]
		q.may = []*channel{q.static}
	// In an array of such channels, the index decides.
	case p.channel > 0:
		n := r.last().Variable.Length
		q.may = c.channels[p.channel-1 : p.channel-1+n]
	default:
		c.access.reads = append(c.access.reads, p.objects...)
		// A variable may hold what the model assigns to it. In the order of their numbers, so that
		// layouts of one model are equal.
		q.assigned = true
		for _, channel := range c.channels {
			if channel.variable == p.variable || slices.Contains(c.moving, channel) {
				q.may = append(q.may, channel)
			}
		}
	}
	return q
}

// in returns the channel that q refers to in a state.
func (q *queue) in(s []byte) *channel {
	if q.static != nil {
		return q.static
	}
	id := q.value(s)
	if id < 1 || int(id) > len(q.all) {
		fail(q.Position, "this is no channel: its variable was not assigned one")
	}
	c := q.all[id-1]
	// The layout says which objects a statement accesses. A channel beyond that set would make it
	// wrong, so it is an error rather than an access.
	if q.assigned && !slices.Contains(q.may, c) {
		fail(q.Position, "this is not one of the channels that were assigned to its variable")
	}
	// A local channel ends with its process; its room may be taken by another process by then.
	if c.slot.proc != nil && c.slot.location(s) == 0 {
		fail(q.Position, "channel %s is gone with its process", c.name)
	}
	return c
}

// fits checks how many fields a statement names.
func (q *queue) fits(c *channel, n int) {
	// The parser checks it where a variable is declared with its channel. Others may hold channels
	// of several kinds, and are checked when they are used.
	if n != len(c.types) {
		fail(q.Position, "a message of channel %s has %d fields, not %d", c.name, len(c.types), n)
	}
}

// looks records that a statement depends on the messages in a channel.
func (c *compiler) looks(q *queue) {
	for _, channel := range q.may {
		c.access.reads = append(c.access.reads, channel.front, channel.back)
	}
}

// A field of a receive has to equal a value, or goes to a variable.
type field struct {
	value load                    // nil for any
	store func(s []byte, v int32) // nil for nowhere
}

// fields are the fields of one receive, structures as their scalars.
type fields []field

// match compiles the fields of a receive, without saying what they write.
func (c *compiler) match(args []*Expr) fields {
	var list fields
	for _, a := range args {
		switch a.Op {
		case Refer:
			// A structure stands for its scalars, in messages as in sends.
			for _, p := range c.place(a.Ref).places() {
				list = append(list, field{store: p.store()})
			}
		case Ignore:
			list = append(list, field{})
		case Eval:
			list = append(list, field{value: c.load(a.Sub[0])})
		default:
			list = append(list, field{value: c.load(a)})
		}
	}
	return list
}

// find returns the number of the first message that matches, or -1 if there is none. Without random,
// only the first message can match.
func (f fields) find(s []byte, c *channel, random bool) int {
	n := c.length(s)
	if !random {
		n = min(n, 1)
	}
next:
	for k := range n {
		at := c.message(k)
		for i := range f {
			// Fields beyond those of the channel are an error, which fits reports: they must not be
			// read here.
			if f[i].value != nil && i < len(c.types) &&
				f[i].value(s) != c.types[i].read(s[at+c.offsets[i]:]) {
				continue next
			}
		}
		return k
	}
	return -1
}

// meets reports whether a message that is being sent in s matches.
func (f fields) meets(s []byte, c *channel, message []load) bool {
	for i := range f {
		if f[i].value != nil && f[i].value(s) != c.types[i].cut(message[i](s)) {
			return false
		}
	}
	return true
}

// send compiles a send. A send to a rendezvous channel accesses no object.
func (c *compiler) send(s *Statement) step {
	q := c.channelOf(s.Ref, s.Position)
	st := step{queue: q, sends: true}
	for _, a := range s.Args {
		if a.Op != Refer {
			st.message = append(st.message, c.load(a))
			continue
		}
		for _, scalar := range c.place(a.Ref).places() {
			st.message = append(st.message, c.read(scalar))
		}
	}
	message, sorted := st.message, s.Sorted
	for _, channel := range q.may {
		if channel.capacity == 0 {
			st.meets = true
			continue
		}
		// A send appends at the back, and awaits a receive at the front only if there is no room.
		c.access.writes = append(c.access.writes, channel.back)
		c.access.awaits = append(c.access.awaits, channel.front)
		// A sorted send may put the message first.
		if sorted {
			c.access.writes = append(c.access.writes, channel.front)
		}
	}
	st.ready = func(s []byte) bool {
		channel := q.in(s)
		return channel.length(s) < channel.capacity
	}
	st.do = func(s []byte) {
		channel := q.in(s)
		q.fits(channel, len(message))
		k := channel.length(s)
		room := s[channel.message(k):]
		for i, value := range message {
			channel.types[i].write(room[channel.offsets[i]:], value(s))
		}
		s[channel.at] = byte(k + 1)
		// An unsorted send is the last message. A sorted one goes before the first greater one.
		for at := 0; sorted && at < k; at++ {
			first := s[channel.message(at):channel.message(k+1)]
			if channel.less(room, first) {
				sent := slices.Clone(room[:channel.size])
				copy(first[channel.size:], first)
				copy(first, sent)
				return
			}
		}
	}
	return st
}

// less compares messages field by field.
func (c *channel) less(a, b []byte) bool {
	// As numbers with their signs, and not as bytes, where -1 would come after 1.
	for i, t := range c.types {
		if x, y := t.read(a[c.offsets[i]:]), t.read(b[c.offsets[i]:]); x != y {
			return x < y
		}
	}
	return false
}

// receive compiles a receive.
func (c *compiler) receive(s *Statement) step {
	q := c.channelOf(s.Ref, s.Position)
	f := c.match(s.Args)
	random, keep := s.Random, s.Keep
	st := step{queue: q, receives: true, fields: f}
	for _, channel := range q.may {
		if channel.capacity == 0 {
			st.meets = true
			continue
		}
		// A receive takes from the front, or leaves the message there, and awaits a send.
		if keep {
			c.access.reads = append(c.access.reads, channel.front)
		} else {
			c.access.writes = append(c.access.writes, channel.front)
		}
		c.access.awaits = append(c.access.awaits, channel.back)
		// What is found at random may be anywhere in the channel.
		if random {
			c.access.reads = append(c.access.reads, channel.front, channel.back)
		}
	}
	st.ready = func(s []byte) bool {
		channel := q.in(s)
		q.fits(channel, len(f))
		return f.find(s, channel, random) >= 0
	}
	// The guard reads the channel and the values to match. Stores come after it.
	st.guard = c.access.clone()
	for _, a := range s.Args {
		if a.Op == Refer {
			for _, p := range c.place(a.Ref).places() {
				c.access.writes = append(c.access.writes, p.objects...)
			}
		}
	}
	st.do = func(s []byte) {
		channel := q.in(s)
		k := f.find(s, channel, random)
		at := channel.message(k)
		for i := range f {
			if f[i].store != nil {
				f[i].store(s, channel.types[i].read(s[at+channel.offsets[i]:]))
			}
		}
		if keep {
			return
		}
		// The room behind the last message is cleared, so that states with the same messages are the
		// same bytes.
		last := channel.length(s) - 1
		end := channel.message(last + 1)
		copy(s[at:], s[channel.message(k+1):end])
		clear(s[channel.message(last):end])
		s[channel.at] = byte(last)
	}
	return st
}

// clone copies the lists, since the compiler goes on appending to its own.
func (a access) clone() access {
	a.reads = slices.Clone(a.reads)
	a.writes = slices.Clone(a.writes)
	a.awaits = slices.Clone(a.awaits)
	return a
}
