package certificate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/syntax"
)

// FuzzProve checks proofs of any shape about random formulas: none is accepted of what is
// false, and none makes the checker panic.
func FuzzProve(f *testing.F) {
	for i, text := range []string{
		`null`,
		`{"rule":"all","of":[null,{"rule":"one","which":1,"of":[{"rule":"cut","cut":[1,2,0]}]}]}`,
		`{"rule":"run","run":[[0,1],[1,2],[0,1]],"of":[null,{"rule":"last","of":[{"rule":"region"}]}]}`,
		`{"rule":"region","ties":{"4":[[0,1,1,2],[0,2]],"7":[[1,1]]}}`,
		`{"rule":"never","of":[{"rule":"each","of":[{"rule":"split","at":[[0,2]],"of":[null,{"rule":"order","at":[[0],[1],[0]]}]}]}]}`,
		`{"rule":"never","of":[{"rule":"flow","which":1,"flow":[[0,1,0,2,1],[1,1,0,3,2]]}]}`,
		`{"rule":"overlap","at":[[0],[1]]}`,
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
		source := graphtest.RandomFormulaText(r, c, graphtest.FormulaConfig{Fragment: graphtest.Fragment(r.IntN(3))})
		parsed, err := syntax.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := graphtest.Resolve(c, source)
		if err != nil {
			t.Fatal(err)
		}
		k, err := certificate.New(context.Background(), c, parsed)
		if err != nil {
			t.Fatal(err)
		}
		l := graphtest.NewLattice(c)
		truth := l.Holds(resolved)[l.Index(c.Initial())]
		if k.Prove(k.Root(!truth), c.Initial(), p) == nil {
			t.Fatalf("a proof is accepted that %s is %t", source, !truth)
		}
		k.Prove(k.Root(truth), c.Initial(), p) //nolint:errcheck // it must not panic
	})
}
