package rctl

import (
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/syntax"
)

// A treeRelation evaluates a formula without temporal operators process by
// process, as an ist.Predicate. It splits the cuts by what the processes so far
// have made of its terms: that is its state, a number for each term.
//
//	spent     it has been put together with others, or does not matter any more
//	negative  the complement of the number of its value
//	0         nothing is known
//	positive  of a leaf, what it has read, plus one; of a sum, least or greatest of
//	          several, the number of the value of those that are certain, plus one
//
// A comparison of exact numbers is decided as soon as their ranges allow it.
type treeRelation struct {
	terms  []treeTerm
	vars   []int // variables of the processes that matter, in increasing order
	breaks map[int][]int32
	few    bool // there are so few states that bounds between processes would only make more

	values  []graphs.Value
	valueNo map[graphs.Value]int32
	read    [][]int32 // by leaf and what it has read: number of the value
	states  []int32   // those of all terms, state by state
	count   int32     // of states
	index   []int32   // open addressing: number of a state, plus one
	now     []int32
	lo, hi  []int64 // of exact terms, now
}

const spent = math.MinInt32

// fewStates is the greatest number of states for which a relation is not told
// which values the causality of processes allows together.
const fewStates = 64

func newTreeRelation(s *treeSpace, f *syntax.Formula) (*treeRelation, error) {
	b := &termBuilder{space: s}
	root := b.formula(f)
	if b.err != nil {
		return nil, b.err
	}
	n := len(b.terms)
	r := &treeRelation{
		terms:   b.terms,
		few:     b.terms[root].parts <= fewStates,
		breaks:  make(map[int][]int32),
		valueNo: make(map[graphs.Value]int32),
		read:    make([][]int32, n),
		index:   make([]int32, 64),
		now:     make([]int32, n),
		lo:      make([]int64, n),
		hi:      make([]int64, n),
	}
	used := make([]bool, n)
	r.mark(int(root), used)
	for i := range r.terms {
		t := &r.terms[i]
		switch {
		case !used[i]:
			r.now[i] = spent
		case t.op == termConstant:
			r.now[i] = ^r.number(t.value)
		case t.op == termLeaf:
			for _, x := range t.leaf.values() {
				r.read[i] = append(r.read[i], r.number(x))
			}
			for _, v := range t.leaf.vars() {
				r.vars = append(r.vars, v)
				r.breaks[v] = append(r.breaks[v], t.leaf.changes(v)...)
			}
		}
	}
	slices.Sort(r.vars)
	r.vars = slices.Compact(r.vars)
	for v, at := range r.breaks {
		slices.Sort(at)
		r.breaks[v] = slices.Compact(at)
	}
	if len(r.vars) == 0 {
		r.Next(0, -1, 0, nil, nil)
	}
	r.state()
	return r, nil
}

// certainly reports whether a formula that depends on no process is true.
func (r *treeRelation) certainly() bool { return r.state() == ist.Accept }

// mark notes the terms that a term is made of, itself included.
func (r *treeRelation) mark(i int, used []bool) {
	used[i] = true
	for _, a := range r.terms[i].args {
		r.mark(int(a), used)
	}
}

// Breaks implements ist.Predicate.
func (r *treeRelation) Breaks(v int) []int32 { return r.breaks[v] }

// Bytes implements ist.Predicate. It allows for the next time that tables grow.
func (r *treeRelation) Bytes() int64 {
	return int64(len(r.states)+len(r.index))*12 + int64(len(r.values))*128
}

// Next implements ist.Predicate.
func (r *treeRelation) Next(state int32, v int, x int32, lo, hi []int32) int32 {
	n := len(r.terms)
	copy(r.now, r.states[int(state)*n:])
	for i := range r.terms {
		if r.now[i] == spent {
			continue
		}
		if r.now[i] >= 0 {
			r.advance(i, v, x, lo, hi)
		}
		if r.terms[i].exact {
			r.bound(i)
		}
	}
	return r.state()
}

func (r *treeRelation) number(x graphs.Value) int32 {
	n, ok := r.valueNo[x]
	if !ok {
		n = int32(len(r.values))
		r.values = append(r.values, x)
		r.valueNo[x] = n
	}
	return n
}

// state returns the verdict on what is in now or, where there is none yet, its
// number.
func (r *treeRelation) state() int32 {
	root := r.now[len(r.now)-1]
	if root < 0 {
		if r.values[^root].Bool() {
			return ist.Accept
		}
		return ist.Reject
	}
	n := len(r.now)
	mask := uint64(len(r.index) - 1)
	h := hashState(r.now) & mask
	for ; r.index[h] != 0; h = (h + 1) & mask {
		at := r.index[h] - 1
		if slices.Equal(r.states[int(at)*n:(int(at)+1)*n], r.now) {
			return at
		}
	}
	r.states = append(r.states, r.now...)
	r.count++
	r.index[h] = r.count
	if int(r.count) > len(r.index)/2 {
		r.grow()
	}
	return r.count - 1
}

func (r *treeRelation) grow() {
	n := len(r.now)
	r.index = make([]int32, 2*len(r.index))
	mask := uint64(len(r.index) - 1)
	for at := range r.count {
		h := hashState(r.states[int(at)*n:(int(at)+1)*n]) & mask
		for r.index[h] != 0 {
			h = (h + 1) & mask
		}
		r.index[h] = at + 1
	}
}

func hashState(state []int32) uint64 {
	h := uint64(len(state))
	for _, x := range state {
		h = (h ^ uint64(uint32(x))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// certain returns the value of term i, if that is known.
func (r *treeRelation) certain(i int32) (graphs.Value, bool) {
	if n := r.now[i]; n < 0 && n != spent {
		return r.values[^n], true
	}
	return graphs.Value{}, false
}

// settle notes the value of term i: what it is made of is spent.
func (r *treeRelation) settle(i int, x graphs.Value) {
	r.spend(i)
	r.now[i] = ^r.number(x)
}

func (r *treeRelation) spend(i int) {
	for _, a := range r.terms[i].args {
		if r.now[a] != spent {
			r.now[a] = spent
			r.spend(int(a))
		}
	}
}

// advance finds out what value x of variable v makes of term i.
func (r *treeRelation) advance(i int, v int, x int32, lo, hi []int32) {
	t := &r.terms[i]
	switch t.op {
	case termLeaf:
		read, certain := t.leaf.read(max(r.now[i]-1, 0), v, x, lo, hi)
		if certain {
			r.now[i] = ^r.read[i][read]
		} else {
			r.now[i] = read + 1
		}
	case termNot:
		if x, ok := r.certain(t.args[0]); ok {
			r.settle(i, graphs.Boolean(!x.Bool()))
		}
	case termAnd, termOr:
		r.junction(i)
	case termSame:
		x, ok := r.certain(t.args[0])
		y, ok2 := r.certain(t.args[1])
		if ok && ok2 {
			r.settle(i, graphs.Boolean(x.Bool() == y.Bool()))
		}
	case termCompare:
		r.compare(i)
	case termNegative:
		if x, ok := r.certain(t.args[0]); ok {
			r.settle(i, graphs.Int(0).Sub(x))
		}
	case termProduct:
		r.multiply(i)
	default:
		r.fold(i)
	}
}

func (r *treeRelation) junction(i int) {
	t := &r.terms[i]
	neutral := t.op == termAnd
	open := false
	for _, a := range t.args {
		x, ok := r.certain(a)
		switch {
		case ok && x.Bool() != neutral:
			r.settle(i, x)
			return
		case ok:
			r.now[a] = spent
		case r.now[a] != spent:
			open = true
		}
	}
	if !open {
		r.settle(i, graphs.Boolean(neutral))
	}
}

// compare decides a comparison by values, or by the ranges of exact numbers.
func (r *treeRelation) compare(i int) {
	t := &r.terms[i]
	all := true
	for j, rel := range t.rel {
		holds, ok := r.related(rel, t.args[j], t.args[j+1])
		if ok && !holds {
			r.settle(i, graphs.Boolean(false))
			return
		}
		all = all && ok
	}
	if all {
		r.settle(i, graphs.Boolean(true))
	}
}

func (r *treeRelation) related(rel syntax.Relop, a, b int32) (holds, ok bool) {
	x, known := r.certain(a)
	y, known2 := r.certain(b)
	switch {
	case known && known2:
		return Related(rel, x, y), true
	case !r.terms[a].exact || !r.terms[b].exact:
		return false, false
	}
	below, above := r.hi[a] < r.lo[b], r.lo[a] > r.hi[b] // for certain
	atMost, atLeast := r.hi[a] <= r.lo[b], r.lo[a] >= r.hi[b]
	switch rel {
	case syntax.Less:
		return below, below || atLeast
	case syntax.LessEqual:
		return atMost, atMost || above
	case syntax.Greater:
		return above, above || atMost
	case syntax.GreaterEqual:
		return atLeast, atLeast || below
	case syntax.Equal:
		return false, below || above
	}
	return true, below || above
}

// multiply multiplies two numbers. 0 times anything exact is 0.
func (r *treeRelation) multiply(i int) {
	t := &r.terms[i]
	x, ok := r.certain(t.args[0])
	y, ok2 := r.certain(t.args[1])
	zero := graphs.Int(0)
	switch {
	case ok && ok2:
		r.settle(i, x.Mul(y))
	case t.exact && (ok && x == zero || ok2 && y == zero):
		r.settle(i, zero)
	}
}

// fold puts together what is certain of the parts of a sum, least or greatest. A
// sum that is not exact waits for all, so that it is rounded in the order of its
// parts.
func (r *treeRelation) fold(i int) {
	t := &r.terms[i]
	if t.op == termSum && !t.exact {
		for _, a := range t.args {
			if _, ok := r.certain(a); !ok {
				return
			}
		}
	}
	open := false
	sum, some := graphs.Int(0), t.op == termSum
	if n := r.now[i]; n > 0 {
		sum, some = r.values[n-1], true
	}
	for _, a := range t.args {
		x, ok := r.certain(a)
		if !ok {
			open = open || r.now[a] != spent
			continue
		}
		if x.Kind == graphs.Bool {
			n := int64(0)
			if x.Bool() {
				n = 1
			}
			x = graphs.Int(n)
		}
		switch {
		case !some:
			sum, some = x, true
		case t.op == termSum:
			sum = sum.Add(x)
		case (x.Compare(sum) < 0) == (t.op == termMin):
			sum = x
		}
		r.now[a] = spent
	}
	switch {
	case !open:
		r.settle(i, sum)
	case some:
		r.now[i] = r.number(sum) + 1
	}
}

// bound finds the range of an exact term.
func (r *treeRelation) bound(i int) {
	t := &r.terms[i]
	if x, ok := r.certain(int32(i)); ok {
		r.lo[i], r.hi[i], _ = rangeOf([]graphs.Value{x})
		return
	}
	r.lo[i], r.hi[i] = t.lo, t.hi
	switch t.op {
	case termNegative:
		r.lo[i], r.hi[i] = -r.hi[t.args[0]], -r.lo[t.args[0]]
	case termSum:
		r.lo[i], r.hi[i] = 0, 0
		if n := r.now[i]; n > 0 {
			r.lo[i] = r.values[n-1].Int64()
			r.hi[i] = r.lo[i]
		}
		for _, a := range t.args {
			if r.now[a] != spent {
				r.lo[i] += r.lo[a]
				r.hi[i] += r.hi[a]
			}
		}
	case termMin, termMax:
		// What is known bounds one side: no open part can take it back.
		if n := r.now[i]; n > 0 && t.op == termMin {
			r.hi[i] = min(r.hi[i], r.values[n-1].Int64())
			r.lo[i] = min(r.lo[i], r.hi[i])
		} else if n > 0 {
			r.lo[i] = max(r.lo[i], r.values[n-1].Int64())
			r.hi[i] = max(r.lo[i], r.hi[i])
		}
	}
}
