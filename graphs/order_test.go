package graphs_test

import (
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// Topological is a run between any two cuts: meta-event after meta-event it passes
// through cuts only, each one step from the last.
func TestTopologicalIsARun(t *testing.T) {
	everyLattice(t, 2_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		if c.Empty() {
			return
		}
		i, j := l.Initial, l.Final
		if r.IntN(3) > 0 {
			if i, j = pick(r, l), pick(r, l); !l.Cuts[i].Within(l.Cuts[j]) {
				i = l.Index(l.Cuts[i].Meet(l.Cuts[j]))
			}
		}
		from, to := l.Cuts[i], l.Cuts[j]
		order := c.Topological(from, to)
		if again := c.Topological(from, to); !slices.Equal(order, again) {
			t.Errorf("%v the first time, %v the second", order, again)
		}
		if all, twin := c.Order(), c.Topological(c.NoEvents(), c.AllEvents()); !slices.Equal(all, twin) {
			t.Errorf("%v, and %v from no events to all", all, twin)
		}
		cut := from.Clone()
		for k := 0; k < len(order); {
			step := c.Step(order[k])
			if k+len(step) > len(order) || !slices.Equal(order[k:k+len(step)], step) {
				t.Errorf("%v: %v do not stand together", order, step)
				return
			}
			for _, e := range step {
				p := c.Process(e)
				if cut[p]++; int(cut[p]) != c.Position(e) {
					t.Errorf("%v: %s out of order", order, c.ID(e))
				}
			}
			next := l.Index(cut)
			if !slices.Contains(l.Steps[i], next) {
				t.Errorf("%v is no step from %v", cut, l.Cuts[i])
				return
			}
			i = next
			k += len(step)
		}
		if i != j {
			t.Errorf("%v leads from %v to %v, not to %v", order, from, cut, to)
		}
	})
}

// An unrolled run passes through the same cuts; in it messages are received after they are sent.
func TestUnrolled(t *testing.T) {
	moved := 0
	everyLattice(t, 2_000, func(t *testing.T, _ *rand.Rand, c *graphs.Computation, _ *graphtest.Lattice) {
		if c.Empty() {
			return
		}
		run := c.Topological(c.Initial(), c.Final())
		got, cut := c.Unrolled(run), c.Initial().Clone()
		if !slices.Equal(got, run) {
			moved++
		}
		for k, e := range got {
			if len(got) != len(run) || !c.SameStep(e, run[k]) || int(cut[c.Process(e)])+1 != c.Position(e) {
				t.Fatalf("%v became %v", run, got)
			}
			for _, f := range c.Causes(e) {
				if !c.Has(cut, f) {
					t.Errorf("%v: %s stands before %s", got, c.ID(e), c.ID(f))
				}
			}
			cut[c.Process(e)]++
		}
	})
	if moved == 0 {
		t.Error("all were in order")
	}
}

// A step may be as deep as a process is long.
func TestUnrolledIsDeep(t *testing.T) {
	const n = 200_000
	defer debug.SetMaxStack(debug.SetMaxStack(8 << 20))
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	late, first := b.Event(p), b.Event(q)
	last := first
	for range n {
		last = b.Event(q)
	}
	b.Sync(late, first)
	b.Deliver(b.NewMessage(""), last, late, 0)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if run := c.Unrolled(c.Topological(c.Initial(), c.Final())); len(run) != n+2 || c.Process(run[n+1]) != p {
		t.Errorf("%d events, the last of process %d", len(run), c.Process(run[len(run)-1]))
	}
}

// A process continues while it is enabled.
func TestTopologicalOrder(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	b.Event(p)
	p2 := b.Event(p)
	b.Event(p)
	b.Event(q)
	q2 := b.Event(q)
	b.Order(q2, p2)
	c := mustBuild(t, &b)
	got := c.Topological(c.Initial(), c.Final())
	if want := []graphs.Event{1, 4, 5, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

func TestLastBeforeIsTheClosure(t *testing.T) {
	everyLattice(t, 500, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		reach := closure(c)
		for p := range c.NumProcesses() {
			last := c.LastBefore(p)
			for _, e := range events(c) {
				want := 0
				for k := 1; k <= c.Len(p); k++ {
					if reach[c.Event(p, k)][e] {
						want = k
					}
				}
				if int(last[e]) != want {
					t.Errorf("the last event of %d before %s is the %d-th, not the %d-th", p, c.ID(e), last[e], want)
				}
			}
		}
	})
}
