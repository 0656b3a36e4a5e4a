package crucial

import "github.com/pota-project/pota/graphs/program"

// A footprint lists the possible causes of a change of a formula: actions that write one of
// the objects, and moves of one of the processes to another location.
type footprint struct {
	objects set
	moves   []int
}

// A future is what a process at a location may do, now or later.
type future struct {
	writes   set // objects that it may write
	accesses set // objects that it may read or write
	meets    set // sides of rendezvous channels: 2·channel, and one more where it sends
	acts     bool
	global   bool
}

// futures are the possible actions of processes from each of their locations, with the
// conflicts between actions and futures.
//
//	(1) of[p][l] is closed: it has what the actions at l access, and of[p][m] for each
//	    location m that they may lead to
//	(2) actions[p][l] are the actions of p at l, in increasing order
//	(3) clash[a] has the number base[q]+l if a process q at l may do what conflicts with
//	    action a; wake[a] if it may do what makes a enabled
type futures struct {
	of      [][]future
	actions [][][]int32
	base    []int
	clash   []set
	wake    []set
}

// newFutures computes what processes may do from each location: a fixpoint that
// goes backward over the actions until no future grows. An action adds what it
// accesses to its location, and so does the future of each location that it leads
// to.
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
			of[i] = future{writes: newBits(len(l.Objects)), accesses: newBits(len(l.Objects)), meets: newBits(2*channels + 2)}
		}
		f.of = append(f.of, of)
		f.actions = append(f.actions, make([][]int32, len(p.Locations)))
		f.base = append(f.base, places)
		places += len(p.Locations)
	}

	for i, a := range l.Actions {
		f.actions[a.Process][a.From] = append(f.actions[a.Process][a.From], int32(i))
		here := &f.of[a.Process][a.From]
		here.writes.addAll(a.Writes)
		here.accesses.addAll(a.Writes)
		here.accesses.addAll(a.Reads)
		if a.Meets > 0 {
			here.meets.add(side(&a, true))
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

// side numbers the side of its channel that an action takes, or the other one.
func side(a *program.Action, own bool) int {
	if a.Sends == own {
		return 2*a.Meets + 1
	}
	return 2 * a.Meets
}

// join adds g to f and reports whether f has grown.
func (f *future) join(g *future) bool {
	grown := f.writes.join(g.writes)
	grown = f.accesses.join(g.accesses) || grown
	grown = f.meets.join(g.meets) || grown
	grown = grown || g.global && !f.global
	f.global = f.global || g.global
	return grown
}

// getInTheWay computes the conflicts of each action with all futures, once, so that
// closing a set looks up bits.
func (f *futures) getInTheWay(l *program.Layout, places int) {
	for i := range l.Actions {
		a := &l.Actions[i]
		writes := newBits(len(l.Objects))
		reads := newBits(len(l.Objects))
		waits := newBits(len(l.Objects))
		writes.addAll(a.Writes)
		reads.addAll(a.Reads)
		waits.addAll(a.Reads)
		waits.addAll(a.Awaits)
		clash, wake := newBits(places), newBits(places)
		for q, of := range f.of {
			for at := range of {
				g := &of[at]
				if q == a.Process || !g.acts {
					continue
				}
				partner := a.Meets > 0 && g.meets.has(side(a, false))
				if a.Global || g.global || partner || writes.meets(g.accesses) || reads.meets(g.writes) {
					clash.add(f.base[q] + at)
				}
				if a.Global || partner || waits.meets(g.writes) {
					wake.add(f.base[q] + at)
				}
			}
		}
		f.clash, f.wake = append(f.clash, clash), append(f.wake, wake)
	}
}

// change reports whether process q at a location may change what has a footprint, now
// or later.
func (f *futures) change(q, location int, fp *footprint) bool {
	g := &f.of[q][location]
	if !g.acts {
		return false
	}
	for _, p := range fp.moves {
		if p == q {
			return true
		}
	}
	return fp.objects.meets(g.writes)
}
