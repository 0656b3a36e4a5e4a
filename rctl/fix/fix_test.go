package fix

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A twin tries all cuts and all orders.
type twin struct {
	c     *graphs.Computation
	bad   []graphs.Cut
	along *graphs.Computation // the run along which orders go, nil for any orders
}

// allows reports whether an order goes along the run.
func (w *twin) allows(e, f graphs.Event) bool {
	if w.along == nil {
		return true
	}
	before, _ := w.along.Below(w.along.Final(), f)
	return w.along.Has(before, e)
}

// least returns the smallest number of orders that exclude all bad cuts, or -1 if it is more than
// most: it tries each order that excludes the first remaining cut.
func (w *twin) least(most int) int {
	var orders []graphs.Edge
	for e := graphs.Bottom + 1; e < w.c.Top(); e++ {
		for f := graphs.Bottom + 1; f < w.c.Top(); f++ {
			if e != f && !w.c.Has(w.c.Initial(), f) && w.c.Has(w.c.Final(), e) && w.allows(e, f) {
				orders = append(orders, graphs.Edge{From: e, To: f})
			}
		}
	}
	s := search{c: w.c}
	var choose func(chosen []graphs.Edge, left int) bool
	choose = func(chosen []graphs.Edge, left int) bool {
		i := slices.IndexFunc(w.bad, func(cut graphs.Cut) bool { return s.allow(chosen, cut) })
		if i < 0 {
			return w.along != nil || s.together(chosen) != nil
		}
		return left > 0 && slices.ContainsFunc(orders, func(o graphs.Edge) bool {
			return s.excludes(o, w.bad[i]) && choose(append(chosen[:len(chosen):len(chosen)], o), left-1)
		})
	}
	for n := range most + 1 {
		if choose(nil, n) {
			return n
		}
	}
	return -1
}

// check fails unless the orders exclude all bad cuts, none can be omitted, each prevents the cut
// that it claims to, and all are compatible.
func (w *twin) check(fix *Fix) error {
	s := search{c: w.c}
	for _, cut := range w.bad {
		if s.allow(fix.Orders, cut) {
			return fmt.Errorf("%v is not excluded", cut)
		}
	}
	for i, o := range fix.Orders {
		cut, err := fix.Prevented(i)
		if err != nil {
			return err
		}
		rest := without(fix.Orders, i)
		if !slices.ContainsFunc(w.bad, cut.Equal) || !s.excludes(o, cut) || !s.allow(rest, cut) {
			return fmt.Errorf("%v does not show that order %d is needed", cut, i)
		}
		if !w.allows(o.From, o.To) {
			return fmt.Errorf("order %d is against the run", i)
		}
	}
	if s.together(fix.Orders) == nil {
		return errors.New("a cycle")
	}
	return nil
}

// invariants are formulas about in and x of three processes.
var invariants = []struct {
	text string
	p    func(in [3]bool, x [3]int64) bool
}{
	{"forall i != j: !(in@i && in@j)", func(in [3]bool, x [3]int64) bool { return count(in) <= 1 }},
	{"(count i: in@i) <= 1", func(in [3]bool, x [3]int64) bool { return count(in) <= 1 }},
	{"(count i: in@i) <= 2", func(in [3]bool, x [3]int64) bool { return count(in) <= 2 }},
	{"!(in@P0 && in@P1)", func(in [3]bool, x [3]int64) bool { return !in[0] || !in[1] }},
	{"!(in@P0 && (in@P1 || in@P2))", func(in [3]bool, x [3]int64) bool { return !in[0] || !in[1] && !in[2] }},
	{"x@P0 + x@P1 + x@P2 <= 3", func(in [3]bool, x [3]int64) bool { return x[0]+x[1]+x[2] <= 3 }},
	{"in@P0 && x@P1 == 1 -> in@P2 || x@P2 == 0", func(in [3]bool, x [3]int64) bool { return !in[0] || x[1] != 1 || in[2] || x[2] == 0 }},
	{"(x@P0 != x@P1 || in@P2) && !(in@P0 && in@P1)", func(in [3]bool, x [3]int64) bool { return (x[0] != x[1] || in[2]) && (!in[0] || !in[1]) }},
}

func count(in [3]bool) (n int) {
	for _, is := range in {
		if is {
			n++
		}
	}
	return n
}

// lucky returns a computation with a run along which an invariant holds. Its events set in and x, and few of
// them are ordered.
func lucky(t *testing.T, r *rand.Rand) (*graphs.Computation, string) {
	t.Helper()
	of := invariants[r.IntN(len(invariants))]
	var b graphs.Builder
	var ins, xs [3]*graphs.Variable
	var in [3]bool
	x := [3]int64{0, 1, 2}
	for p := range 3 {
		b.Process(fmt.Sprintf("P%d", p))
		ins[p], xs[p] = b.Variable(p, "in"), b.Variable(p, "x")
		b.Init(ins[p], graphs.Boolean(false))
		b.Init(xs[p], graphs.Int(x[p]))
	}
	var all []graphs.Handle
	for range 6 + r.IntN(9) {
		p := r.IntN(3)
		was, number := in, x
		in[p], x[p] = r.IntN(2) == 0, r.Int64N(3)
		if !of.p(in, x) {
			in, x = was, number
			continue
		}
		e := b.Event(p)
		b.Set(ins[p], e, graphs.Boolean(in[p]))
		b.Set(xs[p], e, graphs.Int(x[p]))
		if q := (p + 1) % 3; r.IntN(12) == 0 {
			b.Sync(e, b.Event(q))
		}
		if len(all) > 0 && r.IntN(9) == 0 {
			b.Order(all[r.IntN(len(all))], e)
		}
		all = append(all, e)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c, of.text
}

// Fixes have as few orders as an exhaustive search finds, along a run and in any order.
func TestAgainstExhaustiveSearch(t *testing.T) {
	tally := make(graphtest.Tally)
	const most = 4
	for i, x := range graphtest.Samples(graphtest.Rounds(t, 8_000), 37, graphtest.Config{Processes: 4, Events: 10, Kinds: graphtest.AllKinds}, true) {
		text := rctltest.RandomFormulaText(x.Rand, x.Computation, rctltest.FormulaConfig{Fragment: rctltest.Stateless, Depth: 2})
		if i%6 > 0 {
			x.Computation, text = lucky(t, x.Rand)
			x.Lattice = graphtest.NewLattice(x.Computation)
		}
		p, err := rctltest.Resolve(x.Computation, text)
		if err != nil {
			t.Fatal(err)
		}
		w := &twin{c: x.Computation}
		for k, holds := range rctltest.Holds(x.Lattice, p) {
			if cut := x.Lattice.Cuts[k]; !holds && x.Initial().Within(cut) {
				w.bad = append(w.bad, cut)
			}
		}
		fix, err := Missing(t.Context(), x.Computation, syntax.New(syntax.OpAG, 0, p), Options{})
		possible := rctltest.Holds(x.Lattice, syntax.New(syntax.OpEG, 0, p))[x.Lattice.Index(x.Initial())]
		if _, none := errors.AsType[*InfeasibleError](err); none != !possible || err != nil && !none {
			t.Fatalf("case %d: %s: %v, possible %v", i, text, err, possible)
		}
		switch {
		case !possible:
			tally["infeasible"]++
			continue
		case len(w.bad) == 0:
			tally["holds"]++
			if len(fix.Orders) > 0 {
				t.Fatalf("case %d: %s holds, and lacks %v", i, text, fix.Orders)
			}
			continue
		}
		want := w.least(most)
		if err := w.check(fix); err != nil || !fix.Least || want >= 0 && len(fix.Orders) != want || want < 0 && len(fix.Orders) <= most {
			t.Fatalf("case %d: %s: %v, want %d orders: %v", i, text, fix.Orders, want, err)
		}
		tally[fmt.Sprint(min(len(fix.Orders), 3))]++

		// Along a run.
		search := func(steps int64) *search {
			s, end, err := newSearch(t.Context(), x.Computation, p, Options{Steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(end)
			s.seen = w.bad[:1:1]
			return s
		}
		s := search(0)
		run, _, err := s.goodRun()
		if err != nil {
			t.Fatal(err)
		}
		d, err := x.Ordered(slices.Values(x.RunEdges(run)))
		if err != nil {
			t.Fatal(err)
		}
		w.along = d
		along := &Fix{Run: run, of: s}
		if along.Orders, along.Least, err = s.fewest(run, false); err != nil {
			t.Fatal(err)
		}
		s.nameAfter(along)
		want = w.least(most)
		if err := w.check(along); err != nil || !along.Least || want >= 0 && len(along.Orders) != want || want < 0 && len(along.Orders) <= most {
			t.Fatalf("case %d: %s: along %v: %v, want %d orders: %v", i, text, run, along.Orders, want, err)
		}
		if len(s.seen) == 1 {
			tally["one cut"]++
		}
		against := func(o graphs.Edge) bool { return !w.allows(o.From, o.To) }
		switch {
		case len(along.Orders) > len(fix.Orders):
			tally["any order is better"]++
		case slices.ContainsFunc(fix.Orders, against):
			t.Fatalf("case %d: %s: %v against %v, where as few are along it", i, text, fix.Orders, run)
		}

		// With few steps.
		few := search(1 + x.Rand.Int64N(30))
		if along.Orders, along.Least, err = few.fewest(run, false); err != nil {
			t.Fatal(err)
		}
		if err := w.check(along); err != nil || along.Least && want >= 0 && len(along.Orders) != want {
			t.Fatalf("case %d: %s: with few steps %v: %v", i, text, along.Orders, err)
		}
		if !along.Least {
			tally["not proven least"]++
		}
	}
	t.Log(tally)
	tally.Check(t, 3, "infeasible", "holds", "1", "2", "3", "one cut", "any order is better", "not proven least")
}
