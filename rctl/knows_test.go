package rctl_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// knownFormula returns a formula about one cut that processes sometimes know.
func knownFormula(r *rand.Rand, depth int) string {
	if depth > 0 && r.IntN(2) == 0 {
		p, q := knownFormula(r, depth-1), knownFormula(r, depth-1)
		return []string{"!(" + p + ")", "(" + p + " && " + q + ")", "(" + p + " || " + q + ")", "(" + p + " -> " + q + ")"}[r.IntN(4)]
	}
	return []string{
		"once(n >= 0)", "once(n == 0)@P1", "between(n >= 1, n == 0)@P0", "between(n == 0, n >= 1)@P0", `once(op == "recv")`, `!once(op == "done")@P0`, `once(req == "r1")@P1`,
		"events(true) >= 3", "events(true)@P1 <= 2", "events(true)@P0 == events(true)@P1", "(knows P1: once(n >= 0)@P0)",
	}[r.IntN(11)]
}

// What a process knows is what holds at all cuts with its state.
func TestKnows(t *testing.T) {
	t.Parallel()
	verdicts := make(map[bool]int)
	for seed := range uint64(graphtest.Rounds(t, 3000)) {
		r := rand.New(rand.NewPCG(seed, 36))
		draft := newDraft(r)
		draft.processes = max(draft.processes, 2)
		c := draft.plainly()
		if c.Empty() {
			continue
		}
		knows := "(knows P0: " + knownFormula(r, 2) + ")"
		text := []string{"EF(" + knows + ")", "EF(!" + knows + ")", "AG(events(true)@P0 >= 1 -> " + knows + ")", "EF(" + knows + " && events(true)@P1 == 1)",
			"EG !" + knows, "EF(events(true)@P0 == 2 && " + knows + ")"}[r.IntN(6)]
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if g, err := syntax.Parse(f.String()); err != nil || !g.Equal(f) {
			t.Fatalf("%s is printed as %s: %v", text, f, err)
		}
		wide, resolved, err := rctl.Resolve(t.Context(), c, f)
		if err != nil && absent(err) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		got, err := rctl.Check(t.Context(), wide, resolved, rctl.Options{})
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		x := &expander{Lattice: graphtest.NewLattice(c), envs: map[*syntax.Expr]map[string]thing{}}
		want := rctltest.HoldsBy(x.Lattice, x.expand(f, nil), x.at)[x.Initial]
		if (got.Verdict == rctl.Holds) != want {
			t.Fatalf("seed %d: %s is %s, and by definition %t", seed, text, got.Verdict, want)
		}
		verdicts[want]++
	}
	if verdicts[true] == 0 || verdicts[false] == 0 {
		t.Errorf("%v", verdicts)
	}
}
