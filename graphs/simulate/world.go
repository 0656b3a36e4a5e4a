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
//	(2) agenda holds what is still to happen; equal times in the order of entering
//	(3) after stopped nothing is recorded
type world struct {
	*rand.Rand
	config   Config
	recorder *record.Recorder
	ctx      context.Context

	processes []*process // in order of declaration
	shared    []*register
	whole     bool            // all runs are explored by a Program, and nothing happens by itself
	chosen    choices.Choices // of an actor in one step

	fifo bool    // channels keep the order of messages
	loss float64 // the share of messages that are lost

	agenda  dense.Heap[appointment]
	now     int64
	entered int64 // appointments so far
	events  int   // recorded
	planned int   // events that the work begun so far is expected to have
	stopped bool
	stops   []func() // end the programs of threads
}

// meanDelay is how long messages travel, on average. All other times are given in
// multiples of it.
const meanDelay = 1000

// faulty reports whether the run has that fault.
func (w *world) faulty(fault string) bool { return w.config.Fault == fault }

// n is the number of processes.
func (w *world) n() int { return w.config.Processes }

// begin reports whether a process may start work that takes so many events. The first one always may.
// If rounds are bounded, each process may as often as they say.
func (p *process) begin(events int) bool {
	w := p.world
	if most := w.config.Rounds; most > 0 && !w.stopped {
		p.rounds++
		return p.rounds <= most
	}
	if w.stopped || w.planned > 0 && w.planned+events > w.config.Events {
		return false
	}
	// Work is counted when it begins: what is under way is always finished.
	w.planned += events
	return true
}

// chance is true with a probability.
func (w *world) chance(p float64) bool {
	if w.whole {
		return w.chosen.Of(2) == 1
	}
	return w.Float64() < p
}

// choose draws a number below n. Draws that set up the world use IntN instead: the seed decides them
// in a Program, too.
func (w *world) choose(n int) int {
	if w.whole {
		return w.chosen.Of(n)
	}
	return w.IntN(n)
}

// after makes something happen after a random time, whose mean is a multiple of the mean delay of
// messages.
func (w *world) after(delays float64, do func()) {
	w.at(w.now+w.delay(delays), do)
}

// delay draws a time: a tenth of the mean, plus an exponential rest. The conversion makes all machines
// round the product before the sum. Some would fuse the two operations, so that a seed would give
// another trace there.
func (w *world) delay(delays float64) int64 {
	random := float64(0.9 * w.ExpFloat64())
	return 1 + int64(delays*meanDelay*(0.1+random))
}

// at puts something on the agenda.
func (w *world) at(time int64, do func()) {
	w.entered++
	w.agenda.Push(appointment{time, w.entered, do})
}

// settle makes everything happen that is on the agenda, until nothing is left.
func (w *world) settle() {
	for steps := 0; w.agenda.Len() > 0 && !w.stopped; steps++ {
		next := w.agenda.Pop()
		w.now = next.time
		next.do()
		w.stopped = w.broken(steps)
	}
}

// broken reports, every 1024 steps, whether the run has to be cut off because nobody waits for it any
// more or it cannot be written.
func (w *world) broken(steps int) bool {
	return steps%1024 == 0 && (w.recorder.Flush() != nil || w.ctx.Err() != nil)
}

// An appointment is something that happens at a time.
type appointment struct {
	time, entered int64
	do            func()
}

// Before orders appointments by time, and those at the same time in the order of entering. So the run
// does not depend on the heap.
func (a appointment) Before(b appointment) bool {
	return a.time < b.time || a.time == b.time && a.entered < b.entered
}
