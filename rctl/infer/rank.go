package infer

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// maxWeight is the weight of a property that is worth adopting. Heavier ones are of use
// where a bad run breaks them.
const maxWeight = 3

// weigh returns the weight of a candidate, less for better ones: by its template, by the states
// that it names, and by how many good runs put it to the test.
func (s *search) weigh(c *candidate) int {
	weight := c.template.weight
	if slices.ContainsFunc(c.slots, func(l literal) bool { return l.rest }) {
		weight += 2
	}
	asked, in := s.asked(c)
	if 2*in < len(s.good) {
		weight += 4
	}
	// A response that each process was asked for once may have come by chance.
	if c.template.name == "responds" && asked < 2*len(s.good)*c.slots[0].variable.owners {
		weight += 2
	}
	return weight
}

// asked returns how often good runs put a candidate to the test, and how many of them do.
func (s *search) asked(c *candidate) (n, in int) {
	for _, r := range s.good {
		of := c.asked(r)
		n, in = n+of, in+min(of, 1)
	}
	return n, in
}

// rank sorts candidates, best first: by the bad runs that break them, by what a run that was cut
// off cannot break, by weight, and by how often good runs put them to the test.
func (s *search) rank(all []*candidate) {
	// Keys are compared in this order, smaller first: minus the bad runs that break it; 1 for
	// liveness if a bad run was cut off; weight; minus the tests by good runs. The sort is stable,
	// so ties keep the order of templates.
	value := make(map[*candidate][4]int)
	for _, c := range all {
		asked, _ := s.asked(c)
		v := [4]int{-c.breaks(s.bad), 0, s.weigh(c), -asked}
		if s.res.short && !c.template.safety {
			v[1] = 1
		}
		value[c] = v
	}
	slices.SortStableFunc(all, func(a, b *candidate) int {
		x, y := value[a], value[b]
		return slices.Compare(x[:], y[:])
	})
}

// An order of literals: at p it has q if p implies q in each state of each good run.
//
// For example, where leader is only ever true with up, the order has up at leader. Then "no two
// processes are up at once" says more than "no two processes are leader at once", and the second
// goes below the first.
type order []dense.Set

// orderOf finds the order of the literals.
func orderOf(v *vocabulary, good []*facts) order {
	o := order(newSets(len(v.literals)))
	for p := range v.literals {
		for q := range v.literals {
			without := func(f *facts) bool { return f.same[p].Has(v.literals[q].negation) }
			alike := v.literals[p].variable.class == v.literals[q].variable.class
			if p == q || alike && !slices.ContainsFunc(good, without) {
				o[p].Add(q)
			}
		}
	}
	return o
}

// has reports whether p implies q.
func (o order) has(p, q literal) bool {
	return p == q || p.relation != itself && q.relation != itself && o[p.number].Has(q.number)
}

// implied reports whether a candidate follows from another: whoever adopts that needs no other.
// What relates their states was seen in all good runs.
//
// The order was seen in the good runs and is not proved, so a consequence folds a line and never
// decides one.
func (o order) implied(c, by *candidate) bool {
	if len(c.slots) == 0 || len(by.slots) == 0 || c.formula == by.formula || c.template.user || by.template.user {
		return false
	}
	// Of one slot, p and q are the same.
	p, q := c.slots[0], c.slots[len(c.slots)-1]
	r, s := by.slots[0], by.slots[len(by.slots)-1]
	from, to := by.template.name, c.template.name
	exclusions := []string{"mutex", "exclude", "implies"}
	// What each process comes to, or one, some process comes to.
	weaker := c.apart || !by.apart
	switch {
	case slices.Contains(exclusions, from) && slices.Contains(exclusions, to):
		// States within others exclude each other where those do.
		return c.apart == by.apart && (o.has(p, r) && o.has(q, s) || o.has(p, s) && o.has(q, r))
	case from == "unique" && to == "mutex" && r.relation == itself:
		// No two have the same value but the first, so no two have this one.
		return p.variable == r.variable && p.relation == equal && p.value != r.variable.first()
	case to == "unique" && (from == "mutex" || from == "unique" && q == s):
		return o.has(p, r)
	case from == "named" && to == "named":
		return q == s && o.has(r, p)
	case from == "stable" && to == "once":
		return p == r
	case from == "precedes" && to == "precedes":
		return c.apart == by.apart && o.has(r, p) && o.has(q, s)
	case from == "responds" && to == "responds":
		// An earlier occasion, and a later state.
		return weaker && o.has(p, r) && o.has(s, q)
	case from == "recurs" && to == "responds", from == to && (from == "some" || from == "recurs"),
		to == "reaches" && (from == "some" || from == "recurs" || from == "reaches"):
		return weaker && o.has(r, q)
	}
	return false
}

// A group is a candidate with its consequences.
type group struct {
	*candidate
	implied []*candidate
}

// fold puts candidates that follow from others under these. Of candidates that follow from each
// other, the first in the list stays. A group stands where the best of it would: the strongest may
// be the least telling.
//
// It compares all pairs, O(n²) for n candidates; maxFolded bounds n.
func (o order) fold(all []*candidate) []*group {
	var groups []*group
	for _, c := range all {
		under := slices.IndexFunc(groups, func(g *group) bool { return o.implied(c, g.candidate) })
		if under >= 0 {
			groups[under].implied = append(groups[under].implied, c)
			continue
		}
		// What came before may follow from this one, and so may all that follows from that.
		strongest := &group{candidate: c}
		var others []*group
		for _, g := range groups {
			if !o.implied(g.candidate, c) {
				others = append(others, g)
				continue
			}
			if strongest.implied == nil {
				others = append(others, strongest)
			}
			strongest.implied = append(append(strongest.implied, g.candidate), g.implied...)
		}
		if strongest.implied == nil {
			others = append(others, strongest)
		}
		groups = others
	}
	return groups
}
