package syntax

import (
	"math/rand/v2"
	"testing"
)

// A model is a directed acyclic graph of cuts in which every run ends at the
// last one. The steps of a cut lead to later ones.
type model struct {
	steps [][]int
	holds []map[string]bool
}

func randomModel(r *rand.Rand) model {
	n := 1 + r.IntN(7)
	m := model{steps: make([][]int, n), holds: make([]map[string]bool, n)}
	for c := range n {
		m.holds[c] = map[string]bool{"p": r.IntN(2) == 0, "q": r.IntN(2) == 0, "r": r.IntN(2) == 0}
		if c == n-1 {
			break
		}
		for len(m.steps[c]) == 0 {
			for d := c + 1; d < n; d++ {
				if r.IntN(3) == 0 {
					m.steps[c] = append(m.steps[c], d)
				}
			}
		}
	}
	return m
}

// runs lists all runs from a cut.
func (m model) runs(c int) [][]int {
	if len(m.steps[c]) == 0 {
		return [][]int{{c}}
	}
	var all [][]int
	for _, d := range m.steps[c] {
		for _, run := range m.runs(d) {
			all = append(all, append([]int{c}, run...))
		}
	}
	return all
}

// satisfies decides a formula at a cut by the definitions, run by run.
func (m model) satisfies(c int, f *Formula) bool {
	at := func(n int, c int) bool { return m.satisfies(c, f.Sub[n]) }
	someRun := func(of func(run []int) bool) bool {
		for _, run := range m.runs(c) {
			if of(run) {
				return true
			}
		}
		return false
	}
	everyRun := func(of func(run []int) bool) bool {
		return !someRun(func(run []int) bool { return !of(run) })
	}
	next := func(run []int) bool { return len(run) > 1 && at(0, run[1]) }
	eventually := func(run []int) bool {
		for _, d := range run {
			if at(0, d) {
				return true
			}
		}
		return false
	}
	always := func(run []int) bool {
		for _, d := range run {
			if !at(0, d) {
				return false
			}
		}
		return true
	}
	until := func(run []int) bool { // 1 at some cut, 0 at every cut before it
		for _, d := range run {
			if at(1, d) {
				return true
			} else if !at(0, d) {
				return false
			}
		}
		return false
	}
	release := func(run []int) bool { // 1 up to and including the first cut where 0 holds, or for ever
		for _, d := range run {
			if !at(1, d) {
				return false
			} else if at(0, d) {
				return true
			}
		}
		return true
	}
	weak := func(run []int) bool { return until(run) || always(run) }
	switch f.Op {
	case OpTrue:
		return true
	case OpFalse:
		return false
	case OpAtom:
		return m.holds[c][f.Expr.Text]
	case OpNot:
		return !at(0, c)
	case OpAnd:
		for n := range f.Sub {
			if !at(n, c) {
				return false
			}
		}
		return true
	case OpOr:
		for n := range f.Sub {
			if at(n, c) {
				return true
			}
		}
		return false
	case OpImplies:
		return !at(0, c) || at(1, c)
	case OpIff:
		return at(0, c) == at(1, c)
	case OpEX:
		return someRun(next)
	case OpAX:
		return everyRun(func(run []int) bool { return len(run) == 1 || next(run) })
	case OpEF:
		return someRun(eventually)
	case OpAF:
		return everyRun(eventually)
	case OpEG:
		return someRun(always)
	case OpAG:
		return everyRun(always)
	case OpEU:
		return someRun(until)
	case OpAU:
		return everyRun(until)
	case OpER:
		return someRun(release)
	case OpAR:
		return everyRun(release)
	case OpEW:
		return someRun(weak)
	case OpAW:
		return everyRun(weak)
	}
	panic("no such operator: " + f.Op.String())
}

// checkNormal fails unless f is in negation normal form.
func checkNormal(t *testing.T, f *Formula) {
	t.Helper()
	Walk(f, func(f *Formula) bool {
		if f.Op == OpImplies || f.Op == OpIff || f.Op == OpNot && f.Sub[0].Op != OpAtom {
			t.Fatalf("%s is no negation normal form", f)
		}
		return true
	})
}

// TestNNF compares formulas, their normal forms and those of their negations
// on random models.
func TestNNF(t *testing.T) {
	for seed := range rounds(2000) {
		g := newGenerator(uint64(seed))
		g.plain = true
		f := g.formula(g.IntN(7))
		before := f.String()
		pos := NNF(f)
		neg := NNF(Not(f))
		checkNormal(t, pos)
		checkNormal(t, neg)
		if f.String() != before {
			t.Fatalf("seed %d: NNF changed %s to %s", seed, before, f)
		}
		for range 5 {
			m := randomModel(g.Rand)
			want := m.satisfies(0, f)
			if m.satisfies(0, pos) != want {
				t.Fatalf("seed %d: %s is %v, but %s is not, in %v", seed, f, want, pos, m)
			}
			if m.satisfies(0, neg) == want {
				t.Fatalf("seed %d: %s is %v, and so is %s, in %v", seed, f, want, neg, m)
			}
		}
	}
}

// TestNNFOfEachOperator does the same for every operator, both operands being
// variables, on many models.
func TestNNFOfEachOperator(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	p := &Formula{Op: OpAtom, Expr: &Expr{Op: ExprVar, Text: "p"}}
	q := &Formula{Op: OpAtom, Expr: &Expr{Op: ExprVar, Text: "q"}}
	for op := OpNot; op <= OpAW; op++ {
		sub := []*Formula{p, q}
		switch op {
		case OpNot, OpEX, OpAX, OpEF, OpAF, OpEG, OpAG:
			sub = sub[:1]
		}
		f := &Formula{Op: op, Sub: sub}
		neg := NNF(Not(f))
		for range 500 {
			if m := randomModel(r); m.satisfies(0, NNF(f)) != m.satisfies(0, f) || m.satisfies(0, neg) == m.satisfies(0, f) {
				t.Fatalf("%s and %s in %v", f, neg, m)
			}
		}
	}
}

// TestNNFShares: each <-> uses its operands twice, and yet the result is small.
func TestNNFShares(t *testing.T) {
	src := "p"
	for range 200 {
		src += " <-> q"
	}
	nodes := 0
	Walk(NNF(mustParse(t, src)), func(*Formula) bool { nodes++; return true })
	if nodes > 200*12 {
		t.Errorf("%d nodes", nodes)
	}
}

// TestConstructors compares And, Or and Not with the plain operators.
func TestConstructors(t *testing.T) {
	for seed := range 2000 {
		g := newGenerator(uint64(seed))
		g.plain = true
		var fs []*Formula
		for range g.IntN(4) {
			fs = append(fs, g.formula(g.IntN(3)))
		}
		m := randomModel(g.Rand)
		for _, test := range []struct {
			op        Op
			got, want *Formula
		}{
			{OpAnd, And(fs...), &Formula{Op: OpAnd, Sub: fs}},
			{OpOr, Or(fs...), &Formula{Op: OpOr, Sub: fs}},
			{OpNot, Not(And(fs...)), &Formula{Op: OpNot, Sub: []*Formula{{Op: OpAnd, Sub: fs}}}},
		} {
			if m.satisfies(0, test.got) != m.satisfies(0, test.want) {
				t.Fatalf("seed %d: %s for %s", seed, test.got, test.want)
			}
			if test.op != OpNot && test.got.Op == test.op {
				for _, sub := range test.got.Sub {
					if sub.Op == test.op || sub.Op == OpTrue || sub.Op == OpFalse {
						t.Fatalf("seed %d: %s among the operands of %s", seed, sub, test.got)
					}
				}
			}
		}
	}
}
