package ist

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// A Bound says that if one variable has at least value At, another has at least value Need.
type Bound struct{ At, Need int32 }

// Bounds says how variables bound each other from below. The tuples that satisfy them form a
// sublattice, which must contain the tuple of zeros and that of greatest values. The bounds must be
// transitively closed: if v ≥ a forces w ≥ b and w ≥ b forces u ≥ c, then the bounds from v to u
// must say that v ≥ a forces u ≥ c.
type Bounds struct{ bounds [][][]Bound }

// NewBounds returns bounds for that many variables that restrict nothing.
func NewBounds(vars int) *Bounds {
	b := &Bounds{make([][][]Bound, vars)}
	for v := range b.bounds {
		b.bounds[v] = make([][]Bound, vars)
	}
	return b
}

// Set adds the bounds from v to w: w is at least Need if v is at least At. They must be in
// increasing order of At and of Need, with Need above 0. A bound from a variable to itself excludes
// the values from At up to, but not including, Need.
func (b *Bounds) Set(v, w int, bounds []Bound) { b.bounds[v][w] = bounds }

// Select returns the set of the tuples that satisfy b.
//
// For each choice of values of the first variables, the values of the others form an interval of a
// sublattice. Different intervals have different least or greatest tuples, so no node is made
// twice.
//
// The time complexity of Select is O(intervals made·variables).
func (s *Store) Select(b *Bounds) Set {
	q := &selection{store: s}
	for v := range s.tops {
		q.layers = append(q.layers, newLayer(b, v, s.tops))
		q.lo = append(q.lo, make([]int32, len(s.tops)))
		q.hi = append(q.hi, slices.Clone(s.tops))
	}
	if len(s.tops) == 0 {
		return s.Full()
	}
	if !s.reserve(q.bytes()) {
		return Empty
	}
	a := q.build(0)
	s.borrowed = 0
	return a
}

type selection struct {
	store  *Store
	layers []*layer
	lo, hi [][]int32 // by variable: the bounds under which its node is built
	since  int       // how many edges were made since the last check of the limits
}

func (q *selection) bytes() int64 {
	n := int64(0)
	for _, l := range q.layers {
		ints := cap(l.starts) + cap(l.least) + cap(l.greatest) + cap(l.results)
		n += int64(len(l.left)) + int64(ints)*4 + l.keys.Bytes()
	}
	return n
}

// build returns the tuples of the variables from v on, between q.lo[v] and q.hi[v].
func (q *selection) build(v int) Set {
	s, l := q.store, q.layers[v]
	lo, hi := q.lo[v], q.hi[v]
	l.key = l.key[:0]
	for w := v; w < len(lo); w++ {
		l.key = append(l.key, lo[w], hi[w])
	}
	at, found := l.keys.Find(l.key)
	if found {
		return l.results[at]
	}
	if s.stopped() || !q.keep(l) {
		return Empty
	}
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
		s.push(base, last, q.next(v, k))
		x = last + 1
	}
	a := s.seal(base, int32(v))
	l.results[at] = a
	return a
}

// next returns the child for the values of block k of variable v.
func (q *selection) next(v, k int) Set {
	s, l := q.store, q.layers[v]
	if q.since++; q.since >= checkEvery {
		q.since = 0
		s.borrowed = q.bytes()
		s.reserve(1)
	}
	if l.left[k] || s.stopped() {
		return Empty
	}
	n := len(s.tops) - v - 1 // how many variables come after v
	if n == 0 {
		return end
	}
	for j := range n {
		w := v + 1 + j
		q.lo[v+1][w] = max(q.lo[v][w], l.least[k*n+j])
		q.hi[v+1][w] = min(q.hi[v][w], l.greatest[k*n+j])
	}
	return q.build(v + 1)
}

// A layer builds the nodes of a variable. Its values fall into blocks that bound the other
// variables in the same way; starts has the first value of each.
type layer struct {
	starts          []int32
	left            []bool  // by block: whether no tuple has these values
	least, greatest []int32 // by block: the bounds of the variables after this one

	key     []int32             // the bounds of the node that build is making
	keys    *dense.Table[int32] // the bounds of all nodes made so far
	results []Set
}

func newLayer(b *Bounds, v int, tops []int32) *layer {
	n := len(tops) - v - 1
	l := &layer{keys: dense.NewTable[int32](2 * (n + 1))}
	l.starts = append(l.starts, 0)
	for _, t := range b.bounds[v][v] {
		l.starts = append(l.starts, t.At, t.Need)
	}
	for w := v + 1; w < len(tops); w++ {
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
	l.least, l.greatest = make([]int32, n*len(l.starts)), make([]int32, n*len(l.starts))
	for j := range n {
		w := v + 1 + j
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

// keep adds a node for the key of the layer, unless that exceeds the limits, and reports whether it
// did.
func (q *selection) keep(l *layer) bool {
	if need := l.keys.Growth(); need > 0 {
		q.store.borrowed = q.bytes()
		if !q.store.reserve(need + int64(cap(l.results))*4) { // results may double
			return false
		}
	}
	l.keys.Add(l.key)
	l.results = append(l.results, Empty)
	return true
}
