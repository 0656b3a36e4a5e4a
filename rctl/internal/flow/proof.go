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

// Transfers returns a maximum flow that shows how great the left side of a comparison
// minus the right one, multiplied by sign, is at most at a cut of c: no more than what
// the heaviest first events of each process weigh together with the weights it leaves. It
// is not ok where the sum is none of whole numbers. The error is that of ctx, or a
// *atoms.ValuesError.
func Transfers(ctx context.Context, c *graphs.Computation, e *syntax.Expr, sign int64) (all []Transfer, ok bool, err error) {
	t, _, ok, err := tallyOf(c, e)
	if err != nil || !ok || t.shift > 0 {
		return nil, false, err
	}
	g := newClosure(slice.All(c), t.weight, sign)
	if err := g.maximize(ctx, math.MaxInt64, math.MinInt64); err != nil {
		return nil, false, err
	}
	for k, amount := range g.flow {
		if ends := g.ends[k]; amount > 0 && c.Process(ends.From) != c.Process(ends.To) {
			all = append(all, Transfer{ends.From, ends.To, amount})
		}
	}
	return all, true, nil
}
