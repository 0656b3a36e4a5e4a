package simulate

import (
	"context"
	"math/rand/v2"

	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/internal/choices"
	"github.com/pota-project/pota/graphs/record"
)

// A world is one run: its processes, the messages between them, and an agenda.
//
//	(1) the run is a function of config
//	(2) agenda has the appointments still to come; those with equal times in the order of entering
//	(3) nothing is recorded once stopped is true
type world struct {
	*rand.Rand
	config   Config
	recorder *record.Recorder
	ctx      context.Context

	processes []*process // in order of declaration
	shared    []*register
	// whether a Program explores all runs, so that nothing happens by itself
	whole  bool
	chosen choices.Choices // the choices of an actor in one step

	fifo bool    // whether channels keep the order of messages
	loss float64 // the share of messages that are lost

	agenda  dense.Heap[appointment]
	now     int64
	entered int64 // how many appointments there have been
	events  int   // how many events have been recorded
	planned int   // how many events the work begun so far is expected to have
	stopped bool
	stops   []func() // functions that end the programs of threads
}

// meanDelay is the mean delay of messages. All other times are multiples of it.
const meanDelay = 1000

// faulty reports whether the run has a given fault.
func (w *world) faulty(fault string) bool { return w.config.Fault == fault }

// n returns the number of processes.
func (w *world) n() int { return w.config.Processes }

// begin reports whether a process may start work that takes a number of events. The first process that asks always
// may. If rounds are bounded, each process may start that often.
func (p *process) begin(events int) bool {
	w := p.world
	if most := w.config.Rounds; most > 0 && !w.stopped {
		p.rounds++
		return p.rounds <= most
	}
	if w.stopped || w.planned > 0 && w.planned+events > w.config.Events {
		return false
	}
	// Work is counted when it begins, because work in progress is always finished.
	w.planned += events
	return true
}

// chance returns true with probability p.
func (w *world) chance(p float64) bool {
	if w.whole {
		return w.chosen.Of(2) == 1
	}
	return w.Float64() < p
}

// choose draws a number below n. Draws that set up the world use IntN instead: the seed also decides them
// in a Program.
func (w *world) choose(n int) int {
	if w.whole {
		return w.chosen.Of(n)
	}
	return w.IntN(n)
}

// after schedules do after a random time. Its mean is a multiple, delays, of the mean delay of
// messages.
func (w *world) after(delays float64, do func()) {
	w.at(w.now+w.delay(delays), do)
}

// delay draws a time: a tenth of the mean, plus an exponentially distributed rest. The conversion makes all
// machines round the product before the sum. Otherwise some would fuse the two operations, and a seed would
// give another trace there.
func (w *world) delay(delays float64) int64 {
	random := float64(0.9 * w.ExpFloat64())
	return 1 + int64(delays*meanDelay*(0.1+random))
}

// at schedules do at a time.
func (w *world) at(time int64, do func()) {
	w.entered++
	w.agenda.Push(appointment{time, w.entered, do})
}

// settle executes the agenda until it is empty.
func (w *world) settle() {
	for steps := 0; w.agenda.Len() > 0 && !w.stopped; steps++ {
		next := w.agenda.Pop()
		w.now = next.time
		next.do()
		w.stopped = w.broken(steps)
	}
}

// broken reports, every 1024 steps, whether the run must be cut off because its context is done or it
// cannot be written.
func (w *world) broken(steps int) bool {
	return steps%1024 == 0 && (w.recorder.Flush() != nil || w.ctx.Err() != nil)
}

// An appointment is an action that happens at a time.
type appointment struct {
	time, entered int64
	do            func()
}

// Before orders appointments by time, and those at the same time in the order of entering. So the run
// does not depend on the heap.
func (a appointment) Before(b appointment) bool {
	return a.time < b.time || a.time == b.time && a.entered < b.entered
}
