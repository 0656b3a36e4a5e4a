package crucial

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/program"
)

// A footprint lists the possible causes of a change of a formula: actions that write one of
// the objects, and moves of one of the processes to another location.
type footprint struct {
	objects dense.Set
	moves   []int
}

// A future is what a process at a location may do, now or later.
type future struct {
	writes   dense.Set // objects that it may write
	accesses dense.Set // objects that it may read or write
	meets    dense.Set // sides of rendezvous channels: 2·channel to receive, 2·channel+1 to send
	acts     bool      // whether it has actions
	global   bool      // whether some of them are Global
}

// futures are the possible actions of processes from each of their locations, with the
// conflicts between actions and futures.
//
//	(1) of[p][l] is closed: it has the objects that the actions at l access, and of[p][m] for
//	    each location m that they may lead to
//	(2) actions[p][l] are the actions of p at l, in increasing order
//	(3) clash[a] has the number base[q]+l if a process q at l may conflict with action a;
//	    wake[a] has it if q may enable a
type futures struct {
	of      [][]future
	actions [][][]int32
	base    []int
	clash   []dense.Set
	wake    []dense.Set
}

// newFutures computes the future of each location: a fixpoint that goes backward
// over the actions until no future grows. An action adds the objects that it
// accesses to the future of its location, and so does the future of each location
// that it leads to.
//
// Example: a process with x = 1 at location 0 and y = 1 at location 1 may write x
// and y from 0, y from 1, and nothing from 2.
func newFutures(l *program.Layout) *futures {
	f := &futures{}
	channels := 0
	for _, a := range l.Actions {
		channels = max(channels, a.Meets)
	}
	places := 0
	for _, p := range l.Processes {
		of := make([]future, len(p.Locations))
		for i := range of {
			of[i] = future{writes: dense.NewSet(l.Objects), accesses: dense.NewSet(l.Objects), meets: dense.NewSet(2*channels + 2)}
		}
		f.of = append(f.of, of)
		f.actions = append(f.actions, make([][]int32, len(p.Locations)))
		f.base = append(f.base, places)
		places += len(p.Locations)
	}

	for i, a := range l.Actions {
		f.actions[a.Process][a.From] = append(f.actions[a.Process][a.From], int32(i))
		here := &f.of[a.Process][a.From]
		here.writes.AddAll(setOf(l.Objects, a.Writes))
		here.accesses.AddAll(setOf(l.Objects, a.Writes, a.Reads))
		if a.Meets > 0 {
			here.meets.Add(side(&a, true))
		}
		here.acts, here.global = true, here.global || a.Global
	}

	for again := true; again; {
		again = false
		for i := len(l.Actions) - 1; i >= 0; i-- {
			a := &l.Actions[i]
			for _, to := range a.To {
				again = f.of[a.Process][a.From].join(&f.of[a.Process][to]) || again
			}
		}
	}

	f.getInTheWay(l, places)
	return f
}

// side returns the number of the side of its channel that an action uses, or of the other side if
// own is false.
func side(a *program.Action, own bool) int {
	if a.Sends == own {
		return 2*a.Meets + 1
	}
	return 2 * a.Meets
}

// join adds g to f and reports whether f has grown.
func (f *future) join(g *future) bool {
	grown := g.global && !f.global ||
		g.writes.LenWithout(f.writes)+g.accesses.LenWithout(f.accesses)+g.meets.LenWithout(f.meets) > 0
	f.writes.AddAll(g.writes)
	f.accesses.AddAll(g.accesses)
	f.meets.AddAll(g.meets)
	f.global = f.global || g.global
	return grown
}

// getInTheWay computes the conflicts of each action with all futures in advance, so that closing a
// set only looks up bits.
func (f *futures) getInTheWay(l *program.Layout, places int) {
	for i := range l.Actions {
		a := &l.Actions[i]
		writes := setOf(l.Objects, a.Writes)
		reads := setOf(l.Objects, a.Reads)
		waits := setOf(l.Objects, a.Reads, a.Awaits)
		clash, wake := dense.NewSet(places), dense.NewSet(places)
		for q, of := range f.of {
			for at := range of {
				g := &of[at]
				if q == a.Process || !g.acts {
					continue
				}
				partner := a.Meets > 0 && g.meets.Has(side(a, false))
				if a.Global || g.global || partner || meet(writes, g.accesses) || meet(reads, g.writes) {
					clash.Add(f.base[q] + at)
				}
				if a.Global || partner || meet(waits, g.writes) {
					wake.Add(f.base[q] + at)
				}
			}
		}
		f.clash, f.wake = append(f.clash, clash), append(f.wake, wake)
	}
}

// setOf returns the set of the numbers of some lists, all below n.
func setOf(n int, lists ...[]int) dense.Set {
	s := dense.NewSet(n)
	for _, i := range slices.Concat(lists...) {
		s.Add(i)
	}
	return s
}

// meet reports whether two sets have an element in common.
func meet(s, t dense.Set) bool {
	for i, word := range s {
		if word&t[i] != 0 {
			return true
		}
	}
	return false
}
