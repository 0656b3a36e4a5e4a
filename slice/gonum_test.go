//go:build peers

// What needs gonum's matrices, which take longer to compile than this package and its tests.

package slice_test

import (
	"fmt"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/path"
)

// A shortest path tells why each cut of the slice with one event, take, has another.
func ExampleSlice_Directed_shortestPath() {
	s := settled()
	c := s.Of()
	from, _ := c.Lookup("put")
	to, _ := c.Lookup("take")
	for _, g := range []graph.Directed{c.Directed(), s.Directed()} {
		chain, length := path.DijkstraFrom(g.Node(int64(from)), g).To(int64(to))
		fmt.Println(names(c, chain), length)
	}
	// Output:
	// [] +Inf
	// [put receive send take] 3
}
