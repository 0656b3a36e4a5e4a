package sat

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// Satisfiability finds a cut exactly where brute force does, the cut satisfies
// the formula, and none is smaller where that is claimed.
func TestAgainstBruteForce(t *testing.T) {
	const each = 8 // formulas of one computation
	n := graphtest.Rounds(t, 250)
	tally := make(graphtest.Tally)
	for i := range n {
		r := rand.New(rand.NewPCG(23, uint64(i)))
		l := graphtest.NewLattice(graphtest.Random(r, graphtest.DefaultConfig))
		from := l.Initial
		if r.IntN(4) == 0 {
			from = r.IntN(len(l.Cuts))
		}
		for range each {
			f := existential(r, l.Computation)
			for range 3 { // most that one chain decides is true or false everywhere
				if n := newBuilder(problem(t.Context(), l.Computation)).node(f); n != nil && n.kind > never {
					break
				}
				f = existential(r, l.Computation)
			}
			a := attempt{Lattice: l, from: from, formula: f, least: r.IntN(2) == 0, slices: r.IntN(2) == 0, tally: tally}
			if err := a.check(t); err != nil {
				t.Fatalf("computation %d from %v: EF(%s): %v", i, l.Cuts[from], f, err)
			}
		}
	}
	tally.Check(t, n*each/400, "holds", "fails", "least", "later", "EX", "AX", "slice", "transit", "relation", "order encoding", "implications", "cases", "from a later cut")
}

// existential draws a formula without A and E operators but EF, in negation
// normal form, now and then with a formula that has a slice as a part.
func existential(r *rand.Rand, c *graphs.Computation) *syntax.Formula {
	draw := func(fragment rctltest.Fragment, depth int) *syntax.Formula {
		return syntax.NNF(rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: fragment, Depth: depth}))
	}
	f := draw(rctltest.Stateless, 3)
	join := func(g *syntax.Formula) {
		if r.IntN(2) > 0 {
			f = &syntax.Formula{Op: syntax.OpAnd, Sub: []*syntax.Formula{f, g}}
		} else {
			f = &syntax.Formula{Op: syntax.OpOr, Sub: []*syntax.Formula{f, g}}
		}
	}
	for range r.IntN(6) {
		switch r.IntN(5) {
		case 4:
			g := draw(rctltest.Regular, 1)
			if r.IntN(2) == 0 {
				f = &syntax.Formula{Op: syntax.OpAnd, Sub: []*syntax.Formula{f, {Op: syntax.OpEX, Sub: []*syntax.Formula{g}}}}
			} else {
				f = &syntax.Formula{Op: syntax.OpAnd, Sub: []*syntax.Formula{f, {Op: syntax.OpAX, Sub: []*syntax.Formula{syntax.NNF(syntax.Not(g))}}}}
			}
		case 0:
			join(draw(rctltest.Regular, 2))
		case 1:
			join(draw(rctltest.Stateless, 2))
		default:
			f = &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{f}}
			join(draw(rctltest.Stateless, 2))
		}
	}
	return f
}

// An attempt is a formula to be decided at a cut of a lattice.
type attempt struct {
	*graphtest.Lattice
	from          int
	formula       *syntax.Formula
	least, slices bool // a least cut is asked for, slices are used
	tally         map[string]int
}

func (a *attempt) check(t *testing.T) error {
	c, from := a.Computation, a.Cuts[a.from]
	if a.from != a.Initial {
		c = c.From(from)
		a.tally["from a later cut"]++
	}
	p := problem(t.Context(), c)
	p.Evidence = a.least
	b := newBuilder(p)
	if !a.slices {
		b.slices = func(*syntax.Formula) *slice.Slice { return nil }
	}
	root := b.node(a.formula)
	if root == nil {
		a.tally["not taken on"]++
		return b.err
	}
	a.count(root)
	if next := syntax.Find(a.formula, func(f *syntax.Formula) bool { return f.Op == syntax.OpEX || f.Op == syntax.OpAX }); next != nil {
		a.tally[next.Op.String()]++
	}
	for _, k := range b.columns {
		if !k.valid() {
			return fmt.Errorf("the column %+v is not valid", k)
		}
	}
	numbers, err := newNumbering(p.Ctx, c, turns(c, root))
	if err != nil || !numbers.valid() {
		return fmt.Errorf("the numbering %+v is not valid (%v)", numbers, err)
	}
	cut, proven, err := find(p, root)
	if err != nil {
		return err
	}
	holds := rctltest.Holds(a.Lattice, a.formula)
	size := -1 // of the least
	for i, d := range a.Cuts {
		if holds[i] && from.Within(d) && (size < 0 || d.Size() < size) {
			size = d.Size()
		}
	}
	switch {
	case cut == nil && size < 0:
		a.tally["fails"]++
		return nil
	case cut == nil:
		return errors.New("no cut was found")
	case size < 0:
		return fmt.Errorf("%v was found, but there is no such cut", cut)
	case a.Index(cut) < 0 || !from.Within(cut):
		return fmt.Errorf("%v is not a cut after the initial one", cut)
	case !holds[a.Index(cut)]:
		return fmt.Errorf("%v does not satisfy it", cut)
	case proven && cut.Size() != size:
		return fmt.Errorf("%v is said to be least, but another cut has %d events", cut, size)
	case a.least && !proven:
		return errors.New("not decided whether the cut is least")
	}
	a.tally["holds"]++
	if proven {
		a.tally["least"]++
	}
	return replay.Check(c, c.Initial(), p.Shown(&syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{a.formula}}, cut).Runs[0])
}

// count notes what kinds of parts a node has.
func (a *attempt) count(root *node) {
	found := make(map[string]bool)
	var visit func(n *node)
	visit = func(n *node) {
		found[[...]string{"constant", "constant", "local", "relation", "slice", "all", "any", "later"}[n.kind]] = true
		if n.kind == related {
			found["transit"] = found["transit"] || syntax.UsesTransit(syntax.AsAtom(n.atom.expr))
			found["cases"] = found["cases"] || !n.atom.monotone
			found["implications"] = found["implications"] || n.atom.monotone
			for _, o := range n.atom.orders {
				found["order encoding"] = found["order encoding"] || n.atom.monotone && !o.rises() && !o.reversed().rises()
			}
		}
		for _, sub := range n.subs {
			visit(sub)
		}
	}
	visit(root)
	for kind := range found {
		if found[kind] {
			a.tally[kind]++
		}
	}
}

// Two processes with so many values that equalities are taken apart: every cut of
// theirs is looked at.
func TestManyValues(t *testing.T) {
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 40)
	for i := range n {
		r := rand.New(rand.NewPCG(29, uint64(i)))
		c := manyValues(r)
		initial, final := c.Initial(), c.Final()
		for range 8 {
			factor := []string{"", "2 * ", "-1 * ", "-"}
			text := fmt.Sprintf("%sx@P %s %sx@Q %s %d", factor[r.IntN(4)], []string{"+", "-"}[r.IntN(2)], factor[r.IntN(3)],
				[]string{"==", "!=", "<", ">=", "=="}[r.IntN(5)], r.IntN(300)-150)
			if r.IntN(2) == 0 {
				text += " && y@P != y@Q"
			} else {
				text = "!(" + text + " && y@P == y@Q)"
			}
			f := resolved(t, c, text)
			truth, err := atoms.NewTest(c, f)
			if err != nil {
				t.Fatal(err)
			}
			size := -1
			for j := initial[0]; j <= final[0]; j++ {
				for k := initial[1]; k <= final[1]; k++ {
					if cut := (graphs.Cut{j, k}); truth.At(cut) && (size < 0 || cut.Size() < size) && c.Consistent(cut) {
						size = cut.Size()
					}
				}
			}
			p := problem(t.Context(), c)
			p.Evidence = true
			a := decided(t, p, &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{f}})
			if a.Verdict != engine.VerdictOf(size >= 0) {
				t.Fatalf("computation %d, %s: %v, the least size is %d", i, f, a.Verdict, size)
			}
			for _, run := range a.Runs {
				if err := replay.Check(c, initial, run); err != nil || run.MaybeShorter || run.Cut.Size() != size {
					t.Fatalf("computation %d, %s: found %v (%v, %v), the least size is %d", i, f, run.Cut, run.MaybeShorter, err, size)
				}
			}
			tally[fmt.Sprint("holds ", size >= 0)]++
		}
	}
	t.Log(tally)
	if tally["holds true"] < n || tally["holds false"] < n {
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
