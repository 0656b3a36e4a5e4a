package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// Over threeProcesses, where the formula can be resolved there; else as it is.
// Steps are given as "fragment position reason".
var classifyTable = []struct {
	src        string
	class      string // the fragment, and "of the negation" where it is
	leaves     []string
	conditions []string
}{
	// Predicates of one chain.
	{src: "true", class: "RCTL"},
	{src: "1 < 2", class: "RCTL"},
	{src: "cs@P1", class: "RCTL"},
	{src: "!cs@P1", class: "RCTL"},
	{src: "x@P1 > 1 || !(only == 3 -> cs@P1) <-> state@P1 != \"a\"", class: "RCTL"},
	{src: "x@P1 * only != 3", class: "RCTL"},
	{src: "turn > 1 || turn < 0", class: "RCTL"},
	{src: "cs@P1 || open", class: "RCTL of the negation"},
	{src: "turn > 1 && open || open", class: "RCTL+", leaves: []string{
		"RCTL 17 || joins predicates of different processes", "RCTL+CETL 17 || joins predicates of different processes"}},
	// Conjunctions and temporal operators.
	{src: "cs@P1 && cs@P2", class: "RCTL"},
	{src: "EF(cs@P1 && cs@P2)", class: "RCTL"},
	{src: "AG !(cs@P1 && cs@P2)", class: "RCTL of the negation"},
	{src: "AG EF ready", class: "RCTL"},
	{src: "EG(cs@P1 && AG EF !cs@P2)", class: "RCTL"},
	{src: "AG(cs@P1 -> AF ready)", class: "RCTL of the negation"},
	{src: "AF(cs@P1 || cs@P2)", class: "RCTL of the negation"},
	{src: "forall i: EF cs@i", class: "RCTL"},
	{src: "AG forall i != j: !(cs@i && cs@j)", class: "RCTL+", leaves: []string{
		"RCTL 3 forall joins predicates of different processes", "RCTL+CETL 3 forall joins predicates of different processes"}},
	// Channels.
	{src: "AG(transit(P1, P2) <= 3)", class: "RCTL"},
	{src: "EF(1 <= transit(P1, P2) + 1 < 4)", class: "RCTL"},
	{src: "EF(2 == transit(P1, P2))", class: "RCTL"},
	{src: "EF !(transit(P1, P2) <= 3)", class: "RCTL"},
	{src: "!(transit(P1, P2) != 3)", class: "RCTL"},
	{src: "EF(cs@P1 && transit(P1, P2) != 3)", class: "RCTL+ of the negation", leaves: []string{
		"RCTL 9 && (here ||) joins predicates of channels and of processes",
		"RCTL+CETL 9 && (here ||) joins predicates of channels and of processes"}},
	{src: "transit(P1, P2) != 3 && transit(P1, P2) == 2", class: "RCTL+ of the negation", leaves: []string{
		"RCTL 21 && (here ||) joins predicates of channels and of processes",
		"RCTL+CETL 21 && (here ||) joins predicates of channels and of processes"}},
	{src: "EF(transit(P1, P2) + transit(P2, P1) > 3) && cs@P1", class: "CTL", leaves: []string{
		"RCTL 3 transit(P1, P2) + transit(P2, P1) > 3 is not regular: a bound compares one channel with a whole number",
		"RCTL+CETL 3 transit(P1, P2) + transit(P2, P1) > 3 is not regular: a bound compares one channel with a whole number",
		"RCTL+ 3 transit(P1, P2) + transit(P2, P1) > 3 is not regular: a bound compares one channel with a whole number"}},
	{src: "EF(transit(P1, P2) == 0 || cs@P1)", class: "RCTL+", leaves: []string{
		"RCTL 24 || joins predicates of channels and of processes",
		"RCTL+CETL 24 || joins predicates of channels and of processes"}},
	// Differences.
	{src: "EF(x@P1 - y@P2 <= 3)", class: "RCTL", conditions: []string{
		"RCTL 3 x@P1 - y@P2 <= 3 is regular only if none of x@P1, y@P2 ever decreases"}},
	{src: "AG(x@P1 == y)", class: "RCTL", conditions: []string{
		"RCTL 3 x@P1 == y is regular only if none of x@P1, y ever decreases"}},
	{src: "0 <= x@P1 <= y + 1", class: "RCTL", conditions: []string{
		"RCTL 0 0 <= x@P1 <= y + 1 is regular only if none of x@P1, y ever decreases"}},
	{src: "EF(x@P1 * y > 3 && cs@P1)", class: "CTL", leaves: []string{
		"RCTL 3 x@P1 * y > 3 relates P1 and y, and is not a difference of two variables of different processes",
		"RCTL+CETL 3 x@P1 * y > 3 relates P1 and y, and is not a difference of two variables of different processes",
		"RCTL+ 3 x@P1 * y > 3 relates P1 and y, and is not a difference of two variables of different processes"}},
	{src: "EF(cs@P1 == cs@P2)", class: "CTL", leaves: []string{
		"RCTL 3 cs@P1 == cs@P2 relates P1 and P2, and is not a difference of two variables of different processes",
		"RCTL+CETL 3 cs@P1 == cs@P2 relates P1 and P2, and is not a difference of two variables of different processes",
		"RCTL+ 3 cs@P1 == cs@P2 relates P1 and P2, and is not a difference of two variables of different processes"}},
	// Aggregates.
	{src: "EF((sum i in {P1, P3}: x@i) > 3) && cs@P1", class: "CTL", leaves: []string{
		"RCTL 3 (sum i in {P1, P3}: x@i) > 3 is not regular: it adds up over processes; a minimum cut decides EF of bounds on sums and counts",
		"RCTL+CETL 3 (sum i in {P1, P3}: x@i) > 3 is not regular: it adds up over processes; a minimum cut decides EF of bounds on sums and counts",
		"RCTL+ 3 (sum i in {P1, P3}: x@i) > 3 is not regular: it adds up over processes; a minimum cut decides EF of bounds on sums and counts"}},
	{src: "AG((count i: cs@i) <= 1)", class: "CTL", leaves: []string{
		"RCTL 3 (count i: cs@i) <= 1 is not regular: it adds up over processes; a minimum cut decides EF of bounds on sums and counts",
		"RCTL+CETL 3 (count i: cs@i) <= 1 is not regular: it adds up over processes; a minimum cut decides EF of bounds on sums and counts",
		"RCTL+ 3 (count i: cs@i) <= 1 is not regular: it adds up over processes; a minimum cut decides EF of bounds on sums and counts"}},
	{src: "EF((max i in {P1, P3}: x@i) - (min i in {P1, P3}: x@i) > 1 && cs@P1)", class: "CTL", leaves: []string{
		"RCTL 3 (max i in {P1, P3}: x@i) - (min i in {P1… is not regular: it compares processes by max",
		"RCTL+CETL 3 (max i in {P1, P3}: x@i) - (min i in {P1… is not regular: it compares processes by max",
		"RCTL+ 3 (max i in {P1, P3}: x@i) - (min i in {P1… is not regular: it compares processes by max"}},
	{src: "EF((min i in {P1, P3}: x@i) >= 2)", class: "RCTL"},
	{src: "EF((max i in {P1, P3}: x@i) >= 2 && open)", class: "RCTL+", leaves: []string{
		"RCTL 3 || joins predicates of different processes", "RCTL+CETL 3 || joins predicates of different processes"}},
	{src: "(sum i in {P1}: x@i) > 2", class: "RCTL"},
	{src: "(count i in {P1}: cs@i && only > 2) == 3 - only", class: "RCTL"},
	// Disjunctions and negations.
	{src: "EF(cs@P1 || cs@P2)", class: "RCTL of the negation"},
	{src: "AG(cs@P1 -> EF cs@P2)", class: "RCTL of the negation"},
	{src: "AG(cs@P1 && (cs@P1 -> EF cs@P2))", class: "RCTL+", leaves: []string{
		"RCTL 19 -> (here ||) joins temporal formulas",
		"RCTL+CETL 19 -> (here ||) joins temporal formulas"}},
	{src: "EG(cs@P1 || cs@P2)", class: "RCTL+", leaves: []string{
		"RCTL 9 || joins predicates of different processes",
		"RCTL+CETL 9 || joins predicates of different processes"}},
	{src: "EF(cs@P1 && transit(P1, P2) == 3) && EF !(transit(P1, P2) == 3 || !cs@P1)", class: "RCTL+", leaves: []string{
		"RCTL 42 the negation of transit(P1, P2) == 3 is not regular",
		"RCTL+CETL 42 the negation of transit(P1, P2) == 3 is not regular"}},
	// Until and release.
	{src: "E[cs@P1 U cs@P1 && cs@P2]", class: "RCTL+CETL", leaves: []string{"RCTL 0 E[ U ] is not in RCTL"}},
	{src: "E[true U cs@P2]", class: "RCTL+CETL", leaves: []string{"RCTL 0 E[ U ] is not in RCTL"}},
	{src: "E[cs@P1 && open U cs@P2 && (open && cs@P1)]", class: "RCTL+CETL", leaves: []string{"RCTL 0 E[ U ] is not in RCTL"}},
	{src: "E[cs@P1 R EF cs@P2]", class: "RCTL+CETL", leaves: []string{"RCTL 0 E[ R ] is not in RCTL"}},
	{src: "A[cs@P1 U cs@P2]", class: "RCTL+CETL of the negation", leaves: []string{"RCTL 0 A[ U ] (here E[ R ]) is not in RCTL"}},
	{src: "E[cs@P1 W cs@P2 && cs@P1]", class: "RCTL+CETL", leaves: []string{"RCTL 0 E[ W ] is not in RCTL"}},
	{src: "A[cs@P1 W cs@P2]", class: "RCTL+CETL of the negation", leaves: []string{"RCTL 0 A[ W ] (here E[ U ]) is not in RCTL"}},
	{src: "E[cs@P1 U cs@P2] && open", class: "CTL", leaves: []string{
		"RCTL 0 E[ U ] is not in RCTL",
		"RCTL+CETL 0 E[ U ] is regular only where its second formula includes the first, and cs@P1 is missing there",
		"RCTL+ 0 E[ U ] is not in RCTL+"}},
	// The rest.
	{src: "EX cs@P1", class: "CTL", leaves: []string{
		"RCTL 0 EX counts single events: no regular fragment has it, and the verdict depends on how finely the program was instrumented",
		"RCTL+CETL 0 EX counts single events: no regular fragment has it, and the verdict depends on how finely the program was instrumented",
		"RCTL+ 0 EX counts single events: no regular fragment has it, and the verdict depends on how finely the program was instrumented"}},
	{src: "AG AF(cs@P1 && cs@P2)", class: "RCTL+ of the negation", leaves: []string{
		"RCTL 12 && (here ||) joins predicates of different processes",
		"RCTL+CETL 12 && (here ||) joins predicates of different processes"}},
	{src: "EG cs@P1 && AF(cs@P1 && cs@P2)", class: "CTL", leaves: []string{
		"RCTL 12 AF does not make a regular predicate of regular ones",
		"RCTL+CETL 12 AF does not make a regular predicate of regular ones",
		"RCTL+ 12 AF does not make a regular predicate of regular ones"}},
}

func describeSteps(steps []Step) (texts []string) {
	for _, s := range steps {
		texts = append(texts, fmt.Sprintf("%s %d %s", s.Fragment, s.Pos, s.Reason))
	}
	return texts
}

func describeClass(c Class) string {
	if c.Negated {
		return c.Fragment.String() + " of the negation"
	}
	return c.Fragment.String()
}

func TestClassify(t *testing.T) {
	for _, test := range classifyTable {
		f := mustResolve(t, test.src, threeProcesses())
		c := Classify(f)
		if got := describeClass(c); got != test.class {
			t.Errorf("%s: %s, want %s", test.src, got, test.class)
		}
		if got, want := strings.Join(describeSteps(c.Leaves), "\n\t"), strings.Join(test.leaves, "\n\t"); got != want {
			t.Errorf("%s leaves\n\t%s\nwant\n\t%s", test.src, got, want)
		}
		if got, want := strings.Join(describeSteps(c.Conditions), "\n\t"), strings.Join(test.conditions, "\n\t"); got != want {
			t.Errorf("%s depends on\n\t%s\nwant\n\t%s", test.src, got, want)
		}
	}
}

func TestClassifyUnresolved(t *testing.T) {
	for _, test := range []struct{ src, class string }{
		{"forall i: EF cs@i", "RCTL"},
		{"AG forall i != j: !(cs@i && cs@j)", "RCTL+"},
		{"forall i: !(x@i > 1 || y@i < 3)", "RCTL"},
		{"exists i: cs@i", "RCTL of the negation"},
		{"EF exists i: cs@i", "RCTL of the negation"},
		{"EG exists i: cs@i", "RCTL+"},
		{"EF exists i: cs@P1", "RCTL"},
		{"EF forall i: cs@i && x@i > 2", "RCTL"},
		{"EG(p || q)", "RCTL+"},
		{"EF(p || p && p)", "RCTL"},
		{"EF((sum i: x@P1) > 1)", "RCTL"},
		{"EF((sum i: x@i) > 1)", "CTL"},
		{"EF((count i: cs@i) > 1)", "CTL"},
		{"EF((count i: cs@P1 && x@P1 > 2) > 1)", "RCTL"},
		{"EF forall i, j: transit(i, j) <= 4", "RCTL"},
		{"EF(x <= y)", "RCTL"},
		{"EF(x - y == 3)", "RCTL"},
		{"EF(x == y)", "CTL"},
		{"x == y && z@P || EX p", "CTL"},
	} {
		if got := describeClass(Classify(mustParse(t, test.src))); got != test.class {
			t.Errorf("%s: %s, want %s", test.src, got, test.class)
		}
	}
}

// TestClassifyWith: what decreases makes no regular difference.
func TestClassifyWith(t *testing.T) {
	f := mustResolve(t, "EF(x@P1 <= y) && cs@P1", threeProcesses())
	c := ClassifyWith(f, func(_, x, y *Expr) bool { return x.Owner != 1 && y.Owner != 1 })
	want := "RCTL 3 x@P1 <= y is regular only if neither x@P1 nor y ever decreases, and one does"
	if c.Fragment != CTL || describeSteps(c.Leaves)[0] != want || c.Conditions != nil {
		t.Errorf("%v", c)
	}
	if c := ClassifyWith(f, func(_, _, _ *Expr) bool { return true }); c.Fragment != RCTL || c.Conditions != nil {
		t.Errorf("%v", c)
	}
}

// TestClassifyNegation: a formula and its negation are in the same fragment,
// and so is the formula in normal form.
func TestClassifyNegation(t *testing.T) {
	for seed := range rounds(2000) {
		g := newGenerator(uint64(seed))
		f := g.formula(g.IntN(10))
		c := Classify(f)
		if d := Classify(Not(f)); d.Fragment != c.Fragment {
			t.Fatalf("seed %d: %s is in %s, its negation in %s", seed, f, c.Fragment, d.Fragment)
		}
		// The normal form may do better: !E[p W q] becomes A[!q U !p && !q],
		// whose negation is E[q R p || q].
		if d := Classify(NNF(f)); d.Fragment > c.Fragment {
			t.Fatalf("seed %d: %s is in %s, its normal form in %s", seed, f, c.Fragment, d.Fragment)
		}
		for smaller := range c.Fragment {
			found := false
			for _, s := range c.Leaves {
				found = found || s.Fragment == smaller
			}
			if !found {
				t.Fatalf("seed %d: %s is in %s, and nothing tells why not in %s: %v", seed, f, c.Fragment, smaller, c.Leaves)
			}
		}
	}
}

func TestChainOf(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"cs@P2", "1  true"},
		{"!cs@P2 || y > 1 -> ready", "1  true"},
		{"turn > 1 && turn != 3", "-1 turn true"},
		{"open && turn > 1", "0  false"},
		{"cs@P1 && cs@P2", "0  false"},
		{"cs@P1 && transit(P1, P2) > 0", "0  false"},
		{"EF cs@P1", "0  false"},
		{"true || 1 < 2", "-3  true"},
		{"cs@P1 || false", "0  true"},
	} {
		owner, shared, ok := ChainOf(mustResolve(t, test.src, threeProcesses()))
		if got := fmt.Sprint(owner, " ", shared, " ", ok); got != strings.ReplaceAll(test.want, "  ", "  ") {
			t.Errorf("%s: %s, want %s", test.src, got, test.want)
		}
	}
	if _, _, ok := ChainOf(mustParse(t, "p")); ok {
		t.Error("a chain before Resolve")
	}
}

func TestNamesAndTransit(t *testing.T) {
	f := mustParse(t, `AG forall i: (x@i > 1 -> E[p U "a b"@P && s == "t"])`)
	if got := fmt.Sprint(Names(f)); got != "map[a b:true p:true s:true x:true]" || UsesTransit(f) || IsPropositional(f) {
		t.Errorf("%s, transit %v, propositional %v", got, UsesTransit(f), IsPropositional(f))
	}
	f = mustParse(t, "(count i: x@i > (sum j: y@j)) > (max k: transit(k, P))")
	if got := fmt.Sprint(Names(f)); got != "map[x:true y:true]" || !UsesTransit(f) || !IsPropositional(f) {
		t.Errorf("%s, transit %v", got, UsesTransit(f))
	}
	if f := mustParse(t, "p && 1 < transit(P, Q)"); !UsesTransit(f) || !IsPropositional(f) {
		t.Errorf("%s: transit %v, propositional %v", f, UsesTransit(f), IsPropositional(f))
	}
}

func BenchmarkClassifyPairs(b *testing.B) {
	f := mustResolve(b, "AG forall i != j: !(cs@i && cs@j)", manyProcesses(250))
	b.ReportAllocs()
	for b.Loop() {
		Classify(f)
	}
}
