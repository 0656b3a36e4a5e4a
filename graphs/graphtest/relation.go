package graphtest

import "github.com/pota-project/pota/graphs"

// A Relation is a set of pairs of events.
type Relation [][]bool

func newRelation(events int) Relation {
	rel := make(Relation, events)
	for e := range rel {
		rel[e] = make([]bool, events)
	}
	return rel
}

// HappenedBefore returns the closure of the edges of c.
func HappenedBefore(c *graphs.Computation) Relation {
	rel := newRelation(int(c.Top()))
	for e := graphs.Event(1); e < c.Top(); e++ {
		if c.Position(e) > 1 {
			rel[e-1][e] = true
		}
		for _, f := range c.Preds(e) {
			rel[f][e] = true
		}
	}
	rel.Close()
	return rel
}

// Close adds the pairs that follow from others.
func (rel Relation) Close() {
	for k := range rel {
		for i := range rel {
			if rel[i][k] {
				for j := range rel {
					rel[i][j] = rel[i][j] || rel[k][j]
				}
			}
		}
	}
}

// Equal reports whether rel and other have the same pairs of different events.
func (rel Relation) Equal(other Relation) bool {
	for i := range rel {
		for j := range rel {
			if i != j && rel[i][j] != other[i][j] {
				return false
			}
		}
	}
	return true
}

// CycleOutside reports whether some two events precede each other in rel but not in other.
func (rel Relation) CycleOutside(other Relation) bool {
	for i := range rel {
		for j := range rel {
			if rel[i][j] && rel[j][i] && !(other[i][j] && other[j][i]) {
				return true
			}
		}
	}
	return false
}

// TrueTimes calls visit with each assignment of times below horizon to the events of c that
// respects happened-before and that allowed accepts. at is indexed by event.
func TrueTimes(c *graphs.Computation, horizon int, allowed func(at []int) bool, visit func(at []int)) {
	before := HappenedBefore(c)
	at := make([]int, c.Top())
	var choose func(e graphs.Event)
	choose = func(e graphs.Event) {
		if e == c.Top() {
			if allowed(at) {
				visit(at)
			}
			return
		}
	next:
		for at[e] = 0; at[e] < horizon; at[e]++ {
			for f := graphs.Event(1); f < e; f++ {
				if before[f][e] && at[f] > at[e] || before[e][f] && at[e] > at[f] {
					continue next
				}
			}
			choose(e + 1)
		}
	}
	choose(1)
}

// Timelines calls visit with each run of c in the order of the true times at: the events and the
// time of each step. It visits every order of simultaneous events that causality allows.
func Timelines(c *graphs.Computation, at []int, visit func(steps [][]graphs.Event, times []int)) {
	var steps [][]graphs.Event
	var times []int
	var next func(cut graphs.Cut)
	next = func(cut graphs.Cut) {
		soonest, left := 0, false
		for e := graphs.Bottom + 1; e < c.Top(); e++ {
			if !c.Has(cut, e) && (!left || at[e] < soonest) {
				soonest, left = at[e], true
			}
		}
		if !left {
			visit(steps, times)
			return
		}
		for p := range c.NumProcesses() {
			step := c.NextStep(cut, p)
			if len(step) == 0 || at[step[0]] != soonest {
				continue
			}
			steps, times = append(steps, step), append(times, soonest)
			next(c.Execute(cut, step[0]))
			steps, times = steps[:len(steps)-1], times[:len(times)-1]
		}
	}
	next(c.Initial())
}
