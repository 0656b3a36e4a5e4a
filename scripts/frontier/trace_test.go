package frontier

import (
	"fmt"
	"math/rand/v2"

	"github.com/pota-project/pota/graphs"
)

// computation draws a computation of n processes P0, P1, … with about each events each.
// A share of the events send messages. Every process has two booleans, b that changes
// often and c that seldom does, a number x from 0 to 9 that mostly steps up or down by
// one, a number y from 0 to 3, and a stage s that goes from idle over req, cs and done
// to idle again.
func computation(r *rand.Rand, n, each int, messages float64) *graphs.Computation {
	// Builders number events from 0; a handle stays valid until the computation is built.
	var b graphs.Builder
	b.Grow(n * each)
	type process struct {
		b, c, x, y, s *graphs.Variable
		x0            int64
		b0, c0        bool
		stage         int
		waiting       []graphs.Handle // sends on their way here
	}
	stages := [...]string{"idle", "req", "cs", "done"}
	processes := make([]*process, n)
	for i := range processes {
		id := b.Process(fmt.Sprintf("P%d", i))
		v := func(name string) *graphs.Variable { return b.Variable(id, name) }
		p := &process{b: v("b"), c: v("c"), x: v("x"), y: v("y"), s: v("s"), x0: r.Int64N(4), b0: r.IntN(3) == 0}
		b.Init(p.b, graphs.Boolean(p.b0))
		b.Init(p.c, graphs.Boolean(false))
		b.Init(p.x, graphs.Int(p.x0))
		b.Init(p.y, graphs.Int(r.Int64N(3)))
		b.Init(p.s, graphs.Str(stages[0]))
		processes[i] = p
	}
	// Events are spread at random, so the processes have about the same number.
	for range n * each {
		i := r.IntN(n)
		p, e := processes[i], b.Event(i)
		// A message on its way is received by every other event; only events that
		// receive nothing send.
		if len(p.waiting) > 0 && r.IntN(2) == 0 {
			// The oldest message first: channels keep their order.
			b.Deliver(b.NewMessage(""), p.waiting[0], e, -1)
			p.waiting = p.waiting[1:]
		} else if to := r.IntN(n); r.Float64() < messages && to != i {
			processes[to].waiting = append(processes[to].waiting, e)
		}
		// b changes often, c seldom, so that predicates of both kinds of rate occur.
		if r.IntN(4) == 0 {
			p.b0 = !p.b0
			b.Set(p.b, e, graphs.Boolean(p.b0))
		}
		if r.IntN(10) == 0 {
			p.c0 = !p.c0
			b.Set(p.c, e, graphs.Boolean(p.c0))
		}
		// x steps by one, so that bounds on sums can be met one after the other, and
		// starts again now and then.
		switch r.IntN(12) {
		case 0:
			p.x0 = 0
			b.Set(p.x, e, graphs.Int(p.x0))
		case 1, 2:
			p.x0 = min(p.x0+1, 9)
			b.Set(p.x, e, graphs.Int(p.x0))
		case 3, 4:
			p.x0 = max(p.x0-1, 0)
			b.Set(p.x, e, graphs.Int(p.x0))
		}
		if r.IntN(8) == 0 {
			b.Set(p.y, e, graphs.Int(r.Int64N(4)))
		}
		if r.IntN(6) == 0 {
			p.stage = (p.stage + 1) % len(stages)
			b.Set(p.s, e, graphs.Str(stages[p.stage]))
		}
	}
	// An error here is one of this program: the draws obey the rules of the builder.
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}
