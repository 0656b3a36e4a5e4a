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

// Numbers are dense, however late an event is: caches are lists by number.
func TestElementsAreDense(t *testing.T) {
	var d elements
	one := &Expr{Op: ExprNumber, Int: 1}
	for want, got := range []int{d.event(1_000_000), d.value(one), d.event(7)} {
		if got != want {
			t.Errorf("number %d, want %d", got, want)
		}
	}
	if d.event(1_000_000) != 0 || d.at(0).event != 1_000_000 || d.at(1).value != one || d.at(2).event != 7 {
		t.Error("an element has two numbers, or none")
	}
}
