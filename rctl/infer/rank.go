package infer

import (
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// maxWeight is the largest weight of a property that is worth adopting. Heavier ones are
// useful only if a bad run violates them.
const maxWeight = 3

// weigh returns the weight of a candidate, smaller for better ones. It depends on the template, on
// the states it is about, and on how many good runs put it to the test.
func (s *search) weigh(c *candidate) int {
	weight := c.template.weight
	if slices.ContainsFunc(c.slots, func(l literal) bool { return l.rest }) {
		weight += 2
	}
	asked, in := s.asked(c)
	if 2*in < len(s.good) {
		weight += 4
	}
	// A response with one test for each process may be chance.
	if c.template.name == "responds" && asked < 2*len(s.good)*c.slots[0].variable.owners {
		weight += 2
	}
	return weight
}

// asked returns how often good runs put a candidate to the test, and how many good runs do.
func (s *search) asked(c *candidate) (n, in int) {
	for _, r := range s.good {
		of := c.asked(r)
		n, in = n+of, in+min(of, 1)
	}
	return n, in
}

// rank sorts candidates, best first: by the number of bad runs that violate them, safety first if a
// bad run was cut off, by weight, and by how often good runs put them to the test.
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

// An order is the implication of literals: o[p] has q if p implies q in each state of each good run.
//
// For example, if leader is only true together with up, leader implies up. Then "no two processes are
// up at once" is stronger than "no two processes are leader at once", and the second is folded under
// the first.
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

// implied reports whether the candidate c follows from by, given the order of literals: whoever
// adopts by does not need c.
//
// The order was observed in the good runs, not proved, so it only folds lines and never decides
// one.
func (o order) implied(c, by *candidate) bool {
	if len(c.slots) == 0 || len(by.slots) == 0 || c.formula == by.formula || c.template.user || by.template.user {
		return false
	}
	// A candidate with one slot has p == q.
	p, q := c.slots[0], c.slots[len(c.slots)-1]
	r, s := by.slots[0], by.slots[len(by.slots)-1]
	from, to := by.template.name, c.template.name
	exclusions := []string{"mutex", "exclude", "implies"}
	// A property of each process, or of the same process, implies one of some process.
	weaker := c.apart || !by.apart
	switch {
	case slices.Contains(exclusions, from) && slices.Contains(exclusions, to):
		// States exclude each other if states that they imply do.
		return c.apart == by.apart && (o.has(p, r) && o.has(q, s) || o.has(p, s) && o.has(q, r))
	case from == "unique" && to == "mutex" && r.relation == itself:
		// No two processes have the same value other than the first, so no two have this value.
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
		// c has a stronger trigger and a weaker response.
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

// fold groups candidates under others from which they follow. Of candidates that follow from each
// other, the first leads the group. A group has the place of its best candidate, because the
// strongest may rank low.
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
		// Earlier groups may follow from this candidate; it takes over their consequences.
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
