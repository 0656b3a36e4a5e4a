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
// the events weigh together whose weights it leaves positive. It is not ok where the sum
// is none of whole numbers. The error is that of ctx, or a *atoms.ValuesError.
func Transfers(ctx context.Context, c *graphs.Computation, e *syntax.Expr, sign int64) (all []Transfer, ok bool, err error) {
	t, _, ok, err := tallyOf(c, e)
	if err != nil || !ok || t.shift > 0 {
		return nil, false, err
	}
	g := newClosure(slice.All(c), t.weight, sign)
	done, err := g.augment(ctx, math.MaxInt64)
	if err == nil && !done {
		err = g.saturate(ctx)
	}
	if err != nil {
		return nil, false, err
	}
	left := make([]int64, len(t.weight))
	for e, w := range t.weight {
		left[e] = sign * w
	}
	move := func(from, to graphs.Event, amount int64) {
		left[from], left[to] = left[from]+amount, left[to]-amount
		all = append(all, Transfer{from, to, amount})
	}
	for k, amount := range g.flow {
		if ends := g.ends[k]; amount > 0 && c.Process(ends.From) != c.Process(ends.To) {
			move(ends.From, ends.To, amount)
		}
	}
	var lacking []graphs.Event // earlier ones of a process
	for p := range c.NumProcesses() {
		lacking = lacking[:0]
		for k := int(c.Initial()[p]) + 1; k <= int(c.Final()[p]); k++ {
			e := c.Event(p, k)
			for n := len(lacking) - 1; n >= 0 && left[e] > 0; n-- {
				move(lacking[n], e, min(left[e], -left[lacking[n]]))
				if left[lacking[n]] == 0 {
					lacking = lacking[:n]
				}
			}
			if left[e] < 0 {
				lacking = append(lacking, e)
			}
		}
	}
	return all, true, nil
}
