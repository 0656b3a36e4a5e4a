package flow

import (
	"context"
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A Transfer takes Amount from the weight of the event To, which needs From, and adds it
// to that of From. The weight of a cut is none the less for it.
type Transfer struct {
	From, To graphs.Event
	Amount   int64
}

// A Case is what shows that no cut with an event, ⊥ for the first of some, and without that of the
// next one weighs too much: no more than what the heaviest first events of each process weigh
// together with the weights that are left.
type Case struct {
	With      graphs.Event
	Transfers []Transfer
}

// Cases returns flows that show that no cut of c satisfies a comparison, or its negation, by how
// great its left side minus the right one, multiplied by sign, is at most. They are not ok where
// that is no sum of whole numbers, and show nothing where it is too great. The error is that of
// ctx, or a *atoms.ValuesError.
func Cases(ctx context.Context, c *graphs.Computation, e *syntax.Expr, negated bool, sign int64) (all []Case, ok bool, err error) {
	t, b, ok, err := tallyOf(c, e)
	if err != nil || !ok || t.shift > 0 {
		return nil, false, err
	}
	b.outside = negated
	enough, ok := b.enough(sign)
	if !ok {
		return nil, false, nil
	}
	g := newClosure(slice.All(c), t.weight, sign)
	floor := enough - sign*t.weight[graphs.Bottom] - 1
	w := g.windows()
	if w == nil {
		if err := g.maximize(ctx, math.MaxInt64, floor); err != nil {
			return nil, false, err
		}
		every := make([]int32, len(g.first))
		for v := range every {
			every[v] = int32(v)
		}
		return []Case{{graphs.Bottom, g.transfers(every)}}, true, nil
	}
	_, err = g.heaviest(ctx, w, floor+1, floor, func(i int, s *closure) {
		with := graphs.Bottom
		if i > 0 {
			with = g.pivot[w.begin[i]]
		}
		all = append(all, Case{with, s.transfers(w.among[i])})
	})
	return all, err == nil && len(all) == len(w.among), err
}

// transfers returns the flow out of some segments, but for that to an event before on the same process.
func (g *closure) transfers(among []int32) (all []Transfer) {
	c := g.s.Of()
	for _, v := range among {
		for _, k := range g.edge[g.off[v]:g.off[v+1]] {
			if k < 0 || g.flow[k] == 0 {
				continue
			}
			if ends := g.ends[k]; ends.From > ends.To || c.Process(ends.From) != c.Process(ends.To) {
				all = append(all, Transfer{ends.From, ends.To, g.flow[k]})
			}
		}
	}
	return all
}
