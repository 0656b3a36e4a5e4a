package lattice

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// rank orders the processes of each component of the graph of links for Count: it simulates the
// elimination of one process after the other, each time of one that makes the fewest new
// neighbours, and among these one with the fewest edges. What goes last separates the most and has
// the lowest rank. (The min-fill heuristic for elimination orders.) The error is ctx.Err(), or a
// *LimitError.
//
// The time complexity of rank is O(m³·m/64) for each component of m processes, and for
// more than 512 processes, where it counts neighbours instead, O(m²·(1+d/64)), where the
// processes have d neighbours when they are eliminated.
func (k *counter) rank() error {
	k.ranks = make([]int32, len(k.into))
	component, count := graphs.Components(len(k.into), func(p int32, next []int32) []int32 {
		for _, l := range k.into[p] {
			next = append(next, l.source)
		}
		for _, l := range k.outof[p] {
			next = append(next, l.target)
		}
		return next
	})
	members := dense.Group(count, func(add func(int, int32)) {
		for p, at := range component {
			add(int(at), int32(p))
		}
	})
	number := make([]int32, len(k.into)) // within a component
	for at := range count {
		for i, p := range members.Row(at) {
			number[p] = int32(i)
		}
		if err := k.rankOf(members.Row(at), number); err != nil {
			return err
		}
	}
	return nil
}

// rankOf ranks the members of a component; number has their numbers.
func (k *counter) rankOf(members, number []int32) error {
	n := len(members)
	if n == 1 {
		return nil
	}
	if bytes := int64(n) * int64(n) / 8; k.lim.Bytes > 0 && bytes > k.lim.Bytes {
		return tooLarge(k.lim.Bytes)
	}
	adjacent := make([]dense.Set, n)
	weight := make([]int, n)
	for p := range adjacent {
		adjacent[p] = dense.NewSet(n)
	}
	for _, q := range members {
		for _, l := range k.into[q] {
			if p, q := number[l.source], number[l.target]; p != q {
				adjacent[p].Add(int(q))
				adjacent[q].Add(int(p))
				weight[p] += len(l.from)
				weight[q] += len(l.from)
			}
		}
	}
	cost := make([]int, n)
	count := func(p int) {
		if cost[p] = adjacent[p].Len(); n > maxFilled {
			return
		}
		cost[p] = 0
		for q := range adjacent[p].All() {
			cost[p] += adjacent[p].LenWithout(adjacent[q]) - 1 // not counting q itself
		}
	}
	for p := range n {
		count(p)
	}
	gone := make([]bool, n)
	for left := n - 1; left >= 0; left-- {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		best := -1
		for p := range n {
			if !gone[p] && (best < 0 || cost[p] < cost[best] || cost[p] == cost[best] &&
				weight[p] < weight[best]) {
				best = p
			}
		}
		gone[best] = true
		k.ranks[members[best]] = int32(left)
		eliminate(adjacent, best)
		if n > maxFilled {
			for q := range adjacent[best].All() {
				count(q)
			}
			continue
		}
		for p := range n {
			if !gone[p] {
				count(p)
			}
		}
	}
	return nil
}

// maxFilled bounds the processes of a component for counting new neighbours.
const maxFilled = 512

// eliminate takes p out of a graph and connects its neighbours.
func eliminate(adjacent []dense.Set, p int) {
	for q := range adjacent[p].All() {
		adjacent[q].AddAll(adjacent[p])
		adjacent[q].Remove(q)
		adjacent[q].Remove(p)
	}
}
