package syntax

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The instances of a quantified formula are the operands that Resolve makes of it,
// and each is what the body is within the binding.
func TestInstances(t *testing.T) {
	tried := 0
	for i := range rounds(600) {
		r := rand.New(rand.NewPCG(29, uint64(i)))
		text := []string{
			"exists i, j: x@i < x@j", "exists i != j: x@i < x@j || EF(x@j == 1)", "forall i: exists j: x@i < x@j",
			"exists i in {P1, P3}: x@i == 2 && AG(forall k: x@k <= x@i)", `forall i in "P*": (count j: x@j > x@i) >= 1`,
			"exists i != j != k: x@i + x@j < x@k",
		}[r.IntN(6)]
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		scope := numbered(1 + r.IntN(4))
		want, err := Resolve(context.Background(), f, scope)
		if err != nil {
			continue
		}
		var got []*Formula
		if err := Instances(context.Background(), f, nil, scope, nil, func(bound []Binding, g *Formula) bool {
			got = append(got, g)
			within, err := ResolveWithin(context.Background(), f.Sub[0], slices.Clone(bound), scope)
			if err != nil || !within.Equal(g) {
				t.Fatalf("%s with %v: %s, and within it %v (%v)", text, bound, g, within, err)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		tried++
		switch operands := want.Sub; {
		case len(got) == 0 && (want.Op == OpTrue || want.Op == OpFalse):
		case len(got) == 1 && want.Equal(got[0]):
		case !slices.EqualFunc(got, operands, (*Formula).Equal):
			t.Fatalf("%s: %d instances, Resolve makes %s", text, len(got), want)
		}
		if len(got) > 1 {
			n := 0
			if err := Instances(context.Background(), f, nil, scope, nil, func([]Binding, *Formula) bool { n++; return false }); err != nil || n != 1 {
				t.Fatalf("%d instances after the first was enough, %v", n, err)
			}
		}
	}
	if tried < rounds(200) {
		t.Errorf("only %d formulas tried", tried)
	}
}

// numbered has the processes P1 to Pn, each with a number x.
func numbered(n int) testScope {
	s := testScope{variables: map[int]map[string]Type{}}
	for p := range n {
		s.processes = append(s.processes, fmt.Sprintf("P%d", p+1))
		s.variables[p] = map[string]Type{"x": NumberType}
	}
	return s
}

// What is not possible for the first names is not tried with the others.
func TestInstancesAreLeftOut(t *testing.T) {
	const n = 1000
	f := mustParse(t, "exists i != j: x@i > 0 && x@j > 0 && x@i < x@j")
	asked, tried := 0, 0
	err := Instances(context.Background(), f, nil, numbered(n), func(g *Formula) bool {
		asked++
		return g.Expr.Args[0].Owner >= n-2
	}, func([]Binding, *Formula) bool { tried++; return true })
	if err != nil || asked != n || tried != 2*(n-1) {
		t.Errorf("%v; asked %d times, %d instances", err, asked, tried)
	}
}
