package promela

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/internal/ident"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The claim of a model means what the formula means, by brute force over the runs
// of the claim along those of the computation; and each proposition, as it is
// written, has the truth at each cut that it should.
func TestClaims(t *testing.T) {
	const formulasEach = 8
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 2400)
	for i := range n / formulasEach {
		r := rand.New(rand.NewPCG(71, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		for range formulasEach {
			f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(4)), Depth: 4})
			m, err := Translate(context.Background(), c, f, Options{})
			var none *InexpressibleError
			var limit *LimitError
			switch {
			case errors.As(err, &none) && none.Next:
				tally["next"]++
				continue
			case errors.As(err, &none):
				tally["inexpressible"]++
				continue
			case errors.As(err, &limit):
				tally["limit"]++
				continue
			case err != nil:
				t.Fatalf("pair %d: %s: %v", i, f, err)
			}
			want := rctltest.Holds(l, f)[l.Index(c.Initial())]
			if got := accepts(l, m.claim) == m.Witness; got != want {
				t.Fatalf("pair %d: %s is %v; the model says %v, by %s", i, f, want, got, m.claim)
			}
			if err := compareTexts(c, l, m.claim); err != nil {
				t.Fatalf("pair %d: %s: %v", i, f, err)
			}
			tally[fmt.Sprintf("witness %v", m.Witness)]++
			tally[fmt.Sprintf("holds %v", want)]++
			if strings.Contains(m.String(), ", by its slice") {
				tally["slices"]++
			}
			if m.Cycles {
				tally["cycles"]++
			}
		}
	}
	tally.Check(t, n/200, "witness true", "witness false", "holds true", "holds false", "slices", "cycles", "inexpressible", "next")
}

// Whole numbers and floats are told apart.
func TestMixedNumbers(t *testing.T) {
	for _, test := range rctltest.MixedNumbers() {
		l := graphtest.NewLattice(test.Computation)
		m, err := Translate(context.Background(), test.Computation, resolve(t, test.Computation, test.Formula), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if accepts(l, m.claim) != m.Witness {
			t.Errorf("%s fails", test.Formula)
		}
		if err := compareTexts(test.Computation, l, m.claim); err != nil {
			t.Errorf("%s: %v", test.Formula, err)
		}
	}
}

// A sum is not written out whose first terms alone are more than Promela's integers hold.
func TestPartialSums(t *testing.T) {
	var b graphs.Builder
	for p := range 6 {
		x := b.Variable(b.Process(fmt.Sprint("P", p)), "x")
		least := int64(1<<30 - 2)
		if p >= 3 {
			least = -least - 1
		}
		b.Init(x, graphs.Int(least))
		b.Set(x, b.Event(p), graphs.Int(least+1))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Translate(context.Background(), c, resolve(t, c, "EF((sum i: x@i) == 2)"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := compareTexts(c, graphtest.NewLattice(c), m.claim); err != nil {
		t.Error(err)
	}
}

// accepts decides whether some run of the lattice is accepted by the claim, from
// the last cut back.
func accepts(l *graphtest.Lattice, root *path) bool {
	k := newClaim(root)
	holds := make(map[*path][]bool)
	for _, g := range k.states {
		holds[g] = make([]bool, len(l.Cuts))
	}
	for i := len(l.Cuts) - 1; i >= 0; i-- {
		for s := len(k.states) - 1; s >= 0; s-- {
			g := k.states[s]
			for _, a := range g.arcs() {
				enabled := true
				for _, name := range a.guard {
					enabled = enabled && truthOf(root, name)(l.Cuts[i])
				}
				if !enabled {
					continue
				}
				if a.to == nil {
					holds[g][i] = true
					continue
				}
				if len(l.Steps[i]) == 0 { // the last cut repeats
					holds[g][i] = holds[g][i] || stays(root, a.to, l.Cuts[i])
				}
				for _, j := range l.Steps[i] {
					holds[g][i] = holds[g][i] || holds[a.to][j]
				}
			}
		}
	}
	return holds[root][l.Index(l.Computation.Initial())]
}

// stays reports whether the claim accepts one cut repeated for ever.
func stays(root, g *path, cut graphs.Cut) bool {
	for _, a := range g.arcs() {
		enabled := true
		for _, name := range a.guard {
			enabled = enabled && truthOf(root, name)(cut)
		}
		if enabled && (a.to == nil || a.to == g && g.op == pathWeak || a.to != g && stays(root, a.to, cut)) {
			return true
		}
	}
	return false
}

func truthOf(root *path, name string) func(graphs.Cut) bool {
	if root.prop != nil && root.prop.name == name {
		return root.prop.holds
	}
	for _, h := range root.sub {
		if f := truthOf(h, name); f != nil {
			return f
		}
	}
	return nil
}

// compareTexts compares the propositions of a claim, also those that have become constants,
// with their texts.
func compareTexts(c *graphs.Computation, l *graphtest.Lattice, g *path) error {
	if g.prop != nil && g.prop != always && g.prop != never {
		if err := compareText(c, l, g.prop); err != nil {
			return err
		}
	}
	for _, sub := range g.sub {
		if err := compareTexts(c, l, sub); err != nil {
			return err
		}
	}
	return nil
}

func compareText(c *graphs.Computation, l *graphtest.Lattice, p *proposition) error {
	counts := make(map[string]int)
	for q, name := range c.Processes() {
		counts["seen_"+ident.Mangle(name)] = q
	}
	for _, cut := range l.Cuts {
		if !c.Initial().Within(cut) {
			continue
		}
		got, err := evaluate(p.text, func(name string) (int64, bool) {
			q, ok := counts[name]
			if !ok {
				return 0, false
			}
			return int64(cut[q]), true
		})
		if err != nil {
			return fmt.Errorf("%s: %w", p.text, err)
		}
		if got != 0 != p.holds(cut) {
			return fmt.Errorf("%s is %v at %v, but %s is %d", p.says, p.holds(cut), cut, p.text, got)
		}
	}
	return nil
}

// What the formulas of the documentation become.
func TestShapes(t *testing.T) {
	c := graphtest.Figure1("P1", "P2", "f1", "")
	tests := []struct{ formula, claim, meaning string }{
		{"AG(x >= 2)", "<> prop_1", "fails"},
		{"EF(x == 2 && y == 2)", "<> prop_1", "holds"},
		{"AF(y == 4)", "[] prop_1", "fails"},
		{"EG(x < 5)", "[] prop_1", "holds"},
		{"AG(x == 2 -> AF(y == 2))", "<> (prop_2 && [] prop_1)", "fails"},
		{"EF(x == 2 && EG(y != 2))", "<> (prop_2 && [] prop_1)", "holds"},
		{"E[x < 4 U y == 2]", "(prop_1 U prop_2)", "holds"},
		{"A[x < 4 U y == 2]", "((prop_1 U prop_2) || [] prop_1)", "fails"},
		{"EG(x < 4 || EG(y == 4))", "((prop_1 U [] prop_2) || [] prop_1)", "holds"},
		{"AG EF(x == 5)", "<> [] prop_1", "fails"},
		{"AG(x == 2 -> EF(y == 1))", "<> (prop_2 && prop_1)", "fails"},
		{"EF(AG(x == 5) && y == 1)", "<> (prop_2 && prop_1)", "holds"},
		{"EF(AG(x >= 4) && EG(x == 2 || y == 2))", "<> (prop_1 && [] prop_2)", "holds"},
	}
	for _, test := range tests {
		m, err := Translate(context.Background(), c, resolve(t, c, test.formula), Options{})
		if err != nil {
			t.Errorf("%s: %v", test.formula, err)
			continue
		}
		meaning := map[bool]string{true: "holds", false: "fails"}[m.Witness]
		if got := m.claim.String(); got != test.claim || meaning != test.meaning {
			t.Errorf("%s: %s, errors mean %s; want %s, %s", test.formula, got, meaning, test.claim, test.meaning)
		}
	}
}

func TestRefusals(t *testing.T) {
	c := graphtest.Figure1("P1", "P2", "f1", "")
	tests := []struct {
		formula  string
		noSlices bool
		message  string
	}{
		{"AG(x == 2 -> EX(y == 1))", false, "EX(y == 1) counts steps, which SPIN's partial-order reduction does not preserve; --to smv can express it"},
		{"AG(x == 2 -> EF(y == 1))", true, "EF(y == 1) has no known equivalent in LTL, and no lean slice; --to smv can express it"},
		{"AG(x == 2 -> EG(x == 2 || y == 2))", false, "EG(x == 2 || y == 2) has no known equivalent in LTL, and no lean slice; --to smv can express it"},
	}
	for _, test := range tests {
		_, err := Translate(context.Background(), c, resolve(t, c, test.formula), Options{NoSlices: test.noSlices})
		if err == nil || err.Error() != test.message {
			t.Errorf("%s: %v\nwant %s", test.formula, err, test.message)
		}
	}
	empty := c.With([]graphs.Edge{{From: c.Top(), To: graphs.Bottom}})
	if _, err := Translate(context.Background(), empty, resolve(t, c, "EF(x == 2)"), Options{}); !errors.Is(err, rctl.ErrEmpty) {
		t.Errorf("an empty computation: %v", err)
	}
	var b graphs.Builder
	for p := range maxProcesses + 1 {
		b.Event(b.Process(fmt.Sprint(p)))
	}
	many, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if _, err := Translate(context.Background(), many, resolve(t, many, "AF true"), Options{}); !errors.As(err, &limit) {
		t.Errorf("%d processes: %v", maxProcesses+1, err)
	}
}

func TestGolden(t *testing.T) {
	c := graphtest.Figure1("P1", "P2", "f1", "")
	for name, formula := range map[string]string{
		"ef.pml":       "EF(2 <= x <= 4 && y != 2)",
		"response.pml": "AG(x >= 2 -> AF(y == 4))",
		"liveness.pml": "EF(x == 2 && EG(y != 2))",
		"until.pml":    "E[x + y < 8 U x == 4]",
		"slice.pml":    "AG(x == 2 -> EF(y == 1))",
	} {
		golden(t, name, c, formula)
	}
	f := resolve(t, c, "2 <= x <= 4 && y != 2")
	s, err := rctl.SliceOf(context.Background(), c, f)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "of-slice.pml", s.Computation(), "AF(x == 4)")
}

func golden(t *testing.T, name string, c *graphs.Computation, formula string) {
	var got bytes.Buffer
	if err := Write(context.Background(), &got, c, resolve(t, c, formula), Options{}); err != nil {
		t.Errorf("%s: %v", formula, err)
		return
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s: %s is not what it was; run with -update and look at the difference", name, formula)
	}
}

func TestRemark(t *testing.T) {
	if got := remark("a */ b\n"); got != `a *\/ b\n` {
		t.Errorf("a comment with %s", got)
	}
}

func resolve(t *testing.T, c *graphs.Computation, text string) *syntax.Formula {
	t.Helper()
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
