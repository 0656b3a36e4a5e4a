package graphtest

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// Cuts returns all consistent cuts of c in lexicographic order: every tuple of
// counts that respects every message, sync and edge. It looks at nothing that c
// computes from these, so that From has no influence either.
func Cuts(c *graphs.Computation) []graphs.Cut {
	edges := edgesOf(c)
	var cuts []graphs.Cut
	cut := make(graphs.Cut, c.NumProcesses())
	var extend func(p int)
	extend = func(p int) {
		// All tuples are tried: exponential in the processes, and right by inspection.
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

// edgesOf lists all edges but those of process order.
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
//	(3) Initial and Final are the indices of the cuts that are contained in all and
//	    contain all; -1 where there is no cut
type Lattice struct {
	Computation    *graphs.Computation
	Cuts           []graphs.Cut
	Steps          [][]int
	Initial, Final int

	index map[string]int
}

// key is a cut as a comparable value.
func key(cut graphs.Cut) string {
	text := make([]byte, 0, 2*len(cut))
	// Two bytes a process suffice: 65,535 events are beyond what brute force can do.
	for _, k := range cut {
		text = append(text, byte(k), byte(k>>8))
	}
	return string(text)
}

// NewLattice returns the lattice of all cuts of c, those before c.Initial() among
// them where c was made by From.
func NewLattice(c *graphs.Computation) *Lattice {
	l := &Lattice{Computation: c, Cuts: Cuts(c), Initial: -1, Final: -1,
		index: make(map[string]int)}
	for i, cut := range l.Cuts {
		l.index[key(cut)] = i
		l.Steps = append(l.Steps, l.follow(i))
	}
	for i, cut := range l.Cuts {
		// Compared with all cuts, in quadratic time, since the order of Cuts is no proof.
		least, greatest := true, true
		for _, d := range l.Cuts {
			least = least && cut.Within(d)
			greatest = greatest && d.Within(cut)
		}
		if least {
			l.Initial = i
		}
		if greatest {
			l.Final = i
		}
	}
	return l
}

// follow returns the minimal ones among the cuts that contain cut i.
func (l *Lattice) follow(i int) []int {
	var minimal []int
	// A cut that contains another one comes later in lexicographic order.
	for j := i + 1; j < len(l.Cuts); j++ {
		if !l.Cuts[i].Within(l.Cuts[j]) {
			continue
		}
		between := func(k int) bool { return l.Cuts[k].Within(l.Cuts[j]) }
		if !slices.ContainsFunc(minimal, between) {
			minimal = append(minimal, j)
		}
	}
	return minimal
}

// Has reports whether Cuts[i] has event e.
func (l *Lattice) Has(i int, e graphs.Event) bool { return l.Computation.Has(l.Cuts[i], e) }

// Index returns the index of cut, -1 when it is not a cut of the lattice.
func (l *Lattice) Index(cut graphs.Cut) int {
	if i, ok := l.index[key(cut)]; ok {
		return i
	}
	return -1
}

// LeastSize returns the number of events of the smallest cut at which goal holds, on
// a run from start with along, nil for true, before it; -1 where there is none.
func (l *Lattice) LeastSize(goal, along []bool, start graphs.Cut) int {
	least := -1
	reached := make([]bool, len(l.Cuts))
	reached[l.Index(start)] = true
	// In this order each cut is final when it is reached: all cuts before it are within it or
	// apart.
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

// Valid reports whether l is a distributive lattice with least and greatest
// elements: closed under union and intersection.
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
