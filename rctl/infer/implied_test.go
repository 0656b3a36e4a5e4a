package infer

import (
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// Where a candidate holds on a run, so do all that follow from it, given what the
// run itself says of states.
func TestImplied(t *testing.T) {
	config := graphtest.Config{Processes: 3, Events: 8, Kinds: graphtest.PlainKinds}
	implied := make(map[[2]string]int)
	for i, sample := range graphtest.Samples(graphtest.Rounds(t, 200), 11, config, false) {
		c := withHolder(sample)
		v := vocabularyOf([]Run{{Computation: c}})
		f := surveyed(t, v, c)
		o := orderOf(v, []*facts{f})
		all := allCandidates(v, f)
		for _, by := range all {
			if !by.holds(f) {
				continue
			}
			for _, k := range all {
				if !o.implied(k, by) {
					continue
				}
				if !k.holds(f) {
					t.Fatalf("case %d: %s does not follow from %s", i, k.formula, by.formula)
				}
				implied[[2]string{by.template.name, k.template.name}]++
			}
		}
	}
	if len(implied) < 10 {
		t.Errorf("only %d pairs of templates: %v", len(implied), implied)
	}
}

// What follows from a property is counted under it, and the strongest one stands for all: where no
// two have the same lock, no two have this one.
func TestFolded(t *testing.T) {
	var good []Run
	for seed := range uint64(3) {
		good = append(good, lockRun(t, seed, true, false))
	}
	res := infers(t, good, nil)
	for _, f := range res.Held {
		if f.Template == "mutex" {
			t.Errorf("%s is a line of its own", f.Text)
		}
		for _, text := range f.Implied {
			g, err := syntax.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range good {
				if got := anew(t, r, g); got != rctl.Holds {
					t.Errorf("%s, which is said to follow from %s, %s", text, f.Text, got)
				}
			}
		}
	}
}
