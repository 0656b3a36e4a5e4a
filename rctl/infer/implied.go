package infer

// An order of literals: below[p] has q if p implies q in each state of each good run.
//
// For example, where leader is only ever true with up, below[leader] has up. Then "no two
// processes are up at once" says more than "no two processes are leader at once", and the second
// goes below the first.
type order []set

// orderOf finds the order of the literals.
func orderOf(v *vocabulary, good []*facts) order {
	n := len(v.literals)
	below := make(order, n)
	for p := range n {
		below[p] = newSet(n)
		for q := range n {
			not := v.literals[q].negation
			if p == q || v.literals[p].variable.class == v.literals[q].variable.class && !anySame(good, p, not) {
				below[p].add(q)
			}
		}
	}
	return below
}

func anySame(good []*facts, p, q int) bool {
	for _, f := range good {
		if f.same[p].has(q) {
			return true
		}
	}
	return false
}

// implied reports whether a candidate follows from another: whoever adopts that needs no other. What
// relates their states was seen in all good runs.
//
// The order was seen in the good runs and is not proved, so a consequence folds a line and never
// decides one.
func (o order) implied(c, by *candidate) bool {
	a, b := c.literals, by.literals
	from, to := by.template.name, c.template.name
	if len(a) == 0 || len(b) == 0 || c.formula == by.formula {
		return false
	}
	switch {
	case from == "mutex" && to == "unique", from == "unique" && to == "unique" && c.key == by.key:
		return o[a[0]].has(b[0])
	case (from == "mutex" || from == "exclude" || from == "implies") && (to == "mutex" || to == "exclude" || to == "implies"):
		// States within others exclude each other where those do.
		return c.apart == by.apart &&
			(o[a[0]].has(b[0]) && o[a[1]].has(b[1]) || o[a[0]].has(b[1]) && o[a[1]].has(b[0]))
	case from == "named" && to == "named":
		return c.key == by.key && o[b[0]].has(a[0]) && c.cost >= by.cost
	case from == "responds" && to == "responds":
		// An earlier occasion, and a later state.
		return (c.apart || !by.apart) && o[a[0]].has(b[0]) && o[b[1]].has(a[1])
	case from == "recurs" && to == "responds":
		return o[b[0]].has(a[1])
	case from == "recurs" && (to == "reaches" || to == "recurs"):
		return o[b[0]].has(a[0])
	case from == "stable" && to == "once":
		return a[0] == b[0]
	case from == "reaches" && to == "reaches":
		return (c.apart || !by.apart) && o[b[0]].has(a[0])
	case from == "some" && to == "some", from == "some" && to == "reaches" && c.apart:
		return o[b[0]].has(a[0])
	case from == "precedes" && to == "precedes":
		return c.apart == by.apart && o[b[0]].has(a[0]) && o[a[1]].has(b[1])
	}
	return false
}

// A group is a candidate with its consequences.
type group struct {
	*candidate
	implied []*candidate
}

// fold puts candidates that follow from others under the first of these. Of candidates that follow from
// each other, the first in the list stays.
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
