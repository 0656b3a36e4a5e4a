package smv_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
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
	"github.com/pota-project/pota/translate/smv"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

const formulasEach = 8 // of one computation

// The states of the model are the cuts, its transitions the steps, and the
// specification holds where brute force says so: at every cut, not only the first.
func TestAgainstBruteForce(t *testing.T) {
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 3200)
	for i := range n / formulasEach {
		r := rand.New(rand.NewPCG(21, uint64(i)))
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 10, Kinds: graphtest.AllKinds | graphtest.SharedSteps})
		l := graphtest.NewLattice(c)
		if r.IntN(8) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		var k *structure
		for j := range formulasEach {
			f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{})
			opts := smv.Options{}
			if r.IntN(2) == 0 {
				opts.Limit = 6 // so that sums are written
			}
			text, err := write(c, f, opts)
			if opts.Limit > 0 {
				var e *smv.Error
				if errors.As(err, &e) {
					tally["refused"]++
					text, err = write(c, f, smv.Options{})
				} else if strings.Contains(text, "esac") {
					tally["sums"]++
				}
			}
			if err != nil {
				t.Fatalf("computation %d: %s: %v", i, f, err)
			}
			m, err := parse(text)
			if err != nil {
				t.Fatalf("computation %d: %s: %v\n%s", i, f, err, text)
			}
			if j == 0 {
				if k, err = m.explore(); err == nil {
					err = sameLattice(c, l, k)
				}
				if err != nil {
					t.Fatalf("computation %d: %v\n%s", i, err, text)
				}
			}
			k.program = m
			for i := range k.memos {
				clear(k.memos[i])
			}
			want := rctltest.Holds(l, f)
			for s, holds := range k.holds(m.specs[0]) {
				at := l.Index(k.cut(c, s))
				if holds != want[at] {
					t.Fatalf("computation %d: %s at %v: %v, brute force says %v\n%s", i, f, l.Cuts[at], holds, want[at], text)
				}
			}
			tally[fmt.Sprint(want[l.Index(c.Initial())])]++
			if c.Cyclic() {
				tally["cyclic"]++
			}
		}
	}
	tally.Check(t, n/50, "true", "false", "cyclic", "sums")
}

// Whole numbers and floats are told apart.
func TestMixedNumbers(t *testing.T) {
	for _, test := range rctltest.MixedNumbers() {
		f, err := rctltest.Resolve(test.Computation, test.Formula)
		if err != nil {
			t.Fatal(err)
		}
		text, err := write(test.Computation, f, smv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.explore()
		if err != nil {
			t.Fatal(err)
		}
		for s, holds := range k.holds(m.specs[0]) {
			if !holds && k.cut(test.Computation, s).Equal(test.Initial()) {
				t.Errorf("%s fails\n%s", test.Formula, text)
			}
		}
	}
}

func write(c *graphs.Computation, f *syntax.Formula, opts smv.Options) (string, error) {
	var b bytes.Buffer
	err := smv.Write(&b, c, f, opts)
	return b.String(), err
}

// cut returns the cut that a state stands for.
func (k *structure) cut(c *graphs.Computation, s int) graphs.Cut {
	cut := c.Initial().Clone()
	counters := 0
	for p, process := range c.Processes() {
		if n, ok := k.states[s]["n_"+ident.Mangle(process)]; ok {
			cut[p] = int32(n)
			counters++
		}
	}
	if counters != len(k.states[s]) {
		panic(fmt.Sprintf("counters of no process among %v", k.states[s]))
	}
	return cut
}

// sameLattice compares the states and transitions with the cuts from the initial
// one on.
func sameLattice(c *graphs.Computation, l *graphtest.Lattice, k *structure) error {
	index := make(map[int]int) // state of a cut
	for s := range k.states {
		at := l.Index(k.cut(c, s))
		if at < 0 {
			return fmt.Errorf("the state %v is no cut", k.states[s])
		}
		index[at] = s
	}
	for at, cut := range l.Cuts {
		s, ok := index[at]
		if ok != c.Initial().Within(cut) {
			return fmt.Errorf("the cut %v is a state: %v", cut, ok)
		}
		if !ok {
			continue
		}
		var want []int
		for _, next := range l.Steps[at] {
			want = append(want, index[next])
		}
		if at == l.Final {
			want = []int{s}
		}
		slices.Sort(want)
		if !slices.Equal(k.succ[s], want) {
			return fmt.Errorf("after %v come %v, not %v", cut, k.succ[s], want)
		}
	}
	if len(k.init) != 1 || !k.cut(c, k.init[0]).Equal(c.Initial()) {
		return fmt.Errorf("initial states %v", k.init)
	}
	return nil
}

func TestGolden(t *testing.T) {
	c := graphtest.Figure1("P 1", "P_2", "f\n1", "sénd")
	f, err := rctltest.Resolve(c, `EF(x < 4 && y >= 2) && AG(x + y <= 6 && transit(P_2, "P 1") <= 0) && EX A[x == 1 W y * x > 7]`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := write(c, f, smv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var order bytes.Buffer
	if err := smv.WriteOrder(&order, c); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"testdata/figure1.smv": text, "testdata/figure1.ord": order.String()} {
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

// Every bit of every variable stands in the order once.
func TestOrder(t *testing.T) {
	for i := range 100 {
		c := graphtest.Random(rand.New(rand.NewPCG(22, uint64(i))), graphtest.DefaultConfig)
		text, err := write(c, &syntax.Formula{Op: syntax.OpTrue}, smv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, name := range m.vars {
			for bit := m.widths[name] - 1; bit >= 0; bit-- {
				fmt.Fprintf(&want, "%s.%d\n", name, bit)
			}
		}
		var got bytes.Buffer
		if err := smv.WriteOrder(&got, c); err != nil || got.String() != want.String() {
			t.Fatalf("%v\n%s", err, got.String())
		}
	}
}

func TestRefused(t *testing.T) {
	c := graphtest.Figure1("P 1", "P_2", "f\n1", "sénd")
	const text = "EF(AX x * y == 8)"
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = write(c, f, smv.Options{Limit: 5})
	var e *smv.Error
	if !errors.As(err, &e) || e.Atom != "x * y == 8" || e.Pos != strings.Index(text, "==") {
		t.Errorf("%+v", *e)
	}
	empty := c.With([]graphs.Edge{{From: c.Top(), To: graphs.Bottom}})
	if _, err := write(empty, f, smv.Options{}); !errors.Is(err, smv.ErrEmpty) {
		t.Errorf("%v", err)
	}
	if err := smv.WriteOrder(&bytes.Buffer{}, empty); !errors.Is(err, smv.ErrEmpty) {
		t.Errorf("%v", err)
	}
}
