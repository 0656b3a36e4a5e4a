package infer

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// An order of literals: below[p] has q if p implies q in each state of each good run.
//
// For example, where leader is only ever true with up, below[leader] has up. Then "no two
// processes are up at once" says more than "no two processes are leader at once", and the second
// goes below the first.
type order struct {
	*vocabulary
	below []dense.Set
}

// orderOf finds the order of the literals.
func orderOf(v *vocabulary, good []*facts) order {
	o := order{v, newSets(len(v.literals))}
	for p := range v.literals {
		for q := range v.literals {
			without := func(f *facts) bool { return f.same[p].Has(v.literals[q].negation) }
			alike := v.literals[p].variable.class == v.literals[q].variable.class
			if p == q || alike && !slices.ContainsFunc(good, without) {
				o.below[p].Add(q)
			}
		}
	}
	return o
}

// has reports whether p implies q.
func (o order) has(p, q int) bool { return o.below[p].Has(q) }

// implied reports whether a candidate follows from another: whoever adopts that needs no other.
// What relates their states was seen in all good runs.
//
// The order was seen in the good runs and is not proved, so a consequence folds a line and never
// decides one.
func (o order) implied(c, by *candidate) bool {
	a, b := c.literals, by.literals
	from, to := by.template.name, c.template.name
	if len(a) == 0 || c.formula == by.formula {
		return false
	}
	if len(b) == 0 {
		// No two have the same value but the first, so no two have this one.
		l := o.literals[a[0]]
		return from == "unique" && to == "mutex" && l.variable == by.key && l.relation == equal && l.value != by.key.first()
	}
	switch {
	case from == "mutex" && to == "unique", from == "unique" && to == "unique" && c.key == by.key:
		return o.has(a[0], b[0])
	case (from == "mutex" || from == "exclude" || from == "implies") && (to == "mutex" || to == "exclude" || to == "implies"):
		// States within others exclude each other where those do.
		return c.apart == by.apart &&
			(o.has(a[0], b[0]) && o.has(a[1], b[1]) || o.has(a[0], b[1]) && o.has(a[1], b[0]))
	case from == "named" && to == "named":
		return c.key == by.key && o.has(b[0], a[0]) && c.cost >= by.cost
	case from == "responds" && to == "responds":
		// An earlier occasion, and a later state.
		return (c.apart || !by.apart) && o.has(a[0], b[0]) && o.has(b[1], a[1])
	case from == "recurs" && to == "responds":
		return o.has(b[0], a[1])
	case from == "recurs" && (to == "reaches" || to == "recurs"):
		return o.has(b[0], a[0])
	case from == "stable" && to == "once":
		return a[0] == b[0]
	case from == "reaches" && to == "reaches":
		return (c.apart || !by.apart) && o.has(b[0], a[0])
	case from == "some" && to == "some", from == "some" && to == "reaches" && c.apart:
		return o.has(b[0], a[0])
	case from == "precedes" && to == "precedes":
		return c.apart == by.apart && o.has(b[0], a[0]) && o.has(a[1], b[1])
	}
	return false
}

// A group is a candidate with its consequences.
type group struct {
	*candidate
	implied []*candidate
}

// fold puts candidates that follow from others under the first of these. Of candidates that follow
// from each other, the first in the list stays.
//
// It compares all pairs, O(n²) for n candidates; maxFolded bounds n.
func (o order) fold(all []*candidate) []*group {
	// Stronger ones may come later in the list, so each looks at all.
	var groups []*group
	index := make(map[*candidate]*group)
	top := make([]int, len(all))
	for i, c := range all {
		top[i] = i
		for k, by := range all {
			if i != k && o.implied(c, by) && (k < i || !o.implied(by, c)) {
				top[i] = k
				break
			}
		}
	}
	// A group stands where the best of it would: the strongest may be the least telling.
	for i, c := range all {
		k := i
		// Chains of consequences end at their strongest. steps guards against a circle of three or
		// more.
		for steps := 0; top[k] != k && steps < len(all); steps++ {
			k = top[k]
		}
		g := index[all[k]]
		if g == nil {
			g = &group{candidate: all[k]}
			index[all[k]] = g
			groups = append(groups, g)
		}
		if k != i {
			g.implied = append(g.implied, c)
		}
	}
	return groups
}
