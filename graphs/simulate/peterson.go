package simulate

import "github.com/pota-project/pota/graphs/record"

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
