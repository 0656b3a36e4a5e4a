package simulate

import "github.com/pota-project/pota/graphs/record"

var atmr = Model{
	Name:         "atmr",
	Description:  "an asynchronous transfer mode ring: cells, credits, and the reset that renews them",
	MinProcesses: 2,
	Faults: []Fault{
		{"no-renewal", "renewed", "an access unit takes part in a reset without renewing its credit"},
		{"stuck-reset", "sends", "an access unit does not leave the reset state"},
		{"no-ack", "acknowledged", "an access unit sends a cell without telling its client"},
	},
	properties: []Property{
		{"renewed", `forall i: AG(credit@i == 0 -> AF credit@i == 6)`},
		{"acknowledged", `forall i: AG(req@i -> AF ack@i)`},
		{"sends", `forall i: AG(state@i == "reset" -> AF state@i == "send")`},
		{"exhausts", `forall i: AF(credit@i == 0)`},
		{"window", `AG(forall i: 0 <= credit@i <= 6)`},
	},
	run: func(w *world) {
		w.fifo = true
		// Only one unit has a fault, so that the trace also shows correct units.
		r := &ring{units: make([]*unit, w.n()), broken: w.IntN(w.n())}
		for i := range r.units {
			r.units[i] = play(&unit{ring: r, number: i, credit: window, process: w.process(name("P", i),
				record.Set("credit", window), record.Set("state", "send"), record.Set("req", false),
				record.Set("ack", false))})
		}
		for i, u := range r.units {
			u.next = r.units[(i+1)%w.n()].process
			u.later(2, "request")
		}
		// There is a cell for every 20 units, so that no unit waits long for one on a large ring.
		for i := range 1 + w.n()/20 {
			r.units[i*20%w.n()].later(1, "start")
		}
	},
}

// window is the credit of a unit after a reset.
const window = 6

// A ring is the state that the units share.
type ring struct {
	units  []*unit
	broken int // the unit that has the fault, if there is one
}

// A unit is an access unit of the Asynchronous Transfer Mode Ring (ISO, 1993) with its client. The
// client has one request at a time. A unit that has credit puts its client's data into an empty
// cell that comes by, for one credit. While it has more to send, it writes its number into the
// cells that pass. A cell that comes back with that number went round without anybody else having
// done so: all others have used up their credit, and the unit renews everybody's by a reset that
// goes round once.
//
// As in the standard, a unit with credit goes on sending first; a client has at
// least as many requests as the window is wide, so that a run is not shorter than
// that takes. Cells leave the ring when they have gone round twice for nothing.
type unit struct {
	*process
	*ring
	number int
	next   *process
	credit int
	resets int // how many resets it took part in
	asks   bool
	asked  int // how many requests there have been
}

// A cell goes round forever. Numbers in it are those of units.
type cell struct {
	to   int // the receiver; nobody if the cell is empty
	busy int // the last unit with more to send
	age  int // how many resets that unit knew of
	idle int // how many hops since a unit used the cell
}

const nobody = -1

// A reset goes round, starting from the unit that began it.
type reset struct{ by, count int }

// more reports whether the client has more to send.
func (u *unit) more() bool { return u.asked < window || u.events < u.config.Events }

// active reports whether the unit can send more.
func (u *unit) active() bool { return u.credit > 0 && (u.asks || u.more()) }

// wake sends a first cell round, or lets the client request something.
func (u *unit) wake(reason any) {
	switch {
	case reason == "start":
		u.send(u.next, cell{to: nobody, busy: nobody})
	case u.more():
		u.asks = true
		u.asked++
		u.event(record.Set("req", true), record.Set("ack", false))
	}
}

// take handles a cell or a reset.
func (u *unit) take(m message) {
	u.receive(m)
	switch b := m.body.(type) {
	case cell:
		u.pass(b)
	case reset:
		u.renew(b)
	}
}

// pass empties, fills and stamps a cell and sends it on.
func (u *unit) pass(c cell) {
	c.idle++
	if c.to == u.number {
		c.to = nobody
	}
	// The stamp came back: no other unit has both credit and something to send. A stamp from before
	// the last reset is meaningless.
	if c.busy == u.number && c.age == u.resets && !u.active() {
		c.busy = nobody
		u.renew(reset{u.number, u.resets + 1})
	}
	var done []record.Action
	if c.to == nobody && u.asks && u.credit > 0 {
		done = u.fill(&c)
	}
	if u.active() {
		c.busy = u.number
		c.age = u.resets
		c.idle = 0
	}
	if c.idle < 2*len(u.units) {
		u.send(u.next, c, done...)
	}
}

// fill puts the client's data into a cell, for one of the next units.
func (u *unit) fill(c *cell) []record.Action {
	// A receiver nearby empties the cell soon.
	c.to = (u.number + 1 + u.choose(min(3, len(u.units)-1))) % len(u.units)
	c.idle = 0
	u.credit--
	u.asks = false
	done := []record.Action{record.Set("credit", u.credit)}
	// Without the acknowledgement the client makes no more requests.
	if u.faulty("no-ack") && u.number == u.broken && u.asked%window == 0 {
		return done
	}
	u.later(1, "request")
	return append(done, record.Set("req", false), record.Set("ack", true))
}

// renew takes part in a new reset, and forwards it until it has gone round.
func (u *unit) renew(r reset) {
	if u.resets < r.count {
		u.resets = r.count
		u.event(record.Set("state", "reset"))
		broken := u.number == u.broken
		switch {
		// The unit stays in the reset, but passes it on: the others come out of it.
		case broken && u.faulty("stuck-reset"):
		case broken && u.faulty("no-renewal"):
			u.event(record.Set("state", "send"))
		default:
			u.credit = window
			u.event(record.Set("credit", window), record.Set("state", "send"))
		}
	} else if r.by == u.number {
		return
	}
	u.send(u.next, r)
}
