package infer

import "slices"

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
	asked, in := 0, 0
	for _, r := range s.good {
		n := c.asked(r)
		asked, in = asked+n, in+min(n, 1)
	}
	if 2*in < len(s.good) {
		weight += 4
	}
	// A response that each process was asked for once may have come by chance.
	if c.template.name == "responds" && asked < 2*len(s.good)*c.slots[0].variable.owners {
		weight += 2
	}
	return weight
}

// rank sorts candidates, best first: by the bad runs that break them, by what a run that was cut
// off cannot break, by weight, and by how often good runs put them to the test.
func (s *search) rank(all []*candidate) {
	// Keys are compared in this order, smaller first: minus the bad runs that break it; 1 for
	// liveness if a bad run was cut off; weight; minus the tests by good runs. The sort is stable,
	// so ties keep the order of templates.
	value := make(map[*candidate][4]int)
	for _, c := range all {
		v := [4]int{2: s.weigh(c)}
		for _, r := range s.bad {
			if !c.holds(r) {
				v[0]--
			}
		}
		if s.res.short && !c.template.safety {
			v[1] = 1
		}
		for _, r := range s.good {
			v[3] -= c.asked(r)
		}
		value[c] = v
	}
	slices.SortStableFunc(all, func(a, b *candidate) int {
		x, y := value[a], value[b]
		return slices.Compare(x[:], y[:])
	})
}
