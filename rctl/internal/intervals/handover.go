package intervals

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Handovers returns the orders that c lacks for f to hold at no cut. f is a predicate that Overlap
// accepts below EF, or one pair of such, that does not hold along run, from the initial to the final
// cut. With these orders f cannot hold, and with fewer orders along the run it can. Handovers returns
// ok = false for other predicates.
//
// # Theory
//
// Along the run the intervals do not meet, so each ends before the next begins. In a computation
// with more orders, all of them along the run, the run is still a possible order. So no two
// intervals meet if and only if each end happened before the next beginning (Overlap). That
// is a handover: an order from the end of an interval to the beginning of the next, of another
// process.
//
// A path of orders from an end to the next beginning stays between the two along the run. These
// stretches are disjoint, hence no two handovers have an order in common: fewer orders than handovers
// are not enough.
//
// The time complexity of Handovers is O(|V|+|edges|+|f|), and O(m log m) for m intervals.
func Handovers(c *graphs.Computation, f *syntax.Formula, run []graphs.Event) (orders []graphs.Edge, ok bool, err error) {
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
	var all []Interval
	for _, y := range s.chains {
		all = append(all, y.intervals...)
	}
	slices.SortFunc(all,
		func(i, j Interval) int { return cmp.Compare(place[i.Begin], place[j.Begin]) })
	past := c.Initial().Clone()
	for k, next := range all[min(1, len(all)):] {
		c.Advance(past, next.Begin)
		if end := all[k].End; !c.Has(past, end) {
			orders = append(orders, graphs.Edge{From: end, To: next.Begin})
		}
	}
	return orders, true, nil
}
