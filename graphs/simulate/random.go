package simulate

import "github.com/pota-project/pota/graphs/record"

var random = Model{
	Name:         "random",
	Description:  "processes that compute, enter a section and send messages at random, for measuring",
	MinProcesses: 1,
	endless:      true,
	Faults: []Fault{
		{"out-of-range", "range", "a process sometimes computes the number 10"},
		{"stays", "left", "a process stays in the section for ever"},
	},
	properties: []Property{
		{"range", `AG(forall i: 0 <= x@i <= 9)`},
		{"left", `forall i: AG(AF !cs@i)`},
	},
	run: func(w *world) {
		walkers := make([]*walker, w.n())
		for i := range walkers {
			walkers[i] = &walker{number: i,
				log: w.recorder.Process(name("P", i), record.Set("cs", false), record.Set("x", 0))}
		}
		// The process of each event is drawn: there is no time here.
		for i := 0; i < w.config.Events && !w.broken(i); i++ {
			p := walkers[w.IntN(len(walkers))]
			p.step(w, walkers)
		}
		for _, p := range walkers {
			// All leave at the end, because a run must end quiescent.
			if p.inside && !(w.faulty("stays") && p.number == 0) {
				p.log.Event(record.Set("cs", false))
			}
		}
	},
}

// The shares of the kinds of events of a walker.
const (
	sharesEnter = 0.1 // of the events outside the section
	sharesLeave = 0.3 // of the events inside the section
	sharesSend  = 0.2
)

// maxWaiting is how many messages may be in transit to one process.
const maxWaiting = 16

// A walker is a process that acts at random. It needs no agenda: the next process is also drawn, and a
// message is received when that is drawn.
type walker struct {
	log     *record.Process
	number  int
	inside  bool
	waiting []record.Token // the messages in transit to it
}

// step executes an event.
func (p *walker) step(w *world, all []*walker) {
	var doing [3]record.Action
	actions := append(doing[:0], p.assign(w))
	if n := len(p.waiting); n > 0 && (w.IntN(3) == 0 || n == maxWaiting) {
		k := w.IntN(n)
		actions = append(actions, record.Receives(p.waiting[k]))
		// Messages overtake each other anyway, so their order need not be kept.
		p.waiting[k] = p.waiting[n-1]
		p.waiting = p.waiting[:n-1]
	}
	if len(all) > 1 && w.chance(sharesSend) {
		k := w.IntN(len(all) - 1)
		// A process does not send to itself.
		if k >= p.number {
			k++
		}
		if to := all[k]; len(to.waiting) < maxWaiting {
			to.waiting = append(to.waiting, p.log.Send(to.log.Name(), actions...))
			return
		}
	}
	p.log.Event(actions...)
}

// assign enters or leaves the section, or sets x.
func (p *walker) assign(w *world) record.Assignment {
	change := sharesEnter
	switch {
	case p.inside && w.faulty("stays") && p.number == 0:
		change = 0
	case p.inside:
		change = sharesLeave
	}
	if w.chance(change) {
		p.inside = !p.inside
		return record.Set("cs", p.inside)
	}
	if w.faulty("out-of-range") && w.IntN(100) == 0 {
		return record.Set("x", 10)
	}
	return record.Set("x", w.IntN(10))
}
