package ist

import (
	"math"
	"slices"
)

// Arrange returns an order of variables that puts related ones near each other. v and w are related
// if related[v][w] or related[w][v] is not 0. cost[v] is the cost of remembering the value of v:
// the logarithm of the number of values that make a difference.
//
// A place between two neighbours of an order has to remember the variables on its left that are
// related to some on its right, or those on its right that are related to some on its left,
// whichever cost less. The price of an order is the sum over all places of the exponential of that
// cost, which bounds the number of nodes. Arrange chooses the cheapest of the given order and of
// orders grown greedily from single variables, and then moves single variables while that lowers
// the price.
//
// The time complexity of Arrange is O(k⁴) for k variables, up to maxSeeds, and O(k³) beyond, with
// four starts and no moves.
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

// maxSeeds is the greatest number of variables for which Arrange tries all starts and moves.
const maxSeeds = 32

type arrangement struct {
	cost []float64
	near [][]int
}

// price returns the logarithm of the sum of the exponentials of the costs of all places.
func (a *arrangement) price(order []int) float64 {
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	// Places on the left of v remember it from its first related variable on, and places on its
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

// grow returns the order that starts with v and always continues with the variable that leaves the
// least to remember.
func (a *arrangement) grow(v int) []int {
	k := len(a.cost)
	order := make([]int, 0, k)
	placed := make([]bool, k)
	open := make([]int, k) // how many variables not yet placed each is related to
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
				price += 1e6 // prefer variables related to placed ones
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

// moved returns a copy of order with the variable at index from moved to index to.
func moved(order []int, from, to int) []int {
	v := order[from]
	return slices.Insert(slices.Delete(slices.Clone(order), from, from+1), to, v)
}
