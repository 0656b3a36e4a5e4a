package program

import (
	"context"
	"math/rand/v2"
)

// Walk returns a random run of a program, of n steps or fewer. It ends where nothing is enabled. In
// each state every transition is as likely as another. The same seed makes the same run.
//
// On an error from Apply or ctx, the run is the part before it.
func Walk(ctx context.Context, p Program, seed uint64, n int) (steps []Transition, err error) {
	r := rand.New(rand.NewPCG(seed, 0))
	var list []Transition
	var next []byte
	for s := p.Initial(nil); len(steps) < n; s, next = next, s {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		list = list[:0]
		for q := range p.Layout().Processes {
			list = p.Enabled(s, q, list)
		}
		if len(list) == 0 {
			return steps, nil
		}
		step := list[r.IntN(len(list))]
		if next, err = p.Apply(s, step, next[:0]); err != nil {
			return steps, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}
