package graphtest

import (
	"math/rand/v2"
	"testing"
)

func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	sum, most := 0, 0
	ops := map[string]int{}
	for range 3000 {
		c := Random(r, Config{})
		l := NewLattice(c)
		sum += len(l.Cuts)
		most = max(most, len(l.Cuts))
		for range 5 {
			f := RandomFormula(r, c, FormulaConfig{Fragment: Fragment(r.IntN(4))})
			h := l.Holds(f)
			if h[l.Initial] {
				ops["holds"]++
			}
			ops[f.Op.String()]++
		}
	}
	t.Log(sum, most, ops)
}
