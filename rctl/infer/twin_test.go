package infer

import (
	"context"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/rctltest"
)

// What facts say of candidates is what brute force says: in all orders, and in the recorded one. Bounds on
// counts, and that some process is in a state, are looked at in one order, so that facts may say that too
// much holds.
func TestCandidatesAreRight(t *testing.T) {
	config := graphtest.Config{Processes: 3, Events: 8, Kinds: graphtest.PlainKinds}
	seen := make(map[string][2]int)
	for i, sample := range graphtest.Samples(graphtest.Rounds(t, 100), 7, config, false) {
		all := withHolder(sample)
		ordered := recordedOrder(all)
		if ordered == nil {
			ordered = all
		}
		v := vocabularyOf([]Run{{Computation: all}})
		// Bounds that are taught by one order are wrong in others.
		teacher := surveyed(t, v, ordered)
		taught := allCandidates(v, teacher)
		for _, c := range []*graphs.Computation{all, ordered} {
			f := surveyed(t, v, c)
			l := graphtest.NewLattice(c)
			for _, k := range taught {
				g, err := rctltest.Resolve(c, k.formula)
				if err != nil {
					t.Fatalf("case %d: %s: %v", i, k.formula, err)
				}
				want, got := rctltest.Holds(l, g)[l.Initial], k.holds(f)
				oneSided := k.template.name == "some" || k.template.name == "at-most"
				if got != want && !(oneSided && got) {
					t.Fatalf("case %d: %s (%s): %t, not %t", i, k.formula, k.template.name, want, got)
				}
				n := seen[k.template.name]
				if want {
					n[0]++
				} else {
					n[1]++
				}
				seen[k.template.name] = n
			}
		}
	}
	// Random events have no keys, so nothing is asked about these here.
	keyed := []string{"precedence", "response", "at-most-once", "in-time"}
	for _, template := range templates() {
		if slices.Contains(keyed, template.name) {
			continue
		}
		if n := seen[template.name]; graphtest.Thorough() && n[0]+n[1] == 0 {
			t.Errorf("no case has a candidate of %s", template.name)
		}
	}
}

// surveyed returns the facts of a computation.
func surveyed(t *testing.T, v *vocabulary, c *graphs.Computation) *facts {
	t.Helper()
	f, err := survey(t.Context(), v, c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// withHolder adds a variable of the first process with names of processes.
func withHolder(s graphtest.Sample) *graphs.Computation {
	c := s.Computation
	names := c.Processes()
	var events []graphs.Event
	var values []graphs.Value
	for k := range c.Len(0) {
		events = append(events, c.Event(0, k+1))
		values = append(values, graphs.Str(names[s.Rand.IntN(len(names))]))
	}
	return c.WithVariables([]*graphs.Variable{graphs.NewVariable(0, "holder", graphs.Str(""), events, values)})
}

// allCandidates returns the candidates that facts teach.
func allCandidates(v *vocabulary, teacher *facts) []*candidate {
	var all []*candidate
	f := &filler{ctx: context.Background(), vocabulary: v, good: []*facts{teacher}}
	f.add = func(c *candidate) {
		c.template = f.template
		f.write(c)
		all = append(all, c)
	}
	f.fillAll()
	return all
}
