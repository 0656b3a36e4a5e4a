package ist

import (
	"math"
	"slices"
)

// Arrange returns an order of variables with related ones near each other. related[v][w] says how
// closely v and w are, 0 for not at all; it is read both ways. cost[v] is the cost of remembering
// the value of v, the logarithm of the number of values that make a difference.
//
// A place between two neighbours of an order has to keep in mind the variables on its left that
// have relations to the right, or those on the right that have some to the left, whichever is less.
// Orders are compared by the sum over all places of the exponential of that: it bounds the number
// of nodes. Arrange takes the best of the given order, and of orders grown greedily from each
// variable, and moves single variables as long as that makes it better.
//
// The time complexity of Arrange is O(k⁴) for up to 64 variables, O(k³) otherwise.
func Arrange(related [][]int64, cost []float64) []int {
	k := len(cost)
	a := &arrangement{cost: cost, near: make([][]int, k)}
	for v := range k {
		for w := range k {
			if v != w && (related[v][w] != 0 || related[w][v] != 0) {
				a.near[v] = append(a.near[v], w)
			}
		}
	}
	best := make([]int, k)
	for v := range best {
		best[v] = v
	}
	least := a.price(best)
	seeds := k
	if k > maxSeeds {
		seeds = 4
	}
	for i := range seeds {
		order := a.grow(i * k / max(seeds, 1))
		if p := a.price(order); p < least-1e-9 {
			best, least = order, p
		}
	}
	for round := 0; round < 4 && k <= maxSeeds; round++ {
		better := false
		for v := range k {
			for to := range k {
				order := moved(best, v, to)
				if p := a.price(order); p < least-1e-9 {
					best = order
					least = p
					better = true
				}
			}
		}
		if !better {
			break
		}
	}
	return best
}

// maxSeeds bounds the variables for trying all starts and moves.
const maxSeeds = 32

type arrangement struct {
	cost []float64
	near [][]int
}

// price returns the logarithm of the sum of exponentials of the places' costs.
func (a *arrangement) price(order []int) float64 {
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	// Variable v is kept in mind on its left from its first relation on, and on its
	// right until its last.
	from, until := make([]float64, len(order)+1), make([]float64, len(order)+1)
	for i, v := range order {
		first, last := i, i
		for _, w := range a.near[v] {
			first, last = min(first, place[w]), max(last, place[w])
		}
		for j := i; j < last; j++ {
			until[j] += a.cost[v]
		}
		for j := first; j < i; j++ {
			from[j] += a.cost[v]
		}
	}
	most, sum := 0.0, 0.0
	for j := range order {
		most = max(most, min(from[j], until[j]))
	}
	for j := range order {
		sum += math.Exp(min(from[j], until[j]) - most)
	}
	return most + math.Log(sum)
}

// grow returns the order that starts with v and goes on with the variable that
// leaves the least to be kept in mind.
func (a *arrangement) grow(v int) []int {
	k := len(a.cost)
	order := make([]int, 0, k)
	placed := make([]bool, k)
	open := make([]int, k) // relations of each variable to ones not placed
	for w := range open {
		open[w] = len(a.near[w])
	}
	put := func(v int) {
		order = append(order, v)
		placed[v] = true
		for _, w := range a.near[v] {
			open[w]--
		}
	}
	put(v)
	for len(order) < k {
		best := -1
		least := 0.0
		ties := 0
		for w := range k {
			if placed[w] {
				continue
			}
			price, known := 0.0, 0
			if open[w] > 0 {
				price += a.cost[w]
			}
			for _, u := range a.near[w] {
				if placed[u] {
					known++
					if open[u] == 1 {
						price -= a.cost[u]
					}
				}
			}
			if known == 0 && len(a.near[w]) > 0 {
				price += 1e6 // one that continues what has been begun is better
			}
			if best < 0 || price < least || price == least && known > ties {
				best = w
				least = price
				ties = known
			}
		}
		put(best)
	}
	return order
}

// moved returns the order with the variable at one place moved to another.
func moved(order []int, from, to int) []int {
	v := order[from]
	return slices.Insert(slices.Delete(slices.Clone(order), from, from+1), to, v)
}
