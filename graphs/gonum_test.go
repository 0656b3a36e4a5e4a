//go:build peers

// What needs gonum's matrices, which take longer to compile than this package and its tests.

package graphs_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/testgraph"

	"github.com/pota-project/pota/graphs"
)

// conform makes a computation of a graph of gonum's test suite: each node is the
// only event of a process, each edge a general edge. What the view adds, ⊥ and ⊤
// and their edges, is added to the nodes and edges that the suite expects.
func conform(nodes []graph.Node, lines []testgraph.WeightedLine, self, absent float64) (graph.Graph, []graph.Node, []testgraph.Edge, float64, float64, bool) {
	var b graphs.Builder
	handle := make(map[int64]graphs.Handle)
	add := func(n graph.Node) {
		if _, ok := handle[n.ID()]; !ok {
			handle[n.ID()] = b.Event(b.Process(string(rune('a' + len(handle)))))
		}
	}
	for _, n := range nodes {
		add(n)
	}
	seen := make(map[[2]graphs.Handle]bool)
	var pairs [][2]graphs.Handle
	for _, l := range lines {
		add(l.From())
		add(l.To())
		pair := [2]graphs.Handle{handle[l.From().ID()], handle[l.To().ID()]}
		if pair[0] != pair[1] && !seen[pair] {
			seen[pair] = true
			pairs = append(pairs, pair)
			b.Edge(pair[0], pair[1])
		}
	}
	c, err := b.Build()
	if err != nil {
		return nil, nil, nil, self, absent, false
	}
	g := c.Directed()
	var allNodes []graph.Node
	for id := range int64(c.Top()) + 1 {
		allNodes = append(allNodes, g.Node(id))
	}
	var edges []testgraph.Edge
	addEdge := func(from, to graphs.Event) { edges = append(edges, g.Edge(int64(from), int64(to))) }
	for _, pair := range pairs {
		addEdge(graphs.Event(pair[0])+1, graphs.Event(pair[1])+1)
	}
	for e := graphs.Bottom + 1; e < c.Top(); e++ {
		addEdge(graphs.Bottom, e)
		addEdge(e, c.Top())
	}
	if c.NumEvents() == 0 {
		addEdge(graphs.Bottom, c.Top())
	}
	return g, allNodes, edges, self, absent, true
}

func TestDirectedConforms(t *testing.T) {
	t.Run("NodeExistence", func(t *testing.T) { testgraph.NodeExistence(t, conform) })
	t.Run("EdgeExistence", func(t *testing.T) { testgraph.EdgeExistence(t, conform, true) })
	t.Run("ReturnAdjacentNodes", func(t *testing.T) { testgraph.ReturnAdjacentNodes(t, conform, true, true) })
	t.Run("ReturnAllNodes", func(t *testing.T) { testgraph.ReturnAllNodes(t, conform, true) })
	t.Run("ReturnNodeSlice", func(t *testing.T) { testgraph.ReturnNodeSlice(t, conform, true) })
}

// A shortest path from one event to another explains, in as few steps as possible, why the one
// happened before the other.
func ExampleComputation_Directed_shortestPath() {
	c := figure1()
	from, _ := c.Lookup("P2:1")
	to, _ := c.Lookup("P1:3")
	g := c.Directed()
	chain, length := path.DijkstraFrom(g.Node(int64(from)), g).To(int64(to))
	fmt.Println(names(c, chain), length)
	// Output:
	// [P2:1 P1:1 P1:2 P1:3] 3
}
