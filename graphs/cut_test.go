package graphs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// Cuts with Join, Meet and Within are a distributive lattice.
func TestCutsAreADistributiveLattice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	draw := func() graphs.Cut { return graphs.Cut{r.Int32N(3), r.Int32N(3), r.Int32N(3)} }
	for range graphtest.Rounds(t, 10_000) {
		c, d, e := draw(), draw(), draw()
		before := [3]graphs.Cut{c.Clone(), d.Clone(), e.Clone()}
		for law, holds := range map[string]bool{
			"order is reflexive":                c.Within(c),
			"order is antisymmetric":            !(c.Within(d) && d.Within(c)) || c.Equal(d),
			"order is transitive":               !(c.Within(d) && d.Within(e)) || c.Within(e),
			"Within is Join":                    c.Within(d) == c.Join(d).Equal(d),
			"Within is Meet":                    c.Within(d) == c.Meet(d).Equal(c),
			"Join commutes":                     c.Join(d).Equal(d.Join(c)),
			"Meet commutes":                     c.Meet(d).Equal(d.Meet(c)),
			"Join is associative":               c.Join(d.Join(e)).Equal(c.Join(d).Join(e)),
			"Meet is associative":               c.Meet(d.Meet(e)).Equal(c.Meet(d).Meet(e)),
			"Join absorbs":                      c.Join(c.Meet(d)).Equal(c),
			"Meet absorbs":                      c.Meet(c.Join(d)).Equal(c),
			"Meet distributes":                  c.Meet(d.Join(e)).Equal(c.Meet(d).Join(c.Meet(e))),
			"Join distributes":                  c.Join(d.Meet(e)).Equal(c.Join(d).Meet(c.Join(e))),
			"Size is modular":                   c.Size()+d.Size() == c.Join(d).Size()+c.Meet(d).Size(),
			"a strict subset is smaller":        !c.Within(d) || c.Equal(d) || c.Size() < d.Size(),
			"operations leave their operands":   c.Equal(before[0]) && d.Equal(before[1]) && e.Equal(before[2]),
			"Equal tells apart what Size tells": c.Size() == d.Size() || !c.Equal(d),
		} {
			if !holds {
				t.Fatalf("%s: not for %v, %v, %v", law, c, d, e)
			}
		}
	}
}

func TestCloneOfNoProcesses(t *testing.T) {
	if (graphs.Cut{}).Clone() == nil {
		t.Error("the only cut of no processes becomes none")
	}
}

func TestCloneIsIndependent(t *testing.T) {
	c := graphs.Cut{1, 2}
	d := c.Clone()
	d[0] = 5
	if c[0] != 1 {
		t.Error("a change of the clone changes the cut")
	}
}

func TestBoundsAreLeastAndGreatestCut(t *testing.T) {
	empty := 0
	everyLattice(t, 2_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		if c.Empty() != (len(l.Cuts) == 0) {
			t.Errorf("empty is %v, and there are %d cuts", c.Empty(), len(l.Cuts))
			return
		}
		if c.Empty() {
			empty++
			return
		}
		if !c.Initial().Equal(l.Cuts[l.Initial]) || !c.Final().Equal(l.Cuts[l.Final]) {
			t.Errorf("from %v to %v, not from %v to %v", c.Initial(), c.Final(), l.Cuts[l.Initial], l.Cuts[l.Final])
		}
	})
	if empty < graphtest.Rounds(t, 20) {
		t.Errorf("only %d computations without a cut", empty)
	}
}

// Consistent accepts the cuts and nothing else, for all tuples; after From only
// the cuts that contain the new initial one.
func TestConsistent(t *testing.T) {
	everyLattice(t, 1_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		if c.Empty() {
			return
		}
		from := l.Cuts[pick(r, l)]
		d := c.From(from)
		cut := make(graphs.Cut, c.NumProcesses())
		var try func(p int)
		try = func(p int) {
			if p == len(cut) {
				is := l.Index(cut) >= 0
				if c.Consistent(cut) != is {
					t.Errorf("%v is consistent: %v", cut, is)
				}
				if d.Consistent(cut) != (is && from.Within(cut)) {
					t.Errorf("%v is a cut from %v: %v", cut, from, !d.Consistent(cut))
				}
				return
			}
			for k := range c.Len(p) + 1 {
				cut[p] = int32(k)
				try(p + 1)
			}
		}
		try(0)
	})
}

// Executing an enabled meta-event leads to the next cuts of the lattice, and every
// next cut is reached so: one step of a run is one meta-event.
func TestEnabledAndExecuteAreTheSteps(t *testing.T) {
	everyLattice(t, 2_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		for i, cut := range l.Cuts {
			var next []int
			for e := graphs.Bottom; e <= c.Top(); e++ {
				if !c.Enabled(cut, e) {
					continue
				}
				j := l.Index(c.Execute(cut, e))
				next = append(next, j)
				if j < 0 || !c.Has(l.Cuts[j], e) {
					t.Errorf("%s at %v leads to cut %d", c.ID(e), cut, j)
				}
			}
			slices.Sort(next)
			if next = slices.Compact(next); !slices.Equal(next, l.Steps[i]) {
				t.Errorf("%v steps to %v, not to %v", cut, next, l.Steps[i])
			}
		}
	})
}

func TestAboveAndBelow(t *testing.T) {
	everyLattice(t, 2_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		if c.Empty() {
			return
		}
		if r.IntN(4) == 0 {
			l.Initial = pick(r, l)
			c = c.From(l.Cuts[l.Initial])
		}
		cut := l.Cuts[pick(r, l)]
		if !l.Cuts[l.Initial].Within(cut) {
			return
		}
		var some []graphs.Event
		for range r.IntN(4) {
			some = append(some, graphs.Event(r.IntN(int(c.Top()+1))))
		}
		has := func(d graphs.Cut, want bool) bool {
			return !slices.ContainsFunc(some, func(e graphs.Event) bool { return c.Has(d, e) != want })
		}
		var least, greatest graphs.Cut
		for _, d := range l.Cuts {
			if cut.Within(d) && has(d, true) && (least == nil || d.Within(least)) {
				least = d
			}
			if l.Cuts[l.Initial].Within(d) && d.Within(cut) && has(d, false) && (greatest == nil || greatest.Within(d)) {
				greatest = d
			}
		}
		before := cut.Clone()
		if got, ok := c.Above(cut, some...); ok != (least != nil) || ok && !got.Equal(least) {
			t.Errorf("above %v with %v: %v (%v), not %v", cut, some, got, ok, least)
		}
		if got, ok := c.Below(cut, some...); ok != (greatest != nil) || ok && !got.Equal(greatest) {
			t.Errorf("below %v without %v: %v (%v), not %v", cut, some, got, ok, greatest)
		}
		if !cut.Equal(before) {
			t.Errorf("%v was changed to %v", before, cut)
		}
	})
}

// The cuts of a computation with added edges are those of the computation that
// respect them; what With computes is as true of it as of one that was built.
func TestWith(t *testing.T) {
	empty := 0
	everyLattice(t, 1_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		if c.Empty() {
			return
		}
		from := l.Cuts[l.Initial]
		if r.IntN(3) == 0 {
			from = l.Cuts[pick(r, l)]
			c = c.From(from)
		}
		var added []graphs.Edge
		for range r.IntN(4) {
			e, f := graphs.Event(r.IntN(int(c.Top()+1))), graphs.Event(r.IntN(int(c.Top()+1)))
			added = append(added, graphs.Edge{From: e, To: f})
		}
		d := c.With(added)
		m := graphtest.NewLattice(d)
		var want []graphs.Cut
		for _, cut := range l.Cuts {
			broken := func(e graphs.Edge) bool { return e.From != e.To && c.Has(cut, e.To) && !c.Has(cut, e.From) }
			if !slices.ContainsFunc(added, broken) {
				want = append(want, cut)
			}
		}
		if !slices.EqualFunc(m.Cuts, want, graphs.Cut.Equal) {
			t.Errorf("%v leave %v, not %v", added, m.Cuts, want)
		}
		want = slices.DeleteFunc(want, func(cut graphs.Cut) bool { return !from.Within(cut) })
		if d.Empty() != (len(want) == 0) {
			t.Errorf("%v leave %v, empty is %v", added, want, d.Empty())
		}
		if d.Empty() {
			empty++
			return
		}
		if !d.Initial().Equal(want[0]) || !d.Final().Equal(want[len(want)-1]) {
			t.Errorf("from %v to %v, not from %v to %v", d.Initial(), d.Final(), want[0], want[len(want)-1])
		}
		for i, cut := range m.Cuts {
			var next []int
			for _, e := range events(d) {
				if d.Enabled(cut, e) {
					next = append(next, m.Index(d.Execute(cut, e)))
				}
			}
			slices.Sort(next)
			if next = slices.Compact(next); from.Within(cut) && !slices.Equal(next, m.Steps[i]) {
				t.Errorf("%v steps to %v, not to %v", cut, next, m.Steps[i])
			}
		}
	})
	if empty < graphtest.Rounds(t, 20) {
		t.Errorf("only %d computations became empty", empty)
	}
}
