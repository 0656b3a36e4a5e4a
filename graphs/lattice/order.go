package lattice

import "math/bits"

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
	words := (n + 63) / 64
	adjacent := make([][]uint64, n)
	weight := make([]int, n)
	for p := range adjacent {
		adjacent[p] = make([]uint64, words)
	}
	for _, links := range k.into {
		for _, l := range links {
			if p, q := l.source, l.target; p != q {
				adjacent[p][q>>6] |= 1 << (q & 63)
				adjacent[q][p>>6] |= 1 << (p & 63)
				weight[p] += len(l.from)
				weight[q] += len(l.from)
			}
		}
	}
	cost := func(p int) int {
		degree, missing := 0, 0
		for w, set := range adjacent[p] {
			degree += bits.OnesCount64(set)
			for ; n <= 512 && set != 0; set &= set - 1 {
				q := w<<6 + bits.TrailingZeros64(set)
				for v := range words {
					missing += bits.OnesCount64(adjacent[p][v] &^ adjacent[q][v])
				}
				missing-- // q itself
			}
		}
		if n > 512 {
			return degree
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
		k.eliminate(adjacent, best)
	}
	return rank
}

// eliminate takes p out of a graph and connects its neighbours.
func (k *counter) eliminate(adjacent [][]uint64, p int) {
	for w, set := range adjacent[p] {
		for ; set != 0; set &= set - 1 {
			q := w<<6 + bits.TrailingZeros64(set)
			for v := range adjacent[q] {
				adjacent[q][v] |= adjacent[p][v]
			}
			adjacent[q][q>>6] &^= 1 << (q & 63)
			adjacent[q][p>>6] &^= 1 << (p & 63)
		}
	}
}
