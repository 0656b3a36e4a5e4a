package rctl_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// calm returns a computation of n processes with the variables p, q, x, y and s, whose
// initial values are random, and a few events.
func calm(t *testing.T, r *rand.Rand, n, events int) *graphs.Computation {
	var b graphs.Builder
	values := map[string]func() graphs.Value{
		"p": func() graphs.Value { return graphs.Boolean(r.IntN(6) == 0) },
		"q": func() graphs.Value { return graphs.Boolean(r.IntN(3) > 0) },
		"x": func() graphs.Value { return graphs.Int(int64(r.IntN(3))) },
		"y": func() graphs.Value { return graphs.Int(int64(r.IntN(40)) - 1) },
		"s": func() graphs.Value { return graphs.Str([]string{"a", "b"}[r.IntN(2)]) },
	}
	names := []string{"p", "q", "x", "y", "s"}
	for i := range n {
		p := b.Process(fmt.Sprintf("P%d", i))
		for _, name := range names {
			b.Init(b.Variable(p, name), values[name]())
		}
	}
	for range events {
		p := r.IntN(n)
		name := names[r.IntN(len(names))]
		b.Set(b.Variable(p, name), b.Event(p), values[name]())
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// body returns a random formula over the names $0, $1, … up to names.
func body(r *rand.Rand, names, depth int) string {
	name := func() string { return fmt.Sprintf("$%d", r.IntN(names)) }
	rel := []string{"<", "<=", "==", "!=", ">=", ">"}[r.IntN(6)]
	if depth > 0 {
		a, b := body(r, names, depth-1), body(r, names, depth-1)
		switch r.IntN(6) {
		case 0, 1:
			return "(" + a + " && " + b + ")"
		case 2:
			return "(" + a + " || " + b + ")"
		case 3:
			return "(" + a + " -> " + b + ")"
		case 4:
			return "!" + a
		default:
			return "(" + a + " <-> " + b + ")"
		}
	}
	switch r.IntN(9) {
	case 0:
		return fmt.Sprintf("(x@%s %s x@%s)", name(), rel, name())
	case 1:
		return fmt.Sprintf("(x@%s %s y@%s - 1)", name(), rel, name())
	case 2:
		return fmt.Sprintf(`(s@%s == "a")`, name())
	case 3:
		return fmt.Sprintf("(0 <= x@%s %s y@%s < 7)", name(), rel, name())
	case 4:
		return "q@P0"
	case 5:
		return "(x@" + name() + " == 1)"
	case 6:
		return "q@" + name()
	}
	return "p@" + name()
}

// symmetric returns a body that says the same of all names.
func symmetric(r *rand.Rand, names int) string {
	one, parts := body(r, 1, 1), make([]string, names)
	for i := range parts {
		parts[i] = strings.ReplaceAll(one, "$0", fmt.Sprintf("$%d", i))
	}
	text := "(" + strings.Join(parts, []string{" && ", " || "}[r.IntN(2)]) + ")"
	if r.IntN(2) == 0 {
		text = "!" + text
	}
	return text
}

// writtenOut writes the instances of a quantifier over the first n processes.
func writtenOut(word, body string, names, n int, distinct bool) string {
	var instances []string
	var bind func(text string, chosen []int)
	bind = func(text string, chosen []int) {
		if len(chosen) == names {
			instances = append(instances, text)
			return
		}
		for p := range n {
			used := false
			for _, q := range chosen {
				used = used || p == q
			}
			if !distinct || !used {
				bind(strings.ReplaceAll(text, fmt.Sprintf("$%d", len(chosen)), fmt.Sprintf("P%d", p)), append(chosen[:len(chosen):len(chosen)], p))
			}
		}
	}
	bind(body, nil)
	switch {
	case len(instances) == 0 && word == "forall":
		return "true"
	case len(instances) == 0:
		return "false"
	case word == "forall":
		return "(" + strings.Join(instances, " && ") + ")"
	}
	return "(" + strings.Join(instances, " || ") + ")"
}

// What a quantifier over several names says is said by counting: at every cut it is as
// true as its instances are, and so are verdicts on it.
func TestQuantifiersAreCounted(t *testing.T) {
	counted := 0
	rounds := graphtest.RoundsUpTo(t, 300, 6000)
	for i := range rounds {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		names, n := 2+r.IntN(5)/4, 1+r.IntN(17)
		if names == 3 {
			n = 1 + r.IntN(8)
		}
		c := calm(t, r, n, r.IntN(4))
		text := body(r, names, 1+r.IntN(3))
		if r.IntN(2) == 0 {
			text = symmetric(r, names)
		}
		word, distinct := []string{"forall", "exists"}[r.IntN(2)], r.IntN(4) > 0
		bound, between := []string{"i", "j", "k"}[:names], ", "
		if distinct {
			between = " != "
		}
		quantified := text
		for k, name := range bound {
			quantified = strings.ReplaceAll(quantified, fmt.Sprintf("$%d", k), name)
		}
		quantified = fmt.Sprintf("(%s %s: %s)", word, strings.Join(bound, between), quantified)
		sameEverywhere(t, c, quantified, writtenOut(word, text, names, n, distinct))
		f := resolved(t, c, quantified)
		if syntax.Find(f, func(f *syntax.Formula) bool { return f.Op == syntax.OpAtom && f.Expr.For != syntax.OpTrue }) != nil {
			counted++
		}
		if i%4 > 0 {
			continue
		}
		l := graphtest.NewLattice(c)
		for _, op := range []syntax.Op{syntax.OpEF, syntax.OpAG, syntax.OpEG, syntax.OpAF} {
			whole := &syntax.Formula{Op: op, Sub: []*syntax.Formula{f}}
			res, err := rctl.Check(context.Background(), c, whole, rctl.Options{Evidence: true, MaxMemory: 1 << 26})
			if err != nil {
				t.Fatalf("round %d: %s %s: %v", i, op, quantified, err)
			}
			if res.Verdict != rctl.Unknown && (res.Verdict == rctl.Holds) != rctltest.Holds(l, whole)[0] {
				t.Fatalf("round %d: %s %s over %d processes %s", i, op, quantified, n, res.Verdict)
			}
		}
	}
	if counted < rounds/8 {
		t.Errorf("only %d of %d were counted", counted, rounds)
	}
}

// A name that is bound within is no other where a process has it.
func TestCountedWithNamesOfProcesses(t *testing.T) {
	for i := range graphtest.Rounds(t, 40) {
		r := rand.New(rand.NewPCG(35, uint64(i)))
		n := 9 + r.IntN(9)
		c := calm(t, r, n, 2)
		sameEverywhere(t, c, `exists i != j: p@i && s@j == "a" && (exists P0: q@j && x@j == 1)`,
			writtenOut("exists", `(p@$0 && s@$1 == "a" && q@$1 && x@$1 == 1)`, 2, n, true))
	}
}

// sameEverywhere compares formulas at every cut of a computation.
func sameEverywhere(t *testing.T, c *graphs.Computation, text, plain string) {
	t.Helper()
	l := graphtest.NewLattice(c)
	f := resolved(t, c, text)
	got, want := rctltest.Holds(l, f), rctltest.Holds(l, resolved(t, c, plain))
	for k := range got {
		if got[k] != want[k] {
			t.Fatalf("%s over %d processes is %v at %v, its instances are not\n%s", text, c.NumProcesses(), got[k], l.Cuts[k], f.Brief(2000))
		}
	}
}

// The greatest value less the least is within a bound where each value less each is.
func TestGreatestLessLeast(t *testing.T) {
	for i := range graphtest.Rounds(t, 600) {
		r := rand.New(rand.NewPCG(32, uint64(i)))
		n, k := 1+r.IntN(6), r.IntN(7)-3
		c := calm(t, r, n, r.IntN(5))
		x, y := []string{"x", "y"}[r.IntN(2)], []string{"x", "y"}[r.IntN(2)]
		every := func(word, rel string) string {
			return writtenOut(word, fmt.Sprintf("(x@$0 - y@$1 %s %d)", rel, k), 2, n, false)
		}
		plain := map[string]string{
			"<=": every("forall", "<="), "<": every("forall", "<"), ">=": every("exists", ">="), ">": every("exists", ">"),
			"==": every("forall", "<=") + " && " + every("exists", ">="), "!=": "!(" + every("forall", "<=") + " && " + every("exists", ">=") + ")",
		}
		rel := []string{"<", "<=", "==", "!=", ">=", ">"}[r.IntN(6)]
		text := []string{"(max i: x@i) - (min i: y@i) %s %d", "(max i: x@i) %s (min j: y@j) + %d", "-(min i: y@i) + (max j: x@j) + 2 %s 2 + %d"}[r.IntN(3)]
		if r.IntN(4) == 0 {
			text, rel = "0 %s (max i: x@i) - (min i: y@i) - %d", map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}[rel]
			text = fmt.Sprintf(text, rel, k)
			rel = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}[rel]
		} else {
			text = fmt.Sprintf(text, rel, k)
		}
		of := strings.NewReplacer("x@", x+"@", "y@", y+"@")
		if f := resolved(t, c, of.Replace(text)); strings.Contains(f.String(), "max") {
			t.Fatalf("%s is left as %s", text, f)
		}
		sameEverywhere(t, c, of.Replace(text), of.Replace(plain[rel]))
	}
	// With a large float on both sides, no difference is seen.
	if f := resolved(t, calm(t, rand.New(rand.NewPCG(32, 0)), 3, 0), "(max i: x@i) + y@P0 <= (min i: x@i) + y@P0"); !strings.Contains(f.String(), "max") {
		t.Errorf("it is made %s", f)
	}
}

// Where each of many processes is compared with all, the extreme of these is.
func TestExtremesOfMany(t *testing.T) {
	const n = 258 // with more than 1<<16 instances
	for i := range graphtest.RoundsUpTo(t, 16, 16) {
		r := rand.New(rand.NewPCG(33, uint64(i)))
		c := calm(t, r, n, 0)
		outer, inner := []string{"forall", "exists"}[i&1], []string{"forall", "exists"}[i>>1&1]
		rel, k := syntax.Relop([]syntax.Relop{syntax.Less, syntax.LessEqual, syntax.GreaterEqual, syntax.Greater}[i>>2&3]), int64(r.IntN(3))
		text := fmt.Sprintf("%s i: %s j: y@j + %d %s 19 * x@i", outer, inner, k, rel)
		f := resolved(t, c, text)
		if !strings.Contains(f.String(), "(m") {
			t.Fatalf("%s is written out", text)
		}
		value := func(p int, name string) int64 { return c.Variable(p, name).Init.Int64() }
		quantify := func(word string, holds func(p int) bool) bool {
			for p := range n {
				if holds(p) == (word == "exists") {
					return word == "exists"
				}
			}
			return word == "forall"
		}
		want := quantify(outer, func(i int) bool {
			return quantify(inner, func(j int) bool {
				return rel.Relates(cmp.Compare(value(j, "y")+k, 19*value(i, "x")))
			})
		})
		if got := rctltest.Holds(graphtest.NewLattice(c), f)[0]; got != want {
			t.Fatalf("%s is %v", text, got)
		}
	}
}

// Satisfiability, which knows only && and ||, decides counts, too.
func TestCountsAsClauses(t *testing.T) {
	decided := 0
	for i := range graphtest.Rounds(t, 40) {
		r := rand.New(rand.NewPCG(34, uint64(i)))
		n := 11 + r.IntN(2)
		var b graphs.Builder
		for p := range n {
			v := b.Variable(b.Process(fmt.Sprintf("P%d", p)), "p")
			first := r.IntN(2) == 0
			b.Init(v, graphs.Boolean(first))
			b.Set(v, b.Event(p), graphs.Boolean(!first))
		}
		for range 3 {
			if p, q := r.IntN(n-1), r.IntN(n); p < q {
				b.Order(graphs.Handle(p), graphs.Handle(q))
			}
		}
		c, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		rel := []string{"<", "<=", "==", "!=", ">=", ">"}[r.IntN(6)]
		f := resolved(t, c, fmt.Sprintf("EF(%s((count i: p@i) %s %d) && (p@P0 || !p@P1) && (exists i != j: !p@i && !p@j && p@P2))", []string{"", "!"}[r.IntN(2)], rel, r.IntN(n)))
		res, err := rctl.Check(context.Background(), c, f, rctl.Options{Engine: rctl.SAT, Evidence: true})
		if err != nil {
			t.Fatalf("round %d: %s: %v", i, f, err)
		}
		if res.Verdict != rctl.Unknown {
			decided++
			if (res.Verdict == rctl.Holds) != rctltest.Holds(graphtest.NewLattice(c), f)[0] {
				t.Fatalf("round %d: %s %s", i, f, res.Verdict)
			}
		}
	}
	if rounds := graphtest.Rounds(t, 40); decided < rounds/3 {
		t.Errorf("of %d, only %d were decided", rounds, decided)
	}
}
