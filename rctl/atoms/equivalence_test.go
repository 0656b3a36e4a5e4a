package atoms_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// In negation normal form a chain of <-> has each side twice: it is evaluated once, and
// printed no longer than asked.
func TestEquivalences(t *testing.T) {
	var b graphs.Builder
	const n = 8
	for p := range n {
		b.Init(b.Variable(b.Process(fmt.Sprintf("P%d", p)), "p"), graphs.Boolean(p%3 == 0))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for i := range graphtest.Rounds(t, 500) {
		r := rand.New(rand.NewPCG(9, uint64(i)))
		var text func(size int) string
		text = func(size int) string {
			if size == 0 {
				return fmt.Sprintf("p@P%d", r.IntN(n))
			}
			left := r.IntN(size)
			op := []string{"<->", "<->", "<->", "->", "&&", "||"}[r.IntN(6)]
			return fmt.Sprintf("%s(%s %s %s)", []string{"", "!"}[r.IntN(2)], text(left), op, text(size-1-left))
		}
		size := r.IntN(8)
		if i%50 == 0 {
			size = 2000
		}
		f, err := rctltest.Resolve(c, text(size))
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range []*syntax.Formula{f, syntax.Not(f)} {
			nnf := syntax.NNF(g)
			want, got := at(t, c, g), at(t, c, nnf)
			if got != want {
				t.Fatalf("round %d: %s is %v, its normal form is not", i, g, want)
			}
			if brief := nnf.Brief(100); len(brief) > 410 || !nnf.Equal(syntax.NNF(g)) {
				t.Fatalf("%s has the normal form %s", g, brief)
			}
		}
	}
}

// Formulas that look like an equivalence in negation normal form and are none.
func TestNoEquivalences(t *testing.T) {
	for bits := range 1 << 4 {
		var b graphs.Builder
		for p := range 4 {
			b.Init(b.Variable(b.Process(fmt.Sprintf("P%d", p)), "p"), graphs.Boolean(bits>>p&1 > 0))
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		var p [4]*syntax.Formula
		var is [4]bool
		for i := range p {
			if p[i], err = rctltest.Resolve(c, fmt.Sprintf("p@P%d", i)); err != nil {
				t.Fatal(err)
			}
			is[i] = bits>>i&1 > 0
		}
		join := func(op syntax.Op, fs ...*syntax.Formula) *syntax.Formula { return &syntax.Formula{Op: op, Sub: fs} }
		iff := func(i, j int) *syntax.Formula { return join(syntax.OpIff, p[i], p[j]) }
		for _, test := range []struct {
			f    *syntax.Formula
			want bool
		}{
			{join(syntax.OpOr, join(syntax.OpAnd, iff(0, 1), p[2]), join(syntax.OpAnd, iff(0, 3), syntax.Not(p[2]))), is[2] && is[0] == is[1] || !is[2] && is[0] == is[3]},
			{join(syntax.OpOr, join(syntax.OpAnd, iff(1, 0), p[2]), join(syntax.OpAnd, iff(3, 0), syntax.Not(p[2]))), is[2] && is[0] == is[1] || !is[2] && is[0] == is[3]},
			{join(syntax.OpOr, join(syntax.OpAnd, p[0], p[1]), join(syntax.OpAnd, syntax.Not(p[0]), syntax.Not(p[2]))), is[0] && is[1] || !is[0] && !is[2]},
			{join(syntax.OpOr, join(syntax.OpAnd, p[0], p[1]), join(syntax.OpAnd, syntax.Not(p[0]), p[1])), is[1]},
		} {
			if got := at(t, c, syntax.NNF(test.f)); got != test.want {
				t.Fatalf("%s is %v for %v", test.f, got, is)
			}
		}
	}
}

func at(t *testing.T, c *graphs.Computation, f *syntax.Formula) bool {
	p, err := atoms.Compile(c, f)
	if err != nil {
		t.Fatal(err)
	}
	return p.At(c.Initial(), p.Env())
}
