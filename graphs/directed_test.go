package graphs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/multi"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

func ids(nodes graph.Nodes) []graphs.Event {
	var all []graphs.Event
	for nodes.Next() {
		all = append(all, graphs.Event(nodes.Node().ID()))
	}
	return all
}

// The view has the edges that were given and no others, the same from both ends.
func TestDirectedEdges(t *testing.T) {
	everyLattice(t, 300, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		want := make(map[graphs.Edge]bool)
		add := func(from, to graphs.Event) {
			implied := from > graphs.Bottom && to < c.Top() && c.Process(from) == c.Process(to) && from+1 < to
			if from != to && !implied {
				want[graphs.Edge{From: from, To: to}] = true
			}
		}
		for p := range c.NumProcesses() {
			last := graphs.Bottom
			for k := 1; k <= c.Len(p); k++ {
				add(last, c.Event(p, k))
				last = c.Event(p, k)
			}
			if last != graphs.Bottom {
				add(last, c.Top())
			}
		}
		if c.NumEvents() == 0 {
			add(graphs.Bottom, c.Top())
		}
		for _, e := range events(c) {
			for _, f := range c.Preds(e) {
				add(f, e)
			}
		}
		for _, m := range c.Messages() {
			if m.Recv != graphs.Bottom {
				add(m.Send, m.Recv)
			}
		}
		for _, g := range c.Edges() {
			add(g.From, g.To)
		}
		d := c.Directed()
		for e := graphs.Bottom; e <= c.Top(); e++ {
			from, to := ids(d.From(int64(e))), ids(d.To(int64(e)))
			if !slices.IsSorted(from) || !slices.IsSorted(to) {
				t.Errorf("%v and %v are not in order", from, to)
			}
			for f := graphs.Bottom; f <= c.Top(); f++ {
				there, back := want[graphs.Edge{From: e, To: f}], want[graphs.Edge{From: f, To: e}]
				if slices.Contains(from, f) != there || slices.Contains(to, f) != back {
					t.Errorf("%s→%s is %v, back %v", c.ID(e), c.ID(f), !there, !back)
				}
			}
		}
	})
}

// The components that gonum finds are the meta-events; what reaches ⊥ is in ⊥'s
// component and in every cut, what ⊤ reaches is in ⊤'s and in none.
func TestStepsAreGonumsComponents(t *testing.T) {
	cyclic := 0
	everyLattice(t, 1_000, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		if c.Empty() {
			return
		}
		largest := 1
		for _, component := range topo.TarjanSCC(c.Directed()) {
			var members []graphs.Event
			for _, n := range component {
				members = append(members, graphs.Event(n.ID()))
			}
			slices.Sort(members)
			switch {
			case slices.Contains(members, graphs.Bottom):
				if len(members) != 1+c.Initial().Size() || !c.Has(c.Initial(), members[len(members)-1]) {
					t.Errorf("%v are in ⊥'s component, %v is the initial cut", members, c.Initial())
				}
			case slices.Contains(members, c.Top()):
				if len(members) != 1+c.NumEvents()-c.Final().Size() || len(members) > 1 && c.Has(c.Final(), members[0]) {
					t.Errorf("%v are in ⊤'s component, %v is the final cut", members, c.Final())
				}
			default:
				largest = max(largest, len(members))
				if !slices.Equal(c.Step(members[0]), members) {
					t.Errorf("%v is the step of %v", c.Step(members[0]), members)
				}
			}
		}
		if largest > 1 {
			cyclic++
			if !c.Cyclic() {
				t.Error("cyclic without knowing it")
			}
		}
		for _, e := range events(c) {
			for _, f := range events(c) {
				if c.SameStep(e, f) != slices.Contains(c.Step(e), f) {
					t.Errorf("SameStep(%d, %d) is %v", e, f, c.SameStep(e, f))
				}
			}
		}
	})
	if cyclic < graphtest.Rounds(t, 100) {
		t.Errorf("only %d computations with a larger meta-event", cyclic)
	}
}

// An acyclic computation has an order in which gonum sorts it too.
func TestTopologicalIsGonumsOrder(t *testing.T) {
	everyLattice(t, 300, func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice) {
		if c.Empty() {
			return
		}
		_, err := topo.Sort(c.Directed())
		all := c.Final().Size() - c.Initial().Size()
		if acyclic := !c.Cyclic() && all == c.NumEvents(); (err == nil) != acyclic {
			t.Errorf("gonum's verdict is %v", err)
			return
		}
		if err != nil {
			return
		}
		at := make([]int, c.Top()+1)
		for i, e := range c.Topological(c.Initial(), c.Final()) {
			at[e] = i + 1
		}
		at[c.Top()] = c.NumEvents() + 1
		g := c.Directed()
		for from := g.Nodes(); from.Next(); {
			e := from.Node().ID()
			for to := g.From(e); to.Next(); {
				if f := to.Node().ID(); at[e] >= at[f] {
					t.Errorf("%v is not before %v", e, f)
				}
			}
		}
	})
}

// Components agrees with gonum on graphs of any shape, and numbers components
// against the edges.
func TestComponents(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 16))
		n := r.IntN(12)
		succ := make([][]int32, n)
		g := multi.NewDirectedGraph()
		for v := range n {
			g.AddNode(multi.Node(v))
		}
		for range r.IntN(2*n + 1) {
			v, w := r.IntN(n), r.IntN(n)
			succ[v] = append(succ[v], int32(w))
			if v != w {
				g.SetLine(g.NewLine(multi.Node(v), multi.Node(w)))
			}
		}
		component, count := graphs.Components(n, func(v int32, buf []int32) []int32 { return append(buf, succ[v]...) })
		sccs := topo.TarjanSCC(g)
		if count != len(sccs) || len(component) != n {
			t.Fatalf("seed %d: %d components, not %d", seed, count, len(sccs))
		}
		for _, scc := range sccs {
			for _, v := range scc {
				if component[v.ID()] != component[scc[0].ID()] {
					t.Fatalf("seed %d: %v are not in one component: %v", seed, scc, component)
				}
			}
		}
		for v := range succ {
			for _, w := range succ[v] {
				if component[v] < component[w] {
					t.Fatalf("seed %d: edge %d→%d goes to a higher component: %v", seed, v, w, component)
				}
			}
		}
	}
}

func TestDirectedHasNoOthers(t *testing.T) {
	var b graphs.Builder
	b.Event(b.Process("P"))
	g := mustBuild(t, &b).Directed()
	for _, id := range []int64{-1, 3} {
		if g.Node(id) != nil || g.From(id).Len() != 0 || g.To(id).Len() != 0 {
			t.Errorf("there is a node %d", id)
		}
	}
	if g.Edge(0, 2) != nil || g.Edge(1, 0) != nil {
		t.Error("there are edges that skip an event or lead back")
	}
	e := g.Edge(0, 1).ReversedEdge()
	if e.From().ID() != 1 || e.To().ID() != 0 {
		t.Errorf("the reversed edge is %v", e)
	}
}
