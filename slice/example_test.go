package slice_test

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/slice"
)

// transfer returns a computation of two processes: A takes money out of an account,
// sends it, and gets an answer; B receives it, puts it into another account, and
// answers. inHand tells after how many events of each it has the money in hand.
func transfer() (c *graphs.Computation, inHand [2][]bool) {
	var b graphs.Builder
	p, q := b.Process("A"), b.Process("B")
	event := func(process int, id string) graphs.Handle {
		h := b.Event(process)
		b.SetID(h, []byte(id))
		return h
	}
	event(p, "take")
	send := event(p, "send")
	receive := event(q, "receive")
	event(q, "put")
	answer := event(q, "answer")
	done := event(p, "done")
	b.Deliver(b.NewMessage("money"), send, receive, -1)
	b.Deliver(b.NewMessage("ok"), answer, done, -1)
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because each message is received after it was sent: " + err.Error())
	}
	return c, [2][]bool{{false, true, false, false}, {false, true, false, false}}
}

// settled returns the slice for the cuts in which neither has money in hand, and none
// is under way.
func settled() *slice.Slice {
	c, inHand := transfer()
	slices := []*slice.Slice{slice.TransitAtMost(c, 0, 1, 0)}
	for p, is := range inHand {
		var events []graphs.Event
		holds := []bool{!is[0]}
		for k := 1; k <= c.Len(p); k++ {
			events = append(events, c.Event(p, k))
			holds = append(holds, !is[k])
		}
		slices = append(slices, slice.Chain(c, events, holds))
	}
	return slice.And(slices...)
}

// names returns the ids of the events that are nodes of a gonum graph.
func names(c *graphs.Computation, nodes []graph.Node) []string {
	var ids []string
	for _, n := range nodes {
		ids = append(ids, c.ID(graphs.Event(n.ID())))
	}
	return ids
}

// A predicate of each process, and their conjunction.
func Example() {
	s := settled()
	fmt.Println("after take and send:", s.Contains(graphs.Cut{2, 0}))
	fmt.Println("after put:", s.Contains(graphs.Cut{2, 2}))
	cut, _ := s.Above(graphs.Cut{1, 0})
	fmt.Println("the least cut after take:", cut)
	fmt.Println("edges:", s.Edges())
	fmt.Println("AG:", slice.AG(s).Contains(s.Of().Initial()), "EG:", slice.EG(s).Contains(s.Of().Initial()))
	// Output:
	// after take and send: false
	// after put: true
	// the least cut after take: [2 2]
	// edges: [{2 1} {4 2} {5 4}]
	// AG: false EG: false
}

// The strongly connected components of a slice are its meta-events: what the
// predicate lets happen only as a whole.
func ExampleSlice_Directed_stronglyConnectedComponents() {
	s := settled()
	components := topo.TarjanSCC(s.Directed())
	slices.Reverse(components) // gonum lists what comes last first
	for _, component := range components {
		slices.SortFunc(component, func(m, n graph.Node) int { return int(m.ID() - n.ID()) })
		fmt.Println(names(s.Of(), component))
	}
	// Output:
	// [⊥]
	// [take send receive put]
	// [answer]
	// [done]
	// [⊤]
}

// A slice whose components are all single events can be sorted; of another one, gonum
// tells which components are in the way.
func ExampleSlice_Directed_topologicalSort() {
	c, _ := transfer()
	early := slice.Chain(c, []graphs.Event{c.Event(0, 3)}, []bool{true, false}) // before done
	for _, s := range []*slice.Slice{slice.All(c), early, settled()} {
		sorted, err := topo.SortStabilized(s.Directed(), nil)
		if cyclic, ok := err.(topo.Unorderable); ok {
			fmt.Println("not sorted:", names(c, cyclic[0]))
			continue
		}
		fmt.Println(names(c, sorted))
	}
	// Output:
	// [⊥ take send receive put answer done ⊤]
	// not sorted: [done ⊤]
	// not sorted: [take send receive put]
}

// EG holds where the initial cut is in its slice: some run keeps to the predicate.
func ExampleEG() {
	s := settled()
	runs := slice.EG(s)
	fmt.Println("cuts from which a run stays settled:", !runs.Empty())
	never := slice.EG(slice.TransitAtLeast(s.Computation(), 0, 1, 1))
	fmt.Println("with money always under way:", !never.Empty())
	// Output:
	// cuts from which a run stays settled: true
	// with money always under way: false
}

// The example of the package's doc: x is 1 between the events e and f of P.
func ExampleChain() {
	var b graphs.Builder
	p := b.Process("P")
	for _, id := range []string{"e", "f"} {
		b.SetID(b.Event(p), []byte(id))
	}
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because no event needs another: " + err.Error())
	}
	s := slice.Chain(c, []graphs.Event{c.Event(p, 1), c.Event(p, 2)}, []bool{false, true, false})
	for _, e := range s.Edges() {
		fmt.Println(c.ID(e.From), "→", c.ID(e.To))
	}
	// Output:
	// e → ⊥
	// ⊤ → f
}
