package lattice

import (
	"cmp"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// rank orders the processes of each component of the graph of links for Count. It eliminates one
// process after the other, and connects the neighbours of each. It always chooses a process with
// the fewest neighbours, and among these one with the fewest edges. The process eliminated last
// separates the others best, and has the lowest rank. (This is the minimum degree heuristic for
// elimination orders. Minimizing new neighbours instead takes longer and saves no intervals.) The
// error is ctx.Err(), or a *LimitError.
//
// The time complexity of rank is O(m²·(1+d/64)) for each component of m processes that have at most
// d neighbours when they are eliminated.
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
	number := make([]int32, len(k.into)) // the number of each process within its component
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

// rankOf ranks the members of a component. number has the number of each within the component.
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
	degree := make([]int, n)
	for p := range n {
		degree[p] = adjacent[p].Len()
	}
	gone := make([]bool, n)
	for left := n - 1; left >= 0; left-- {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		best := -1
		for p := range n {
			if !gone[p] && (best < 0 ||
				cmp.Or(cmp.Compare(degree[p], degree[best]), cmp.Compare(weight[p], weight[best])) < 0) {
				best = p
			}
		}
		gone[best] = true
		k.ranks[members[best]] = int32(left)
		for q := range adjacent[best].All() {
			adjacent[q].AddAll(adjacent[best])
			adjacent[q].Remove(q)
			adjacent[q].Remove(best)
			degree[q] = adjacent[q].Len()
		}
	}
	return nil
}
