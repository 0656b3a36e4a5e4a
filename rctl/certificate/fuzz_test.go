package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// FuzzProve checks proofs of any shape about random formulas: none is accepted of what is
// false, and none makes the checker panic.
func FuzzProve(f *testing.F) {
	for i, text := range []string{
		`null`,
		`{"rule":"operands","of":[null,{"rule":"operands","which":1,"of":[{"rule":"run","events":[2]}]}]}`,
		`{"rule":"run","run":[[0,1],[1,2],[0,1]],"of":[null,{"rule":"last","of":[{"rule":"forced"}]}]}`,
		`{"rule":"run","run":[[0,1]],"which":1,"of":[{"rule":"run","run":[[1,1]]},{"rule":"operands","which":1}]}`,
		`{"rule":"forced","ties":{"4":[[1,2],[2,5]],"7":[[3,1]]}}`,
		`{"rule":"operands","of":[{"rule":"operands","of":[{"rule":"split","events":[2],"of":[null,{"rule":"flow","flow":[[1,2,1]]}]}]}]}`,
		`{"rule":"operands","of":[{"rule":"operands","which":1,"of":[{"rule":"flow","flow":[[1,2,1],[4,6,2]]}]}]}`,
		`{"rule":"pass","which":2,"events":[1,3,4]}`,
		`{"rule":"look"}`,
	} {
		for seed := range 8 {
			f.Add(uint64(8*i+seed), text)
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.DisallowUnknownFields()
		p := new(certificate.Proof)
		if d.Decode(&p) != nil {
			return
		}
		r := rand.New(rand.NewPCG(79, seed))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 7, Kinds: graphtest.AllKinds})
		if c.Empty() {
			return
		}
		source := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(3))})
		parsed, err := syntax.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := rctltest.Resolve(c, source)
		if err != nil {
			t.Fatal(err)
		}
		k, err := certificate.New(context.Background(), c, parsed)
		if err != nil {
			t.Fatal(err)
		}
		l := graphtest.NewLattice(c)
		truth := rctltest.Holds(l, resolved)[l.Index(c.Initial())]
		if k.Prove(root(k, !truth), c.Initial(), p) == nil {
			t.Fatalf("a proof is accepted that %s is %t", source, !truth)
		}
		_ = k.Prove(root(k, truth), c.Initial(), p) // it must not panic
	})
}

// On a small computation, "look" proves whatever is true, and nothing else.
func TestLookIsExact(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(80, seed))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 6, Kinds: graphtest.AllKinds})
		if c.Empty() {
			continue
		}
		config := rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(3)), Depth: 3}
		source := rctltest.RandomFormulaText(r, c, config)
		parsed, err := syntax.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := rctltest.Resolve(c, source)
		if err != nil {
			t.Fatal(err)
		}
		k, err := certificate.New(context.Background(), c, parsed)
		if err != nil {
			t.Fatal(err)
		}
		l := graphtest.NewLattice(c)
		truth := rctltest.Holds(l, resolved)[l.Index(c.Initial())]
		look := &certificate.Proof{Rule: "look"}
		if err := k.Prove(root(k, truth), c.Initial(), look); err != nil {
			t.Fatalf("seed %d: %s is %t: %v", seed, source, truth, err)
		}
		if k.Prove(root(k, !truth), c.Initial(), look) == nil {
			t.Fatalf("seed %d: it is accepted that %s is %t", seed, source, !truth)
		}
	}
}

// root returns what holds if the formula of a checker does, or does not.
func root(k *certificate.Checker, holds bool) *certificate.Node {
	if holds {
		return k.Root
	}
	return k.Root.Not
}
