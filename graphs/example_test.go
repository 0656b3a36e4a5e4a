package graphs_test

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// The computation of Sen and Garg, Figure 1: two processes of three events, and a
// message from the first event of P2 to the first event of P1.
func Example() {
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
		fmt.Println(err)
		return
	}
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
