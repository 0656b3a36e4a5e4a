package certify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/syntax"
)

// rules counts the rules of a proof.
func rules(p *certificate.Proof, tally map[string]int) {
	if p == nil {
		return
	}
	tally[p.Rule]++
	for _, sub := range p.Of {
		rules(sub, tally)
	}
}

func uses(p *certificate.Proof, rule string) bool {
	tally := make(map[string]int)
	rules(p, tally)
	return tally[rule] > 0
}

func parsed(t *testing.T, text string) *syntax.Formula {
	t.Helper()
	f, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pair draws a computation with its cuts, and formulas of any kind.
func pair(t *testing.T, r *rand.Rand, formulas int, visit func(c *graphs.Computation, l *graphtest.Lattice, text string)) {
	c := graphtest.Random(r, graphtest.DefaultConfig)
	l := graphtest.NewLattice(c)
	if c.Empty() {
		return
	}
	if r.IntN(4) == 0 {
		c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
	}
	for range formulas {
		visit(c, l, graphtest.RandomFormulaText(r, c, graphtest.FormulaConfig{Fragment: graphtest.Fragment(r.IntN(3))}))
	}
}

// Each verdict has a proof that the checker accepts.
func TestAgainstBruteForce(t *testing.T) {
	n := graphtest.Rounds(t, 4000)
	tally := make(map[string]int)
	for i := range n / 4 {
		r := rand.New(rand.NewPCG(71, uint64(i)))
		pair(t, r, 4, func(c *graphs.Computation, l *graphtest.Lattice, text string) {
			f, err := graphtest.Resolve(c, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			verdict := rctl.Fails
			if l.Holds(f)[l.Index(c.Initial())] {
				verdict = rctl.Holds
			}
			p, ok, err := certify.Proof(context.Background(), rctl.NewSession(c), c, parsed(t, text), verdict)
			class := rctl.Classify(c, f).Fragment
			if err != nil || !ok {
				t.Fatalf("pair %d: %s %s: no proof (%v)", i, text, verdict, err)
			}
			rules(p, tally)
			tally[class.String()]++
			if uses(p, "look") {
				tally[class.String()+" by look"]++
				if testing.Verbose() && tally["shown"] < 60 {
					tally["shown"]++
					fmt.Println(class, verdict, text)
				}
			}
			k, err := certificate.New(context.Background(), c, parsed(t, text))
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Prove(k.Root(verdict == rctl.Holds), c.Initial(), p); err != nil {
				t.Fatalf("pair %d: %s %s: %v", i, text, verdict, err)
			}
			if k.Prove(k.Root(verdict != rctl.Holds), c.Initial(), p) == nil {
				t.Fatalf("pair %d: %s: the proof shows the negation", i, text)
			}
		})
	}
	t.Log(tally)
}

const rctl_CETL = syntax.RCTLCETL
