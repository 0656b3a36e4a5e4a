package simulate

import "github.com/pota-project/pota/graphs/record"

var philosophersMP = Model{
	Name:         "philosophers-mp",
	Description:  "dining philosophers who send each other forks and requests for them",
	MinProcesses: 2,
	Faults: []Fault{
		{"steal", "exclusion", "a philosopher hands over a fork while eating with it"},
		{"forget", "progress", "a request that comes while eating is forgotten"},
	},
	propertiesOf: func(n int) []Property {
		return []Property{
			{"exclusion", neighbours(n, `eat@%s && eat@%s`)},
			{"progress", `forall i: AG(hungry@i -> AF eat@i)`},
			{"stops", `forall i: AG(AF !eat@i)`},
		}
	},
	run: func(w *world) {
		n := w.n()
		diners := make([]*diner, n)
		for i := range diners {
			diners[i] = play(&diner{process: w.process(name("P", i), record.Set("hungry", false),
				record.Set("eat", false))})
		}
		for i, d := range diners {
			next := diners[(i+1)%n]
			d.neighbour[right], next.neighbour[left] = next.process, d.process
			d.dirty[right], next.dirty[left] = true, true
			// The philosopher with the lower number holds the fork, which makes the order acyclic.
			if i < n-1 {
				d.fork[right], next.token[left] = true, true
			} else {
				next.fork[left], d.token[right] = true, true
			}
		}
		for _, d := range diners {
			d.later(5, "think")
		}
	},
}

// A diner is a philosopher of K. M. Chandy and J. Misra, The drinking philosophers
// problem, 1984. On either side there is one fork and one token for the two who
// share it. A fork is dirty once it has been used. A philosopher who is asked for
// a dirty fork cleans it and gives it away, but keeps a clean one until it is used.
type diner struct {
	*process
	neighbour [2]*process
	fork      [2]bool // by side, whether the fork is here
	dirty     [2]bool
	token     [2]bool // by side, whether the token for requesting the fork is here
	hungry    bool
	eating    bool
}

// The sides of a diner.
const (
	left = iota
	right
)

// A request asks for the fork on that side of the receiver.
type request struct{ side int }

// A fork is handed over on that side of the receiver.
type fork struct{ side int }

// ask requests a fork that is not here.
func (d *diner) ask(side int) {
	if d.hungry && !d.fork[side] && d.token[side] {
		d.token[side] = false
		d.send(d.neighbour[side], request{1 - side})
	}
}

// wake ends eating, and hands over the requested forks; or it ends thinking, and the diner is hungry
// and requests the missing forks.
func (d *diner) wake(reason any) {
	if reason == "stop" {
		d.eating = false
		d.event(record.Set("eat", false))
		d.give(left)
		d.give(right)
		d.later(5, "think")
		return
	}
	// Two requests and two forks are sent and received. Getting hungry, beginning to eat and ending
	// are three more events.
	if d.begin(11) {
		d.hungry = true
		d.event(record.Set("hungry", true))
		d.ask(left)
		d.ask(right)
		d.eat()
	}
}

// take handles a request for a fork, or a fork.
func (d *diner) take(m message) {
	d.receive(m)
	switch b := m.body.(type) {
	case request:
		// The token is lost with the request, so that the neighbour cannot ask again.
		if d.eating && d.faulty("forget") {
			return
		}
		d.token[b.side] = true
		d.give(b.side)
	case fork:
		d.fork[b.side], d.dirty[b.side] = true, false
		d.eat()
	}
}

// give hands over a requested fork, if it is dirty and not in use.
func (d *diner) give(side int) {
	if !d.fork[side] || !d.token[side] || !d.dirty[side] || d.eating && !d.faulty("steal") {
		return
	}
	d.fork[side] = false
	d.send(d.neighbour[side], fork{1 - side})
	// A hungry diner requests the fork back at once.
	d.ask(side)
}

// eat begins to eat with both forks.
func (d *diner) eat() {
	if !d.hungry || !d.fork[left] || !d.fork[right] {
		return
	}
	d.hungry, d.eating = false, true
	d.dirty[left], d.dirty[right] = true, true
	d.event(record.Set("hungry", false), record.Set("eat", true))
	if d.faulty("steal") {
		d.give(left)
		d.give(right)
	}
	d.later(2, "stop")
}
