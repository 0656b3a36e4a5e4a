package ist

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// A Bound says that from value At of one variable on another has at least value
// Need.
type Bound struct{ At, Need int32 }

// Bounds says how variables bound each other from below: a sublattice of tuples.
// The tuples of all 0 and of all greatest values must be in it, and the bounds must
// be closed: if v ≥ a forces w ≥ b and that forces u ≥ c, then so do the bounds
// from v to u.
type Bounds struct{ bounds [][][]Bound }

// NewBounds returns bounds over that many variables that say nothing.
func NewBounds(vars int) *Bounds {
	b := &Bounds{make([][][]Bound, vars)}
	for v := range b.bounds {
		b.bounds[v] = make([][]Bound, vars)
	}
	return b
}

// Set says that variable w is at least Need wherever variable v is at least At, for all bounds.
// They must be in increasing order of At and of Need, with Need above 0. From a variable to itself,
// the values from At up to Need are left out.
func (b *Bounds) Set(v, w int, bounds []Bound) { b.bounds[v][w] = bounds }

// A Predicate is evaluated variable by variable, in increasing order. Its state
// stands for what the variables so far have made of it; it starts as 0.
type Predicate interface {
	// Breaks returns, in increasing order, the values of v where Next may change.
	Breaks(v int) []int32
	// Next returns the state after a value x of v, or Accept or Reject once that is decided, at the
	// latest after the last variable. Other variables are within lo and hi; the entries before v
	// mean nothing.
	Next(state int32, v int, x int32, lo, hi []int32) int32
	// Bytes returns the memory that p holds.
	Bytes() int64
}

// States of a decided predicate.
const (
	Reject int32 = -1
	Accept int32 = -2
)

// Select returns a set: its intersection with the set of all tuples within bounds is the set of
// tuples that p accepts. It may have any tuples beyond the bounds. Of vars, in increasing order, p
// sees no others. With a nil p, vars must be all variables, and the result is the set of tuples
// within bounds.
//
// What can follow a choice of values for the first variables is an interval of the
// sublattice in the others. Different intervals have different least or greatest
// tuples, so that no node is made twice.
//
// The time complexity of Select is O(intervals made·|vars|).
func (s *Store) Select(b *Bounds, vars []int, p Predicate) Set {
	q := &selection{store: s, predicate: p}
	for i := range vars {
		l := newLayer(b, vars[i:], p, s.tops)
		if i > 0 {
			l.first = vars[i-1] + 1
		}
		q.layers = append(q.layers, l)
		q.lo = append(q.lo, make([]int32, len(s.tops)))
		q.hi = append(q.hi, slices.Clone(s.tops))
	}
	if len(vars) == 0 {
		return s.Full()
	}
	if !s.reserve(q.bytes()) {
		return Empty
	}
	a := q.build(0, 0)
	s.borrowed = 0
	return a
}

type selection struct {
	store     *Store
	predicate Predicate
	layers    []*layer
	lo, hi    [][]int32 // by depth: the bounds under which its node is built
	since     int       // edges since the last look at the limits
}

func (q *selection) bytes() int64 {
	n := int64(0)
	if q.predicate != nil {
		n = q.predicate.Bytes()
	}
	for _, l := range q.layers {
		n += l.bytes()
	}
	return n
}

// build returns the tuples of the variables from the i-th layer on, under the bounds of depth i.
func (q *selection) build(i int, state int32) Set {
	s, l := q.store, q.layers[i]
	lo, hi := q.lo[i], q.hi[i]
	at, found := l.find(state, lo, hi)
	if found {
		return l.results[at]
	}
	if s.stopped() || !q.keep(l) {
		return Empty
	}
	v := l.vars[0]
	base := len(s.scratch)
	if lo[v] > 0 {
		s.push(base, lo[v]-1, Empty)
	}
	k, _ := slices.BinarySearch(l.starts, lo[v])
	if k == len(l.starts) || l.starts[k] > lo[v] {
		k--
	}
	for x := lo[v]; x <= hi[v]; k++ {
		last := hi[v]
		if k+1 < len(l.starts) {
			last = min(last, l.starts[k+1]-1)
		}
		s.push(base, last, q.next(i, state, x, k))
		x = last + 1
	}
	a := s.lift(s.seal(base, int32(v)), v, l.first)
	l.results[at] = a
	return a
}

// next returns where value x, of block k, of the layer's variable leads.
func (q *selection) next(i int, state, x int32, k int) Set {
	s, l := q.store, q.layers[i]
	deeper := i+1 < len(q.layers)
	lo, hi := q.lo[i], q.hi[i]
	if deeper {
		nextLo, nextHi := q.lo[i+1], q.hi[i+1]
		n := len(l.vars) - 1
		for j, w := range l.vars[1:] {
			nextLo[w] = max(lo[w], l.least[k*n+j])
			nextHi[w] = min(hi[w], l.greatest[k*n+j])
		}
		lo, hi = nextLo, nextHi
	}
	v := l.vars[0]
	if q.since++; q.since >= checkEvery {
		q.since = 0
		s.borrowed = q.bytes()
		s.reserve(1)
	}
	if l.left[k] || s.stopped() {
		return Empty
	}
	if q.predicate != nil {
		state = q.predicate.Next(state, v, x, lo, hi)
	} else if !deeper {
		state = Accept
	}
	switch state {
	case Reject:
		return Empty
	case Accept:
		return s.full(int32(v) + 1)
	}
	return q.build(i+1, state)
}

// A layer builds the nodes of vars[0]. Its values fall into blocks, which start at
// starts, of values that bound the other variables in the same way.
type layer struct {
	vars            []int
	first           int // level up to which nodes are lifted
	starts          []int32
	left            []bool  // by block: is left out
	least, greatest []int32 // by block, of the variables after the first

	key     []int32             // the one that is looked for
	keys    *dense.Table[int32] // state and bounds of each node asked for
	results []Set
}

func newLayer(b *Bounds, vars []int, p Predicate, tops []int32) *layer {
	l := &layer{vars: vars, keys: dense.NewTable[int32](1 + 2*len(vars))}
	v := vars[0]
	l.starts = append(l.starts, 0)
	if p != nil {
		l.starts = append(l.starts, p.Breaks(v)...)
	}
	for _, t := range b.bounds[v][v] {
		l.starts = append(l.starts, t.At, t.Need)
	}
	for _, w := range vars[1:] {
		for _, t := range b.bounds[v][w] {
			l.starts = append(l.starts, t.At)
		}
		for _, t := range b.bounds[w][v] {
			l.starts = append(l.starts, t.Need)
		}
	}
	slices.Sort(l.starts)
	l.starts = slices.Compact(l.starts)
	l.left = make([]bool, len(l.starts))
	own, need := b.bounds[v][v], int32(0)
	for k, x := range l.starts {
		for len(own) > 0 && own[0].At <= x {
			need, own = own[0].Need, own[1:]
		}
		l.left[k] = need > x
	}
	n := len(vars) - 1
	l.least, l.greatest = make([]int32, n*len(l.starts)), make([]int32, n*len(l.starts))
	for j, w := range vars[1:] {
		up, down := b.bounds[v][w], b.bounds[w][v]
		need := int32(0)
		for k, x := range l.starts {
			for len(up) > 0 && up[0].At <= x {
				need, up = up[0].Need, up[1:]
			}
			for len(down) > 0 && down[0].Need <= x {
				down = down[1:]
			}
			l.least[k*n+j], l.greatest[k*n+j] = need, tops[w]
			if len(down) > 0 {
				l.greatest[k*n+j] = down[0].At - 1
			}
		}
	}
	return l
}

func (l *layer) bytes() int64 {
	return int64(len(l.left)) + int64(cap(l.starts)+cap(l.least)+cap(l.greatest)+cap(l.results))*4 +
		l.keys.Bytes()
}

// find returns the number of the node for a state and bounds, and whether it has
// been asked for before; if not, the node is the one that keep adds.
func (l *layer) find(state int32, lo, hi []int32) (at int32, found bool) {
	l.key = append(l.key[:0], state)
	for _, v := range l.vars {
		l.key = append(l.key, lo[v], hi[v])
	}
	return l.keys.Find(l.key)
}

// keep adds a node for the key that has last been looked for, and reports whether
// that is within the limits.
func (q *selection) keep(l *layer) bool {
	if need := l.keys.Growth(); need > 0 {
		q.store.borrowed = q.bytes()
		if !q.store.reserve(need + int64(cap(l.results))*4) { // which may double
			return false
		}
	}
	l.keys.Add(l.key)
	l.results = append(l.results, Empty)
	return true
}
