package flow

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Transfer moves Amount from the weight of the event To to the weight of From, an
// event that To needs. No cut weighs less after it.
type Transfer struct {
	From, To graphs.Event
	Amount   int64
}

// A Case proves that no cut weighs too much that has the event With (⊥ in the first
// case) but not the event of the next case. After the transfers, a cut weighs no more
// than the heaviest first events of each process together.
type Case struct {
	With      graphs.Event
	Transfers []Transfer
}

// Cases returns flows that show that no cut of c satisfies a comparison by <, <=, > or >=, or its
// negation, by a bound on the greatest or the least sum. It returns nil for comparisons other than of
// sums of integers. The flows prove nothing if some cut has such a sum. The error is ctx's own, or a
// *atoms.ValuesError.
func Cases(ctx context.Context, c *graphs.Computation, e *syntax.Expr, negated bool) (all []Case, err error) {
	t, in, err := tallyOf(c, e)
	if t == nil || t.shift > 0 {
		return nil, err
	}
	if negated {
		in = in.not()
	}
	sign := int64(1)
	if in[0].low == -noLimit {
		sign = -1
	}
	enough, _ := in.enough(sign)
	g := &closure{comp: c, weights: t.weight, sign: sign}
	floor := enough - sign*t.weight[graphs.Bottom] - 1
	windows := g.windows(c.Initial(), c.Final())
	_, err = g.heaviest(ctx, windows, floor+1, floor, func(w window, s *closure) {
		all = append(all, Case{w.begin, s.transfers()})
	})
	if err != nil || len(all) < len(windows) {
		return nil, err
	}
	return all, nil
}

// transfers returns the flow out of segments, except to earlier events of the same process.
func (g *closure) transfers() (all []Transfer) {
	c := g.comp
	for v := range g.first {
		for place := g.off[v]; place < g.off[v+1]; place++ {
			k, w := g.edge[place], g.other[place]
			if k < 0 || g.flow[k] == 0 || int(w) == v-1 && g.follows(v) {
				continue
			}
		search:
			for e := g.first[v]; ; e++ { // some event of v needs an event of w
				for _, f := range c.Preds(e) {
					if c.Has(g.low, f) || g.of[g.place(f)] != w+1 {
						continue
					}
					all = append(all, Transfer{f, e, g.flow[k]})
					break search
				}
			}
		}
	}
	return all
}
