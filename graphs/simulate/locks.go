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

var peterson = Model{
	Name:         "peterson",
	Description:  "mutual exclusion of two processes by shared variables",
	MinProcesses: 2,
	MaxProcesses: 2,
	Faults: []Fault{
		{"wait-first", "mutex", "a process raises its flag only after it has waited"},
		{"no-turn", "progress", "a process waits for the other's flag, whoever's turn it is"},
	},
	properties: contended,
	run: func(w *world) {
		w.contend(&petersonLock{w.registers("flag", 2, 0), w.register("turn", 0)})
	},
}

// A petersonLock is the algorithm of G. L. Peterson, Myths about the mutual
// exclusion problem, 1981.
type petersonLock struct {
	flag []*register
	turn *register // whose turn it is when both want to enter
}

// cost is two writes and a read to enter, and a write to leave.
func (*petersonLock) cost() int { return 4 }

// lock raises the flag and gives way, then waits until the other has no flag or gave way later.
func (l *petersonLock) lock(t *thread, me int) {
	other := 1 - me
	// Both may have waited before either has raised its flag.
	if t.faulty("wait-first") {
		t.do(record.Set("try", true))
		t.await(is(l.flag[other], 0), is(l.turn, me))
		t.write(l.flag[me], 1)
		t.write(l.turn, other)
		return
	}
	t.write(l.flag[me], 1, record.Set("try", true))
	t.write(l.turn, other)
	// When both flags are up, each waits for the other.
	if t.faulty("no-turn") {
		t.await(is(l.flag[other], 0))
		return
	}
	t.await(is(l.flag[other], 0), is(l.turn, me))
}

// unlock lowers the flag.
func (l *petersonLock) unlock(t *thread, me int) { t.write(l.flag[me], 0) }

var petersonN = Model{
	Name:         "peterson-n",
	Description:  "mutual exclusion of n processes by shared variables: the filter lock",
	MinProcesses: 2,
	Faults: []Fault{
		{"lower-only", "mutex", "a process waits only for those with lower numbers than its own"},
		{"no-victim", "progress", "a process waits at each level until it is alone there"},
	},
	properties: contended,
	run: func(w *world) {
		n := w.n()
		w.contend(&filterLock{w.registers("level", n, 0), w.registers("victim", n, 0)})
	},
}

// A filterLock is Peterson's algorithm for n processes: at each of n-1 levels, the
// last to come, the victim, waits while anybody is at that level or above.
type filterLock struct {
	level  []*register // of each process, 0 outside
	victim []*register // of each level; 0 is not used
}

// cost is, at each level, two writes and a read for each other process.
func (l *filterLock) cost() int {
	n := len(l.level)
	return (n-1)*(n+1) + 1
}

// lock passes the levels one after the other.
func (l *filterLock) lock(t *thread, me int) {
	n := len(l.level)
	for k := 1; k < n; k++ {
		t.write(l.level[me], k, record.Set("try", true))
		t.write(l.victim[k], me)
		for other := range l.level {
			// Under the fault, the process with the lowest number waits for nobody.
			if other == me || other > me && t.faulty("lower-only") {
				continue
			}
			// Two at a level wait for each other for ever.
			if t.faulty("no-victim") {
				t.await(less(l.level[other], k))
			} else {
				t.await(less(l.level[other], k), isNot(l.victim[k], me))
			}
		}
	}
}

// unlock goes back below all levels.
func (l *filterLock) unlock(t *thread, me int) { t.write(l.level[me], 0) }
