package simulate

import "github.com/pota-project/pota/graphs/record"

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
