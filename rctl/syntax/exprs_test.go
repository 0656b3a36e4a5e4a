package syntax

import "testing"

// TestExprs: two expressions have the same number if and only if they are printed alike.
func TestExprs(t *testing.T) {
	var table Exprs
	texts := map[string]int{}
	for seed := range rounds(4000) {
		g := newGenerator(uint64(seed))
		WalkExprs(g.formula(g.IntN(12)), func(e *Expr) {
			text, n := e.String(), table.Number(e)
			if want, ok := texts[text]; ok && n != want || !ok && n != len(texts) {
				t.Fatalf("seed %d: %s has number %d of %d", seed, text, n, len(texts))
			}
			texts[text] = n
			if same := table.Same(e); same.String() != text {
				t.Fatalf("seed %d: %s is the same as %s", seed, text, same)
			}
		})
	}
}
