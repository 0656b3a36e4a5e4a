package rctltest

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/syntax"
)

// The same seed draws the same formula.
func TestRandomIsReproducible(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 100)) {
		draw := func() string {
			r := rand.New(rand.NewPCG(seed, 4))
			return RandomFormulaText(r, graphtest.Random(r, graphtest.Config{}), FormulaConfig{})
		}
		if f, g := draw(), draw(); f != g {
			t.Fatalf("seed %d draws %s and %s", seed, f, g)
		}
	}
}

// Holds is what the definitions say of runs, when all runs are written out.
func TestHoldsIsAboutRuns(t *testing.T) {
	decided := 0
	for seed := range uint64(graphtest.Rounds(t, 400)) {
		r := rand.New(rand.NewPCG(seed, 5))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 7, Kinds: graphtest.AllKinds})
		l := graphtest.NewLattice(c)
		all := runs(l, l.Initial, 300)
		if all == nil {
			continue
		}
		f := RandomFormula(r, c, FormulaConfig{Depth: 4})
		o := &onRuns{l: l, done: make(map[decision]bool)}
		if got, want := Holds(l, f)[l.Initial], o.holds(f, l.Initial); got != want {
			t.Fatalf("seed %d: %s is %v, not %v", seed, f, got, want)
		}
		decided++
	}
	if decided < graphtest.Rounds(t, 200) {
		t.Errorf("only %d formulas decided", decided)
	}
}

// runs returns all runs from cut i, nil when there are more than most.
func runs(l *graphtest.Lattice, i, most int) [][]int {
	if len(l.Steps[i]) == 0 {
		return [][]int{{i}}
	}
	var all [][]int
	for _, j := range l.Steps[i] {
		tails := runs(l, j, most)
		if tails == nil {
			return nil
		}
		for _, tail := range tails {
			all = append(all, append([]int{i}, tail...))
		}
		if len(all) > most {
			return nil
		}
	}
	return all
}

// onRuns decides formulas by looking at each run as a whole.
type onRuns struct {
	l    *graphtest.Lattice
	done map[decision]bool
}

type decision struct {
	f *syntax.Formula
	i int
}

func (o *onRuns) holds(f *syntax.Formula, i int) bool {
	is, ok := o.done[decision{f, i}]
	if !ok {
		is = o.decide(f, i)
		o.done[decision{f, i}] = is
	}
	return is
}

func (o *onRuns) decide(f *syntax.Formula, i int) bool {
	sub := func(k, i int) bool { return o.holds(f.Sub[k], i) }
	until := func(run []int) bool { // Sub[0] U Sub[1]
		for n, cut := range run {
			if sub(1, cut) && !slices.ContainsFunc(run[:n], func(b int) bool { return !sub(0, b) }) {
				return true
			}
		}
		return false
	}
	release := func(run []int) bool { // Sub[0] R Sub[1]
		for n, cut := range run {
			if !sub(1, cut) {
				return slices.ContainsFunc(run[:n], func(b int) bool { return sub(0, b) })
			}
		}
		return true
	}
	finally := func(run []int) bool { return slices.ContainsFunc(run, func(b int) bool { return sub(0, b) }) }
	globally := func(run []int) bool { return !slices.ContainsFunc(run, func(b int) bool { return !sub(0, b) }) }
	weak := func(run []int) bool { return until(run) || globally(run) }
	some := func(path func([]int) bool) bool { return slices.ContainsFunc(runs(o.l, i, 1000), path) }
	all := func(path func([]int) bool) bool {
		return !slices.ContainsFunc(runs(o.l, i, 1000), func(run []int) bool { return !path(run) })
	}
	switch f.Op {
	case syntax.OpEX:
		return some(func(run []int) bool { return len(run) > 1 && sub(0, run[1]) })
	case syntax.OpAX:
		return all(func(run []int) bool { return len(run) == 1 || sub(0, run[1]) })
	case syntax.OpEF:
		return some(finally)
	case syntax.OpAF:
		return all(finally)
	case syntax.OpEG:
		return some(globally)
	case syntax.OpAG:
		return all(globally)
	case syntax.OpEU:
		return some(until)
	case syntax.OpAU:
		return all(until)
	case syntax.OpER:
		return some(release)
	case syntax.OpAR:
		return all(release)
	case syntax.OpEW:
		return some(weak)
	case syntax.OpAW:
		return all(weak)
	case syntax.OpNot:
		return !sub(0, i)
	case syntax.OpAnd:
		for k := range f.Sub {
			if !sub(k, i) {
				return false
			}
		}
		return true
	case syntax.OpOr:
		for k := range f.Sub {
			if sub(k, i) {
				return true
			}
		}
		return false
	case syntax.OpImplies:
		return !sub(0, i) || sub(1, i)
	case syntax.OpIff:
		return sub(0, i) == sub(1, i)
	}
	return Holds(o.l, f)[i]
}

// The values of expressions at cuts that can be worked out by hand.
func TestValuesByHand(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	x, y, s := b.Variable(p, "x"), b.Variable(q, "y"), b.Variable(graphs.Shared, "s")
	b.Init(y, graphs.Float(0.5))
	p1, p2, q1 := b.Event(p), b.Event(p), b.Event(q)
	b.Set(x, p1, graphs.Int(3))
	b.Set(x, p2, graphs.Int(-2))
	b.Set(s, p1, graphs.Str("a"))
	b.Set(s, q1, graphs.Str("b"))
	m := b.NewMessage("m")
	b.Deliver(m, p1, q1, -1)
	b.Deliver(m, p1, graphs.NoHandle, p)
	b.Deliver(b.NewMessage("lost"), p2, graphs.NoHandle, q)
	b.Deliver(b.NewMessage("whose"), p2, graphs.NoHandle, -1)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	l := graphtest.NewLattice(c)
	for text, want := range map[string][5]string{ // at 0,0 1,0 1,1 2,0 2,1
		"x":                                     {"0", "3", "3", "-2", "-2"},
		"x - y * 4":                             {"-2", "1", "1", "-4", "-4"},
		"-(x + 1) * x":                          {"0", "-12", "-12", "-2", "-2"},
		"transit(P, Q)":                         {"0", "1", "0", "2", "1"},
		"transit(P, P)":                         {"0", "1", "1", "1", "1"},
		"transit(Q, P)":                         {"0", "0", "0", "0", "0"},
		"sum i: sum j: transit(i, j) + 1":       {"4", "6", "5", "7", "6"},
		"max i: transit(i, Q) - x":              {"0", "-2", "-3", "4", "3"},
		"1 - min i: transit(P, i) * 2":          {"1", "-1", "1", "-1", "-1"},
		"1 + count i: transit(P, i) > 0 || x>2": {"1", "3", "3", "3", "3"},
		`s == "a"`:                              {"no", "yes", "no", "yes", "no"},
		`s != "b"`:                              {"yes", "yes", "no", "yes", "no"},
		"0 <= x < 3":                            {"yes", "no", "no", "no", "no"},
		"1 > y >= 0.5 = y":                      {"yes", "yes", "yes", "yes", "yes"},
	} {
		number := want[0] != "yes" && want[0] != "no"
		formula := text
		if number {
			formula = "(" + text + ") * 1 == 0"
		}
		f, err := Resolve(c, formula)
		if err != nil {
			t.Fatal(err)
		}
		for k, cut := range []graphs.Cut{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}} {
			i := l.Index(cut)
			if !number {
				if got := Holds(l, f)[i]; got != (want[k] == "yes") {
					t.Errorf("%s at %v is %v", text, cut, got)
				}
				continue
			}
			exact, _ := new(big.Rat).SetString(want[k])
			if got := (twin{Lattice: l, done: make(map[*syntax.Formula][]bool)}).value(f.Expr.Args[0], i).number; got.Cmp(exact) != 0 {
				t.Errorf("%s at %v is %v, not %v", text, cut, got, exact)
			}
		}
	}
}

// Formulas use every operator that their fragment has, hold and fail about
// equally often, and the text is read back as the same formula.
func TestRandomFormulas(t *testing.T) {
	allowed := map[Fragment][]syntax.Op{
		Stateless:   {syntax.OpTrue, syntax.OpFalse, syntax.OpAtom, syntax.OpNot, syntax.OpAnd, syntax.OpOr, syntax.OpImplies, syntax.OpIff, syntax.OpForall, syntax.OpExists},
		WithoutNext: {syntax.OpEF, syntax.OpAF, syntax.OpEG, syntax.OpAG, syntax.OpEU, syntax.OpAU, syntax.OpER, syntax.OpAR, syntax.OpEW, syntax.OpAW},
		Full:        {syntax.OpEX, syntax.OpAX},
	}
	allowed[WithoutNext] = append(allowed[WithoutNext], allowed[Stateless]...)
	allowed[Full] = append(allowed[Full], allowed[WithoutNext]...)
	allowed[Regular] = []syntax.Op{syntax.OpTrue, syntax.OpFalse, syntax.OpAtom, syntax.OpNot, syntax.OpAnd, syntax.OpOr, syntax.OpImplies, syntax.OpIff, syntax.OpEF, syntax.OpAG, syntax.OpEG, syntax.OpEU, syntax.OpER}
	for fragment, ops := range allowed {
		used := make(map[syntax.Op]bool)
		holds := 0
		const n = 2000
		for seed := range uint64(n) {
			r := rand.New(rand.NewPCG(seed, 6))
			c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 8, Kinds: graphtest.AllKinds})
			text := RandomFormulaText(r, c, FormulaConfig{Fragment: fragment})
			f, err := syntax.Parse(text)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			syntax.Walk(f, func(g *syntax.Formula) bool {
				used[g.Op] = true
				return true
			})
			g, err := Resolve(c, text)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			if l := graphtest.NewLattice(c); Holds(l, g)[l.Initial] {
				holds++
			}
		}
		for op := range syntax.OpExists + 1 {
			if used[op] != slices.Contains(ops, op) {
				t.Errorf("fragment %d: %v is used: %v", fragment, op, used[op])
			}
		}
		if holds < n/4 || holds > n*3/4 {
			t.Errorf("fragment %d: %d of %d hold", fragment, holds, n)
		}
	}
}

func TestNoQuantifiers(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 200)) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := graphtest.Random(r, graphtest.Config{})
		f, err := syntax.Parse(RandomFormulaText(r, c, FormulaConfig{Depth: 5, NoQuantifiers: true}))
		if err != nil {
			t.Fatal(err)
		}
		syntax.Walk(f, func(g *syntax.Formula) bool {
			if g.Quant != nil {
				t.Fatalf("seed %d: %s", seed, f)
			}
			return true
		})
	}
}
