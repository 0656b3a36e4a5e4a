package pnml_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/internal/ident"
	"github.com/pota-project/pota/translate/pnml"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

const formulasEach = 4 // of one computation

// The markings of the net are the cuts, its firings the steps, and the property holds
// where brute force says so: at every cut, not only the first.
func TestAgainstBruteForce(t *testing.T) {
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 2400)
	for i := range n / formulasEach {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 12, Kinds: graphtest.AllKinds | graphtest.SharedSteps})
		l := graphtest.NewLattice(c)
		if r.IntN(8) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		for range formulasEach {
			f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{})
			if r.IntN(4) == 0 {
				f = channels(t, r, c)
			}
			if err := compare(c, l, f, r.IntN(2) == 0, tally); err != nil {
				t.Fatalf("computation %d: %s: %v", i, f, err)
			}
		}
		if c.Cyclic() {
			tally["cyclic"]++
		}
	}
	tally.Check(t, n/400, "true", "false", "cyclic", "m1_", "m2_", "w1_", "w2_", "p_", "s_", "v")
}

// channels is a formula that adds up channels and counters.
func channels(t *testing.T, r *rand.Rand, c *graphs.Computation) *syntax.Formula {
	t.Helper()
	names := c.Processes()
	var sum strings.Builder
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&sum, " %s %d * transit(%q, %q)", []string{"+", "-"}[r.IntN(2)], 1+r.IntN(2), names[r.IntN(len(names))], names[r.IntN(len(names))])
	}
	for _, v := range c.Variables() {
		if v.Kind == graphs.Number && v.Process != graphs.Shared && r.IntN(4) == 0 {
			fmt.Fprintf(&sum, " + %s@%q", v.Name, names[v.Process])
		}
	}
	f, err := rctltest.Resolve(c, fmt.Sprintf("EF(0%s %s %d)", sum.String(), []string{"<", "<=", "==", "!=", ">", ">="}[r.IntN(6)], r.IntN(4)-1))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func write(c *graphs.Computation, f *syntax.Formula, sums bool) (net, property string, err error) {
	var a, b bytes.Buffer
	if sums { // for all atoms whose diagrams have more than a few runs
		err = pnml.WriteWithin(&a, &b, c, f, 6, 1<<18)
		var e *pnml.Error
		if !errors.As(err, &e) {
			return a.String(), b.String(), err
		}
	}
	err = pnml.Write(&a, &b, c, f)
	return a.String(), b.String(), err
}

func compare(c *graphs.Computation, l *graphtest.Lattice, f *syntax.Formula, sums bool, tally map[string]int) error {
	net, property, err := write(c, f, sums)
	if err != nil {
		return err
	}
	n, err := readNet(net)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, net)
	}
	g, err := n.explore()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, net)
	}
	at, err := sameLattice(c, l, g)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, net)
	}
	p, err := readProperty(property)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, property)
	}
	want := rctltest.Holds(l, f)
	for i, holds := range g.holds(p) {
		if holds != want[at[i]] {
			return fmt.Errorf("at %v: %v, brute force says %v\n%s\n%s", l.Cuts[at[i]], holds, want[at[i]], net, property)
		}
	}
	tally[fmt.Sprint(want[l.Index(c.Initial())])]++
	for _, place := range []string{"m1_", "m2_", "w1_", "w2_", "p_", "s_", "v"} {
		if strings.Contains(property, ">"+place) {
			tally[place]++
		}
	}
	return nil
}

// sameLattice returns the cut of each marking: the initial one and the meta-events
// fired on some way to it.
func sameLattice(c *graphs.Computation, l *graphtest.Lattice, g *graph) ([]int, error) {
	at := make([]int, len(g.markings))
	index := make(map[int]int)
	first := make(map[string]graphs.Event) // of each transition
	for e := graphs.Event(1); e < c.Top(); e++ {
		first[fmt.Sprintf("t_%s_%d", ident.Lower.Mangle(c.Processes()[c.Process(e)]), c.Position(e))] = e
	}
	for i, fired := range g.fired {
		cut := c.Initial().Clone()
		for _, t := range fired {
			e, ok := first[g.names[t]]
			if !ok {
				return nil, fmt.Errorf("transition %s", g.names[t])
			}
			for _, e := range c.Step(e) {
				cut[c.Process(e)]++
			}
		}
		at[i] = l.Index(cut)
		if _, twice := index[at[i]]; twice || at[i] < 0 {
			return nil, fmt.Errorf("marking %d is the cut %v", i, cut)
		}
		index[at[i]] = i
	}
	for j, cut := range l.Cuts {
		i, ok := index[j]
		if ok != c.Initial().Within(cut) {
			return nil, fmt.Errorf("the cut %v is a marking: %v", cut, ok)
		}
		if !ok {
			continue
		}
		var got []int
		for _, next := range g.succ[i] {
			got = append(got, at[next])
		}
		slices.Sort(got)
		if !slices.Equal(got, l.Steps[j]) {
			return nil, fmt.Errorf("after %v come %v, not %v", cut, got, l.Steps[j])
		}
	}
	return at, nil
}

func TestGolden(t *testing.T) {
	c := graphtest.Figure1("P <---1>", "P_2", "f--1", "sénd & wait")
	f, err := rctltest.Resolve(c, `EF(x < 4 && y >= 2) && AG(transit(P_2, "P <---1>") <= 0) && EX A[x == 1 W y * x > 7]`)
	if err != nil {
		t.Fatal(err)
	}
	net, property, err := write(c, f, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"testdata/figure1.pnml": net, "testdata/figure1.xml": property} {
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestRefused(t *testing.T) {
	var b graphs.Builder
	x, y := b.Variable(b.Process("P"), "x"), b.Variable(b.Process("Q"), "y")
	for i := range 110 {
		b.Set(x, b.Event(0), graphs.Int(int64(i*i)))
		b.Set(y, b.Event(1), graphs.Int(int64(i*i*i)))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"EF(AX x * y == 8)":      "x * y == 8",
		"EF(x - y == 8)":         "",
		"EF(x * y == 8 || x>2)":  "x * y == 8",
		"EF(x + y <= 3 || x>2)":  "",
		"AG(x < 9 && y != 8000)": "",
	} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		err = pnml.WriteWithin(io.Discard, io.Discard, c, f, 1<<13, 1<<11)
		var e *pnml.Error
		switch {
		case want == "" && err != nil, want != "" && (!errors.As(err, &e) || e.Atom != want || text[e.Pos:e.Pos+2] != "=="):
			t.Errorf("%s: %v", text, err)
		}
	}
	weak := "x == 1"
	for range 40 {
		weak = "E[" + weak + " W AX y == 2]"
	}
	f, err := rctltest.Resolve(c, weak)
	if err != nil {
		t.Fatal(err)
	}
	var e *pnml.Error
	if _, _, err := write(c, f, false); !errors.As(err, &e) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("%v", err)
	}
	var none *pnml.EmptyError
	if _, _, err := write(c.With([]graphs.Edge{{From: c.Top(), To: graphs.Bottom}}), f, false); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
}
