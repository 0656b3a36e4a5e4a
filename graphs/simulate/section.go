package simulate

import "github.com/pota-project/pota/graphs/record"

// A lock is an algorithm for mutual exclusion by shared registers.
type lock interface {
	lock(t *thread, me int)
	unlock(t *thread, me int)
	cost() int // events of locking and unlocking
}

// contend runs threads that enter a critical section again and again. Each has the variables try,
// true while it waits for the lock, and crit, true in the section; the register ncrit counts those in
// the section.
func (w *world) contend(l lock) {
	ncrit := w.register("ncrit", 0)
	const others = 8
	for me := range w.n() {
		w.thread(name("P", me), l.cost()+others, func(t *thread) {
			t.work()
			l.lock(t, me)
			t.do(record.Set("try", false), record.Set("crit", true))
			t.add(ncrit, 1)
			t.work()
			t.add(ncrit, -1)
			t.do(record.Set("crit", false))
			l.unlock(t, me)
		}, record.Set("try", false), record.Set("crit", false))
	}
}

// contended are the properties of contend with a correct lock.
var contended = []Property{
	{"mutex", `AG(forall i != j: !(crit@i && crit@j))`},
	{"counted", `AG(ncrit < 2)`},
	{"progress", `forall i: AG(try@i -> AF crit@i)`},
	{"left", `AG(AF ncrit == 0)`},
}
