package graphs_test

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// figure1 returns the computation of Sen and Garg, Figure 1: two processes of three
// events, and a message from the first event of P2 to the first event of P1.
func figure1() *graphs.Computation {
	var b graphs.Builder
	p1, p2 := b.Process("P1"), b.Process("P2")
	e1 := b.Event(p1)
	b.Event(p1)
	b.Event(p1)
	f1 := b.Event(p2)
	b.Event(p2)
	b.Event(p2)
	b.Deliver(b.NewMessage("m1"), f1, e1, -1)
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because f1 does not depend on e1: " + err.Error())
	}
	return c
}

// names returns the ids of the events that are nodes of a gonum graph.
func names(c *graphs.Computation, nodes []graph.Node) []string {
	var ids []string
	for _, n := range nodes {
		ids = append(ids, c.ID(graphs.Event(n.ID())))
	}
	return ids
}

func Example() {
	c := figure1()
	fmt.Println("e1 without f1:", c.Consistent(graphs.Cut{1, 0}))
	fmt.Println("f1 without e1:", c.Consistent(graphs.Cut{0, 1}))
	fmt.Println("consistent cuts:", len(graphtest.Cuts(c)))
	for _, e := range c.Topological(c.Initial(), c.Final()) {
		fmt.Print(c.ID(e), " ")
	}
	// Output:
	// e1 without f1: false
	// f1 without e1: true
	// consistent cuts: 13
	// P2:1 P2:2 P2:3 P1:1 P1:2 P1:3
}

// A topological sort of a computation is an order in which its events can happen.
func ExampleComputation_Directed_topologicalSort() {
	c := figure1()
	sorted, err := topo.SortStabilized(c.Directed(), nil)
	fmt.Println(names(c, sorted), err)
	// Output:
	// [⊥ P2:1 P1:1 P1:2 P1:3 P2:2 P2:3 ⊤] <nil>
}

// The strongly connected components of a computation are its meta-events. Where an
// edge leads to ⊥, the component of ⊥ is what all cuts have.
func ExampleComputation_Directed_stronglyConnectedComponents() {
	c := figure1().With([]graphs.Edge{
		{From: 3, To: 5},             // P1:3 → P2:2: a cut with P2:2 has P1:3
		{From: 5, To: 2},             // P2:2 → P1:2: and one with P1:2 has P2:2
		{From: 4, To: graphs.Bottom}, // P2:1 → ⊥: all cuts have P2:1
	})
	components := topo.TarjanSCC(c.Directed())
	slices.Reverse(components) // gonum lists what comes last first
	for _, component := range components {
		slices.SortFunc(component, func(m, n graph.Node) int { return int(m.ID() - n.ID()) })
		fmt.Println(names(c, component))
	}
	fmt.Println("the meta-event of P1:2 is", c.Step(2))
	fmt.Println("the initial cut is", c.Initial())
	// Output:
	// [⊥ P2:1]
	// [P1:1]
	// [P1:2 P1:3 P2:2]
	// [P2:3]
	// [⊤]
	// the meta-event of P1:2 is [2 3 5]
	// the initial cut is [0 1]
}
