package graphtest

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// Cuts returns all consistent cuts of c in lexicographic order: all tuples of counts that respect
// every message, sync and edge. It uses nothing that c derives from these, so it also returns the
// cuts before the initial one.
func Cuts(c *graphs.Computation) []graphs.Cut {
	edges := edgesOf(c)
	var cuts []graphs.Cut
	cut := make(graphs.Cut, c.NumProcesses())
	var extend func(p int)
	extend = func(p int) {
		// Trying all tuples is exponential in the number of processes, but obviously correct.
		if p == len(cut) {
			broken := func(e graphs.Edge) bool { return c.Has(cut, e.To) && !c.Has(cut, e.From) }
			if !slices.ContainsFunc(edges, broken) {
				cuts = append(cuts, cut.Clone())
			}
			return
		}
		for k := range c.Len(p) + 1 {
			cut[p] = int32(k)
			extend(p + 1)
		}
	}
	extend(0)
	return cuts
}

// edgesOf lists all edges except those of process order.
func edgesOf(c *graphs.Computation) []graphs.Edge {
	var edges []graphs.Edge
	add := func(from, to graphs.Event) {
		// Edges from ⊥ and to ⊤ exclude no cut.
		if from != to && !(from == graphs.Bottom || to == c.Top()) {
			edges = append(edges, graphs.Edge{From: from, To: to})
		}
	}
	for _, e := range c.Edges() {
		add(e.From, e.To)
	}
	for e := graphs.Bottom + 1; e < c.Top(); e++ {
		for _, f := range c.Preds(e) {
			add(f, e)
		}
	}
	for _, m := range c.Messages() {
		if m.Recv != graphs.Bottom {
			add(m.Send, m.Recv)
		}
	}
	for _, sync := range c.Syncs() {
		for _, e := range sync {
			// Events of a sync need each other, so each of them gets an edge to every other.
			for _, f := range sync {
				add(e, f)
			}
		}
	}
	return edges
}

// A Lattice is the set of all cuts of a computation, with the order between them.
//
//	(1) Cuts are in lexicographic order, so a cut comes before all that contain it
//	(2) Steps[i] lists in increasing order the cuts that contain Cuts[i] with no
//	    cut strictly between
//	(3) Initial is the index of the cut that all others contain, Final that of the cut that contains
//	    all others; -1 if there is no cut
type Lattice struct {
	Computation    *graphs.Computation
	Cuts           []graphs.Cut
	Steps          [][]int
	Initial, Final int

	index map[string]int
}

// key returns cut as a comparable value.
func key(cut graphs.Cut) string {
	text := make([]byte, 0, 2*len(cut))
	// Brute force is infeasible for 65,536 events, so two bytes per process are enough.
	for _, k := range cut {
		text = append(text, byte(k), byte(k>>8))
	}
	return string(text)
}

// NewLattice returns the lattice of all cuts of c. If c was made by From, that includes the cuts
// before c.Initial().
func NewLattice(c *graphs.Computation) *Lattice {
	l := &Lattice{Computation: c, Cuts: Cuts(c), Initial: -1, Final: -1,
		index: make(map[string]int)}
	for i, cut := range l.Cuts {
		l.index[key(cut)] = i
		// The next cuts are the minimal ones among those that contain this one. In lexicographic
		// order they come later.
		var next []int
		for j := i + 1; j < len(l.Cuts); j++ {
			between := func(k int) bool { return l.Cuts[k].Within(l.Cuts[j]) }
			if cut.Within(l.Cuts[j]) && !slices.ContainsFunc(next, between) {
				next = append(next, j)
			}
		}
		l.Steps = append(l.Steps, next)
		// Comparing all pairs takes quadratic time, but does not rely on the order of Cuts.
		if !slices.ContainsFunc(l.Cuts, func(d graphs.Cut) bool { return !cut.Within(d) }) {
			l.Initial = i
		}
		if !slices.ContainsFunc(l.Cuts, func(d graphs.Cut) bool { return !d.Within(cut) }) {
			l.Final = i
		}
	}
	return l
}

// Has reports whether Cuts[i] has event e.
func (l *Lattice) Has(i int, e graphs.Event) bool { return l.Computation.Has(l.Cuts[i], e) }

// Index returns the index of cut, or -1 if it is not in the lattice.
func (l *Lattice) Index(cut graphs.Cut) int {
	if i, ok := l.index[key(cut)]; ok {
		return i
	}
	return -1
}

// LeastSize returns the number of events of the smallest cut at which goal holds and which a run
// from start reaches through cuts at which along holds; nil stands for true. It returns -1 if there
// is no such cut.
func (l *Lattice) LeastSize(goal, along []bool, start graphs.Cut) int {
	least := -1
	reached := make([]bool, len(l.Cuts))
	reached[l.Index(start)] = true
	// In lexicographic order, a cut comes after all cuts within it.
	for i, cut := range l.Cuts {
		if !reached[i] {
			continue
		}
		if n := cut.Size(); goal[i] && (least < 0 || n < least) {
			least = n
		}
		if along == nil || along[i] {
			for _, j := range l.Steps[i] {
				reached[j] = true
			}
		}
	}
	return least
}

// Valid reports whether l is closed under union and intersection, and so distributive, and has a
// least and a greatest element unless it is empty.
func (l *Lattice) Valid() bool {
	for _, c := range l.Cuts {
		for _, d := range l.Cuts {
			if l.Index(c.Join(d)) < 0 || l.Index(c.Meet(d)) < 0 {
				return false
			}
		}
	}
	return len(l.Cuts) == 0 || l.Initial >= 0 && l.Final >= 0
}
