package syntax

import (
	"cmp"
	"slices"
)

// maxSpread bounds the comparisons that replace those with min and max in one formula.
// Beyond it, comparisons are not expanded.
const maxSpread = 1 << 18

// spread returns the formula that a resolved comparison with aggregates expands to,
// nil if it does not expand:
//
//	min >= k   all >= k         max >= k   some >= k
//	min <= k   some <= k        max <= k   all <= k
//	count >= k, count <= k if that means none, some, not all or all instances
//
// and likewise for the other operators, == being both <= and >=.
func (r *resolver) spread(e *Expr, pos int) *Formula {
	if e.Op != ExprCompare {
		return nil
	}
	var all []*Formula
	found := false
	for _, part := range Neighbours(e) {
		f := r.spreadSide(part.Args[0], part.Rel[0], part.Args[1], e, pos)
		if f == nil {
			f = r.spreadSide(part.Args[1], part.Rel[0].Mirrored(), part.Args[0], e, pos)
		}
		found = found || f != nil
		if f == nil {
			f = r.known(part, pos)
		}
		all = append(all, f)
	}

	if !found {
		return nil
	}
	return joined(OpAnd, pos, all)
}

// spreadSide is spread for a rel b, a part of the comparison e.
func (r *resolver) spreadSide(a *Expr, rel Relop, b, e *Expr, pos int) *Formula {
	switch {
	case a.Op == ExprCount && b.Op == ExprNumber && !b.IsFloat:
		return spreadCount(a.Sub, rel, b.Int, pos)
	case a.Op != ExprMin && a.Op != ExprMax, r.spreads > 0 && r.spreads+len(a.Args) > maxSpread:
		return nil
	}
	instances := func(op Op, rel Relop) *Formula {
		f := &Formula{Op: op, Pos: pos}
		r.spreads += len(a.Args)
		for _, arg := range a.Args {
			compare := e.comparing(arg, rel, b)
			g := r.spread(compare, pos)
			if g == nil {
				g = r.known(compare, pos)
			}
			f.Sub = append(f.Sub, g)
		}
		return f
	}

	some, all := OpOr, OpAnd // the minimum is below k if some value is
	if a.Op == ExprMax {
		some, all = OpAnd, OpOr
	}
	switch rel {
	case Less, LessEqual:
		return instances(some, rel)
	case Greater, GreaterEqual:
		return instances(all, rel)
	case Equal:
		return New(OpAnd, pos, instances(some, LessEqual), instances(all, GreaterEqual))
	}
	return New(OpOr, pos, instances(some, Less), instances(all, Greater))
}

// spreadCount returns a formula that says, without counting, that the number of fs that
// hold is in relation rel to k; nil if there is none.
func spreadCount(fs []*Formula, rel Relop, k int64, pos int) *Formula {
	allowed := func(n int) bool { return rel.Relates(cmp.Compare(int64(n), k)) }
	numbers := 0 // how many of the possible counts are allowed
	for n := range len(fs) + 1 {
		if allowed(n) {
			numbers++
		}
	}
	switch {
	case numbers == len(fs)+1:
		return New(OpTrue, pos)
	case numbers == 0:
		return New(OpFalse, pos)
	case numbers == 1 && allowed(0):
		return joined(OpAnd, pos, Mapped(fs, Not))
	case numbers == 1 && allowed(len(fs)):
		return joined(OpAnd, pos, slices.Clone(fs))
	case numbers == len(fs) && !allowed(0):
		return joined(OpOr, pos, slices.Clone(fs))
	case numbers == len(fs) && !allowed(len(fs)): // not all
		return joined(OpOr, pos, Mapped(fs, Not))
	}
	return nil
}

// Threshold expands e, a resolved comparison of a count with a whole number, to && and ||. It
// returns nil for another e, and if the result would have more than limit operators. For n
// formulas counted and the number k there are about 2n·min(k, n-k), as subformulas are shared.
func Threshold(e *Expr, limit int) *Formula {
	if !e.ComparesTwo() {
		return nil
	}
	count := e.Args[0]
	rel := e.Rel[0]
	k := e.Args[1]
	if count.Op != ExprCount {
		count, k = k, count
		rel = rel.Mirrored()
	}

	if count.Op != ExprCount || k.Op != ExprNumber || k.IsFloat {
		return nil
	}
	n := len(count.Sub)
	number := int(max(-1, min(k.Int, int64(n)+1)))
	if 2*n*max(0, min(number+1, n-number+1)) > limit {
		return nil
	}
	atLeast := func(k int) *Formula {
		if k <= n-k+1 {
			return threshold(count.Sub, k, e.Pos)
		}
		return Not(threshold(Mapped(count.Sub, Not), n-k+1, e.Pos))
	}

	switch rel {
	case Less:
		return Not(atLeast(number))
	case LessEqual:
		return Not(atLeast(number + 1))
	case Greater:
		return atLeast(number + 1)
	case GreaterEqual:
		return atLeast(number)
	case Equal:
		return And(atLeast(number), Not(atLeast(number+1)))
	}
	return Or(Not(atLeast(number)), atLeast(number+1))
}

// threshold says that at least k of fs hold: k of all but the last, or the last and k-1
// of the others.
func threshold(fs []*Formula, k, pos int) *Formula {
	// first[k] says that at least k of the formulas so far hold; nil means false
	first := make([]*Formula, max(0, k)+1)
	first[0] = &Formula{Op: OpTrue, Pos: pos}
	join := func(op, unit Op, f, g *Formula) *Formula {
		if f.Op == unit {
			return g
		}
		return New(op, pos, f, g)
	}

	for _, f := range fs {
		for j := len(first) - 1; j > 0; j-- {
			if first[j-1] == nil {
				continue
			}
			with := join(OpAnd, OpTrue, first[j-1], f)
			if first[j] == nil {
				first[j] = with
			} else {
				first[j] = join(OpOr, OpFalse, first[j], with)
			}
		}
	}

	if f := first[len(first)-1]; f != nil {
		return f
	}
	return &Formula{Op: OpFalse, Pos: pos}
}
