package rctl

import (
	"context"
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// Bounds on sums by minimum cuts.
//
// A sum of values that single chains determine is, at a cut, its value before all
// events plus the weight of each event of the cut: by how much the event changes
// it. The messages in transit from P to Q are such a sum: a send weighs 1, a
// receive -1. So the cut of a slice with the greatest sum is a closed set of
// greatest weight in the slice's graph, the far side of a minimum cut. (Picard,
// Maximal Closure of a Graph and Applications to Combinatorial Problems, 1976; for
// predicates on distributed computations Chase and Garg, Detection of Global
// Predicates, 1998.) The greatest and the least value decide <, <=, >=, > and !=.
// Other bounds hold if some cut between the two extreme ones meets them, as one
// must where no step of the slice changes the sum by more than 1.

// sumEF decides EF(p && f): whether some cut of s, the lean slice of p, satisfies
// f, a comparison of a sum with numbers, or the negation of one, and returns such a
// cut. A sum is made by +, - and multiplication with whole numbers of what is of
// one chain, of channels, and of sum and count over them. It is not ok where f is
// something else, where its numbers are too large, or, for == and for bounds on
// both sides, where neither the extremes nor the runs between them decide.
//
// The time complexity of sumEF is that of a maximum flow on the events of s that
// change the sum or have edges to other processes.
func sumEF(ctx context.Context, s *slice.Slice, f *syntax.Formula) (cut graphs.Cut, v Verdict, ok bool, err error) {
	negated := f.Op == syntax.OpNot
	if negated {
		f = f.Sub[0]
	}
	if f.Op != syntax.OpAtom || f.Expr.Op != syntax.ExprCompare {
		return nil, Unknown, false, nil
	}
	t, within, ok, err := tallyOf(s.Of(), f.Expr)
	if err != nil || !ok {
		return nil, Unknown, false, err
	}
	if s.Empty() {
		return nil, Fails, true, nil
	}
	if negated {
		within.outside = !within.outside
	}
	return t.search(ctx, s, within)
}

// A band is the numbers from low to high, or those outside.
type band struct {
	low, high int64
	outside   bool
}

func (b band) has(x int64) bool { return (b.low <= x && x <= b.high) != b.outside }

const noLimit = math.MaxInt64

// meet narrows the band to the numbers x with x rel k.
func (b *band) meet(rel syntax.Relop, k int64) {
	switch rel {
	case syntax.Less:
		b.high = min(b.high, k-1)
	case syntax.LessEqual:
		b.high = min(b.high, k)
	case syntax.Equal:
		b.low, b.high = max(b.low, k), min(b.high, k)
	case syntax.GreaterEqual:
		b.low = max(b.low, k)
	case syntax.Greater:
		b.low = max(b.low, k+1)
	}
}

// search looks for a cut of s at which the sum is in a band.
func (t *tally) search(ctx context.Context, s *slice.Slice, b band) (graphs.Cut, Verdict, bool, error) {
	least := s.Least()
	if b.has(t.at(least)) {
		return least, Holds, true, nil
	}
	found := make([]graphs.Cut, 0, 2)
	below, above := b.low != -noLimit, b.high != noLimit // where the band has an end
	for _, sign := range []int64{1, -1} {
		if !b.outside && (sign > 0 && !below || sign < 0 && !above) {
			continue // the other extreme decides
		}
		cut, err := heaviest(ctx, s, t.weight, sign)
		if err != nil {
			return nil, Unknown, false, err
		}
		x := t.at(cut)
		switch {
		case b.has(x):
			return cut, Holds, true, nil
		case !b.outside && (sign > 0 && x < b.low || sign < 0 && x > b.high):
			return nil, Fails, true, nil
		}
		found = append(found, cut)
	}
	if b.outside || b.low > b.high {
		return nil, Fails, true, nil
	}
	// The greatest value is above the band and the least below.
	if cut := t.between(s, found[1], found[0], b); cut != nil {
		return cut, Holds, true, nil
	}
	return nil, Unknown, false, nil
}

// between looks for a cut in the band on the way from one cut of s to another, by
// way of their union or their intersection; nil where there is none.
func (t *tally) between(s *slice.Slice, from, to graphs.Cut, b band) graphs.Cut {
	c := s.Computation()
	for _, way := range [][2]graphs.Cut{
		{from, from.Join(to)}, {to, from.Join(to)}, {from.Meet(to), from}, {from.Meet(to), to},
	} {
		cut := way[0].Clone()
		x := t.at(cut)
		order := c.Topological(way[0], way[1])
		for i, e := range order {
			if (i == 0 || !c.SameStep(order[i-1], e)) && b.has(x) {
				return cut
			}
			cut[c.Process(e)]++
			x += t.weight[e]
		}
		if b.has(x) {
			return cut
		}
	}
	return nil
}
