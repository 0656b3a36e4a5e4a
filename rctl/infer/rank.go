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
