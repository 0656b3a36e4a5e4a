package flow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// randomRanges returns ranges of small numbers.
func randomRanges(r *rand.Rand) ranges {
	in := ranges{}
	if r.IntN(2) == 0 {
		in = everything
	}
	for range 1 + r.IntN(3) {
		low := int64(r.IntN(24) - 12)
		b := bounds{low: low, high: low + int64(r.IntN(6))}
		switch r.IntN(4) {
		case 0:
			b.low = -noLimit
		case 1:
			b.high = noLimit
		}
		if r.IntN(2) == 0 {
			in = in.and(ranges{b}.not())
		} else {
			in = in.not().and(ranges{b}.not()).not()
		}
	}
	return in
}

// A run is found that keeps a sum within ranges where brute force finds one, and where
// it does not none is said to be.
func TestKeepAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	usual := maxStates
	defer func() { maxStates = usual }()
	cases := graphtest.Rounds(t, 10_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 24))
		kinds := []graphtest.Kinds{graphtest.Messages | graphtest.Overtaking, graphtest.AllKinds}[r.IntN(2)]
		c := graphtest.Random(r, graphtest.Config{Processes: 2 + r.IntN(3), Events: 6 + r.IntN(12), Kinds: kinds})
		if c.Empty() {
			continue
		}
		l := graphtest.NewLattice(c)
		if r.IntN(3) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		maxStates = usual
		if r.IntN(8) == 0 {
			maxStates = r.IntN(4)
		}
		sum := randomTally(r, c)
		in := randomRanges(r)
		if r.IntN(2) == 0 { // one that both ends can be in
			high := max(sum.at(c.Initial()), sum.at(c.Final())) + int64(r.IntN(4))
			in = ranges{{low: -noLimit, high: high}}
			if r.IntN(2) == 0 {
				in = ranges{{low: min(sum.at(c.Initial()), sum.at(c.Final())) - int64(r.IntN(4)), high: noLimit}}
			}
		}
		want := kept(l, c, sum, in)
		o, err := sum.keep(context.Background(), c, in)
		if err != nil {
			t.Fatal(err)
		}
		tally[o.verdict.String()]++
		if len(in) == 1 && (in[0].low == -noLimit || in[0].high == noLimit) {
			tally["one-sided: "+o.verdict.String()]++
		}
		if o.verdict != engine.Unknown && o.verdict != want {
			t.Fatalf("case %d: the sum within %v: %v, brute force says %v", i, in, o.verdict, want)
		}
		if o.verdict == engine.Holds {
			if err := keeps(c, o.run, sum, in); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
		}
	}
	t.Log(tally)
	if tally["one-sided: holds"] < cases/5 || tally["one-sided: fails"] < cases/20 || tally["one-sided: unknown"] > cases/20 || tally["unknown"] > cases/4 {
		t.Error(tally)
	}
}

// A run is found that keeps a sum below what it hardly can, and it is known when there
// is none.
func TestBelowAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	cases := graphtest.Rounds(t, 4_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 26))
		c := entangled(r, 3+r.IntN(3), 20+r.IntN(20))
		sum := randomTally(r, c)
		most := max(sum.at(c.Initial()), sum.at(c.Final())) + int64(r.IntN(3))
		in := ranges{{low: -noLimit, high: most}}
		o, err := limit{sum, most}.below(context.Background(), c, c.Final())
		if err != nil {
			t.Fatal(err)
		}
		tally[o.verdict.String()]++
		if want := within(c, sum, in); o.verdict != engine.Unknown && o.verdict != want {
			t.Fatalf("case %d: below %d: %v, brute force says %v", i, most, o.verdict, want)
		}
		if o.verdict == engine.Holds {
			if err := keeps(c, o.run, sum, in); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/5 || tally["fails"] < cases/10 || tally["unknown"] > 0 {
		t.Error(tally)
	}
}

// narrow finds an event that cannot be passed where there is one.
func TestNarrowAgainstBruteForce(t *testing.T) {
	cases, narrows := graphtest.Rounds(t, 2_000), 0
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 27))
		c := entangled(r, 2+r.IntN(3), 10+r.IntN(12))
		sum := randomTally(r, c)
		all := graphtest.Cuts(c)
		from, to := c.Initial(), all[r.IntN(len(all))]
		if among := all[r.IntN(len(all))]; among.Within(to) {
			from = among
		}
		least := make(map[graphs.Event]int64) // the least sum with which an event is passed
		for _, cut := range all {
			if !from.Within(cut) || !cut.Within(to) {
				continue
			}
			for p := range cut {
				if next, ok := c.Next(cut, p); ok && next.Within(to) {
					e := c.Event(p, int(cut[p])+1)
					x := max(sum.at(cut), sum.at(next))
					if y, ok := least[e]; !ok || x < y {
						least[e] = x
					}
				}
			}
		}
		most := max(sum.at(from), sum.at(to)) + int64(r.IntN(4))
		want := false
		for _, x := range least {
			want = want || x > most
		}
		narrow, err := newPassage(c, sum.weight, most, from, to).narrow(context.Background(), sum.at(from))
		if err != nil || narrow != want {
			t.Fatalf("case %d: %v, %v, brute force says %v", i, narrow, err, want)
		}
		if narrow {
			narrows++
		}
	}
	if narrows < cases/20 {
		t.Errorf("only %d of %d", narrows, cases)
	}
}

// kept decides by brute force whether a run of c keeps a sum within ranges.
func kept(l *graphtest.Lattice, c *graphs.Computation, sum *tally, in ranges) engine.Verdict {
	from := make([]bool, len(l.Cuts)) // a run from here does
	for j := len(l.Cuts) - 1; j >= 0; j-- {
		from[j] = in.has(sum.at(l.Cuts[j]))
		if from[j] && len(l.Steps[j]) > 0 {
			from[j] = slices.ContainsFunc(l.Steps[j], func(k int) bool { return from[k] })
		}
	}
	return engine.VerdictOf(from[l.Index(c.Initial())])
}

// entangled returns a computation of n processes whose events often wait for others,
// and sometimes happen together.
func entangled(r *rand.Rand, n, events int) *graphs.Computation {
	var b graphs.Builder
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
	}
	waits, syncs := r.IntN(5), r.IntN(3)
	var all []graphs.Handle
	for range events {
		p := r.IntN(n)
		e := b.Event(p)
		if q := r.IntN(n); r.IntN(10) < syncs && q != p {
			b.Sync(e, b.Event(q))
		}
		for range 2 {
			if len(all) > 0 && r.IntN(8) < waits {
				b.Order(all[len(all)-1-r.IntN(min(len(all), 2*n))], e)
			}
		}
		all = append(all, e)
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// within decides the same for larger computations, by going wherever steps lead.
func within(c *graphs.Computation, sum *tally, in ranges) engine.Verdict {
	seen := map[string]bool{}
	todo := []graphs.Cut{c.Initial()}
	for len(todo) > 0 {
		cut := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if key := fmt.Sprint(cut); seen[key] || !in.has(sum.at(cut)) {
			continue
		} else {
			seen[key] = true
		}
		if cut.Equal(c.Final()) {
			return engine.Holds
		}
		for p := range cut {
			if next, ok := c.Next(cut, p); ok {
				todo = append(todo, next)
			}
		}
	}
	return engine.Fails
}

// keeps executes a whole run of c that keeps a sum within ranges.
func keeps(c *graphs.Computation, run []graphs.Event, sum *tally, in ranges) error {
	always := &syntax.Formula{Op: syntax.OpEG, Sub: []*syntax.Formula{{Op: syntax.OpTrue}}}
	if err := replay.Check(c, c.Initial(), &engine.Run{Formula: always, Cut: c.Final(), Events: run, Whole: true}); err != nil {
		return err
	}
	if !sum.stays(c, run, in) {
		return fmt.Errorf("the sum leaves %v along %v", in, run)
	}
	return nil
}

// EG of bounds on a sum and a regular predicate is that of brute force.
func TestRunsAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	cases := graphtest.RoundsUpTo(t, 3_000, 60_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 25))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		sum := randomSum(r, c)
		text := fmt.Sprintf("%s <= %d", sum, r.IntN(8)-1)
		for range r.IntN(3) {
			if r.IntN(4) == 0 {
				text = fmt.Sprintf("(%s) && %s <= %d", text, randomSum(r, c), r.IntN(9))
				continue
			}
			text = fmt.Sprintf("(%s) %s %s%s %s %d", text, []string{"&&", "||"}[r.IntN(2)], []string{"", "1 + "}[r.IntN(2)], sum, []string{"<", "==", "!=", ">="}[r.IntN(4)], r.IntN(8)-2)
		}
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		p := enginetest.Problem(c, false)
		if r.IntN(3) == 0 {
			g := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular, Depth: 1})
			f = syntax.And(f, g)
		}
		f = p.Normal(f)
		a := enginetest.Decide(t, Runs, p, syntax.OpEG, f)
		tally[a.Verdict.String()]++
		if a.Verdict == engine.Unknown {
			continue
		}
		whole := &syntax.Formula{Op: syntax.OpEG, Sub: []*syntax.Formula{f}}
		if want := engine.VerdictOf(rctltest.Holds(l, whole)[l.Index(c.Initial())]); a.Verdict != want {
			t.Fatalf("case %d: %s: %v, brute force says %v", i, whole, a.Verdict, want)
		}
		for _, run := range a.Runs {
			if err := enginetest.CheckRun(l, c, run); err != nil {
				t.Fatalf("case %d: %s: %v", i, whole, err)
			}
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/20 || tally["fails"] < cases/5 {
		t.Error(tally)
	}
}

// randomTally gives the events of c random weights.
func randomTally(r *rand.Rand, c *graphs.Computation) *tally {
	t := &tally{comp: c, weight: make([]int64, c.Top()+1)}
	most := 1 + r.IntN(9)
	for e := range t.weight[1:] {
		t.weight[1+e] = int64(r.IntN(2*most+1) - most)
	}
	return t
}

// Runs that keep down what goes up and down at random, on traces of growing size.
func BenchmarkRuns(b *testing.B) {
	for _, size := range []struct{ processes, events int }{{10, 3_000}, {20, 20_000}} {
		r := rand.New(rand.NewPCG(28, 0))
		c := entangled(r, size.processes, size.events)
		sum := &tally{comp: c, weight: make([]int64, c.Top()+1)}
		for p := range c.Final() {
			now := int64(0)
			for i := 1; i <= c.Len(p); i++ {
				next := r.Int64N(10)
				sum.weight[c.Event(p, i)], now = next-now, next
			}
		}
		in := ranges{{low: -noLimit, high: sum.at(c.Final()) + int64(size.processes)}}
		b.Run(fmt.Sprintf("%d/%d", size.processes, size.events), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if o, err := sum.keep(context.Background(), c, in); err != nil || o.verdict == engine.Fails {
					b.Fatal(o.verdict, err)
				}
			}
		})
	}
}

// A lowest cut that is reached in haste does not tell that there is no run: another way
// from an earlier one, which is as low, may lead on.
func TestHasteTellsNothing(t *testing.T) {
	var b graphs.Builder
	for _, name := range []string{"Q", "P", "R"} {
		b.Process(name)
	}
	q, p := b.Event(0), b.Event(1)
	var r [3]graphs.Handle
	for i := range r {
		r[i] = b.Event(2)
	}
	b.Order(r[0], q)
	b.Order(q, r[1])
	b.Order(p, r[2])
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	weight := make([]int64, c.Top()+1)
	for i, w := range []int64{9, 1, 1, -12, -5} { // q, p, r
		weight[1+i] = w
	}
	const most = 10
	sum := &tally{comp: c, weight: weight}
	o, err := newPassage(c, weight, most, c.Initial(), c.Final()).find(context.Background(), 0)
	if err != nil || o.verdict != engine.Holds {
		t.Fatal(o.verdict, err)
	}
	if err := keeps(c, o.run, sum, ranges{{low: -noLimit, high: most}}); err != nil {
		t.Error(err)
	}
}
