package simulate

import "github.com/pota-project/pota/graphs/record"

// contend runs threads that enter a critical section again and again. Each has the variables try,
// true while it waits for the lock, and crit, true in the section; the register ncrit counts the
// threads in the section. A thread that leaves sets its own register to 0. Locking and unlocking
// together take cost events.
func (w *world) contend(own []*register, cost int, lock func(t *thread, me int)) {
	ncrit := w.register("ncrit", 0)
	const others = 8
	for me := range w.n() {
		w.thread(name("P", me), cost+others, func(t *thread) {
			t.work()
			lock(t, me)
			t.do(record.Set("try", false), record.Set("crit", true))
			t.add(ncrit, 1)
			t.work()
			t.add(ncrit, -1)
			t.do(record.Set("crit", false))
			t.write(own[me], 0)
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

// peterson is the algorithm of G. L. Peterson, Myths about the mutual exclusion problem, 1981.
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
		flag := w.registers("flag", 2)
		turn := w.register("turn", 0) // which thread may enter if both want to
		// There are two writes and a read to enter, and a write to leave.
		w.contend(flag, 4, func(t *thread, me int) {
			other := 1 - me
			// Both may have waited before either has raised its flag.
			if t.faulty("wait-first") {
				t.do(record.Set("try", true))
				t.await(is(flag[other], 0), is(turn, me))
				t.write(flag[me], 1)
				t.write(turn, other)
				return
			}
			// The thread raises its flag and gives way, and then waits until the other thread has
			// lowered its flag or has given way later.
			t.write(flag[me], 1, record.Set("try", true))
			t.write(turn, other)
			// When both flags are up, each waits for the other.
			if t.faulty("no-turn") {
				t.await(is(flag[other], 0))
				return
			}
			t.await(is(flag[other], 0), is(turn, me))
		})
	},
}

// petersonN is Peterson's algorithm for n processes: at each of n-1 levels, the last one to come,
// the victim, waits while another process is at that level or above.
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
		level := w.registers("level", n)   // by process, its level; 0 outside
		victim := w.registers("victim", n) // by level, its victim; level 0 is not used
		// At each level there are two writes, and a read for each other process.
		w.contend(level, (n-1)*(n+1)+1, func(t *thread, me int) {
			for k := 1; k < n; k++ {
				t.write(level[me], k, record.Set("try", true))
				t.write(victim[k], me)
				for other := range level {
					// Under this fault, the process with the lowest number waits for no other.
					if other == me || other > me && t.faulty("lower-only") {
						continue
					}
					// Under this fault, two processes at a level wait for each other forever.
					if t.faulty("no-victim") {
						t.await(less(level[other], k))
					} else {
						t.await(less(level[other], k), isNot(victim[k], me))
					}
				}
			}
		})
	},
}
