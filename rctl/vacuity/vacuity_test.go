package vacuity

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

const example = `{"process":"P1","init":{"x":1,"cs":false,"role":"idle","k":3}}
{"process":"P2","init":{"x":0,"cs":false,"role":"idle"}}
{"process":"P1","id":"e1","set":{"x":2,"role":"StateLeader"},"recv":"m1"}
{"process":"P1","id":"e2","set":{"x":4}}
{"process":"P2","id":"f1","set":{"x":1},"send":"m1"}
{"process":"P2","id":"f2","set":{"x":2,"role":"done"}}
`

func find(t *testing.T, c *graphs.Computation, formula string) (rctl.Verdict, []Finding) {
	t.Helper()
	f, err := syntax.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	g, err := syntax.Resolve(context.Background(), f, rctl.Scope(c))
	if err != nil {
		t.Fatal(err)
	}
	session := rctl.NewSession(c)
	res, err := session.Check(context.Background(), g, rctl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res.Verdict, Find(context.Background(), session, c, f, g, res.Verdict, rctl.Options{})
}

func TestFind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "example.jsonl")
	if err := os.WriteFile(file, []byte(example), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), file, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		formula string
		want    []string
	}{
		{"AG(x@P1 >= 2 -> x@P2 >= 1)", nil},
		{"AG(x@P1 >= 9 -> x@P2 >= 1)", []string{"holds 13 antecedent: the antecedent x@P1 >= 9 is never true, so x@P2 >= 1 is never asked for"}},
		{"AG(forall i: cs@i -> AF(x@i == 4))", []string{"holds 18 antecedent: the antecedent cs@i is never true, so AF(x@i == 4) is never asked for"}},
		{"AG(forall i: x@i == 4 -> AF !cs@i)", nil},
		{"AG(x@P1 == 2 -> AG(x@P1 == 1 -> cs@P1))", []string{"holds 29 antecedent: the consequent cs@P1 of x@P1 == 1 does not matter: the verdict is the same with false in its place"}},
		{"AG(x@P1 == 9 -> AG(x@P1 == 8 -> cs@P1))", []string{"holds 13 antecedent: the antecedent x@P1 == 9 is never true, so AG(x@P1 == 8 -> cs@P1) is never asked for"}},
		{"EF(cs@P1 -> x@P1 == 4)", []string{"holds 9 antecedent: the antecedent cs@P1 is never true, so x@P1 == 4 is never asked for"}},
		{"EF(x@P1 == 2 -> x@P1 == 4)", []string{
			"holds 13 antecedent: the consequent x@P1 == 4 of x@P1 == 2 does not matter: the verdict is the same with false in its place",
		}},
		{"!AG(cs@P1 -> x@P1 == 4)", []string{"fails 10 antecedent: the antecedent cs@P1 is never true, so x@P1 == 4 is never asked for"}},
		{"!EF !(cs@P1 -> x@P1 == 4)", []string{"holds 12 antecedent: the antecedent cs@P1 is never true, so x@P1 == 4 is never asked for"}},
		{"AG(x@P1 == 4 -> cs@P1)", nil},
		{"EF(x@P1 == 4) || AG(x@P2 == 1 -> x@P1 == 4)", []string{
			"holds 30 antecedent: the consequent x@P1 == 4 of x@P2 == 1 does not matter: the verdict is the same with false in its place",
		}},
		{"AG(!(x@P1 >= 9) || x@P2 >= 1)", []string{"holds 16 antecedent: x@P1 >= 9 is never true, so x@P2 >= 1 is never asked for"}},
		{"AG(!(x@P1 >= 2) || x@P2 >= 1)", nil},
		{"AG(!cs@P1 || !cs@P2)", []string{"holds 0 constant: nothing that the formula mentions ever changes: cs@P1, cs@P2"}},
		{"AG((x@P1 == 4 && cs@P1) -> x@P2 == 1)", []string{"holds 24 antecedent: the antecedent x@P1 == 4 && cs@P1 is never true, so x@P2 == 1 is never asked for"}},
		{"A[x@P1 < 4 || (cs@P2 -> x@P2 == 9) W x@P2 == 2]", []string{"holds 21 antecedent: the antecedent cs@P2 is never true, so x@P2 == 9 is never asked for"}},
		{"AX(x@P1 == 4 -> cs@P1)", []string{"holds 13 antecedent: the consequent cs@P1 of x@P1 == 4 does not matter: the verdict is the same with false in its place"}},
		{"EF(x@P1 == 4 && cs@P2 && x@P2 == 7)", []string{"fails 16 conjunct: cs@P2 is never true", "fails 25 conjunct: x@P2 == 7 is never true"}},
		{"EF(exists i: x@i == 1 && cs@i)", []string{"fails 25 conjunct: cs@i is never true"}},
		{"EF(x@P1 == 4 && x@P2 == 0)", nil},
		{"AG((cs@P1 -> cs@P2) <-> x@P1 > 0)", nil},
		{"AG(cs@P1 -> false)", []string{"holds 0 constant: nothing that the formula mentions ever changes: cs@P1"}},
		{"AG(forall i != j in {P1}: x@i == 0 -> x@j == 1)", []string{
			"holds 3 quantifier: forall i != j ranges over nothing: there are too few processes to choose from",
		}},
		{"EF(exists i != j != k: x@i == x@j && x@j == x@k)", []string{
			"fails 3 quantifier: exists i != j != k ranges over nothing: there are too few processes to choose from",
		}},
		{"AG(forall i having x, k: x@i > 3)", nil},
		{"AG(forall i in {P2} having k: x@i > 99)", []string{
			"holds 3 quantifier: forall i ranges over nothing: there are too few processes to choose from",
		}},
		{"EF(role@P1 == \"leeder\")", nil},
		{"EF(role@P1 == \"doen\")", []string{"fails 14 value: role@P1 is never \"doen\" (did you mean \"done\"?)"}},
		{"x@P1 < 9", []string{"holds 0 initial: decided before any event: did you mean AG(x@P1 < 9)?"}},
		{"forall i having x: x@i > 1 -> AF(x@i == 1)", []string{
			"holds 0 initial: decided before any event: did you mean AG forall i having x: x@i > 1 -> AF(x@i == 1)?",
			"holds 27 antecedent: the consequent AF(x@i == 1) of x@i > 1 does not matter: the verdict is the same with false in its place",
		}},
		{"EF(x@P1 < 9) || x@P1 < 9", []string{"holds 13 initial: decided before any event: did you mean AG(EF(x@P1 < 9) || x@P1 < 9)?"}},
		{"!(A[x@P1 == 3 U x@P1 < 9] && x@P1 > 0)", []string{"fails 0 initial: decided before any event: x@P1 < 9 is true at the first cut already"}},
		{"AG(x@P1 < 9) && EF(x@P1 < 9)", nil},
		{"AG true", []string{"holds 0 constant: the formula mentions nothing in the trace"}},
		{"AG(k@P1 == 3)", []string{"holds 0 constant: nothing that the formula mentions ever changes: k@P1"}},
		{"AG(k@P1 == 3 || x@P1 > 3)", nil},
		{"AG(transit(P1, P2) == 0)", []string{"holds 0 constant: nothing that the formula mentions ever changes: transit(P1, P2)"}},
		{"AG(transit(P2, P1) <= 1)", nil},
		{"AG(x@P1 > 3 || x@P1 < 5)", []string{"holds 12 constant: x@P1 > 3 || x@P1 < 5 is true at every cut of every trace"}},
		{"AG(x@P1 > 3 || x@P1 < 3)", nil},
		{"AG(x@P1 < 1e17 && true)", nil}, // a float64 cannot represent 1e17 - 1
		{"AG(!(x@P1 != -9007199254740993 && x@P1 == -9007199254740992))", nil},
		{"AG(x@P1 <= 9223372036854775807 || x@P1 >= 1e300)", nil},
		{"AG(!(9007199254740992 < x@P1 < 9007199254740994))", nil},
		{"EF(3 < x@P1 < 3)", nil},
		{"EF(x@P1 > 3 && x@P1 < 2 && x@P2 == 1)", []string{"fails 12 constant: x@P1 > 3 && x@P1 < 2 && x@P2 == 1 is false at every cut of every trace"}},
		{"AG(role@P1 != \"idle\" || role@P1 != \"done\")", []string{
			"holds 21 constant: role@P1 != \"idle\" || role@P1 != \"done\" is true at every cut of every trace",
			"holds 35 value: role@P1 is never \"done\", but role@P2 is",
		}},
		{"AG(x@P1 == x@P2 || x@P1 != x@P2)", nil},
		{"AG(x@P1 - x@P2 > 0 || !(x@P1 - x@P2 > 0))", []string{"holds 19 constant: x@P1 - x@P2 > 0 || !(x@P1 - x@P2 > 0) is true at every cut of every trace"}},
		{"EF(exists i: role@i == \"Leader\")", []string{"fails 23 value: role is never \"Leader\" (did you mean \"StateLeader\"?)"}},
		{"EF(exists i: role@i == \"StateLeader\")", nil},
		{"EF(exists i: \"DONE\" == role@i)", []string{"fails 13 value: role is never \"DONE\" (did you mean \"done\"?)"}},
		{"EF(role@P1 == \"error\")", nil},
	} {
		verdict, found := find(t, c, test.formula)
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprintf("%s %d %s: %s", verdict, f.Pos, f.Kind, f.Text))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.formula, got, test.want)
		}
	}
}

// If a finding says that a consequent does not matter, brute force gives the same verdict for any
// replacement; if it says that a formula is the same at every cut, it is.
func TestAgainstBruteForce(t *testing.T) {
	counts := make(map[Kind]int)
	for i := range graphtest.Rounds(t, 4000) {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.WithoutNext})
		root, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		verdict, found := find(t, c, text)
		if len(found) == 0 {
			continue
		}
		l := graphtest.NewLattice(c)
		holds := func(f *syntax.Formula) bool {
			g, err := syntax.Resolve(context.Background(), f, rctl.Scope(c))
			if err != nil {
				t.Fatal(err)
			}
			return rctltest.Holds(l, g)[0]
		}
		for _, finding := range found {
			counts[finding.Kind]++
			if finding.Kind == Conjunct {
				part := root.Sub[0]
				for part.Op == syntax.OpExists {
					part = part.Sub[0]
				}
				k := slices.IndexFunc(part.Sub, func(f *syntax.Formula) bool { return f.Pos == finding.Pos })
				s := &search{root: root}
				at := &occurrence{form: root}
				for at.form != part {
					at = at.operand(0, false)
				}
				if holds(s.reachable(at, part.Sub[k])) {
					t.Fatalf("%d: %s: %s, but it is", i, text, finding.Text)
				}
			}
			if finding.Kind == Initial && strings.Contains(finding.Text, "did you mean") {
				for range 4 {
					if f := withoutRuns(r, root); holds(f) != (verdict == rctl.Holds) {
						t.Fatalf("%d: %s %s: %s, but not %s", i, text, verdict, finding.Text, f)
					}
				}
			}
			at := implication(&occurrence{form: root}, finding)
			if at == nil {
				continue
			}
			for range 4 {
				other, err := syntax.Parse(rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Depth: 1}))
				if err != nil {
					t.Fatal(err)
				}
				changed := *at.form
				changed.Sub = []*syntax.Formula{at.form.Sub[0], other}
				if changed.Op == syntax.OpOr {
					changed.Sub = append(slices.DeleteFunc(slices.Clone(at.form.Sub), func(f *syntax.Formula) bool { return f.Op != syntax.OpNot }), other)
				}
				if f := at.replaced(&changed); holds(f) != (verdict == rctl.Holds) {
					t.Fatalf("%d: %s %s: %s, but not %s", i, text, verdict, finding.Text, f)
				}
			}
		}
	}
	t.Log(counts)
	for _, kind := range []Kind{Antecedent, Quantifier, Constant, Conjunct, Initial} {
		if counts[kind] < graphtest.Rounds(t, 4000)/2000 {
			t.Errorf("only %d of kind %s", counts[kind], kind)
		}
	}
}

// withoutRuns replaces subformulas with a temporal operator at their root by true or false.
func withoutRuns(r *rand.Rand, f *syntax.Formula) *syntax.Formula {
	if f.Op.IsTemporal() {
		return &syntax.Formula{Op: []syntax.Op{syntax.OpTrue, syntax.OpFalse}[r.IntN(2)]}
	}
	g := *f
	g.Sub = nil
	for _, sub := range f.Sub {
		g.Sub = append(g.Sub, withoutRuns(r, sub))
	}
	return &g
}

// implication returns the implication of a finding.
func implication(o *occurrence, f Finding) *occurrence {
	if f.Kind != Antecedent {
		return nil
	}
	if (o.form.Op == syntax.OpImplies || o.form.Op == syntax.OpOr) && o.form.Pos == f.Pos {
		return o
	}
	for i := range o.form.Sub {
		if found := implication(o.operand(i, false), f); found != nil {
			return found
		}
	}
	return nil
}

func TestValid(t *testing.T) {
	said := 0
	for i := range graphtest.Rounds(t, 4000) {
		r := rand.New(rand.NewPCG(4, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		f, err := syntax.Parse(rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.Stateless, NoQuantifiers: true}))
		if err != nil {
			t.Fatal(err)
		}
		value, ok := valid(f)
		if !ok {
			continue
		}
		said++
		if !value {
			f = &syntax.Formula{Op: syntax.OpNot, Sub: []*syntax.Formula{f}}
		}
		g, err := syntax.Resolve(context.Background(), &syntax.Formula{Op: syntax.OpAG, Sub: []*syntax.Formula{f}}, rctl.Scope(c))
		if err != nil {
			t.Fatal(err)
		}
		if !rctltest.Holds(graphtest.NewLattice(c), g)[0] {
			t.Fatalf("%d: %s is not %t everywhere", i, f, value)
		}
	}
	if said < graphtest.Rounds(t, 4000)/200 {
		t.Errorf("only %d", said)
	}
}

// pigeons returns a trace whose n processes take turns with n-1 values, so that two of them have
// the same one at every cut.
func pigeons(t *testing.T, n int) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	r := rand.New(rand.NewPCG(7, 0))
	for i := range n {
		p := b.Process(fmt.Sprintf("P%d", i))
		x, done := b.Variable(p, "x"), b.Variable(p, "go")
		b.Init(x, graphs.Int(0))
		b.Init(done, graphs.Boolean(false))
		for range 3 {
			for _, value := range r.Perm(n - 1) {
				h := b.Event(p)
				b.Set(x, h, graphs.Int(int64(value)))
				b.Set(done, h, graphs.Boolean(true))
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A part that is much harder than the formula does not delay the verdict, and findings about easy
// parts are still found.
func TestHardAntecedent(t *testing.T) {
	const hard = "(forall i != j: x@i != x@j)"
	c := pigeons(t, 13)
	for formula, want := range map[string][]string{
		"AG(" + hard + " -> EF go@P1)":                              nil,
		"AG((" + hard + " -> EF go@P1) && (x@P1 > 99 -> EF go@P2))": {"the antecedent x@P1 > 99 is never true, so EF go@P2 is never asked for"},
		"AG(x@P1 > 2 * x@P2 + 90 -> EF go@P1)":                      {"the antecedent x@P1 > 2 * x@P2 + 90 is never true, so EF go@P1 is never asked for"},
	} {
		verdict, found := find(t, c, formula) // would not return if it decided the hard part
		if verdict != rctl.Holds {
			t.Errorf("%s: %s", formula, verdict)
		}
		var got []string
		for _, f := range found {
			got = append(got, f.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", formula, got, want)
		}
	}
}
