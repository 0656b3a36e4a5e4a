package rctl

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

var satPairs = flag.Int("satpairs", 40_000, "random pairs of computation and formula to decide by satisfiability")

const satFormulasEach = 8 // of one computation

// Satisfiability finds a cut exactly where brute force does, the cut satisfies
// the formula, and none is smaller where that is claimed.
func TestSatAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	for i := range *satPairs / satFormulasEach {
		r := rand.New(rand.NewPCG(23, uint64(i)))
		l := graphtest.NewLattice(graphtest.Random(r, graphtest.DefaultConfig))
		from := l.Initial
		if r.IntN(4) == 0 {
			from = r.IntN(len(l.Cuts))
		}
		for range satFormulasEach {
			f := existential(r, l.Computation)
			for range 3 { // most that one chain decides is true or false everywhere
				if n, err := newSatBuilder(context.Background(), l.Computation, nil).node(f); err == nil && n.kind > satFalse {
					break
				}
				f = existential(r, l.Computation)
			}
			if err := satAgainst(l, from, f, r.IntN(2) == 0, tally); err != nil {
				t.Fatalf("computation %d from %v: EF(%s): %v", i, l.Cuts[from], f, err)
			}
		}
	}
	t.Log(tally)
	for _, want := range []string{"holds", "fails", "least", "later", "slice", "transit", "several chains", "ladder", "stairs", "cases", "from a later cut"} {
		if tally[want] < *satPairs/400 {
			t.Errorf("%s: only %d of %d", want, tally[want], *satPairs)
		}
	}
}

// existential draws a formula without A and E operators but EF, in negation
// normal form, now and then with a formula that has a slice as a part.
func existential(r *rand.Rand, c *graphs.Computation) *syntax.Formula {
	draw := func(fragment graphtest.Fragment, depth int) *syntax.Formula {
		return syntax.NNF(graphtest.RandomFormula(r, c, graphtest.FormulaConfig{Fragment: fragment, Depth: depth}))
	}
	f := draw(graphtest.Stateless, 3)
	join := func(g *syntax.Formula) {
		if r.IntN(2) > 0 {
			f = &syntax.Formula{Op: syntax.OpAnd, Sub: []*syntax.Formula{f, g}}
		} else {
			f = &syntax.Formula{Op: syntax.OpOr, Sub: []*syntax.Formula{f, g}}
		}
	}
	for range r.IntN(6) {
		switch r.IntN(4) {
		case 0:
			join(draw(graphtest.Regular, 2))
		case 1:
			join(draw(graphtest.Stateless, 2))
		default:
			f = &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{f}}
			join(draw(graphtest.Stateless, 2))
		}
	}
	return f
}

func satAgainst(l *graphtest.Lattice, from int, f *syntax.Formula, least bool, tally map[string]int) error {
	ctx := context.Background()
	c := l.Computation
	if from != l.Initial {
		c = c.From(l.Cuts[from])
		tally["from a later cut"]++
	}
	k := newChecker(ctx, c, Options{})
	regular := k.regular
	if least { // now and then without slices
		regular = func(f *syntax.Formula) *slice.Slice { return nil }
	}
	cut, proven, err := satEF(ctx, c, f, satOptions{regular: regular, least: least})
	var unfit *unfitError
	switch {
	case errors.As(err, &unfit):
		tally["unfit"]++
		return nil
	case err != nil:
		return err
	}
	countParts(c, f, regular, tally)
	holds := l.Holds(f)
	size := -1
	for i := range l.Cuts {
		if n := l.Cuts[i].Size(); holds[i] && l.Cuts[from].Within(l.Cuts[i]) && (size < 0 || n < size) {
			size = n
		}
	}
	switch {
	case cut == nil && size < 0:
		tally["fails"]++
		return nil
	case cut == nil:
		return errors.New("no cut was found")
	case size < 0:
		return fmt.Errorf("%v was found, but there is no such cut", cut)
	case l.Index(cut) < 0 || !l.Cuts[from].Within(cut):
		return fmt.Errorf("%v is no cut after the initial one", cut)
	case !holds[l.Index(cut)]:
		return fmt.Errorf("%v does not satisfy it", cut)
	case proven && cut.Size() != size:
		return fmt.Errorf("%v is said to be least, but another cut has %d events", cut, size)
	case least && !proven:
		return errors.New("not decided whether the cut is least")
	}
	tally["holds"]++
	if proven {
		tally["least"]++
	}
	return nil
}

// countParts tells what kinds of parts the formula has.
func countParts(c *graphs.Computation, f *syntax.Formula, regular func(*syntax.Formula) *slice.Slice, tally map[string]int) {
	root, err := newSatBuilder(context.Background(), c, regular).node(f)
	if err != nil {
		return
	}
	found := make(map[string]bool)
	var visit func(n *satNode)
	visit = func(n *satNode) {
		found[[...]string{"constant", "constant", "states", "several chains", "slice", "all", "any", "later"}[n.kind]] = true
		if a := n.atom; a != nil {
			if syntax.UsesTransit(&syntax.Formula{Op: syntax.OpAtom, Expr: a.expr}) {
				found["transit"] = true
			}
			if !a.monotone {
				found["cases"] = true
			} else {
				found["stairs"] = true
				for _, o := range a.scales {
					if !o.column.rising && !o.column.sinks {
						found["ladder"] = true
					}
				}
			}
		}
		for _, sub := range n.subs {
			visit(sub)
		}
	}
	visit(root)
	for kind := range found {
		tally[kind]++
	}
}

// Two processes with so many values that equalities are taken apart: every cut of
// theirs is looked at.
func TestSatManyValues(t *testing.T) {
	tally := make(map[string]int)
	for i := range 150 {
		r := rand.New(rand.NewPCG(29, uint64(i)))
		c := manyValues(r)
		initial, final := c.Initial(), c.Final()
		for range 8 {
			factor := []string{"", "2 * ", "-1 * ", "-"}
			text := fmt.Sprintf("%sx@P %s %sx@Q %s %d", factor[r.IntN(4)], []string{"+", "-"}[r.IntN(2)], factor[r.IntN(3)],
				[]string{"==", "!=", "<", ">=", "=="}[r.IntN(5)], r.IntN(300)-150)
			f, err := graphtest.Resolve(c, "!("+text+" && y@P == y@Q)")
			if r.IntN(2) == 0 {
				f, err = graphtest.Resolve(c, text+" && y@P != y@Q")
			}
			if err != nil {
				t.Fatal(err)
			}
			p, err := compile(c, f)
			if err != nil {
				t.Fatal(err)
			}
			size := -1
			env := p.env()
			for j := initial[0]; j <= final[0]; j++ {
				for k := initial[1]; k <= final[1]; k++ {
					if cut := (graphs.Cut{j, k}); p.at(cut, env) && (size < 0 || cut.Size() < size) && c.Consistent(cut) {
						size = cut.Size()
					}
				}
			}
			cut, least, err := satEF(context.Background(), c, syntax.NNF(f), satOptions{least: true})
			got := -1
			if cut != nil {
				got = cut.Size()
				if !p.at(cut, env) || !c.Consistent(cut) {
					t.Errorf("computation %d, %s: %v does not satisfy it", i, f, cut)
				}
			}
			if err != nil || !least || got != size {
				t.Fatalf("computation %d, %s: found %v (least %v, %v), the least size is %d", i, f, cut, least, err, size)
			}
			tally[fmt.Sprint("holds ", size >= 0)]++
		}
	}
	t.Log(tally)
	if tally["holds true"] < 150 || tally["holds false"] < 150 {
		t.Error("too few of one kind")
	}
}

func manyValues(r *rand.Rand) *graphs.Computation {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	step := r.IntN(3)
	var vars [2][2]*graphs.Variable
	for i, process := range []int{p, q} {
		for j, name := range []string{"x", "y"} {
			vars[i][j] = b.Variable(process, name)
			b.Init(vars[i][j], graphs.Int(0))
		}
	}
	var flight [2][]graphs.Handle
	value := [2]int64{}
	for n := range 90 + r.IntN(40) {
		i := r.IntN(2)
		e := b.Event([]int{p, q}[i])
		switch step {
		case 0:
			value[i] += int64(r.IntN(4))
		case 1:
			value[i] -= int64(r.IntN(4))
		default:
			value[i] = int64(n * 37 % 101)
		}
		b.Set(vars[i][0], e, graphs.Int(value[i]))
		if r.IntN(3) == 0 {
			b.Set(vars[i][1], e, graphs.Int(int64(r.IntN(3))))
		}
		if len(flight[i]) > 0 && r.IntN(3) == 0 {
			b.Deliver(b.NewMessage(""), flight[i][0], e, -1)
			flight[i] = flight[i][1:]
		} else if r.IntN(3) == 0 {
			flight[1-i] = append(flight[1-i], e)
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}
