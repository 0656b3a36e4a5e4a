package intervals

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Handover is the end of an interval that is to come before the beginning of the next one, of
// another process.
type Handover struct {
	Open, End graphs.Event // of the first interval; Open is ⊥ for one of the initial cut
	Begin     graphs.Event // of the second
}

// Handovers returns, for a predicate f as Overlap takes on, or of one pair, what has to be ordered
// so that it holds at no cut: with an order End → Begin for each of them, f cannot hold, and
// without any one of them it can. It does not hold along run, which goes from the initial to the
// final cut. Handovers that c orders are left out. It is not ok for other predicates.
//
// # Theory
//
// Along the run the intervals do not meet, so each ends before the next begins. In a computation
// with more orders, all of them along the run, the run is a possible order still. So no two
// intervals meet if and only if each end happened before the next beginning (Overlap).
//
// A path of orders from an end to the next beginning stays, along the run, between the two. These
// stretches have no step in common, hence no two handovers have an order in common: no fewer orders
// than handovers will do.
//
// The time complexity of Handovers is O(|V|+|edges|+|f|), and O(m log m) for m intervals.
func Handovers(c *graphs.Computation, f *syntax.Formula, run []graphs.Event) (all []Handover, ok bool, err error) {
	family, ok := familyOf(c, f)
	if pair, two := (locals{}).two(f); !ok && two {
		family, ok = make([]*syntax.Formula, c.NumProcesses()), true
		for _, x := range pair {
			family[x.process] = x.formula
		}
	}
	if !ok {
		return nil, false, nil
	}
	s, err := newOverlap(c, family)
	if err != nil {
		return nil, false, err
	}

	place := make([]int32, c.Top()+1) // ⊥ comes first
	for i, e := range run {
		place[e] = int32(i + 1)
	}
	var order []interval
	owner := func(i interval) int { return c.Process(cmp.Or(i.begin, i.end)) }
	for _, y := range s.chains {
		order = append(order, y.intervals...)
	}
	slices.SortFunc(order, func(i, j interval) int { return cmp.Compare(place[i.begin], place[j.begin]) })
	past := c.Initial().Clone()
	for k, i := range order {
		if k == 0 {
			continue
		}
		last := order[k-1]
		c.Advance(past, i.begin)
		if owner(last) != owner(i) && !c.Has(past, last.end) {
			all = append(all, Handover{last.begin, last.end, i.begin})
		}
	}
	return all, true, nil
}
