package ist

import (
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A relation evaluates a formula without temporal operators variable by variable,
// as an ist.Predicate. Its state is a number for each term:
//
//	dropped   its value has been put together with others, or does not matter
//	negative  its value is known: the complement of the value's number
//	0         nothing is known
//	positive  of a leaf, the last change so far, plus one; of a sum, least or
//	          greatest, the number of the value of the operands that are known,
//	          plus one
//
// A comparison of exact numbers is decided as soon as their ranges allow it.
type relation struct {
	*builder
	vars    []int // those that matter, in increasing order
	few     bool  // there are so few states that bounds between processes would only make more
	decided int32 // where no variable matters: ist.Accept or ist.Reject

	states *dense.Table[int32]
	now    []int32 // the state under way
	lo, hi []int64 // of exact terms, now
}

const dropped = math.MinInt32

// fewStates bounds the states of a relation that ignores causality: with more of them,
// the relation is told what values of processes can occur together.
const fewStates = 64

// newRelation returns the relation of a formula. The error is a *atoms.ValuesError.
func newRelation(s *space, f *syntax.Formula) (*relation, error) {
	b := &builder{space: s, breaks: make([][]int32, len(s.tops)), valueNo: make(map[graphs.Value]int32)}
	root := b.formula(f)
	if b.err != nil {
		return nil, b.err
	}
	n := len(b.terms)
	r := &relation{
		builder: b,
		few:     b.terms[root].states <= fewStates,
		states:  dense.NewTable[int32](n),
		now:     make([]int32, n),
		lo:      make([]int64, n),
		hi:      make([]int64, n),
	}
	// Constants are known from the start.
	for i, t := range r.terms {
		if t.op == opConstant {
			r.now[i] = ^t.value
		}
	}
	for v, at := range r.breaks {
		if len(at) > 0 {
			slices.Sort(at)
			r.breaks[v] = slices.Compact(at)
			r.vars = append(r.vars, v)
		}
	}
	// A formula that no process can change is decided here and now.
	if len(r.vars) == 0 {
		r.decided = r.advance(-1, 0, nil, nil)
	} else {
		r.state()
	}
	return r, nil
}

// Breaks implements ist.Predicate.
func (r *relation) Breaks(v int) []int32 { return r.breaks[v] }

// Bytes implements ist.Predicate. It allows for the next time that tables grow.
func (r *relation) Bytes() int64 { return 3*r.states.Bytes() + int64(len(r.values))*128 }

// Next implements ist.Predicate.
func (r *relation) Next(state int32, v int, x int32, lo, hi []int32) int32 {
	copy(r.now, r.states.Key(int(state)))
	return r.advance(v, x, lo, hi)
}

// advance leads from the state under way to that after value x of variable v.
func (r *relation) advance(v int, x int32, lo, hi []int32) int32 {
	for i := range r.terms {
		if r.now[i] == dropped {
			continue
		}
		if r.now[i] >= 0 {
			r.evaluate(i, v, x, lo, hi)
		}
		if r.terms[i].exact {
			r.bound(i)
		}
	}
	return r.state()
}

// state returns the verdict on the state under way or, where there is none yet, its
// number.
func (r *relation) state() int32 {
	if root := r.now[len(r.now)-1]; root < 0 {
		if r.values[^root].Bool() {
			return ist.Accept
		}
		return ist.Reject
	}
	at, found := r.states.Find(r.now)
	if !found {
		r.states.Add(r.now)
	}
	return at
}

// known returns the value of term i, if that is known.
func (r *relation) known(i int32) (x graphs.Value, ok bool) {
	if n := r.now[i]; n < 0 && n != dropped {
		return r.values[^n], true
	}
	return x, false
}

// settle notes the value of term i, and drops the values of its operands.
func (r *relation) settle(i int, x graphs.Value) {
	r.drop(i)
	r.now[i] = ^r.number(x)
}

// drop drops what term i is made of.
func (r *relation) drop(i int) {
	for _, a := range r.terms[i].args {
		if r.now[a] != dropped {
			r.now[a] = dropped
			r.drop(int(a))
		}
	}
}

// evaluate finds out what value x of variable v makes of term i.
func (r *relation) evaluate(i int, v int, x int32, lo, hi []int32) {
	t := &r.terms[i]
	switch t.op {
	case opLeaf:
		change, certain := t.leaf.read(max(r.now[i]-1, 0), v, x, lo, hi)
		if certain {
			r.now[i] = ^t.leaf.values[change]
		} else {
			r.now[i] = change + 1
		}
	case opAnd, opOr:
		r.junction(i)
	case opSame:
		x, ok := r.known(t.args[0])
		y, ok2 := r.known(t.args[1])
		if ok && ok2 {
			r.settle(i, graphs.Boolean(x.Bool() == y.Bool()))
		}
	case opCompare:
		r.compare(i)
	case opProduct:
		r.multiply(i)
	default:
		r.fold(i)
	}
}

// junction decides && or || by the operands known so far, and drops the ones that do
// not matter any more.
func (r *relation) junction(i int) {
	// A neutral operand changes nothing, the other kind decides.
	neutral := r.terms[i].op == opAnd
	open := false
	for _, a := range r.terms[i].args {
		x, ok := r.known(a)
		switch {
		case ok && x.Bool() != neutral:
			r.settle(i, x)
			return
		case ok:
			r.now[a] = dropped
		case r.now[a] != dropped:
			open = true
		}
	}
	if !open {
		r.settle(i, graphs.Boolean(neutral))
	}
}

// compare decides a comparison by values, or by the ranges of exact numbers.
func (r *relation) compare(i int) {
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

// related reports whether terms a and b are related. It is ok if that is certain.
func (r *relation) related(rel syntax.Relop, a, b int32) (holds, ok bool) {
	x, known := r.known(a)
	y, known2 := r.known(b)
	switch {
	case known && known2:
		return atoms.Related(rel, x, y), true
	case !r.terms[a].exact || !r.terms[b].exact:
		return false, false
	}
	// It is certain if all orders that the ranges allow say the same.
	never := true
	holds = true
	for i, possible := range [...]bool{r.lo[a] < r.hi[b], r.lo[a] <= r.hi[b] && r.lo[b] <= r.hi[a], r.lo[b] < r.hi[a]} {
		if possible {
			relates := rel.Relates(i - 1)
			holds, never = holds && relates, never && !relates
		}
	}
	return holds, holds || never
}

// multiply multiplies two numbers. 0 times anything exact is 0.
func (r *relation) multiply(i int) {
	t := &r.terms[i]
	x, ok := r.known(t.args[0])
	y, ok2 := r.known(t.args[1])
	zero := graphs.Int(0)
	switch {
	case ok && ok2:
		r.settle(i, x.Mul(y))
	case t.exact && (ok && x == zero || ok2 && y == zero):
		r.settle(i, zero)
	}
}

// fold puts together the known operands of a sum, least or greatest. An inexact sum
// waits for all operands, so that it is rounded in their order. So do the least and the
// greatest, so that of equal operands the first counts.
func (r *relation) fold(i int) {
	t := &r.terms[i]
	open := false
	for _, a := range t.args {
		if _, ok := r.known(a); !ok {
			open = open || r.now[a] != dropped
		}
	}
	if open && !t.exact {
		return
	}
	sum, some := graphs.Int(0), t.op == opSum
	// Go on from the operands put together so far.
	if n := r.now[i]; n > 0 {
		sum, some = r.values[n-1], true
	}
	for j, a := range t.args {
		x, ok := r.known(a)
		if !ok {
			continue
		}
		if x.Kind == graphs.Bool {
			x = count(x)
		}
		switch {
		case !some:
			sum, some = x, true
		case t.op == opSum && t.minus && j == len(t.args)-1:
			sum = sum.Sub(x)
		case t.op == opSum:
			sum = sum.Add(x)
		case t.op == opMin && x.Compare(sum) < 0, t.op == opMax && x.Compare(sum) > 0:
			sum = x
		}
		r.now[a] = dropped
	}
	switch {
	case !open:
		r.settle(i, sum)
	case some:
		r.now[i] = r.number(sum) + 1
	}
}

// bound finds the range of an exact term.
func (r *relation) bound(i int) {
	t := &r.terms[i]
	if x, ok := r.known(int32(i)); ok {
		r.lo[i], r.hi[i], _ = rangeOf(x)
		return
	}
	r.lo[i], r.hi[i] = t.lo, t.hi
	// The operands put together so far, if any, and the ranges of the open ones.
	partial, some := int64(0), r.now[i] > 0
	if some && t.op != opLeaf {
		partial = r.values[r.now[i]-1].Int64()
	}
	switch {
	case t.op == opSum:
		r.lo[i], r.hi[i] = partial, partial
		for j, a := range t.args {
			switch {
			case r.now[a] == dropped:
			case t.minus && j == len(t.args)-1:
				r.lo[i] -= r.hi[a]
				r.hi[i] -= r.lo[a]
			default:
				r.lo[i] += r.lo[a]
				r.hi[i] += r.hi[a]
			}
		}
	case t.op == opMin && some: // no open operand can make it greater
		r.hi[i] = min(r.hi[i], partial)
		r.lo[i] = min(r.lo[i], partial)
	case t.op == opMax && some:
		r.lo[i] = max(r.lo[i], partial)
		r.hi[i] = max(r.hi[i], partial)
	}
}
