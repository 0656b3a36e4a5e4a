package lattice

import "github.com/pota-project/pota/graphs/dense"

// rank orders the processes for choose: it simulates the elimination of one
// process after the other from the graph of links, each time of one that makes
// the fewest new neighbours, and among these one with the fewest edges. What goes
// last separates the most and has the lowest rank. (The min-fill heuristic for
// elimination orders.)
//
// The time complexity of rank is O(n³·n/64), and for more than 512 processes, where
// it counts neighbours instead, O(n²).
func (k *counter) rank() []int32 {
	n := len(k.into)
	adjacent := make([]dense.Set, n)
	weight := make([]int, n)
	for p := range adjacent {
		adjacent[p] = dense.NewSet(n)
	}
	for _, links := range k.into {
		for _, l := range links {
			if p, q := l.source, l.target; p != q {
				adjacent[p].Add(int(q))
				adjacent[q].Add(int(p))
				weight[p] += len(l.from)
				weight[q] += len(l.from)
			}
		}
	}
	cost := func(p int) int {
		if n > 512 {
			return adjacent[p].Len()
		}
		missing := 0
		for q := range adjacent[p].All() {
			missing += adjacent[p].LenWithout(adjacent[q]) - 1 // not counting q itself
		}
		return missing
	}
	rank := make([]int32, n)
	gone := make([]bool, n)
	for left := n - 1; left >= 0; left-- {
		best, least := -1, 0
		for p := range n {
			if gone[p] {
				continue
			}
			if c := cost(p); best < 0 || c < least || c == least && weight[p] < weight[best] {
				best, least = p, c
			}
		}
		gone[best] = true
		rank[best] = int32(left)
		eliminate(adjacent, best)
	}
	return rank
}

// eliminate takes p out of a graph and connects its neighbours.
func eliminate(adjacent []dense.Set, p int) {
	for q := range adjacent[p].All() {
		adjacent[q].AddAll(adjacent[p])
		adjacent[q].Remove(q)
		adjacent[q].Remove(p)
	}
}
